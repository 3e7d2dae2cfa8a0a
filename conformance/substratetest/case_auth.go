package substratetest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// proving takes a party of its own to where the proof is due.
func (s *subT) proving() *link {
	l := s.offering(func(fields) {})
	l.Chosen("", "a hello is answered")
	l.Challenges("", "a challenge is answered")
	return l
}

// refusedWith says a proof and wants the connection to be refused. One of another size than a proof has is malformed as well, which is
// 4002; no law says what comes first.
func (l *link) refusedWith(law, reason string, proof []byte) {
	l.Say(fields{"t": "proof", "proof": proof})
	codes := []int{4003}
	if len(proof) != sha256.Size {
		codes = append(codes, 4002)
	}
	l.Ends(law, reason, codes...)
	l.s.Check(len(l.sock.in) == 0, law, "the target is not ready", "a close and nothing else", fmt.Sprintf("%d messages", len(l.sock.in)))
}

func authCases() []conformance.Case {
	wrong := func(name, title string, laws []string, proof func(s *subT, l *link) []byte) conformance.Case {
		return one("auth/"+name, title+" is refused", laws, needs(Keys), func(s *subT) {
			l := s.proving()
			l.refusedWith(laws[0], title+" is refused", proof(s, l))
		})
	}
	out := []conformance.Case{
		one("auth/mutual", "both sides prove that they have the key, and the connection is served", laws("SUBSTRATE-AUTH-004", "SUBSTRATE-AUTH-006", "SUBSTRATE-AUTH-007"), needs(Keys), func(s *subT) {
			l := s.Party().Dial()
			l.Hello(l.Offer())
			l.Chosen("SUBSTRATE-AUTH-007", "hello, hello_ok, challenge, response, proof, ready, ready")
			l.Challenges("SUBSTRATE-AUTH-006", "the listener's proof is the HMAC over role, transcript and both challenges")
			l.Say(fields{"t": "proof", "proof": l.shake.proof(l.p.key, "dialer")})
			l.Hears("SUBSTRATE-AUTH-004", "a right proof is taken", "ready")
			l.Say(fields{"t": "ready"})
			l.becomeReady()
			l.Up("SUBSTRATE-AUTH-004", "and the connection is served")
		}),
		wrong("wrong-key", "a proof with another key", laws("SUBSTRATE-AUTH-004"), func(s *subT, l *link) []byte { return l.shake.proof(s.Octets(32), "dialer") }),
		wrong("key-of-zeros", "a proof with a key of zeros", laws("SUBSTRATE-AUTH-004"), func(_ *subT, l *link) []byte { return l.shake.proof(make([]byte, 32), "dialer") }),
		wrong("empty-proof", "an empty proof", laws("SUBSTRATE-AUTH-004"), func(*subT, *link) []byte { return []byte{} }),
		wrong("short-proof", "the beginning of the right proof", laws("SUBSTRATE-AUTH-004"), func(_ *subT, l *link) []byte { return l.shake.proof(l.p.key, "dialer")[:31] }),
		wrong("long-proof", "the right proof and an octet more", laws("SUBSTRATE-AUTH-004"), func(_ *subT, l *link) []byte {
			return append(l.shake.proof(l.p.key, "dialer"), 0)
		}),
		wrong("reflected-proof", "the listener's own proof", laws("SUBSTRATE-AUTH-005"), func(_ *subT, l *link) []byte { return l.shake.proof(l.p.key, "listener") }),
		wrong("proof-of-no-role", "a proof that names me", laws("SUBSTRATE-AUTH-005"), func(_ *subT, l *link) []byte { return l.shake.proof(l.p.key, "me") }),
		wrong("swapped-challenges", "a proof over the challenges in the other order", laws("SUBSTRATE-AUTH-006"), func(_ *subT, l *link) []byte {
			g := l.shake
			g.mine, g.theirs = g.theirs, g.mine
			return g.proof(l.p.key, "dialer")
		}),
		wrong("plain-hash", "a proof without the key", laws("SUBSTRATE-AUTH-006"), func(_ *subT, l *link) []byte { return l.shake.th }),
		one("auth/any-bit", "a proof with any one bit changed is refused", laws("SUBSTRATE-AUTH-006"), needs(Keys), func(s *subT) {
			for _, bit := range []int{0, 7, 100, 128, 255} {
				l := s.proving()
				proof := l.shake.proof(l.p.key, "dialer")
				proof[bit/8] ^= 1 << (bit % 8)
				l.refusedWith("SUBSTRATE-AUTH-006", fmt.Sprintf("a proof whose bit %d is changed is refused", bit), proof)
			}
		}),
		one("auth/replayed-proof", "a proof of an earlier connection is refused", laws("SUBSTRATE-AUTH-007", "SUBSTRATE-AUTH-005"), needs(Keys), func(s *subT) {
			p := s.Party()
			first := p.Dial()
			first.Greet("", "the connection becomes ready")
			old := first.shake.proof(p.key, "dialer")
			l := p.Dial()
			l.Hello(first.shake.offered)
			l.Chosen("", "a hello is answered")
			l.shake.mine = first.shake.mine
			l.Say(fields{"t": "challenge", "c": l.shake.mine})
			response := l.Hears("", "a challenge is answered", "response", "c", "proof")
			theirs, _ := response["c"].([]byte)
			s.Check(!bytes.Equal(theirs, first.shake.theirs), "SUBSTRATE-AUTH-007", "challenges are fresh for each attempt", "a new challenge", brief(theirs))
			l.refusedWith("SUBSTRATE-AUTH-005", "a proof is accepted on the connection whose transcript it covers alone", old)
		}),
		one("auth/challenge-sizes", "a challenge that has not 32 octets ends the handshake", laws("SUBSTRATE-AUTH-007"), needs(Keys), func(s *subT) {
			for _, n := range []int{0, 31, 33, 64} {
				l := s.offering(func(fields) {})
				l.Chosen("", "a hello is answered")
				l.Say(fields{"t": "challenge", "c": make([]byte, n)})
				l.Ends("SUBSTRATE-AUTH-007", fmt.Sprintf("a challenge of %d octets", n), 4002, 4003)
			}
		}),
		one("auth/proof-first", "a proof without a challenge ends the handshake", laws("SUBSTRATE-AUTH-007"), needs(Keys), func(s *subT) {
			l := s.offering(func(fields) {})
			l.Chosen("", "a hello is answered")
			l.shake.mine, l.shake.theirs = make([]byte, 32), make([]byte, 32)
			l.Say(fields{"t": "proof", "proof": l.shake.proof(l.p.key, "dialer")})
			l.Ends("SUBSTRATE-AUTH-007", "the messages come in their order", 4002, 4003, 4004)
		}),
		one("auth/stranger", "a peer that nobody knows sees what one with the wrong key sees", laws("SUBSTRATE-AUTH-007", "SUBSTRATE-AUTH-008"), needs(Keys, Stranger), func(s *subT) {
			known, stranger := s.Party(), s.Party()
			stranger.id = fill(s.profile().Stranger, s.Unique("p"))
			var views []string
			for _, p := range []*party{known, stranger} {
				l := p.Dial()
				l.Hello(l.Offer())
				l.Chosen("SUBSTRATE-AUTH-007", "an unknown peer and a wrong key look the same")
				l.Say(fields{"t": "challenge", "c": s.Octets(32)})
				l.Hears("SUBSTRATE-AUTH-007", "an unknown peer and a wrong key look the same", "response", "c", "proof")
				l.Say(fields{"t": "proof", "proof": s.Octets(32)})
				l.Ends("SUBSTRATE-AUTH-007", "an unknown peer and a wrong key get the same close code", 4003)
				var sizes []int
				for _, m := range l.shake.raw {
					sizes = append(sizes, len(m))
				}
				views = append(views, fmt.Sprint(sizes, l.sock.code))
			}
			s.Equal("SUBSTRATE-AUTH-007", "an unknown peer and a wrong key look the same", views[0], views[1])
			l := stranger.Dial()
			l.Hello(l.Offer())
			l.Chosen("", "a hello is answered")
			l.shake.mine = s.Octets(32)
			l.Say(fields{"t": "challenge", "c": l.shake.mine})
			response := l.Hears("", "a challenge is answered", "response", "c", "proof")
			l.shake.theirs, _ = response["c"].([]byte)
			l.refusedWith("SUBSTRATE-AUTH-008", "the key is that of the claimed id: another peer's does not do", l.shake.proof(known.key, "dialer"))
		}),
		one("auth/none-against-keys", "who offers none alone to a target with keys is refused with 4002", laws("SUBSTRATE-AUTH-003"), needs(Keys), func(s *subT) {
			s.offering(slot("auth", "none")).Ends("SUBSTRATE-AUTH-003", "none does not go with a real method", 4002)
		}),
		one("auth/no-downgrade", "who offers none before the real method gets the real method", laws("SUBSTRATE-AUTH-003", "SUBSTRATE-AUTH-002"), needs(Keys), func(s *subT) {
			l := s.offering(slot("auth", "none", authHMAC))
			l.Chosen("SUBSTRATE-AUTH-003", "a real method never offers none")
			slots, _ := l.shake.ok["slots"].(map[string]any)
			s.Equal("SUBSTRATE-AUTH-002", "what is advertised and what is run come from one value", authHMAC, slots["auth"])
			l.Finish("SUBSTRATE-AUTH-002", "and that is what runs")
		}),
		one("auth/keys-against-none", "who offers a real method alone to a target with none is refused with 4002", laws("SUBSTRATE-AUTH-003"), needs(None), func(s *subT) {
			l := s.Unproven().Dial()
			hello := l.Offer()
			slot("auth", authHMAC)(hello)
			l.Hello(hello)
			l.Ends("SUBSTRATE-AUTH-003", "none does not go with a real method", 4002)
		}),
		one("auth/none", "with none both sides say the transcript in clear, and the connection is served", laws("SUBSTRATE-AUTH-006", "SUBSTRATE-HANDSHAKE-003"), needs(None), func(s *subT) {
			l := s.Unproven().Dial()
			l.Greet("SUBSTRATE-HANDSHAKE-003", "both ends have the same transcript")
			l.Up("SUBSTRATE-AUTH-006", "and the connection is served")
		}),
		one("auth/none-with-another-transcript", "with none a transcript that differs ends with 4002", laws("SUBSTRATE-AUTH-006"), needs(None), func(s *subT) {
			l := s.Unproven().Dial()
			l.Hello(l.Offer())
			l.Chosen("", "a hello is answered")
			l.Hears("", "the target says its transcript", "ready", "th")
			l.shake.th[31] ^= 1
			l.Say(fields{"t": "ready", "th": l.shake.th})
			l.Ends("SUBSTRATE-AUTH-006", "a difference in the transcript closes 4002", 4002)
		}),
		one("auth/failure-leaves-nothing", "a failed proof disturbs neither the live connection nor what is in flight", laws("SUBSTRATE-AUTH-004", "SUBSTRATE-RECONNECT-004"), needs(Keys), func(s *subT) {
			o := s.Session()
			live := o.p.link
			other := o.p.Dial()
			other.Hello(other.Offer())
			other.Chosen("", "a hello is answered")
			other.Challenges("", "a challenge is answered")
			other.refusedWith("SUBSTRATE-AUTH-004", "a wrong key is refused", s.Octets(32))
			o.p.link = live
			o.Takes("SUBSTRATE-RECONNECT-004", "a failed handshake never disturbs the live connection", o.Make("send", nil))
		}),
	}
	return append(out, tamperCases()...)
}

