package peer

import (
	"io"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hear sends octets, ends its own side, and returns what comes until the other one ends.
func hear(t *testing.T, address, octets string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, octets); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	heard, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(heard)
}

func echo(c *net.TCPConn, _ <-chan struct{}) { _, _ = io.Copy(c, c) }

// A relay changes what goes there and not what comes back, of the connections that it is told to.
func TestRelays(t *testing.T) {
	target := Serve(t, Says("echo ", echo))
	relay := Serve(t, Nth(func(n int64) Handler {
		if n == 1 {
			return Relays(target, nil)
		}
		return Relays(target, strings.ToUpper)
	}))
	for _, want := range []string{"echo a word", "echo A WORD", "echo A WORD"} {
		if got := hear(t, relay, "a word"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWhatPeersSay(t *testing.T) {
	for want, serve := range map[string]Handler{"": Silent, "said": Says("said", Silent), "gone": SaysAndCloses("gone")} {
		if got := hear(t, Serve(t, serve), "hello"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The end comes to peers that would go on for ever, and to connections that nobody reads.
func TestStopEndsEveryConnection(t *testing.T) {
	for name, serve := range map[string]Handler{"floods": Floods(make([]byte, 64<<10)), "trickles": Trickles("ab"), "listens": Silent} {
		address, stop, err := Listen(serve)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		stop()
		if n, err := io.Copy(io.Discard, c); n > floodOctets+64<<10 {
			t.Errorf("%s: %d octets, %v", name, n, err)
		}
		c.Close()
		if _, err := net.Dial("tcp", address); err == nil {
			t.Errorf("%s: it listens after its end", name)
		}
	}
}
