package substratetest

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

const handedOnce = "an op is handed over at most once for each peer and id"

func dedupeCases() []conformance.Case {
	return []conformance.Case{
		one("dedupe/copies", "each copy of an op is acked, and the op is handed over once", laws("SUBSTRATE-DEDUPE-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			l := o.p.link
			f := o.Make("send", []byte("once"))
			l.Posts(slices.Repeat([]*frame{f}, 20)...)
			for range 20 {
				l.Acked("SUBSTRATE-DEDUPE-001", "each copy is acked once", f)
			}
			l.Never("SUBSTRATE-DEDUPE-001", "each copy is acked once", about(f.id()))
			s.Equal("SUBSTRATE-DEDUPE-001", handedOnce, []string{line(f)}, o.Handed("send"))
			o.Takes("SUBSTRATE-DEDUPE-001", "a duplicate moves no frontier", o.Make("send", nil))
		}),
		one("dedupe/copies-of-a-req", "a req that comes again is not answered again", laws("SUBSTRATE-DEDUPE-001", "SUBSTRATE-VERB-003"), needs(Commands), func(s *subT) {
			o := s.Session()
			f := o.Make("req", []byte("once"))
			o.p.link.Posts(f, f, f)
			o.p.link.Answered("SUBSTRATE-VERB-003", "a req is answered", f, "res")
			o.p.link.Never("SUBSTRATE-VERB-003", "exactly one answer", isAnswer(f.id()))
			s.Equal("SUBSTRATE-DEDUPE-001", handedOnce, []string{line(f)}, o.Handed("req"))
		}),
		one("dedupe/after-close", "an op that comes again after the close of its object is acked, not bounced", laws("SUBSTRATE-DEDUPE-004", "SUBSTRATE-DEDUPE-002"), nil, func(s *subT) {
			o := s.Session()
			f := o.Send("x")
			closing := o.Takes("", "a close is acked", o.Make("close", nil))
			for _, f := range []*frame{f, o.open, closing} {
				o.Takes("SUBSTRATE-DEDUPE-004", "the ledger is asked before the object: what it knows is acked and never bounced", f)
			}
			o.p.link.Cut()
			o.p.Connect()
			o.Takes("SUBSTRATE-DEDUPE-002", "the ledger outlives object and connection", f)
		}),
		one("dedupe/after-a-restart", "an op that comes again after a restart of the target is acked and not handed over", laws("SUBSTRATE-DEDUPE-002", "SUBSTRATE-DEDUPE-001"), needs(Commands), func(s *subT) {
			p := s.Peer()
			told, o := p.Live("session", s.accepted()), p.Live("session", s.accepted())
			f := o.Send("once")
			behind := o.Served()
			told.Restart()
			// Without a frontier the ledger alone knows a copy.
			o.Takes("SUBSTRATE-DEDUPE-002", "the ledger outlives a restart", f)
			o.Takes("SUBSTRATE-DEDUPE-002", "the ledger outlives a restart", behind)
			got := o.Handed("send")
			s.Equal("SUBSTRATE-DEDUPE-001", handedOnce, []string{line(f)}, got)
			s.Equal("SUBSTRATE-DEDUPE-002", "the ledger outlives a restart", []string{line(f)}, got)
		}),
		one("dedupe/other-object", "an id that was used on another object is a duplicate", laws("SUBSTRATE-DEDUPE-005"), needs(Commands), func(s *subT) {
			p := s.Peer()
			a, b := p.Live("session", s.accepted()), p.Live("queue", s.accepted())
			f := a.Send("first")
			b.Takes("SUBSTRATE-DEDUPE-005", "the object is no part of the key", b.At("send", b.seq+1, []byte("second")).with("id", f.id()))
			s.Equal("SUBSTRATE-DEDUPE-005", "a duplicate is not handed over", []string(nil), p.Handed(b.addr, "send"))
			next := b.Takes("SUBSTRATE-DEDUPE-005", "a duplicate moves no frontier", b.Make("send", nil))
			p.Eventually("SUBSTRATE-DEDUPE-005", "a duplicate moves no frontier: "+line(next), b.addr, func(lines []string) bool {
				return slices.Equal(linesOf(lines, "send"), []string{line(next)})
			})
			p.link.Cut()
			p.Connect()
			b.Takes("SUBSTRATE-DEDUPE-005", "the connection is no part of the key", b.At("send", b.seq+1, []byte("third")).with("id", f.id()))
			s.Equal("SUBSTRATE-DEDUPE-005", "a duplicate on a later connection is not handed over", []string{line(next)}, p.Handed(b.addr, "send"))
		}),
		one("dedupe/other-peer", "an id that another peer has used is fresh", laws("SUBSTRATE-DEDUPE-005", "SUBSTRATE-STORE-005"), needs(Commands), func(s *subT) {
			a, b := s.Session(), s.Session()
			f := a.Send("of a")
			g := b.Takes("SUBSTRATE-DEDUPE-005", "the peer is part of the key", b.Make("send", []byte("of b")).with("id", f.id()))
			b.p.Eventually("SUBSTRATE-DEDUPE-005", "what another peer has sent is no duplicate: "+line(g), b.addr, func(lines []string) bool {
				return slices.Equal(linesOf(lines, "send"), []string{line(g)})
			})
			s.Equal("SUBSTRATE-STORE-005", "peers never see each other's rows", []string{line(f)}, a.Handed("send"))
		}),
		one("dedupe/same-names", "two peers use one name and the same ids, and nothing of one shows at the other", laws("SUBSTRATE-STORE-005"), needs(Commands), func(s *subT) {
			a, b := s.Session(), s.Peer().Name("session", s.accepted())
			b.addr = a.addr
			b.Opened("SUBSTRATE-STORE-005", "a name in the scope of another peer is free in one's own")
			x, y := a.Send("a"), b.Send("b")
			a.Takes("", "a close is acked", a.Make("close", nil))
			z := b.Takes("SUBSTRATE-STORE-005", "a close of one peer closes nothing of another", b.Make("send", nil))
			s.Equal("SUBSTRATE-STORE-005", "each has its own", []string{line(y), line(z)}, b.Handed("send"))
			a.p.Eventually("SUBSTRATE-STORE-005", "each has its own: "+line(x), a.addr, func(got []string) bool {
				return slices.Equal(linesOf(got, "send"), []string{line(x)})
			})
		}),
		one("dedupe/other-body", "an id that comes with another body is still a duplicate", laws("SUBSTRATE-DEDUPE-006"), needs(Commands), func(s *subT) {
			o := s.Session()
			f := o.Send("first")
			o.Takes("SUBSTRATE-DEDUPE-006", "only the key decides", f.carrying([]byte("second")))
			o.Takes("SUBSTRATE-DEDUPE-006", "only the key decides, at the next seq too", o.At("send", o.seq+1, []byte("third")).with("id", f.id()))
			o.Takes("SUBSTRATE-DEDUPE-006", "only the key decides, whatever the kind", o.At("req", o.seq+1, nil).with("id", f.id()))
			s.Equal("SUBSTRATE-DEDUPE-006", "the first is handed over, once", []string{line(f)}, o.Handed("send", "req"))
		}),
		one("dedupe/case-of-ids", "ids that differ in case are two", laws("SUBSTRATE-DEDUPE-001"), needs(Commands), func(s *subT) {
			o := s.Session()
			id := s.Unique("i")
			a := o.Takes("", "a send is acked", o.Make("send", nil).with("id", id))
			b := o.Takes("", "a send is acked", o.Make("send", nil).with("id", strings.ToUpper(id)))
			o.p.Eventually("SUBSTRATE-DEDUPE-001", "ids are compared octet by octet: "+line(a)+", "+line(b), o.addr, func(lines []string) bool {
				return slices.Equal(linesOf(lines, "send"), []string{line(a), line(b)})
			})
		}),
		one("dedupe/handed-over-again", "an op whose handler a restart has broken off is handed over again", laws("SUBSTRATE-DEDUPE-008", "SUBSTRATE-DEDUPE-007"), needs(Commands), func(s *subT) {
			p := s.Peer()
			a, b := p.Live("session", s.accepted()), p.Live("session", s.accepted())
			word := s.Unique("word")
			held := a.Takes("", "a send is acked", a.Make("send", []byte("assay:hold "+word)))
			next := a.Send("behind it")
			p.Eventually("", "the handler has begun", a.addr, func(lines []string) bool { return slices.Contains(lines, line(held)) })
			b.Restart()
			p.book = nil
			b.Ask("", "the handler is let go", []byte("assay:free "+word), "res")
			p.Eventually("SUBSTRATE-DEDUPE-008", "what was committed and not done is handed over again, in commit order", a.addr, func(lines []string) bool {
				return len(lines) == 4 && slices.Equal(lines[1:], []string{line(held), line(held), line(next)})
			})
			a.Takes("SUBSTRATE-DEDUPE-007", "an op that was acked is not lost, nor taken twice", held)
		}),
		one("dedupe/commit-is-one", "what a restart finds of an op that was acked is all of it: its place in the ledger, its row in the inbox, its object",
			laws("SUBSTRATE-DEDUPE-007"), needs(Commands), func(s *subT) {
				const whole = "ledger, inbox and object are written together"
				p := s.Peer()
				a, b := p.Live("session", s.accepted()), p.Live("session", s.accepted())
				word := s.Unique("word")
				held := a.Takes("", "a send is acked", a.Make("send", []byte("assay:hold "+word)))
				behind := a.Send("behind it")
				p.Eventually("", "the handler has begun", a.addr, func(lines []string) bool { return slices.Contains(lines, line(held)) })
				b.Restart()
				p.book = nil
				// Without a frontier the ledger alone knows a copy.
				a.Takes("SUBSTRATE-DEDUPE-007", whole, behind)
				b.Ask("SUBSTRATE-DEDUPE-007", whole, []byte("assay:free "+word), "res")
				p.Eventually("SUBSTRATE-DEDUPE-007", whole+", and each once: "+line(behind), a.addr, func(lines []string) bool {
					return slices.Contains(lines, line(behind))
				})
				s.Equal("SUBSTRATE-DEDUPE-007", whole+", and each once", []string{line(held), line(held), line(behind)}, a.Handed("send"))
			}),
	}
}
