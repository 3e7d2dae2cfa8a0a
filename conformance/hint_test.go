package conformance

import (
	"context"
	"net"
	"strings"
	"testing"
)

// When nothing can be judged, the result says what to look at.
func TestAFailedProbeSaysWhatToLookAt(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	defer func() { l.Close(); <-done }()
	for spec, want := range map[string]string{
		"tcp://127.0.0.1:1":          "is 127.0.0.1:1 where it listens?",
		"tls://" + l.Addr().String(): "speak TLS?",
	} {
		target, err := ParseTarget(spec)
		if err != nil {
			t.Fatal(err)
		}
		suite := scripted(does("holds", func(*T) {}))
		suite.Probe = func(_ context.Context, t *T) Capabilities { t.Dial("probe"); return Capabilities{} }
		res, err := Run(t.Context(), suite, Config{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(res.Footer.Stopped, want) || !strings.Contains(res.Cases[0].Reason, want) {
			t.Errorf("%s: %q and %q do not say %q", spec, res.Footer.Stopped, res.Cases[0].Reason, want)
		}
	}
}
