package stomptest

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/conformance/suitetest/peer"
	"github.com/seed-6f28358b/assay/conformance/testees/assay/testee"
)

func TestHeaderAsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ version, raw, name, want string }{
		{"1.2", "SEND\nx:a\\cb\n\n\x00", "x", `a\cb`},
		{"1.2", "SEND\r\nx:a\r\n\r\n\x00", "x", "a"},
		{"1.1", "SEND\nx:a\r\n\n\x00", "x", "a\r"},
		{"1.2", "SEND\nx\\cy:v\n\n\x00", "x:y", "v"},
		{"1.0", "SEND\nx:y:v\n\n\x00", "x:y", "v"},
		{"1.2", "SEND\nx:1\nx:2\n\n\x00", "x", "1"},
		{"1.2", "SEND\nxx:1\n\nx:2\n\x00", "x", "none"},
		{"1.2", "SEND\n\nx:2\n\x00", "x", "none"},
	} {
		got, ok := headerAsWritten(&wireFrame{Raw: []byte(c.raw)}, c.name, c.version)
		if !ok {
			got = "none"
		}
		if got != c.want {
			t.Errorf("%s, %s in %q: got %q, want %q", c.version, c.name, c.raw, got, c.want)
		}
	}
}

// Behind a relay that spoils one thing of what the reference sends, the case about that thing fails; behind one that spoils nothing
// it passes.
func TestSentCasesTellRightFromWrong(t *testing.T) {
	t.Parallel()
	cfg := conformance.Config{Target: suitetest.Target(t, "ref")}
	got := suitetest.One(t, spoilt(nil), cfg, "stomp/client/send/text@1.2")
	if got.Verdict != conformance.Pass {
		t.Error(suitetest.Told(got))
	}
	var all []suitetest.Broken
	for _, c := range []struct {
		name, id, law string
		spoil         func(string) string
	}{
		{"body", "stomp/client/send/text@1.2", "STOMP-BODY-014", swap("hello", "HELLO")},
		{"length", "stomp/client/send/counts-octets@1.2", "STOMP-BODY-008", swap("content-length:11\n", "content-length:12\n")},
		{"destination", "stomp/client/send/destination@1.1", sendCarries, swap("/queue/a", "/queue/x")},
		{"escape", "stomp/client/escape/colon-in-value@1.2", "STOMP-ESC-005", swap(`\ca\cb`, ":a:b")},
		{"escape in 1.0", "stomp/client/escape/backslash-in-value@1.0", "STOMP-ESC-010", swap(`\a`, `\\a`)},
		{"injection", "stomp/client/escape/no-header-made-of-a-value@1.1", "STOMP-ESC-006", swap(`v\ninjected\c`, "v\ninjected:")},
		{"second frame", "stomp/client/disconnect/no-frame-after@1.2", "STOMP-DISCONNECT-002", after("DISCONNECT", "ACK\nid:a-1\n\n\x00")},
		{"body of ACK", "stomp/client/ack/takes-nothing-from-the-message@1.1", "STOMP-BODY-001", inFrame("ACK", "\n\n\x00", "\n\nx\x00")},
		{"ack value", "stomp/client/ack/names-the-message@1.2", "STOMP-ACK-003", inFrame("ACK", "id:a-", "id:m-")},
		{"nack", "stomp/client/ack/nack-names-the-message@1.2", "STOMP-ACK-003", inFrame("NACK", "id:a-2", "id:a-1")},
		{"unsubscribe", "stomp/client/subscribe/unsubscribe-names-it@1.2", "STOMP-UNSUBSCRIBE-001", inFrame("UNSUBSCRIBE", "id:", "id:x")},
		{"ids", "stomp/client/subscribe/ids-differ-on-one-destination@1.2", "STOMP-SUBSCRIBE-003", inFrame("SUBSCRIBE", "id:s-2", "id:s-1")},
		{"ack mode", "stomp/client/subscribe/ack-client@1.2", "STOMP-SUBSCRIBE-018", swap("ack:client\n", "ack:auto\n")},
		{"transaction", "stomp/client/transaction/commit@1.2", transactionCarries, inFrame("COMMIT", "transaction:", "transaction:x")},
		{"no transaction", "stomp/client/transaction/commit@1.0", joinsTransaction, inFrame("SEND", "transaction:", "x-transaction:")},
		{"receipt of leaving", "stomp/client/disconnect/with-receipt@1.2", "STOMP-DISCONNECT-001", inFrame("DISCONNECT", "receipt:", "x-receipt:")},
	} {
		all = append(all, suitetest.Broken{Name: c.name, Law: c.law, Only: []string{c.id}, Config: cfg, Suite: spoilt(c.spoil)})
	}
	suitetest.GoesRed(t, 8, all, nil)
}

// spoilt is the suite with a reference that is spoilt on its way.
func spoilt(spoil func(string) string) *conformance.Suite {
	suite := Client()
	suite.Reference = func(context.Context) (*conformance.Reference, error) {
		return &conformance.Reference{
			Testee:  func(ctx context.Context, address string) error { return throughSpoiler(ctx, address, spoil) },
			Profile: conformance.Profile{Name: "ref", Versions: every}, Stop: func() {},
		}, nil
	}
	return suite
}

// swap spoils every frame, inFrame those of one command, after puts more behind them.
func swap(old, spoilt string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, spoilt) }
}

func inFrame(command, old, spoilt string) func(string) string {
	return func(s string) string {
		if !strings.HasPrefix(s, command+"\n") {
			return s
		}
		return strings.ReplaceAll(s, old, spoilt)
	}
}

func after(command, more string) func(string) string {
	return func(s string) string {
		if !strings.HasPrefix(s, command+"\n") {
			return s
		}
		return s + more
	}
}

// throughSpoiler runs the reference's testee against a relay that spoils what the testee sends on its second connection,
// write by write, which is frame by frame.
func throughSpoiler(ctx context.Context, address string, spoil func(string) string) error {
	relay, stop, err := peer.Listen(peer.Nth(func(n int64) peer.Handler {
		if n == 1 {
			return peer.Relays(address, nil)
		}
		return peer.Relays(address, spoil)
	}))
	if err != nil {
		return err
	}
	defer stop()
	return testee.Run(ctx, relay)
}
