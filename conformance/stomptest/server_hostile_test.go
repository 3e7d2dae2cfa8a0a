package stomptest

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/conformance/suitetest/peer"
)

const connected = "CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\x00"

// flooding is one message of many, for a subscription that there is not.
const flooding = "MESSAGE\nsubscription:probe\nmessage-id:1\ndestination:/q\n\nflood\x00\n"

var hostiles = []suitetest.Hostile{
	{Name: "never answers", Serve: peer.Silent, Why: "CONNECT is not answered"},
	{
		Name:  "answers garbage",
		Serve: peer.Says("\x16\x03\x01\x02\x00garbage\x00more\x00\n\n\x00:\n\n\x00", peer.Silent), Why: "CONNECT is not answered",
	},
	{Name: "floods", Serve: peer.Floods([]byte(strings.Repeat(flooding, 1000)))},
	{Name: "floods after CONNECTED", Serve: peer.Says(connected, peer.Floods([]byte(strings.Repeat(flooding, 1000))))},
	{Name: "floods octets without end of frame", Serve: peer.Floods(make([]byte, 64<<10))},
	{Name: "trickles", Serve: peer.Trickles(strings.TrimSuffix(connected, "\x00")), Why: "CONNECT is not answered"},
	{Name: "closes at once", Serve: peer.Leaves(""), Why: "CONNECT is not answered"},
	{Name: "closes inside a frame", Serve: peer.Leaves(connected[:20]), Why: "CONNECT is not answered"},
	{Name: "accepts and resets", Serve: peer.Resets},
	{Name: "answers CONNECT and nothing else", Serve: peer.Says(connected, peer.Silent), Why: "and nothing after it"},
	{Name: "answers everything with CONNECTED", Serve: answering(connected)},
	{Name: "answers everything with ERROR and stays", Serve: answering("ERROR\nmessage:no\n\n\x00"), Why: "CONNECT is not answered"},
}

// answering answers each frame with the same octets.
func answering(octets string) peer.Handler {
	return func(c *net.TCPConn, _ <-chan struct{}) {
		for r := bufio.NewReader(c); ; {
			if _, err := r.ReadString(0); err != nil {
				return
			}
			_, _ = io.WriteString(c, octets)
		}
	}
}

// hostileTime is what a run on a target that does not answer may take, on a machine that does much else.
const hostileTime = 5 * time.Minute

// A hostile target never hangs the run.
func TestHostileTargetsNeverHangTheRun(t *testing.T) {
	suitetest.Survives(t, Server(), "tcp", conformance.Profile{}, hostileTime, hostiles)
}

// A target that stops answering in the middle of a run blocks the rest of it and not the run itself.
func TestTargetThatGoesSilentBlocksTheRest(t *testing.T) {
	t.Parallel()
	ref, err := reference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Stop()
	// The first connections are carried to the reference, and what comes afterwards is swallowed.
	address := peer.Serve(t, peer.Nth(func(n int64) peer.Handler {
		if n > 30 {
			return peer.Silent
		}
		return peer.Relays(ref.Address, nil)
	}))
	res := suitetest.Whole(t, Server(), conformance.Config{Target: suitetest.Target(t, "tcp://"+address), Profile: ReferenceProfile()}, hostileTime)
	if res.Footer.Exit != conformance.ExitInconclusive || res.Footer.Stopped == "" || res.Footer.Counts[conformance.Blocked] == 0 {
		t.Errorf("exit %d, stopped %q, counts %v", res.Footer.Exit, res.Footer.Stopped, res.Footer.Counts)
	}
	if n := res.Footer.Counts[conformance.Fail]; n > 0 {
		t.Errorf("%d cases blame a target for silence that came later", n)
	}
}
