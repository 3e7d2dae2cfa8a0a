package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
)

// parsed reads a command line as a shell and then the program would.
func parsed(t *testing.T, command string) (*cli, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf '%s\\0' "+command).Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var c cli
	parser, err := newParser(&c, streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(words[1:])
	return &c, err
}

// Every command that a result tells to run again parses, and means the same.
func TestRunAgainIsACommand(t *testing.T) {
	const id, listen, profile, target = "stomp/server/connect/connected@1.2", "127.0.0.1:0", "my broker's.yaml", "tcp://127.0.0.1:1"
	test := testCommand{Protocol: "stomp", Listen: listen, Profile: profile}
	to, err := conformance.ParseTarget(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{test.again(to), "assay lab test go-stomp:tcp", "assay lab test stomp.py"} {
		res, err := conformance.Run(t.Context(), stomptest.Server(), conformance.Config{
			Target: to, Seed: 7, Selection: conformance.Selection{Only: []string{id}}, Command: command,
		})
		if err != nil {
			t.Fatal(err)
		}
		seen := false
		for _, r := range res.Cases {
			if r.ID != id {
				continue
			}
			seen = true
			c, err := parsed(t, r.Command)
			if err != nil {
				t.Fatalf("%s: %v", r.Command, err)
			}
			only, seed := append(c.Test.Only, c.Lab.Test.Only...), c.Test.Seed+c.Lab.Test.Seed
			if len(only) != 1 || only[0] != id || seed != 7 {
				t.Errorf("%s: --only %q --seed %d", r.Command, only, seed)
			}
			if c.Test.Protocol != "" && (c.Test.Profile != profile || c.Test.Listen != listen || c.Test.Target != target) {
				t.Errorf("%s: %+v", r.Command, c.Test)
			}
		}
		if !seen {
			t.Errorf("%s: no case %s", command, id)
		}
	}
}

// A flag that has a value when it is left out says so: a placeholder would hide it.
func TestHelpShowsDefaults(t *testing.T) {
	var c cli
	parser, err := newParser(&c, streams{out: &bytes.Buffer{}, err: &bytes.Buffer{}}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok && flag.HasDefault && !flag.IsBool() {
			seen++
			if help := withDefault(flag.Value); strings.Count(help, "(default "+flag.Default+").") != 1 {
				t.Errorf("--%s: %q", flag.Name, help)
			}
			if flag.PlaceHolder == "" {
				t.Errorf("--%s has no placeholder, so that its default stands twice in the help", flag.Name)
			}
		}
		return next(nil)
	})
	if err != nil || seen < 8 {
		t.Errorf("%d flags with a default: %v", seen, err)
	}
	var help bytes.Buffer
	if status := execute(t.Context(), []string{"serve", "eventbus", "--help"}, streams{out: &help, err: &help}); status != 0 ||
		!strings.Contains(strings.Join(strings.Fields(help.String()), " "), "(default 127.0.0.1:4170)") {
		t.Errorf("status %d:\n%s", status, &help)
	}
}

// Every command that ends with a status of its own says which there are.
func TestHelpNamesExitStatuses(t *testing.T) {
	for _, command := range []string{"test", "replay", "laws", "report", "explore", "serve stomp", "serve eventbus"} {
		var help bytes.Buffer
		execute(t.Context(), append(strings.Fields(command), "--help"), streams{out: &help, err: &help})
		text := strings.Join(strings.Fields(help.String()), " ")
		if !strings.Contains(text, "Exit status") {
			t.Errorf("%s names no exit status", command)
		}
		if strings.Contains(text, "baseline is stale") && !strings.Contains(text, "stale or expired") {
			t.Errorf("%s: 3 is a baseline that is stale or expired", command)
		}
	}
}

// On a terminal a calibration says that it is one: it is long, and no case of the target ends meanwhile.
func TestACalibrationIsShown(t *testing.T) {
	var shown bytes.Buffer
	p := newProgress(streams{out: &bytes.Buffer{}, err: &shown, terminal: true}, "stomp")
	p.calibrating(conformance.Progress{Done: 3, Total: 580})
	if want := "stomp calibrating: this binary judges the reference, once: 3/580"; !strings.Contains(shown.String(), want) {
		t.Errorf("%q does not hold %q", &shown, want)
	}
}
