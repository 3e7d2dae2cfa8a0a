package substratetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// strides says how far apart the octets are at which a dialogue is cut: each is, where connections are cheap and there is time.
func (s *subT) strides() int {
	spent := time.Since(s.began)
	switch {
	case spent > s.Deadline()/2:
		return 50
	case spent > s.Deadline()/4 || s.Timing().RTT > 5*time.Millisecond:
		return 7
	}
	return 1
}

// leave ends a connection: with a reset after an even number of octets, in an orderly way after an odd one.
func (l *link) leave(n int) {
	if n%2 == 0 {
		l.Cut()
		return
	}
	l.conn.Close()
}

// broken has a connection of the party end after each number of octets of a message, made anew each time, and connects again. Resume says
// what follows, and is told whether the whole message was written.
func (p *party) broken(make func() *frame, resume func(f *frame, whole bool)) {
	for n := 0; ; n += p.s.strides() {
		f := make()
		octets := wrap(opBinary, true, f.octets())
		n = min(n, len(octets))
		p.s.Event(p.link.name, fmt.Sprintf("> %d of %d octets of %s", n, len(octets), f))
		p.link.sock.write(octets[:n])
		p.link.leave(n)
		p.Connect()
		resume(f, n == len(octets))
		if n == len(octets) {
			return
		}
	}
}

const brokenOff = "whatever part of a frame came before its connection ended, it is taken once when it is sent again"

