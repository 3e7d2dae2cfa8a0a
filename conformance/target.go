package conformance

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// A Target names the thing being judged.
type Target struct {
	Spec    string   // as given
	Scheme  string   // "ref", "tcp", "tls", "ws", "wss", "http", "https" or "exec"
	Address string   // host:port, for the network schemes
	URL     *url.URL // whole address, for the network schemes
	Command string   // for exec: a line for the shell
}

// ParseTarget reads a target: ref (or nothing), tcp://host:port, tls://host:port, ws://…, wss://…,
// http://…, https://… or exec:COMMAND.
func ParseTarget(spec string) (Target, error) {
	if spec == "" || spec == "ref" {
		return Target{Spec: "ref", Scheme: "ref"}, nil
	}
	if command, ok := strings.CutPrefix(spec, "exec:"); ok {
		if strings.TrimSpace(command) == "" {
			return Target{}, fmt.Errorf("target %q names no command", spec)
		}
		return Target{Spec: spec, Scheme: "exec", Command: command}, nil
	}
	if !strings.Contains(spec, "://") {
		return Target{}, noScheme(spec)
	}
	u, err := url.Parse(spec)
	if err != nil {
		return Target{}, fmt.Errorf("target %q: %w", spec, err)
	}
	t := Target{Spec: spec, Scheme: u.Scheme, URL: u, Address: u.Host}
	port := map[string]string{"tcp": "", "tls": "", "ws": "80", "wss": "443", "http": "80", "https": "443"}
	def, ok := port[u.Scheme]
	switch {
	case !ok:
		return Target{}, fmt.Errorf("target %q: scheme is none of ref, tcp, tls, ws, wss, http, https, exec", spec)
	case u.Hostname() == "":
		return Target{}, fmt.Errorf("target %q names no host", spec)
	case u.User != nil:
		return Target{}, fmt.Errorf("target %q holds credentials: put login and passcode into a profile", spec)
	case u.Port() == "" && def == "":
		return Target{}, fmt.Errorf("target %q names no port", spec)
	case (u.Scheme == "tcp" || u.Scheme == "tls") && (strings.Trim(u.Path, "/") != "" || u.RawQuery != ""):
		return Target{}, fmt.Errorf("target %q: a %s address has no path", spec, u.Scheme)
	}
	if u.Port() == "" {
		t.Address = net.JoinHostPort(u.Hostname(), def)
	}
	return t, nil
}

// noScheme is the fault of an address that does not say how to speak to it.
func noScheme(spec string) error {
	if host, port, err := net.SplitHostPort(spec); err == nil && port != "" {
		address := net.JoinHostPort(host, port)
		return fmt.Errorf("target %q names no scheme: tcp://%s, or for an event bus http://%s?", spec, address, address)
	}
	return fmt.Errorf("target %q names no scheme, as in tcp://HOST:PORT, http://HOST:PORT or exec:COMMAND", spec)
}

// ExecTarget returns the target that is a command with its arguments.
func ExecTarget(argv []string) Target {
	quoted := make([]string, len(argv))
	for i, a := range argv {
		quoted[i] = Quote(a)
	}
	command := strings.Join(quoted, " ")
	return Target{Spec: "exec:" + command, Scheme: "exec", Command: command}
}

// Quote writes a word so that a shell reads it back as it is.
func Quote(word string) string {
	if word != "" && strings.Trim(word, shellSafe) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// shellSafe are the characters that a shell takes as they are.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"

// Reference reports whether the target is our own reference, started inside the process.
func (t Target) Reference() bool { return t.Scheme == "ref" }

// carrier returns the target as a suite dials it.
func (t Target) carrier(suite *Suite) Target {
	if suite.OwnWebSocket {
		switch t.Scheme {
		case "ws":
			t.Scheme = "tcp"
		case "wss":
			t.Scheme = "tls"
		}
	}
	return t
}