// tamperCases prove with a view of the tuple that differs in one element.
func tamperCases() []conformance.Case {
	var out []conformance.Case
	for i, element := range []string{"version", "features", "auth", "seal", "sign", "codec", "scope", "connid"} {
		out = append(out, one("auth/tampered-"+element, "a proof over another "+element+" is refused", laws("SUBSTRATE-HANDSHAKE-002", "SUBSTRATE-AUTH-004"), needs(Keys), func(s *subT) {
			l := s.proving()
			tuple := []any{1, []any{onlyPeer}, authHMAC, "none", "none", "cbor", "peer", l.shake.connID}
			tuple[i] = []any{2, []any{onlyPeer, "x"}, "none", "x", "x", "json", "connection", make([]byte, 16)}[i]
			th := sha256.Sum256(encode([]any{"substrate/1 transcript", l.shake.hello, l.shake.helloOK, encode(tuple)}))
			l.shake.th = th[:]
			l.refusedWith("SUBSTRATE-HANDSHAKE-002", "the transcript covers the "+element, l.shake.proof(l.p.key, "dialer"))
		}))
	}
	for name, side := range map[string]func(g *greeting) []byte{
		"hello": func(g *greeting) []byte { return g.hello }, "reply": func(g *greeting) []byte { return g.helloOK },
	} {
		out = append(out, one("auth/tampered-"+name, "a proof over another "+name+" is refused", laws("SUBSTRATE-AUTH-006", "SUBSTRATE-AUTH-004"), needs(Keys), func(s *subT) {
			l := s.proving()
			octets := side(&l.shake)
			octets[len(octets)-1] ^= 1
			l.shake.bind()
			l.refusedWith("SUBSTRATE-AUTH-006", "the transcript covers the octets of the "+name, l.shake.proof(l.p.key, "dialer"))
		}))
	}
	return append(out, one("auth/bound-to-the-key", "the proof is an HMAC, not a hash of key and transcript", laws("SUBSTRATE-AUTH-006"), needs(Keys), func(s *subT) {
		l := s.proving()
		mac := hmac.New(sha256.New, l.p.key)
		mac.Write(l.shake.th)
		l.refusedWith("SUBSTRATE-AUTH-006", "a proof covers role and challenges", mac.Sum(nil))
	}))
}
