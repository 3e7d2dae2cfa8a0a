package substratetest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func ackCases() []conformance.Case {
	stale := func(name, title string, change func(s *subT, ack *frame) *frame) conformance.Case {
		return one("ack/stale-"+name, "an ack with another "+title+" frees nothing and is harmless", laws("SUBSTRATE-ACK-004"), nil, func(s *subT) {
			o := s.Manual()
			l := o.p.link
			a, b := o.Make("req", []byte("a")), o.Make("req", []byte("b"))
			l.Posts(a, b)
			head := l.Expect("", "the answer comes", "a res", isAnswer(a.id()))
			l.Post(change(s, ackOf(head)))
			l.Never("SUBSTRATE-ACK-004", "an ack frees the row in flight only if obj, id and receipt are those of that row", func(f *frame) bool { return f.durable() || f.kind() == "err" })
			l.Acks(head)
			l.Expect("SUBSTRATE-ACK-004", "the right ack frees it, and the next row goes out", "the answer to "+b.id(), isAnswer(b.id()))
		})
	}
	return []conformance.Case{
		one("ack/echo", "receipts of 1 to 64 octets come back as they are, with obj, objKind and id", laws("SUBSTRATE-ACK-003"), nil, func(s *subT) {
			p := s.Peer()
			on := []*object{p.Live("session", s.accepted()), p.Live("queue", s.accepted())}
			const reason = "an ack carries the obj, objKind, id and receipt of what it acks"
			for n := 1; n <= 64; n++ {
				f := on[n%2].Make("send", nil).with("receipt", s.Octets(n))
				p.link.Post(f)
				got := p.link.Expect("SUBSTRATE-ACK-003", reason, "an ack", isAck(f.id()))
				want := ackOf(f)
				s.Equal("SUBSTRATE-ACK-003", reason, fmt.Sprint(want.obj(), want.objKind(), want.id(), want.receipt()), fmt.Sprint(got.obj(), got.objKind(), got.id(), got.receipt()))
			}
		}),
		one("ack/receipt-of-the-copy", "a copy with another receipt is acked with that one", laws("SUBSTRATE-ACK-003", "SUBSTRATE-ACK-005"), nil, func(s *subT) {
			o := s.Session()
			f := o.Send("x")
			for range 5 {
				o.Takes("SUBSTRATE-ACK-003", "the receipt is that of the frame being acked, whatever the first delivery carried", f.with("receipt", s.Octets(1+s.Rand().IntN(64))))
			}
			o.Takes("SUBSTRATE-ACK-005", "a receipt is opaque", o.Make("send", nil).with("receipt", f.receipt()))
		}),
		one("ack/before-the-handler-is-done", "an op is acked while its handler still works", laws("SUBSTRATE-ACK-001"), needs(Commands), func(s *subT) {
			p := s.Peer()
			a, b := p.Live("session", s.accepted()), p.Live("session", s.accepted())
			word := s.Unique("word")
			a.Takes("SUBSTRATE-ACK-001", "the ack does not wait for the handler", a.Make("send", []byte("assay:hold "+word)))
			for range 3 {
				a.Takes("SUBSTRATE-ACK-001", "nor do those of the ops behind it", a.Make("send", nil))
			}
			b.Ask("", "the handler is let go", []byte("assay:free "+word), "res")
		}),
		one("ack/before-the-answer", "a req is acked while its answer is not known", laws("SUBSTRATE-ACK-001"), needs(Commands), func(s *subT) {
			p := s.Peer()
			a, b := p.Live("session", s.accepted()), p.Live("session", s.accepted())
			word := s.Unique("word")
			f := a.Takes("SUBSTRATE-ACK-001", "the ack does not wait for any answer", a.Make("req", []byte("assay:hold "+word)))
			p.link.Never("", "the answer is not known yet", isAnswer(f.id()))
			b.Ask("", "the handler is let go", []byte("assay:free "+word), "res")
			p.link.Answered("SUBSTRATE-ACK-001", "the answer comes when it is known", f, "res")
		}),
		one("ack/before-an-accept", "an open is acked although nobody answers it", laws("SUBSTRATE-ACK-001"), needs(Silences), func(s *subT) {
			o := s.Peer().Name("session", s.profile().Silent)
			o.Takes("SUBSTRATE-ACK-001", "the ack does not wait for accept or reject", o.Make("open", nil))
		}),
		one("ack/never-of-what-is-refused", "what is refused or waits is not acked", laws("SUBSTRATE-ACK-002"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			for _, f := range []*frame{
				o.At("send", o.seq+2, nil), o.At("send", o.seq+1000, nil), o.At("send", o.seq+1, nil).with("objKind", "queue"),
				o.At("chunk", o.seq+1, nil), o.At("send", 1, nil).with("obj", s.Unique("nobody")), o.At("send", 0, nil),
			} {
				l.Post(f)
			}
			l.Never("SUBSTRATE-ACK-002", "no ack without a commit", func(f *frame) bool { return f.kind() == "ack" })
		}),
		stale("receipt", "receipt", func(s *subT, f *frame) *frame { return f.with("receipt", s.Octets(16)) }),
		stale("longer-receipt", "receipt that begins as the right one does", func(_ *subT, f *frame) *frame { return f.with("receipt", append(bytes.Clone(f.receipt()), 0)) }),
		stale("id", "id", func(s *subT, f *frame) *frame { return f.with("id", s.Unique("i")) }),
		stale("object", "object", func(s *subT, f *frame) *frame { return f.with("obj", s.Unique("nobody")) }),
		one("ack/of-what-was-not-sent", "an ack of a row that waits does not free it", laws("SUBSTRATE-ACK-004"), nil, func(s *subT) {
			o := s.Manual()
			l := o.p.link
			a, b := o.Make("req", []byte("a")), o.Make("req", []byte("b"))
			l.Posts(a, b)
			head := l.Expect("", "the answer comes", "a res", isAnswer(a.id()))
			l.Fence()
			l.Posts(ackOf(head).with("id", b.id()), ackOf(head).with("id", b.id()).with("receipt", s.Octets(16)), ackOf(head))
			l.Expect("SUBSTRATE-ACK-004", "a row that was never sent is not freed by an ack", "the answer to "+b.id(), isAnswer(b.id()))
		}),
		one("ack/repeated", "acks that come again are harmless", laws("SUBSTRATE-ACK-004"), nil, func(s *subT) {
			o := s.Manual()
			l := o.p.link
			var before *frame
			for range 5 {
				f := o.Make("req", nil)
				l.Post(f)
				got := l.Expect("SUBSTRATE-ACK-004", "stale acks change nothing", "the answer to "+f.id(), isOp)
				s.Equal("SUBSTRATE-ACK-004", "answers come in their order", f.id(), got.id())
				if before != nil {
					l.Posts(ackOf(before), ackOf(before))
				}
				l.Posts(ackOf(got), ackOf(got), ackOf(got))
				before = got
			}
			l.Never("SUBSTRATE-ACK-004", "nothing is sent for an ack", func(f *frame) bool { return f.kind() == "err" || f.durable() })
		}),
		one("ack/of-nothing", "acks that nobody waits for are neither acked nor refused", laws("SUBSTRATE-ACK-007", "SUBSTRATE-BOUNCE-003"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			f := frameOf("kind", "ack", "obj", o.addr, "objKind", o.kind, "id", s.Unique("i"), "receipt", s.Octets(16))
			l.Posts(f, f.with("obj", s.Unique("nobody")), f.with("obj", "No"), f.with("objKind", "queue"), f.with("objKind", "state"))
			l.Never("SUBSTRATE-ACK-007", "an ack is not acked or bounced", func(f *frame) bool { return f.kind() == "ack" || f.kind() == "err" })
		}),
		one("ack/has-no-seq", "acks have no seq and take none", laws("SUBSTRATE-ACK-007"), nil, func(s *subT) {
			o := s.Session()
			for n := range 5 {
				o.Send("x")
				got := o.Ask("SUBSTRATE-ACK-007", "a req is answered", nil, "res")
				s.Equal("SUBSTRATE-ACK-007", "acks are unsequenced", n+2, got.seq())
			}
			for _, f := range o.p.link.all {
				s.Check(f.kind() != "ack" || !f.has("seq"), "SUBSTRATE-ACK-007", "acks are unsequenced", "no seq", f.String())
			}
		}),
		one("ack/lost", "an op whose ack was lost is acked again on the next connection and handed over once", laws("SUBSTRATE-ACK-006", "SUBSTRATE-RECONNECT-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			f := o.Make("send", []byte("once"))
			for range 5 {
				o.p.link.Post(f)
				o.p.link.Fence()
				o.p.link.Cut()
				o.p.Connect()
			}
			o.Takes("SUBSTRATE-ACK-006", "the receiver dedupes the redelivery and acks it again", f)
			s.Equal("SUBSTRATE-RECONNECT-001", "delivered exactly once", []string{line(f)}, o.Handed("send"))
		}),
		one("ack/this-connection-only", "an ack does not come on another connection than its op", laws("SUBSTRATE-ACK-007"), nil, func(s *subT) {
			o := s.Session()
			f := o.Make("send", nil)
			o.p.link.Post(f)
			o.p.link.Cut()
			l := o.p.Connect()
			l.Never("SUBSTRATE-ACK-007", "an ack is sent only on the connection on which its op came", isAck(f.id()))
			o.Takes("SUBSTRATE-ACK-007", "what is sent again is acked here", f)
		}),
		one("ack/receipts-of-the-target", "receipts of the target have 16 octets and differ", laws("SUBSTRATE-ACK-005"), nil, func(s *subT) {
			o := s.Session()
			var seen []string
			for range 30 {
				got := string(o.Ask("SUBSTRATE-ACK-005", "a req is answered", nil, "res").receipt())
				s.Check(len(got) == 16 && !slices.Contains(seen, got), "SUBSTRATE-ACK-005", "a receipt is 16 random octets", "16 octets not seen before", brief([]byte(got)))
				seen = append(seen, got)
			}
		}),
	}
}
