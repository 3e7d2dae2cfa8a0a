package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"
)

// playTestee is how this test binary behaves when it is started as a testee: it is named by a variable of the
// environment, and the answer is the process's exit status.
const playTestee = "ASSAY_TEST_TESTEE"

func TestMain(m *testing.M) {
	if role := os.Getenv(playTestee); role != "" {
		os.Exit(beTestee(role))
	}
	goleak.VerifyTestMain(m)
}

func beTestee(role string) int {
	dial := func() net.Conn {
		c, err := net.Dial("tcp", net.JoinHostPort(os.Getenv("ASSAY_HOST"), os.Getenv("ASSAY_PORT")))
		if err != nil {
			panic(err)
		}
		return c
	}
	switch role {
	case "crash":
		fmt.Println("a word before the end")
		return 3
	case "twice":
		for _, hello := range []string{"one", "two"} {
			fmt.Fprint(dial(), hello)
		}
	case "mute":
		dial()
	case "websocket":
		c, _, err := websocket.Dial(context.Background(), os.Getenv("ASSAY_URL"), &websocket.DialOptions{Subprotocols: []string{"v12.stomp"}})
		if err != nil || c.Subprotocol() != "v12.stomp" {
			panic(err)
		}
		_ = c.Write(context.Background(), websocket.MessageText, []byte("over "))
		_ = c.Write(context.Background(), websocket.MessageBinary, []byte("frames"))
		_, _, _ = c.Read(context.Background())
		return 0
	case "upgrade-and-leave":
		fmt.Fprint(dial(), "GET / HTTP/1.1\r\n")
		return 0
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
	select {}
}

func playing(role string) Target {
	return ExecTarget([]string{"env", playTestee + "=" + role, os.Args[0]})
}

// clients is a suite for clients whose cases behave as told.
func clients(cases ...Case) *Suite {
	s := scripted(cases...)
	s.Name, s.Clients, s.Alive, s.Schemes = "stomp-client", true, nil, []string{"exec"}
	s.WebSocket, s.Subprotocols = true, []string{"v12.stomp"}
	s.Reference = func(context.Context) (*Reference, error) {
		return &Reference{Stop: func() {}, Testee: func(ctx context.Context, address string) error {
			c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
			if err != nil {
				return err
			}
			defer c.Close()
			fmt.Fprint(c, "reference")
			<-ctx.Done()
			return ctx.Err()
		}}, nil
	}
	return s
}

func heard(t *T, c *Conn, want string) {
	var got strings.Builder
	for deadline := time.Now().Add(5 * time.Second); got.Len() < len(want); {
		chunk, ok := c.Next(t.Context(), deadline)
		if !ok {
			break
		}
		got.Write(chunk.Data)
	}
	if got.String() != want {
		t.Stopped(Break{Law: "STOMP-FRAME-001", Reason: "octets arrive", Expected: want, Seen: got.String()})
	}
}

func accepted(t *T, name, want string) {
	c, err := t.Testee().Accept(name)
	if err != nil {
		t.Inconclusive("%v", err)
	}
	heard(t, c, want)
}

func TestTesteeIsStartedForEachCase(t *testing.T) {
	both := []Case{
		does("first", func(t *T) { accepted(t, "a", "one"); accepted(t, "b", "two") }),
		does("second", func(t *T) { accepted(t, "a", "one") }),
	}
	res, err := Run(t.Context(), clients(both...), Config{Target: playing("twice")})
	if err != nil {
		t.Fatal(err)
	}
	for id, v := range verdicts(res) {
		if v != Pass {
			t.Errorf("%s: %s: %+v", id, v, res.Cases)
		}
	}
	own := does("own", func(*T) {})
	own.Needs.Reference = true
	res, err = Run(t.Context(), clients(own), Config{Target: playing("mute")})
	if err != nil || verdicts(res)["own"] != NotRun {
		t.Errorf("a case about the reference on something else: %v: %+v", err, res)
	}
	ref, _ := ParseTarget("ref")
	res, err = Run(t.Context(), clients(does("ref", func(t *T) { accepted(t, "a", "reference") })), Config{Target: ref})
	if err != nil || verdicts(res)["ref"] != Pass {
		t.Errorf("%v: %+v", err, res)
	}
}

func TestTesteeOverWebSocket(t *testing.T) {
	res, err := Run(t.Context(), clients(does("ws", func(t *T) { accepted(t, "a", "over frames") })), Config{Target: playing("websocket")})
	if err != nil || verdicts(res)["ws"] != Pass {
		t.Errorf("%v: %+v", err, res)
	}
}

func TestTesteeThatDoesNotComeIsNoVerdict(t *testing.T) {
	for role, want := range map[string]string{
		"crash":             "a word before the end",
		"mute":              "within 50ms",
		"upgrade-and-leave": "no connection a",
		"silent":            "within 50ms",
	} {
		reply := 50 * time.Millisecond
		if role == "crash" {
			reply = 20 * time.Second // its end is what is waited for, however long its start takes
		}
		patience := Profile{Deadlines: ProfileDeadlines{Reply: Duration(reply), Quiet: Duration(50 * time.Millisecond), Case: Duration(time.Minute)}}
		var failed *AcceptError
		res, err := Run(t.Context(), clients(does("wait", func(t *T) {
			_, err := t.Testee().Accept("a")
			if !errors.As(err, &failed) {
				t.Stopped(Break{Law: "STOMP-FRAME-001", Reason: "no connection", Expected: "AcceptError", Seen: fmt.Sprint(err)})
			}
		})), Config{Target: playing(role), Profile: patience})
		if err != nil || verdicts(res)["wait"] != Pass || failed == nil || !strings.Contains(failed.Error(), want) {
			t.Errorf("%s: %v, %v: %+v", role, err, failed, res.Cases)
		}
	}
}

func TestCommandThatCannotRunIsInconclusive(t *testing.T) {
	res, err := Run(t.Context(), clients(does("x", func(t *T) { accepted(t, "a", "x") })), Config{Target: ExecTarget([]string{"/nowhere/at all"})})
	if err != nil {
		t.Fatal(err)
	}
	c := res.Cases[0]
	if c.Verdict != Inconclusive || !strings.Contains(c.Reason, "the client ended") || !strings.Contains(c.Reason, "at all") {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}

func TestSuiteAndTargetMustFit(t *testing.T) {
	server, _ := ParseTarget("tcp://127.0.0.1:1")
	client := playing("crash")
	for name, try := range map[string]struct {
		suite *Suite
		cfg   Config
	}{
		"a client for a suite of servers": {scripted(does("x", func(*T) {})), Config{Target: client}},
		"a server for a suite of clients": {clients(does("x", func(*T) {})), Config{Target: server}},
		"listening without clients":       {scripted(does("x", func(*T) {})), Config{Target: server, Listen: "127.0.0.1:0"}},
		"an address that is none":         {clients(does("x", func(*T) {})), Config{Target: client, Listen: "127.0.0.1"}},
	} {
		if res, err := Run(t.Context(), try.suite, try.cfg); err == nil {
			t.Errorf("%s was accepted: %+v", name, res.Header)
		}
	}
}

func TestExecTargetIsOneWordToAShell(t *testing.T) {
	target := ExecTarget([]string{"node", "a b", "", "it's", "$HOME;x"})
	if want := `node 'a b' '' 'it'\''s' '$HOME;x'`; target.Command != want {
		t.Errorf("command %s, want %s", target.Command, want)
	}
	again, err := ParseTarget(target.Spec)
	if err != nil || again.Command != target.Command {
		t.Errorf("%+v, %v", again, err)
	}
}
