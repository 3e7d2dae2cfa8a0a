package lab

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
)

// options are the words that a profile may use under unsupported.
var options = []string{
	"queues", "topics", "transactions", "nack", "client-individual", "heart-beats", "receipts", "loopback-delivery", "ack",
	"redelivery", "binary-bodies",
}

func TestEveryBrokerHasASoundProfile(t *testing.T) {
	entries, err := os.ReadDir("profiles")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(All()) {
		t.Errorf("there are %d profiles for %d brokers", len(entries), len(All()))
	}
	for _, b := range All() {
		p, err := b.Profile()
		if err != nil {
			t.Errorf("%s: %v", b.Name, err)
			continue
		}
		if p.Name != b.Name || p.Title == "" {
			t.Errorf("%s: the profile is called %q, titled %q", b.Name, p.Name, p.Title)
		}
		if p.Baseline != "../baselines/"+b.Name+".yaml" {
			t.Errorf("%s: baseline %q", b.Name, p.Baseline)
		}
		d := p.Deadlines
		if d.Reply <= 0 || d.Close <= 0 || d.Quiet <= 0 || d.HeartBeat <= 0 || d.Quiet >= d.Reply {
			t.Errorf("%s: deadlines %+v", b.Name, d)
		}
		if b.Suite != "stomp" {
			continue
		}
		s := conformance.SectionOf[stomptest.Section](p)
		if (s.Login == "") != (s.Passcode == "") {
			t.Errorf("%s: login and passcode go together: %q, %q", b.Name, s.Login, s.Passcode)
		}
		if len(p.Versions) == 0 || !slices.IsSorted(p.Versions) {
			t.Errorf("%s: versions %v", b.Name, p.Versions)
		}
		for _, v := range p.Versions {
			if !slices.Contains([]string{"1.0", "1.1", "1.2"}, v) {
				t.Errorf("%s: there is no STOMP %s", b.Name, v)
			}
		}
		for option, reason := range p.Unsupported {
			if !slices.Contains(options, option) || len(reason) < 10 {
				t.Errorf("%s: unsupported %q for the reason %q", b.Name, option, reason)
			}
		}
		for option, spelled := range map[string]string{"queues": s.Queue, "topics": s.Topic} {
			_, without := p.Unsupported[option]
			if without != (spelled == "") || !without && strings.Count(spelled, "{name}") != 1 {
				t.Errorf("%s: %s are spelled %q, unsupported %v", b.Name, option, spelled, without)
			}
		}
	}
}

func TestInstallScriptKnowsWhatBrokersAndClientsSay(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash on this machine")
	}
	out, err := exec.CommandContext(t.Context(), bash, "install.sh", "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	script := strings.Fields(string(out))
	installs := map[string]string{}
	for _, b := range All() {
		installs[b.Name] = b.Install
	}
	for _, c := range Clients() {
		if _, taken := installs[c.Name]; taken {
			t.Errorf("a broker and a client are both called %s", c.Name)
		}
		installs[c.Name] = c.Install
	}
	var said []string
	for name, install := range installs {
		_, part, ok := strings.Cut(install, "conformance/lab/install.sh ")
		if !ok || !slices.Contains(script, part) {
			t.Errorf("%s is installed by %q, which the script does not know: %v", name, install, script)
		}
		said = append(said, part)
	}
	for _, name := range script {
		if !slices.Contains(said, name) {
			t.Errorf("the script installs %s, which nothing asks for", name)
		}
	}
	for _, args := range [][]string{{"--nonsense"}, {"no-such-broker"}} {
		cmd := exec.CommandContext(t.Context(), bash, append([]string{"install.sh"}, args...)...)
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 64 {
			t.Errorf("install.sh %v is a usage error: %v", args, err)
		}
	}
}

func TestFindKnowsEveryOneAndNoOther(t *testing.T) {
	t.Run("brokers", func(t *testing.T) { knows(t, All(), Find, "nats", "rabbitmq") })
	t.Run("clients", func(t *testing.T) { knows(t, Clients(), FindClient, "rabbitmq", "stompjs") })
}

// knows looks for each one by its name and for a stranger, whose error has to list one that there is.
func knows[T interface{ named() string }](t *testing.T, all []T, find func(string) (T, error), stranger, listed string) {
	t.Helper()
	for _, s := range all {
		if got, err := find(s.named()); err != nil || got.named() != s.named() {
			t.Errorf("%s is found: %q, %v", s.named(), got.named(), err)
		}
	}
	if _, err := find(stranger); err == nil || !strings.Contains(err.Error(), listed) {
		t.Errorf("the error lists what there is: %v", err)
	}
}
