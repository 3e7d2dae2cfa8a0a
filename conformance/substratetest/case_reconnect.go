package substratetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func reconnectCases() []conformance.Case { return slices.Concat(takeoverCases(), limitCases()) }

func takeoverCases() []conformance.Case {
	return []conformance.Case{
		one("reconnect/ten-drops", "objects, frontiers and calls outlive ten connections", laws("SUBSTRATE-RECONNECT-002", "SUBSTRATE-RECONNECT-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			var want []string
			for n := range 10 {
				want = append(want, line(o.Takes("SUBSTRATE-RECONNECT-002", "the frontier outlives the connection", o.Make("send", []byte{byte(n)}))))
				if n%2 == 0 {
					o.p.link.Cut()
				} else {
					o.p.link.conn.Close()
				}
				o.p.Connect()
			}
			o.p.Eventually("SUBSTRATE-RECONNECT-001", "each op is delivered exactly once: "+strings.Join(want, ", "), o.addr, func(lines []string) bool {
				return slices.Equal(linesOf(lines, "send"), want)
			})
		}),
		one("reconnect/superseded", "a second connection of a peer ends the first with 4005", laws("SUBSTRATE-RECONNECT-004", "SUBSTRATE-RECONNECT-002"), nil, func(s *subT) {
			o := s.Session()
			old := o.p.link
			o.p.Connect()
			old.Ends("SUBSTRATE-RECONNECT-004", "the first connection is closed", 4005)
			o.Takes("SUBSTRATE-RECONNECT-002", "the second goes on with what the first had", o.Make("send", nil))
		}),
		one("reconnect/late-frames", "what comes late on a superseded connection has no effect", laws("SUBSTRATE-RECONNECT-004"), needs(Commands), func(s *subT) {
			o := s.Session()
			old := o.p.link
			want := []string{line(o.Send("a"))}
			o.p.Connect()
			o.p.link.Up("", "the second connection is served")
			old.Posts(o.At("send", o.seq+1, []byte("late")), o.At("close", o.seq+1, nil))
			o.p.link.Fence()
			want = append(want, line(o.Takes("SUBSTRATE-RECONNECT-004", "frames of the first connection are dropped: they move nothing", o.Make("send", []byte("b")))))
			s.Equal("SUBSTRATE-RECONNECT-004", "frames of the first connection are dropped", want, o.Handed("send"))
		}),
		one("reconnect/late-acks", "an ack that comes late on a superseded connection frees nothing", laws("SUBSTRATE-RECONNECT-004", "SUBSTRATE-ACK-007"), nil, func(s *subT) {
			o := s.Manual()
			old := o.p.link
			f, behind := o.Make("req", nil), o.Make("req", nil)
			old.Posts(f, behind)
			head := old.Expect("", "the answer comes", "a res", isAnswer(f.id()))
			l := o.p.Dial()
			l.acks = false
			l.Greet("", "a second connection becomes ready")
			l.Expect("SUBSTRATE-RECONNECT-004", "the second connection gets what is in flight", "the same res", isAnswer(f.id()))
			old.Post(ackOf(head))
			l.Never("SUBSTRATE-ACK-007", "an ack from a superseded connection is ignored", isOp)
			l.Acks(head)
			l.Expect("SUBSTRATE-RECONNECT-004", "on the second it frees the row", "the next answer", isAnswer(behind.id()))
		}),
		one("reconnect/abandoned-handshakes", "second connections that never become ready disturb nobody", laws("SUBSTRATE-RECONNECT-004"), nil, func(s *subT) {
			o := s.Session()
			live := o.p.link
			for n := range 3 {
				l := o.p.Dial()
				if n > 0 {
					l.Hello(l.Offer())
				}
				if n > 1 {
					l.Chosen("", "a hello is answered")
				}
				l.Cut()
				o.p.link = live
				o.Ask("SUBSTRATE-RECONNECT-004", "the live connection keeps working", nil, "res")
			}
		}),
		one("reconnect/another-peer", "another peer gets nothing of what waits for the first", laws("SUBSTRATE-RECONNECT-006", "SUBSTRATE-STORE-005"), nil, func(s *subT) {
			o := s.Manual()
			f := o.Make("req", []byte("for me alone"))
			o.p.link.Post(f)
			o.p.link.Expect("", "the answer comes", "a res", isAnswer(f.id()))
			o.p.link.Cut()
			// The first of them may come before the target knows of the cut.
			for range 3 {
				other := s.Peer()
				other.link.Never("SUBSTRATE-RECONNECT-006", "no row of the first peer is sent to another", func(*frame) bool { return true })
			}
			o.p.Again().Expect("SUBSTRATE-STORE-005", "the first peer gets it when it comes back", "the same res", isAnswer(f.id()))
		}),
		one("reconnect/nothing-before-ready", "the target sends no op before both sides are ready", laws("SUBSTRATE-HANDSHAKE-001"), needs(Keys), func(s *subT) {
			o := s.Manual()
			o.p.link.Post(o.Make("req", nil))
			o.p.link.Expect("", "the answer comes", "a res", isOp)
			o.p.link.Cut()
			l := o.p.Dial()
			l.acks = false
			l.Hello(l.Offer())
			l.Chosen("", "a hello is answered")
			l.Challenges("", "a challenge is answered")
			l.Say(fields{"t": "proof", "proof": l.shake.proof(l.p.key, "dialer")})
			l.Hears("SUBSTRATE-HANDSHAKE-001", "after the proof comes ready and nothing else", "ready")
			l.becomeReady()
			got := l.await(isOp, s.Timing().Quiet)
			s.Watched(s.Timing().Quiet)
			s.Check(got == nil, "SUBSTRATE-HANDSHAKE-001", "no op is transmitted before both sides are ready", "nothing", got.String())
			l.Say(fields{"t": "ready"})
			l.Expect("SUBSTRATE-HANDSHAKE-001", "and then what is in flight is", "the res", isOp)
		}),
		one("reconnect/release-leaves-rows", "a target that forgets a peer goes on from its rows when it comes back", laws("SUBSTRATE-STORE-006", "SUBSTRATE-STORE-001"), needs(Commands), func(s *subT) {
			p := s.Peer()
			told, o := p.Live("session", s.accepted()), p.Live("session", s.accepted())
			first := o.Send("before")
			behind := o.Served()
			for range 3 {
				order := told.Forgotten()
				told.Takes("SUBSTRATE-STORE-006", "the peer goes on from its rows", order)
				told.Ask("SUBSTRATE-STORE-006", "the object is live as before", nil, "res")
				// Without a frontier the ledger alone knows a copy.
				o.Takes("SUBSTRATE-STORE-001", "the ledger is as before", first)
				o.Takes("SUBSTRATE-STORE-001", "the ledger is as before", behind)
			}
			s.Equal("SUBSTRATE-STORE-001", "ledger and inbox are as before: nothing is handed over again", []string{line(first)}, o.Handed("send"))
		}),
	}
}

