package substratetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

const goodAddress = "abcdefghijklmnopqrstuvwxyz0123456789._/-"

func addrCases() []conformance.Case {
	out := []conformance.Case{
		one("addr/octets", "of the octets below 128 each is valid or not in an address, as the charset says",
			laws("SUBSTRATE-ADDR-001", "SUBSTRATE-ADDR-002"), nil, func(s *subT) {
				l := s.Peer().link
				for c := range 128 {
					code, law := "bad_address", "SUBSTRATE-ADDR-001"
					switch {
					case strings.ContainsRune(goodAddress, rune(c)):
						code = "no_such_object"
					case c == '@':
						code, law = "routing_not_supported", "SUBSTRATE-ADDR-002"
					}
					f := sendTo(s, string(rune(c)))
					l.Post(f)
					l.Bounced(law, fmt.Sprintf("the octet %#x in an address", c), f, code)
				}
			}),
		one("addr/lengths", "an address has 1 to 128 octets", laws("SUBSTRATE-ADDR-001"), nil, func(s *subT) {
			l := s.Peer().link
			for n, code := range map[int]string{0: "bad_address", 1: "no_such_object", 127: "no_such_object", 128: "no_such_object", 129: "bad_address", 4000: "bad_address"} {
				f := sendTo(s, strings.Repeat("a", n))
				l.Post(f)
				l.Bounced("SUBSTRATE-ADDR-001", fmt.Sprintf("an address of %d octets", n), f, code)
			}
		}),
		one("addr/whole-token", "the whole address has to be valid", laws("SUBSTRATE-ADDR-001"), nil, func(s *subT) {
			l := s.Peer().link
			for _, addr := range []string{"a\n", "\na", "a b", "a\x00", "Abc", "abC", "ä", "aä", "日本", "a\u0301", "a:b", "a*", "a#", "a+"} {
				f := sendTo(s, addr)
				l.Post(f)
				l.Bounced("SUBSTRATE-ADDR-001", fmt.Sprintf("the address %q", addr), f, "bad_address")
			}
		}),
		one("addr/longest", "an object whose address has 128 octets can be opened", laws("SUBSTRATE-ADDR-001"), nil, func(s *subT) {
			p := s.Peer()
			o := p.Name("session", s.accepted())
			o.addr += strings.Repeat("/._-", 32)[:128-len(o.addr)]
			o.Opened("SUBSTRATE-ADDR-001", "an address of 128 octets is valid")
			o.Takes("SUBSTRATE-ADDR-001", "an address of 128 octets is valid", o.Make("send", nil))
		}),
		one("addr/near-misses", "addresses that nearly match are different objects", laws("SUBSTRATE-ADDR-004"), needs(Commands), func(s *subT) {
			p := s.Peer()
			base := p.Name("session", s.accepted())
			const reason = "addresses are matched octet by octet and never parsed"
			var all []*object
			for _, suffix := range []string{"", "/", "/b", "//b", "/b/", "/.", "/../b", ".", "-"} {
				o := &object{p: p, addr: base.addr + suffix, kind: "session"}
				all = append(all, o)
				o.Opened("SUBSTRATE-ADDR-004", reason)
			}
			var want, got [][]string
			for _, o := range all {
				want = append(want, []string{line(o.Send(o.addr[len(base.addr):] + " only"))})
			}
			for _, o := range all {
				got = append(got, o.Handed("send"))
			}
			s.Equal("SUBSTRATE-ADDR-004", reason, want, got)
		}),
		one("addr/close-of-a-near-miss", "closing an object leaves those with longer names alone", laws("SUBSTRATE-ADDR-004"), nil, func(s *subT) {
			p := s.Peer()
			a := p.Live("session", s.accepted())
			b := &object{p: p, addr: a.addr + "/b", kind: "session"}
			b.Opened("SUBSTRATE-ADDR-004", "a longer name is another object")
			a.Takes("", "a close is acked", a.Make("close", nil))
			b.Takes("SUBSTRATE-ADDR-004", "there is no parent", b.Make("send", nil))
		}),
		one("addr/kind-is-not-in-the-name", "the kind of an object is that of the envelope, whatever it is called", laws("SUBSTRATE-ADDR-005"), nil, func(s *subT) {
			p := s.Peer()
			a, b := p.Name("session", s.accepted()), p.Name("queue", s.accepted())
			a.addr, b.addr = a.addr+"/queue", b.addr+"/session"
			const reason = "objKind comes from the envelope, never from the name"
			a.Opened("SUBSTRATE-ADDR-005", reason)
			b.Opened("SUBSTRATE-ADDR-005", reason)
			a.Ask("SUBSTRATE-ADDR-005", reason, []byte("q"), "res")
			f := b.At("req", b.seq+1, nil)
			p.link.Post(f)
			p.link.Bounced("SUBSTRATE-ADDR-005", reason, f, "unsupported")
		}),
		one("addr/opens-nothing", "an open of a bad address opens nothing and moves nothing", laws("SUBSTRATE-ADDR-002", "SUBSTRATE-ADDR-003"), nil, func(s *subT) {
			o := s.Session()
			l := o.p.link
			for code, addr := range map[string]string{"routing_not_supported": o.addr + "@host", "bad_address": o.addr + "!"} {
				law := map[string]string{"routing_not_supported": "SUBSTRATE-ADDR-002", "bad_address": "SUBSTRATE-ADDR-003"}[code]
				f := o.At("open", 1, nil).with("obj", addr)
				l.Posts(f, f)
				l.Bounced(law, "an open of a bad address is refused once", f, code)
				l.Never(law, "an open of a bad address is refused once", about(f.id()))
			}
			o.Takes("SUBSTRATE-ADDR-003", "the frontier has not moved", o.Make("send", nil))
		}),
	}
	for _, addr := range []struct{ name, text string }{
		{"between", "a@b"},
		{"alone", "@"},
		{"too-long", strings.Repeat("a", 150) + "@" + strings.Repeat("b", 49)},
		{"upper-case", "A@b"},
		{"twice", "a@@b"},
		{"with-spaces", " @ "},
		{"not-ascii", "ä@b"},
	} {
		out = append(out, one("addr/at-"+addr.name, "an @ in an address is routing_not_supported: "+addr.name, laws("SUBSTRATE-ADDR-002", "SUBSTRATE-ADDR-003"), nil, func(s *subT) {
			l := s.Peer().link
			f := sendTo(s, addr.text)
			l.Post(f)
			got := l.Bounced("SUBSTRATE-ADDR-002", "an @ in an address decides, whatever else is wrong with it", f, "routing_not_supported")
			s.Check(!got.has("obj") && !got.has("objKind"), "SUBSTRATE-ADDR-003", "an address that is none is not echoed", "no obj and no objKind", got.String())
		}))
	}
	for _, kind := range []string{"open", "close", "send", "req", "accept", "reject", "res", "end"} {
		out = append(out, one("addr/bad-in-"+kind, "a bad address in "+kind+" is refused and not echoed", laws("SUBSTRATE-ADDR-003", "SUBSTRATE-BOUNCE-001"), nil, func(s *subT) {
			l := s.Peer().link
			f := sendTo(s, "Bad Address").with("kind", kind)
			if kind == "reject" {
				f = f.with("code", "refused")
			}
			l.Posts(slices.Repeat([]*frame{f}, 3)...)
			got := l.Bounced("SUBSTRATE-ADDR-003", "a bad address is refused", f, "bad_address")
			s.Check(!got.has("obj") && !got.has("objKind"), "SUBSTRATE-ADDR-003", "an address that is none is not echoed", "no obj and no objKind", got.String())
			l.Never("SUBSTRATE-BOUNCE-001", "an op with a bad address yields one err on a connection", about(f.id()))
		}))
	}
	return out
}

// sendTo returns a send to an address.
func sendTo(s *subT, addr string) *frame {
	return (&object{p: &party{s: s}, addr: addr, kind: "session"}).At("send", 1, nil)
}
