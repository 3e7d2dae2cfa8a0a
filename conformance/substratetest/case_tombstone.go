package substratetest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func tombstoneCases() []conformance.Case {
	return []conformance.Case{
		one("tombstone/per-id", "after a hundred bounces on a name each fresh op is judged afresh, and the name can be opened",
			laws("SUBSTRATE-TOMBSTONE-001", "SUBSTRATE-TOMBSTONE-002"), nil, func(s *subT) {
				o := s.Peer().Name("session", s.accepted())
				for range 100 {
					f := o.At("send", 1, nil)
					o.p.link.Post(f)
					o.p.link.Bounced("SUBSTRATE-TOMBSTONE-001", "nothing is recorded against a name: a fresh id is judged afresh", f, "no_such_object")
				}
				o.Opened("SUBSTRATE-TOMBSTONE-002", "an open proceeds after any number of bounces")
				o.Takes("SUBSTRATE-TOMBSTONE-002", "and the object takes ops", o.Make("send", nil))
			}),
		one("tombstone/once-on-each-connection", "a bounced op gets its err once on each connection", laws("SUBSTRATE-TOMBSTONE-003"), nil, func(s *subT) {
			o := s.Peer().Name("session", s.accepted())
			f := o.At("send", 1, nil)
			var first *frame
			for range 4 {
				l := o.p.link
				l.Posts(f, f, f)
				got := l.Bounced("SUBSTRATE-TOMBSTONE-003", "on a later connection the identical err is sent once more", f, "no_such_object")
				if first == nil {
					first = got
				}
				s.Check(same(first, got), "SUBSTRATE-TOMBSTONE-003", "the err is identical", first.String(), got.String())
				l.Never("SUBSTRATE-TOMBSTONE-003", "a copy on the connection that carried the err is swallowed", about(f.id()))
				l.Cut()
				o.p.Connect()
			}
		}),
		one("tombstone/never-delivered", "a bounced op is not taken when its object has come to life since", laws("SUBSTRATE-TOMBSTONE-003"), needs(Commands), func(s *subT) {
			o := s.Peer().Name("session", s.accepted())
			f := o.At("send", 2, []byte("too early"))
			o.p.link.Post(f)
			o.p.link.Bounced("", "a send to nobody is bounced", f, "no_such_object")
			o.Opened("", "the object is opened")
			o.p.link.Post(f)
			o.p.link.Never("SUBSTRATE-TOMBSTONE-003", "a tombstoned op is never committed", about(f.id()))
			o.p.link.Cut()
			o.p.Connect()
			o.p.link.Post(f)
			o.p.link.Bounced("SUBSTRATE-TOMBSTONE-003", "on a later connection the identical err is sent once more", f, "no_such_object")
			s.Equal("SUBSTRATE-TOMBSTONE-003", "a tombstoned op is never delivered", []string(nil), o.Handed("send"))
		}),
		one("tombstone/other-codes", "ops that were refused for other reasons have tombstones too", laws("SUBSTRATE-TOMBSTONE-003"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			for code, f := range map[string]*frame{
				"kind_mismatch": o.At("send", o.seq+1, nil).with("objKind", "queue"), "out_of_seq": o.At("send", o.seq+100, nil),
				"unsupported": o.At("chunk", o.seq+1, nil),
			} {
				l.Posts(f, f, f)
				l.Bounced("SUBSTRATE-TOMBSTONE-003", "what is refused is told once", f, code)
				l.Never("SUBSTRATE-TOMBSTONE-003", "a copy on the connection that carried the err is swallowed", about(f.id()))
			}
		}),
		one("tombstone/restart", "a restart of the target forgets tombstones: the op is judged afresh", laws("SUBSTRATE-TOMBSTONE-004"), needs(Commands), func(s *subT) {
			p := s.Peer()
			told, o := p.Live("session", s.accepted()), p.Name("session", s.accepted())
			f := o.At("send", 2, []byte("again"))
			p.link.Post(f)
			p.link.Bounced("", "a send to nobody is bounced", f, "no_such_object")
			o.Opened("", "the object is opened")
			told.Restart()
			p.book = nil
			o.seq = 2
			o.Takes("SUBSTRATE-TOMBSTONE-004", "tombstones are volatile: the op is judged afresh", f)
			s.Equal("SUBSTRATE-TOMBSTONE-004", "and is handed over", []string{line(f)}, o.Handed("send"))
		}),
		one("tombstone/capacity", "of 4097 bounced ops the oldest is forgotten, and the others are not", laws("SUBSTRATE-TOMBSTONE-004"), nil, func(s *subT) {
			o := s.Peer().Name("session", s.accepted())
			l := o.p.link
			var all []*frame
			for range 4097 {
				all = append(all, o.At("send", 1, nil))
			}
			for part := range slices.Chunk(all, 512) {
				l.Posts(part...)
				for _, f := range part {
					l.Bounced("SUBSTRATE-TOMBSTONE-004", "each op is bounced", f, "no_such_object")
				}
			}
			// A fence is bounced as well, and so evicts one more.
			l.Posts(all[1], all[0])
			l.Bounced("SUBSTRATE-TOMBSTONE-004", "the oldest is evicted first", all[0], "no_such_object")
			l.Never("SUBSTRATE-TOMBSTONE-004", "4096 tombstones are kept", about(all[1].id()))
		}),
	}
}

