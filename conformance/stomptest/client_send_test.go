package stomptest

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/testees/assay/testee"
	"github.com/seed-6f28358b/assay/spec"
)

// sentCases are the cases about what a client sends and how its sessions go.
func sentCases() []conformance.Case {
	return slices.Concat(clientSendCases(), clientEscapeCases(), clientSubscribeCases(), clientAckCases(),
		clientTransactionCases(), clientReceiptCases(), clientDisconnectCases())
}

// Each case outside of the group of ambiguities cites, in every version that it runs under, a law that holds there:
// one that does not could never be more than informational.
func TestSentCasesCanDecide(t *testing.T) {
	t.Parallel()
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	cases := sentCases()
	if err := conformance.ValidateCases(cases, func(id string) bool { _, ok := laws.Law(id); return ok }); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Errorf("%d cases, at least 100 are meant", len(cases))
	}
	for _, inst := range conformance.Instances(cases) {
		if strings.HasPrefix(inst.Case.ID, "stomp/client/ambiguity/") {
			continue
		}
		holds := slices.ContainsFunc(inst.Case.Laws, func(id string) bool {
			law, _ := laws.Law(id)
			return len(law.Versions) == 0 || slices.Contains(law.Versions, inst.Version)
		})
		// A law that only 1.2 states is informational before it.
		if !holds && !slices.Contains([]string{"STOMP-TX-002"}, inst.Case.Laws[0]) {
			t.Errorf("%s cites no law of its version", inst.ID())
		}
	}
}

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
		got, ok := headerAsWritten(&Frame{Raw: []byte(c.raw)}, c.name, c.version)
		if !ok {
			got = "none"
		}
		if got != c.want {
			t.Errorf("%s, %s in %q: got %q, want %q", c.version, c.name, c.raw, got, c.want)
		}
	}
}

// The reference passes, and behind a relay that spoils one thing of what it sends the case about that thing fails.
func TestSentCasesTellRightFromWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, id, law string
		spoil         func(string) string
	}{
		{"nothing", "stomp/client/send/text@1.2", "", func(s string) string { return s }},
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
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			id, version, _ := strings.Cut(c.id, "@")
			suite := Client()
			suite.Cases = slices.DeleteFunc(sentCases(), func(x conformance.Case) bool { return x.ID != id })
			suite.Cases[0].Versions = []string{version}
			suite.Reference = func(context.Context) (*conformance.Reference, error) {
				return &conformance.Reference{
					Testee:  func(ctx context.Context, address string) error { return throughSpoiler(ctx, address, c.spoil) },
					Profile: conformance.Profile{Name: "ref", Versions: every}, Stop: func() {},
				}, nil
			}
			target, err := conformance.ParseTarget("ref")
			if err != nil {
				t.Fatal(err)
			}
			res, err := conformance.Run(t.Context(), suite, conformance.Config{Target: target})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Cases) != 1 {
				t.Fatalf("%d results", len(res.Cases))
			}
			got := res.Cases[0]
			if c.law == "" {
				if got.Verdict != conformance.Pass {
					t.Errorf("%s: %s %v", got.Verdict, got.Reason, got.Findings)
				}
				return
			}
			broken := slices.ContainsFunc(got.Findings, func(f conformance.Finding) bool { return f.Law == c.law })
			if !broken || got.Verdict != conformance.Fail && got.Verdict != conformance.Lax {
				t.Errorf("%s, want a break of %s: %s %v", got.Verdict, c.law, got.Reason, got.Findings)
			}
		})
	}
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
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", conformance.DefaultListen)
	if err != nil {
		return err
	}
	var work sync.WaitGroup
	work.Go(func() {
		for n := 0; ; n++ {
			in, err := l.Accept()
			if err != nil {
				return
			}
			spoils := n > 0
			work.Go(func() {
				spoilConn(ctx, in, address, func(s string) string {
					if !spoils {
						return s
					}
					return spoil(s)
				})
			})
		}
	})
	err = testee.Run(ctx, l.Addr().String())
	_ = l.Close()
	work.Wait()
	return err
}

func spoilConn(ctx context.Context, in net.Conn, address string, spoil func(string) string) {
	out, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		_ = in.Close()
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(in, out)
		_ = in.Close()
	})
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			if _, werr := out.Write([]byte(spoil(string(buf[:n])))); werr != nil {
				err = errors.Join(err, werr)
			}
		}
		if err != nil {
			break
		}
	}
	_ = out.Close()
	back.Wait()
}