func cutCases() []conformance.Case {
	return []conformance.Case{
		one("cut/send", "a send whose connection ends at any octet", laws("SUBSTRATE-RECONNECT-001", "SUBSTRATE-WIRE-006"), needs(Commands), func(s *subT) {
			o := s.Session()
			var want []string
			o.p.broken(func() *frame { return o.Make("send", s.Octets(3)) }, func(f *frame, _ bool) {
				want = append(want, line(o.Takes("SUBSTRATE-WIRE-006", brokenOff, f)))
			})
			s.Equal("SUBSTRATE-RECONNECT-001", "each op is delivered exactly once, in order", want, o.Handed("send"))
		}),
		one("cut/req", "a req whose connection ends at any octet", laws("SUBSTRATE-RECONNECT-001", "SUBSTRATE-VERB-003"), nil, func(s *subT) {
			o := s.Session()
			o.p.broken(func() *frame { return o.Make("req", s.Octets(3)) }, func(f *frame, _ bool) {
				o.Takes("SUBSTRATE-RECONNECT-001", brokenOff, f)
				res := o.p.link.Answered("SUBSTRATE-VERB-003", "a req is answered", f, "res")
				s.Equal("SUBSTRATE-VERB-003", "by its own answer", brief(f.body), brief(res.body))
			})
		}),
		one("cut/open", "an open whose connection ends at any octet", laws("SUBSTRATE-RECONNECT-001", "SUBSTRATE-VERB-001"), nil, func(s *subT) {
			p := s.Peer()
			var o *object
			p.broken(func() *frame {
				o = p.Name("session", s.accepted())
				return o.Make("open", nil)
			}, func(f *frame, _ bool) {
				o.Takes("SUBSTRATE-RECONNECT-001", brokenOff, f)
				p.link.Answered("SUBSTRATE-VERB-001", "an open is answered", f, "accept")
				o.Takes("SUBSTRATE-VERB-001", "and the object is closed again", o.Make("close", nil))
			})
		}),
		one("cut/close", "a close whose connection ends at any octet", laws("SUBSTRATE-RECONNECT-001", "SUBSTRATE-VERB-001"), nil, func(s *subT) {
			p := s.Peer()
			var o *object
			p.broken(func() *frame {
				o = p.Live("session", s.accepted())
				return o.Make("close", nil)
			}, func(f *frame, whole bool) {
				if !whole {
					o.p.link.Post(f.with("kind", "send").with("id", s.Unique("i")))
					o.p.link.Expect("SUBSTRATE-VERB-001", "a close of which a part came closes nothing", "an ack of a send", func(f *frame) bool { return f.kind() == "ack" })
					f = o.Make("close", nil)
				}
				o.Takes("SUBSTRATE-RECONNECT-001", brokenOff, f)
				late := o.At("send", o.seq+1, nil)
				p.link.Post(late)
				p.link.Bounced("SUBSTRATE-VERB-001", "the object is closed", late, "closed")
			})
		}),
		one("cut/ack", "an ack whose connection ends at any octet frees nothing until it is whole", laws("SUBSTRATE-ACK-004", "SUBSTRATE-OUTBOX-004"), nil, func(s *subT) {
			o := s.Manual()
			for n, whole := 0, false; !whole; n += s.strides() {
				l := o.p.link
				f := o.Make("req", s.Octets(3))
				l.Post(f)
				head := l.Expect("", "the answer comes", "a res", isAnswer(f.id()))
				octets := wrap(opBinary, true, ackOf(head).octets())
				whole = n >= len(octets)
				l.sock.write(octets[:min(n, len(octets))])
				l.leave(n)
				l = o.p.Dial()
				l.acks = false
				l.Greet("", "the connection becomes ready again")
				if whole {
					break
				}
				again := l.Expect("SUBSTRATE-ACK-004", "an ack of which a part came frees nothing", "the same res", isOp)
				s.Check(same(head, again), "SUBSTRATE-OUTBOX-004", "a resend is the same frame", head.String(), again.String())
				l.Acks(again)
			}
		}),
		one("cut/answer", "an answer whose connection ends at any octet", laws("SUBSTRATE-ANSWER-001", "SUBSTRATE-RECONNECT-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			var want []string
			o.p.broken(func() *frame {
				want = append(want, "req ok")
				return o.Answer("res", o.Asked("why"), s.Octets(3))
			}, func(f *frame, _ bool) { o.Takes("SUBSTRATE-RECONNECT-001", brokenOff, f) })
			o.p.Outcomes("SUBSTRATE-ANSWER-001", "each is settled once", o.addr, want...)
		}),
		one("cut/two-sends", "two sends in one packet whose connection ends at any octet", laws("SUBSTRATE-RECONNECT-001", "SUBSTRATE-SEQ-003"), needs(Commands), func(s *subT) {
			o := s.Session()
			var want []string
			for n, whole := 0, false; !whole; n += s.strides() {
				a, b := o.Make("send", s.Octets(2)), o.Make("send", s.Octets(2))
				octets := append(wrap(opBinary, true, a.octets()), wrap(opBinary, true, b.octets())...)
				whole = n >= len(octets)
				o.p.link.sock.write(octets[:min(n, len(octets))])
				o.p.link.leave(n)
				o.p.Connect()
				for _, f := range []*frame{a, b} {
					want = append(want, line(o.Takes("SUBSTRATE-RECONNECT-001", brokenOff, f)))
				}
			}
			s.Equal("SUBSTRATE-SEQ-003", "each op is delivered exactly once, in order", want, o.Handed("send"))
		}),
		one("cut/hello", "second connections that end at any octet of their hello disturb nobody", laws("SUBSTRATE-RECONNECT-004", "SUBSTRATE-HANDSHAKE-001"), nil, func(s *subT) {
			o := s.Session()
			live := o.p.link
			for n, whole := 0, false; !whole; n += s.strides() {
				l := o.p.Dial()
				octets := wrap(opBinary, true, encode(map[string]any(l.Offer())))
				whole = n >= len(octets)
				l.sock.write(octets[:min(n, len(octets))])
				l.leave(n)
			}
			o.p.link = live
			o.Takes("SUBSTRATE-RECONNECT-004", "a failed handshake never disturbs the live connection", o.Make("send", nil))
			o.p.Dial().Greet("SUBSTRATE-HANDSHAKE-001", "and a whole handshake succeeds")
		}),
		one("cut/proof", "second connections that end at any octet of their proof disturb nobody", laws("SUBSTRATE-RECONNECT-004", "SUBSTRATE-AUTH-004"), needs(Keys), func(s *subT) {
			o := s.Session()
			live := o.p.link
			for n, whole := 0, false; !whole; n += s.strides() {
				l := o.p.Dial()
				l.Hello(l.Offer())
				l.Chosen("", "a hello is answered")
				l.Challenges("", "a challenge is answered")
				octets := wrap(opBinary, true, encode(map[string]any{"t": "proof", "proof": l.shake.proof(l.p.key, "dialer")}))
				whole = n >= len(octets)-1
				l.sock.write(octets[:min(n, len(octets)-1)])
				l.leave(n)
			}
			o.p.link = live
			o.Takes("SUBSTRATE-RECONNECT-004", "a failed handshake never disturbs the live connection", o.Make("send", nil))
			o.p.Dial().Greet("SUBSTRATE-AUTH-004", "and a whole proof is taken")
		}),
	}
}

