package substratetest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func authzCases() []conformance.Case { return slices.Concat(authzVerbCases(), authzLiveCases()) }

func authzVerbCases() []conformance.Case {
	const noTrace = "a denied op leaves no trace and says nothing of the object"
	var out []conformance.Case
	for _, kind := range []string{"open", "close", "send", "req", "chunk", "accept", "reject", "res", "end"} {
		out = append(out, one("authz/"+kind, "a denied "+kind+" gets one err unauthorized, once on each connection",
			laws("SUBSTRATE-AUTHZ-002", "SUBSTRATE-AUTHZ-003", "SUBSTRATE-AUTHZ-004", "SUBSTRATE-AUTHZ-008"), needs(Denials), func(s *subT) {
				o := s.Peer().Name("session", s.profile().Denied)
				f := o.At(kind, 1, nil)
				if kind == "reject" {
					f = f.with("code", "refused")
				}
				for range 2 {
					l := o.p.link
					l.Posts(f, f, f)
					l.Bounced("SUBSTRATE-AUTHZ-008", kind+" is offered to the gate, whose denial is told", f, "unauthorized")
					l.Never("SUBSTRATE-AUTHZ-004", "one err for each op id and connection", about(f.id()))
					l.Cut()
					o.p.Connect()
				}
				for _, g := range []*frame{o.At(kind, 500, nil), o.At(kind, 1, nil).with("objKind", "queue")} {
					if kind == "reject" {
						g = g.with("code", "refused")
					}
					o.p.link.Post(g)
					o.p.link.Bounced("SUBSTRATE-AUTHZ-002", "the gate comes before the object and the sequencer: the same reply whatever the seq", g, "unauthorized")
				}
				other := o.p.Live("session", s.accepted())
				other.Takes("SUBSTRATE-AUTHZ-003", noTrace, other.Make("send", nil))
			}))
	}
	return append(out,
		one("authz/opens-nothing", "a denied open opens nothing", laws("SUBSTRATE-AUTHZ-003"), needs(Denials, Commands), func(s *subT) {
			o := s.Peer().Name("session", s.profile().Denied)
			for range 3 {
				f := o.Make("open", nil).with("cap", s.Octets(10))
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-AUTHZ-003", noTrace, f, "unauthorized")
			}
			s.Equal("SUBSTRATE-AUTHZ-003", "the application hears of nothing", []string(nil), o.p.Handed(o.addr))
		}),
		one("authz/establish", "a denied establish fails with unauthorized, a hundred times", laws("SUBSTRATE-AUTHZ-009"), needs(Denials), func(s *subT) {
			o := s.Peer().Name("stream", s.profile().Denied)
			for range 100 {
				f := frameOf("kind", "establish", "obj", o.addr, "objKind", "stream", "id", s.Unique("i"))
				o.p.link.Post(f)
				got := o.p.link.Expect("SUBSTRATE-AUTHZ-009", "a stream is no way around the gate", "establish_fail unauthorized", about(f.id()))
				s.Check(got.kind() == "establish_fail" && got.code() == "unauthorized" && !got.has("label"), "SUBSTRATE-AUTHZ-009", "a stream is no way around the gate", "establish_fail unauthorized", got.String())
			}
		}),
		one("authz/stream-is-no-way-around", "objKind stream on an op does not pass the gate", laws("SUBSTRATE-AUTHZ-009", "SUBSTRATE-VERB-006"), needs(Denials), func(s *subT) {
			o := s.Peer().Name("stream", s.profile().Denied)
			for _, kind := range []string{"open", "send"} {
				f := o.At(kind, 1, nil)
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-VERB-006", "an objKind that is none of a kind is refused before the gate", f, "unsupported")
			}
			s.Check(o.p.link.open(), "SUBSTRATE-AUTHZ-009", "the connection is served", "open", o.p.link.heard())
		}),
		one("authz/not-offered", "ack, err and gap-repair resync are not offered to the gate", laws("SUBSTRATE-AUTHZ-008"), needs(Denials), func(s *subT) {
			o := s.Peer().Name("session", s.profile().Denied)
			l := o.p.link
			l.Posts(ackOf(o.At("send", 1, nil)), bounceOf(o.At("send", 1, nil), "closed"), frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind, "fromSeq", 1))
			l.Never("SUBSTRATE-AUTHZ-008", "ack, err and gap-repair resync are not offered to the gate", func(f *frame) bool { return f.kind() == "err" })
			o.Takes("SUBSTRATE-AUTHZ-008", "a durable err is not offered either: it is acked", o.At("err", 1, nil).with("code", "app_error"))
		}),
		one("authz/after-validation", "what is malformed is told so although the gate would deny it", laws("SUBSTRATE-AUTHZ-002", "SUBSTRATE-VERB-006"), needs(Denials), func(s *subT) {
			o := s.Peer().Name("session", s.profile().Denied)
			for code, f := range map[string]*frame{
				"bad_verb": o.At("propose", 1, nil), "routing_not_supported": o.At("send", 1, nil).with("obj", o.addr+"@x"),
				"bad_address": o.At("send", 1, nil).with("obj", o.addr+" "), "bad_frame": o.At("send", 1, nil).without("seq"),
			} {
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-AUTHZ-002", "the gate comes after address and verb validation", f, code)
			}
		}),
		one("authz/connection-lives", "denials leave the connection and other ops alone", laws("SUBSTRATE-AUTHZ-003"), needs(Denials), func(s *subT) {
			o := s.Session()
			denied := o.p.Name("session", s.profile().Denied)
			for range 20 {
				f := denied.At("send", 1, nil)
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-AUTHZ-003", "a denial is told", f, "unauthorized")
				o.Takes("SUBSTRATE-AUTHZ-003", "and other ops go on", o.Make("send", nil))
			}
		}),
	)
}