func bounceCases() []conformance.Case {
	out := []conformance.Case{
		one("bounce/closed", "the code tells a closed object from one that never was", laws("SUBSTRATE-BOUNCE-005"), nil, func(s *subT) {
			o := s.Session()
			o.Takes("", "a close is acked", o.Make("close", nil))
			f, g := o.At("send", o.seq+1, nil), o.At("send", 1, nil).with("obj", s.Unique("nobody"))
			o.p.link.Posts(f, g)
			o.p.link.Bounced("SUBSTRATE-BOUNCE-005", "the code is closed while there is a closed record", f, "closed")
			o.p.link.Bounced("SUBSTRATE-BOUNCE-005", "and no_such_object otherwise", g, "no_such_object")
		}),
		one("bounce/moves-nothing", "bounces move no frontier and take no seq, in either direction", laws("SUBSTRATE-BOUNCE-003"), nil, func(s *subT) {
			o := s.Session()
			for n := range 5 {
				f := o.At("send", o.seq+1, nil).with("objKind", "queue")
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-BOUNCE-003", "a bounce has no seq and no receipt", f, "kind_mismatch")
				got := o.Ask("SUBSTRATE-BOUNCE-003", "the next op has the seq of what was bounced", nil, "res")
				s.Equal("SUBSTRATE-BOUNCE-003", "a bounce takes no seq of the target's", n+2, got.seq())
			}
		}),
		one("bounce/is-not-repeated", "a bounce that is not acked is not sent again", laws("SUBSTRATE-BOUNCE-003"), nil, func(s *subT) {
			o := s.Peer().Name("session", s.accepted())
			f := o.At("send", 1, nil)
			o.p.link.Post(f)
			o.p.link.Bounced("", "a send to nobody is bounced", f, "no_such_object")
			o.p.link.Cut()
			o.p.Connect().Never("SUBSTRATE-BOUNCE-003", "a bounce is not stored and not retried", about(f.id()))
		}),
		one("bounce/control-frames", "control frames that lead nowhere are dropped", laws("SUBSTRATE-BOUNCE-003"), nil, func(s *subT) {
			p := s.Peer()
			id := s.Unique("i")
			for _, f := range []*frame{
				frameOf("kind", "ack", "obj", "nobody", "objKind", "session", "id", id, "receipt", s.Octets(4)), frameOf("kind", "ack", "id", id),
				frameOf("kind", "resync", "obj", "nobody", "objKind", "session", "fromSeq", 1),
				frameOf("kind", "establish_ok", "obj", "nobody", "objKind", "stream", "id", id, "label", 1), frameOf("kind", "establish_ok", "id", id),
				frameOf("kind", "establish_fail", "obj", "nobody", "objKind", "stream", "id", id, "code", "closed"),
				frameOf("kind", "establish_fail", "obj", "nobody", "objKind", "stream", "id", id),
			} {
				p.link.Posts(f, f)
			}
			p.link.Never("SUBSTRATE-BOUNCE-003", "ack, resync, establish_ok and establish_fail are never bounced", func(*frame) bool { return true })
		}),
		one("bounce/control-frames-make-no-tombstone", "a control frame makes no tombstone of the id in it", laws("SUBSTRATE-BOUNCE-003", "SUBSTRATE-TOMBSTONE-004"), nil, func(s *subT) {
			o := s.Session()
			f := o.Make("send", nil)
			for _, kind := range []string{"ack", "establish_fail", "err"} {
				o.p.link.Post(frameOf("kind", kind, "obj", "nobody", "objKind", "session", "id", f.id(), "receipt", []byte{1}, "code", "closed"))
			}
			o.p.link.Fence()
			o.Takes("SUBSTRATE-TOMBSTONE-004", "acks and errs create no tombstone", f)
		}),
		one("bounce/durable-err-for-nobody", "an err answer for an object that is not there is acked, and nothing else", laws("SUBSTRATE-BOUNCE-004"), nil, func(s *subT) {
			p := s.Peer()
			o := p.Name("session", s.accepted())
			f := o.Make("err", nil).with("code", "app_error")
			for range 3 {
				o.Takes("SUBSTRATE-BOUNCE-004", "an unroutable durable err is acked, so that the answerer's row is freed", f)
			}
			p.link.Never("SUBSTRATE-BOUNCE-004", "and not answered", about(f.id()))
		}),
		one("bounce/durable-err-for-a-dead-object", "an err answer for an object that is closed is acked", laws("SUBSTRATE-BOUNCE-004"), nil, func(s *subT) {
			o := s.Session()
			o.Takes("", "a close is acked", o.Make("close", nil))
			for _, code := range []string{"app_error", "closed", "object_failed", "busy"} {
				o.Takes("SUBSTRATE-BOUNCE-004", "an unroutable durable err is acked", o.Make("err", nil).with("code", code))
			}
			o.Opened("SUBSTRATE-BOUNCE-004", "and the name can be opened again")
		}),
		one("bounce/err-begets-no-err", "no err that the suite sends is answered with an err", laws("SUBSTRATE-BOUNCE-002"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			for _, code := range []string{"closed", "app_error", "busy", "never_heard_of_it", "Not A Code", ""} {
				for _, obj := range []string{s.Unique("nobody"), "Bad", "a@b", "", o.addr} {
					bounce := frameOf("kind", "err", "obj", obj, "objKind", "session", "id", s.Unique("i"), "code", code)
					l.Posts(bounce, bounce, bounce.without("obj"), bounce.without("objKind"), bounce.with("objKind", "state"), bounce.with("seq", 7), bounce.with("receipt", []byte{1}),
						bounce.without("id"), bounce.with("id", "no id"))
				}
				if code != "" && code != "closed" {
					l.Post(o.At("err", 1, nil).with("obj", s.Unique("nobody")).with("code", code))
				}
			}
			l.Never("SUBSTRATE-BOUNCE-002", "an err never begets an err", func(f *frame) bool { return f.kind() == "err" })
			o.Takes("SUBSTRATE-BOUNCE-002", "and the object lives on", o.Make("send", nil))
		}),
		one("bounce/by-a-second-id", "each op of a name that is not there is bounced once", laws("SUBSTRATE-BOUNCE-001"), nil, func(s *subT) {
			o := s.Peer().Name("session", s.accepted())
			for range 5 {
				f := o.At("send", 1, nil)
				o.p.link.Posts(slices.Repeat([]*frame{f}, 5)...)
				o.p.link.Bounced("SUBSTRATE-BOUNCE-001", "one err for each op id", f, "no_such_object")
				o.p.link.Never("SUBSTRATE-BOUNCE-001", "exactly one", about(f.id()))
			}
		}),
	}
	for _, kind := range []string{"send", "req", "close"} {
		out = append(out, one("bounce/unknown-object-"+kind, "a "+kind+" for what is not there yields one err no_such_object", laws("SUBSTRATE-BOUNCE-001", "SUBSTRATE-BOUNCE-005"), nil, func(s *subT) {
			for _, objKind := range []string{"session", "queue"} {
				o := s.Peer().Name(objKind, s.accepted())
				f := o.At(kind, 1, nil)
				o.p.link.Posts(slices.Repeat([]*frame{f}, 5)...)
				got := o.p.link.Bounced("SUBSTRATE-BOUNCE-005", "the receiver does not have the object", f, "no_such_object")
				s.Check(!got.has("obj") || got.obj() == o.addr, "SUBSTRATE-BOUNCE-001", "the err names the object, if any", o.addr, got.String())
				o.p.link.Never("SUBSTRATE-BOUNCE-001", "exactly one err, without an ack", about(f.id()))
			}
		}))
	}
	return out
}