// faultCases spoil whole frames of a dialogue at exact places.
func faultCases() []conformance.Case {
	const count = 6
	everywhere := func(name, title string, laws []string, spoil func(frames []*frame, at int) []*frame) conformance.Case {
		return one("fault/"+name, title, laws, needs(Commands), func(s *subT) {
			o := s.Session()
			var want []string
			for at := range count {
				var all []*frame
				for n := range count {
					f := o.Make([]string{"send", "req"}[n%2], s.Octets(3))
					all, want = append(all, f), append(want, line(f))
				}
				o.p.link.Posts(spoil(slices.Clone(all), at)...)
				o.p.link.Fence()
				o.p.link.leave(at)
				o.p.Connect()
				for _, f := range all {
					o.Takes("SUBSTRATE-RECONNECT-001", "what was not acked is sent again and taken", f)
				}
			}
			s.Equal("SUBSTRATE-SEQ-003", "each op is delivered exactly once, in order", want, o.Handed("send", "req"))
		})
	}
	cited := laws("SUBSTRATE-RECONNECT-001", "SUBSTRATE-SEQ-003")
	return []conformance.Case{
		everywhere("drop", "one of six frames is lost, each in its turn", cited, func(f []*frame, at int) []*frame { return slices.Delete(f, at, at+1) }),
		everywhere("double", "one of six frames comes twice, each in its turn", cited, func(f []*frame, at int) []*frame { return slices.Insert(f, at, f[at]) }),
		everywhere("repeat-later", "one of six frames comes again at the end, each in its turn", cited, func(f []*frame, at int) []*frame { return append(f, f[at]) }),
		everywhere("swap", "two of six frames that follow each other change places, each pair in its turn", cited, func(f []*frame, at int) []*frame {
			to := (at + 1) % len(f)
			f[at], f[to] = f[to], f[at]
			return f
		}),
		everywhere("delay", "one of six frames comes last, each in its turn", cited, func(f []*frame, at int) []*frame {
			late := f[at]
			return append(slices.Delete(f, at, at+1), late)
		}),
		everywhere("end-after", "the connection ends after each number of six frames", cited, func(f []*frame, at int) []*frame { return f[:at] }),
		one("fault/random", "losses, copies, reorderings and cuts at random", cited, needs(Commands), func(s *subT) {
			o := s.Session()
			var want []string
			for range 40 {
				var all, sent []*frame
				for range 1 + s.Rand().IntN(10) {
					f := o.Make("send", s.Octets(4))
					all, want = append(all, f), append(want, line(f))
				}
				for _, f := range all {
					sent = append(sent, slices.Repeat([]*frame{f}, s.Rand().IntN(3))...)
				}
				s.Rand().Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
				o.p.link.Posts(sent...)
				if s.Rand().IntN(2) == 0 {
					o.p.link.leave(s.Rand().IntN(2))
					o.p.Connect()
				}
				for _, f := range all {
					o.Takes("SUBSTRATE-RECONNECT-001", "what was not acked is sent again and taken", f)
				}
			}
			s.Equal("SUBSTRATE-SEQ-003", "each op is delivered exactly once, in order", want, o.Handed("send"))
		}),
		one("fault/random-acks", "answers come once and in order although connections end at random before their acks", laws("SUBSTRATE-OUTBOX-004", "SUBSTRATE-SEQ-003"), nil, func(s *subT) {
			o := s.Manual()
			var asked, got []string
			seen := map[string]*frame{}
			for len(got) < 40 {
				if len(asked) < 40 {
					f := o.Make("req", s.Octets(2))
					asked = append(asked, f.id())
					o.Takes("", "a req is acked", f)
				}
				head := o.p.link.Expect("SUBSTRATE-SEQ-003", "answers come", "a res", isOp)
				if before := seen[head.id()]; before != nil {
					s.Check(same(before, head), "SUBSTRATE-OUTBOX-004", "a resend is the same frame", before.String(), head.String())
				}
				seen[head.id()] = head
				if s.Rand().IntN(3) == 0 {
					o.p.Again()
					continue
				}
				got = append(got, head.id())
				o.p.link.Acks(head)
			}
			s.Equal("SUBSTRATE-SEQ-003", "answers come in the order of their reqs, each until it is acked", asked, got)
		}),
	}
}