// authzLiveCases have the gate change its mind about an object that is live.
func authzLiveCases() []conformance.Case {
	// switched returns a live object, and what has the target deny or allow it.
	switched := func(s *subT) (*object, func(verb string)) {
		o := s.Session()
		told := o.p.Live("session", s.accepted())
		return o, func(verb string) { told.Ask("", "the gate is told", []byte("assay:"+verb+" "+o.addr), "res") }
	}
	return []conformance.Case{
		one("authz/live-object", "denied ops on a live object change nothing, wherever their seqs are", laws("SUBSTRATE-AUTHZ-003", "SUBSTRATE-AUTHZ-002"), needs(Commands), func(s *subT) {
			o, tell := switched(s)
			first := o.Send("before")
			tell("deny")
			var denied []*frame
			for _, seq := range []uint64{o.seq + 1, 1, o.seq + 5, o.seq + 500} {
				f := o.At("send", seq, []byte("denied"))
				denied = append(denied, f)
				o.p.link.Post(f)
				o.p.link.Bounced("SUBSTRATE-AUTHZ-002", "the gate comes before the sequencer: the same reply in, above and below the frontier", f, "unauthorized")
			}
			tell("allow")
			next := o.Takes("SUBSTRATE-AUTHZ-003", "the frontier has not moved", o.Make("send", []byte("after")))
			s.Equal("SUBSTRATE-AUTHZ-003", "denied ops are not handed over", []string{line(first), line(next)}, o.Handed("send"))
			for _, f := range denied {
				o.p.link.Post(f)
				o.p.link.Never("SUBSTRATE-AUTHZ-003", "a denied op has no row in the ledger that would have it acked", about(f.id()))
			}
		}),
		one("authz/denied-close", "a denied close closes nothing", laws("SUBSTRATE-AUTHZ-003"), needs(Commands), func(s *subT) {
			o, tell := switched(s)
			tell("deny")
			f := o.At("close", o.seq+1, nil)
			o.p.link.Post(f)
			o.p.link.Bounced("SUBSTRATE-AUTHZ-003", "a denied close is told so", f, "unauthorized")
			tell("allow")
			o.Ask("SUBSTRATE-AUTHZ-003", "the object lives on", nil, "res")
		}),
		one("authz/denial-beats-dedupe", "an op that was taken is denied when it comes again and the gate has changed its mind", laws("SUBSTRATE-AUTHZ-012", "SUBSTRATE-DEDUPE-004"), needs(Commands), func(s *subT) {
			o, tell := switched(s)
			f := o.Send("once")
			tell("deny")
			o.p.link.Post(f)
			o.p.link.Bounced("SUBSTRATE-AUTHZ-012", "the redelivery is denied, not acked again", f, "unauthorized")
			tell("allow")
			o.Takes("SUBSTRATE-DEDUPE-004", "the ledger is asked before the tombstone of the denial: what was taken is acked once it is allowed again", f)
			s.Equal("SUBSTRATE-AUTHZ-012", "it was delivered once", []string{line(f)}, o.Handed("send"))
		}),
		one("authz/cap", "the token of an open reaches the target as it is", laws("SUBSTRATE-AUTHZ-010"), needs(Commands), func(s *subT) {
			p := s.Peer()
			for _, token := range [][]byte{nil, {}, {0}, s.Octets(32), s.Octets(4096), []byte(`{"scope":"*"}`)} {
				o := p.Name("session", s.accepted())
				f := o.Make("open", nil)
				if token != nil {
					f = f.with("cap", token)
				}
				o.Takes("", "an open is acked", f)
				p.link.Answered("", "an open is accepted", f, "accept")
				s.Equal("SUBSTRATE-AUTHZ-010", "the token is ferried and never parsed", []string{line(f.carrying(token))}, o.Handed("open"))
			}
		}),
	}
}