func limitCases() []conformance.Case {
	return []conformance.Case{
		one("limit/largest-body", "a body of 983040 octets is taken, and comes back", laws("SUBSTRATE-LIMIT-001"), nil, func(s *subT) {
			o := s.Session()
			body := bytes.Repeat([]byte("0123456789abcdef"), 983040/16)
			res := o.Ask("SUBSTRATE-LIMIT-001", "a body of 983040 octets is within the limit", body, "res")
			s.Check(bytes.Equal(res.body, body), "SUBSTRATE-LIMIT-001", "it comes back as it went", showBody(body), showBody(res.body))
		}),
		one("limit/larger-body", "a body of 983041 octets is payload_too_large", laws("SUBSTRATE-LIMIT-001"), nil, func(s *subT) {
			o := s.Session()
			for _, n := range []int{983041, 1<<20 - 400} {
				f := o.At("send", o.seq+1, make([]byte, n))
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-LIMIT-001", "a decodable op with a larger body is refused", f, "payload_too_large")
			}
			o.Takes("SUBSTRATE-LIMIT-001", "and moves nothing", o.Make("send", nil))
		}),
		one("limit/message-edge", "a message of 1048576 octets is read, one of 1048577 ends the connection with 4009", laws("SUBSTRATE-LIMIT-001", "SUBSTRATE-CODEC-004"), nil, func(s *subT) {
			o := s.Session()
			sized := func(n int) *frame {
				f := o.At("send", o.seq+1, make([]byte, 1<<20-1000))
				return f.carrying(make([]byte, len(f.body)+n-len(f.octets())))
			}
			f := sized(1 << 20)
			o.p.link.Post(f)
			o.p.link.Bounced("SUBSTRATE-LIMIT-001", "a message of 1048576 octets is read", f, "payload_too_large")
			o.p.link.Post(sized(1<<20 + 1))
			o.p.link.Ends("SUBSTRATE-CODEC-004", "a message of 1048577 octets is refused before it is parsed", 4009)
			o.p.Connect()
			o.Takes("SUBSTRATE-LIMIT-001", "nothing of either was taken", o.Make("send", nil))
		}),
		one("limit/inbox", "of 1025 ops that the application does not take the last is queue_full, and is taken later", laws("SUBSTRATE-LIMIT-002"), needs(Commands), func(s *subT) {
			p := s.Peer()
			a, b := p.Live("session", s.accepted()), p.Live("session", s.accepted())
			word := s.Unique("word")
			held := a.Takes("", "a send is acked", a.Make("send", []byte("assay:hold "+word)))
			want := []string{line(held)}
			p.Eventually("", "the handler has begun", a.addr, func(lines []string) bool { return slices.Contains(lines, line(held)) })
			var all []*frame
			for range 1023 {
				f := a.Make("send", nil)
				all, want = append(all, f), append(want, line(f))
			}
			for part := range slices.Chunk(all, 256) {
				p.link.Posts(part...)
				for _, f := range part {
					p.link.Acked("SUBSTRATE-LIMIT-002", "1024 undelivered ops are taken", f)
				}
			}
			full := a.Make("send", []byte("one more"))
			for range 2 {
				p.link.Post(full)
				p.link.Bounced("SUBSTRATE-LIMIT-002", "a further one gets a retryable err, each time: it makes no tombstone", full, "queue_full")
			}
			b.Ask("", "the handler is let go", []byte("assay:free "+word), "res")
			p.Eventually("", "the application takes what waits", a.addr, func(lines []string) bool { return len(lines) >= 1025 })
			a.Takes("SUBSTRATE-LIMIT-002", "after some are consumed the refused one passes", full)
			s.Equal("SUBSTRATE-LIMIT-002", "in order", append(want, line(full)), a.Handed("send"))
		}),
		one("limit/close-is-always-admitted", "a close is taken although the inbox is full", laws("SUBSTRATE-LIMIT-002"), needs(Queues), func(s *subT) {
			o := s.Peer().Live("queue", s.profile().Queue)
			var all []*frame
			for range 1024 {
				all = append(all, o.Make("send", nil))
			}
			for part := range slices.Chunk(all, 256) {
				o.p.link.Posts(part...)
				for _, f := range part {
					o.p.link.Acked("SUBSTRATE-LIMIT-002", "1024 undelivered ops are taken", f)
				}
			}
			full := o.At("send", o.seq+1, nil)
			o.p.link.Post(full)
			o.p.link.Bounced("SUBSTRATE-LIMIT-002", "a further one gets a retryable err", full, "queue_full")
			o.Takes("SUBSTRATE-LIMIT-002", "close is always admitted", o.Make("close", nil))
		}),
		one("limit/objects", "of 257 opens the last is rejected rate_limited; closing one lets one in", laws("SUBSTRATE-LIMIT-003"), nil, func(s *subT) {
			p := s.Peer()
			var all []*object
			for range 256 {
				all = append(all, p.Live("session", s.accepted()))
			}
			o := p.Name("session", s.accepted())
			f := o.Takes("SUBSTRATE-LIMIT-003", "a further open is committed", o.Make("open", nil))
			got := p.link.Answered("SUBSTRATE-LIMIT-003", "and answered with reject", f, "reject")
			s.Equal("SUBSTRATE-LIMIT-003", "the reject says why", "rate_limited", got.code())
			all[0].Takes("", "a close is acked", all[0].Make("close", nil))
			o.Opened("SUBSTRATE-LIMIT-003", "closed records do not count")
			s.Peer().Live("session", s.accepted())
		}),
		one("limit/refused-opens", "of 1025 opens that are rejected the last is bounced busy while no reject is acked", laws("SUBSTRATE-LIMIT-007"), nil, func(s *subT) {
			o := s.Manual()
			l := o.p.link
			var all []*frame
			for range 1024 {
				all = append(all, o.Make("open", nil))
			}
			for part := range slices.Chunk(all, 256) {
				l.Posts(part...)
				for _, f := range part {
					l.Acked("SUBSTRATE-LIMIT-007", "1024 opens that are rejected are taken", f)
				}
			}
			reject := l.Expect("SUBSTRATE-LIMIT-007", "and answered", "a reject", isAnswer(all[0].id()))
			further := o.Make("open", nil)
			for range 2 {
				l.Post(further)
				l.Bounced("SUBSTRATE-LIMIT-007", "a further one gets a retryable err, each time", further, "busy")
			}
			l.Acks(reject)
			o.Takes("SUBSTRATE-LIMIT-007", "when a reject has been acked the next open is taken", further)
		}),
		one("limit/gaps-of-all-objects", "what waits for missing ops is at most 16 MiB in all", laws("SUBSTRATE-LIMIT-005", "SUBSTRATE-SEQ-004"), nil, func(s *subT) {
			const size, most = 1 << 19, 16 << 20
			p := s.Peer()
			l := p.link
			var all []*object
			for range most/(2*size) + 4 {
				all = append(all, p.Live("session", s.accepted()))
			}
			var early []*frame
			for _, o := range all {
				for _, ahead := range []uint64{2, 3} {
					f := o.At("send", o.seq+ahead, make([]byte, size))
					early = append(early, f)
					l.Post(f)
				}
				l.Fence()
			}
			for _, o := range all {
				o.Takes("SUBSTRATE-LIMIT-005", "the op that was missing is taken", o.Make("send", nil))
			}
			l.Fence()
			held := 0
			for _, f := range early {
				if l.await(isAck(f.id()), 0) != nil {
					held += size
				}
			}
			s.Check(held <= most, "SUBSTRATE-LIMIT-005", "at most 16 MiB of bodies wait for missing ops", "at most 16777216 octets", fmt.Sprint(held, " octets"))
		}),
		{
			ID: "substrate/peer/limit/flood", Title: "a peer that sends arbitrary valid frames as fast as it can leaves others alone",
			Laws: laws("SUBSTRATE-LIMIT-005"), Alone: true, Run: run(func(s *subT) {
				o := s.Session()
				for range 40 {
					var all []*frame
					for range 250 {
						switch s.Rand().IntN(5) {
						case 0:
							all = append(all, o.At("send", 1+s.Rand().Uint64N(200), s.Octets(100)))
						case 1:
							all = append(all, o.At("send", 1, nil).with("obj", s.Unique("nobody")))
						case 2:
							all = append(all, o.At("err", 1, nil).with("obj", s.Unique("nobody")).with("code", "app_error"))
						case 3:
							all = append(all, frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind, "fromSeq", 1))
						default:
							all = append(all, ackOf(o.At("send", 1, nil)))
						}
					}
					o.p.link.Posts(all...)
					o.p.link.Fence()
				}
				other := s.Session()
				other.Ask("SUBSTRATE-LIMIT-005", "another peer is served meanwhile", nil, "res")
				o.p.link.Up("SUBSTRATE-LIMIT-005", "and the peer itself is still served")
			}),
		},
	}
}
