package substratetest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

func handshakeCases() []conformance.Case {
	return slices.Concat(helloCases(), selectionCases(), stageCases())
}

// offering has a party of its own say an edited hello.
func (s *subT) offering(edit func(hello fields)) *link {
	l := s.Party().Dial()
	hello := l.Offer()
	edit(hello)
	l.Hello(hello)
	return l
}

// slot replaces what is offered for a slot.
func slot(name string, offered ...any) func(fields) {
	return func(hello fields) {
		slots := maps.Clone(hello["slots"].(map[string]any))
		slots[name] = offered
		hello["slots"] = slots
	}
}

// helloCases spoil one field of the hello.
func helloCases() []conformance.Case {
	set := func(name string, v any) func(fields) { return func(h fields) { h[name] = v } }
	drop := func(name string) func(fields) { return func(h fields) { delete(h, name) } }
	var out []conformance.Case
	for _, c := range []struct {
		name  string
		edits []func(fields)
	}{
		{"t", []func(fields){set("t", "helo"), set("t", "hello_ok"), set("t", 1), drop("t")}},
		{"v", []func(fields){drop("v"), set("v", 1), set("v", "1"), set("v", []any{"1"}), set("v", []any{})}},
		{"features", []func(fields){drop("features"), set("features", onlyPeer), set("features", []any{1}), set("features", map[string]any{onlyPeer: true})}},
		{"slots", []func(fields){
			drop("slots"), set("slots", []any{}), set("slots", map[string]any{}), set("slots", "cbor"), slot("auth"), slot("codec", 1),
			func(h fields) {
				h["slots"] = map[string]any{"auth": "none", "codec": "cbor", "e2eSeal": "none", "e2eSign": "none"}
			},
		}},
		{"peer", []func(fields){
			drop("peer"), set("peer", 1), set("peer", ""), set("peer", strings.Repeat("p", 65)), set("peer", "a/b"), set("peer", "Alice"), set("peer", "a b"),
			set("peer", "ä"), set("peer", "a@b"), set("peer", []byte("alice")),
		}},
		{"nonce", []func(fields){drop("nonce"), set("nonce", make([]byte, 15)), set("nonce", make([]byte, 17)), set("nonce", []byte{}), set("nonce", "0123456789abcdef")}},
		{"epoch", []func(fields){drop("epoch"), set("epoch", make([]byte, 7)), set("epoch", bytes.Repeat([]byte{1}, 9)), set("epoch", 1), set("epoch", "12345678")}},
	} {
		out = append(out, one("handshake/hello-"+c.name, "a hello whose "+c.name+" is missing, of another type or size ends with 4002", laws("SUBSTRATE-HANDSHAKE-005"), nil, func(s *subT) {
			for n, edit := range c.edits {
				s.offering(edit).Ends("SUBSTRATE-HANDSHAKE-005", fmt.Sprintf("a fault in %s of hello, variant %d", c.name, n+1), 4002)
			}
		}))
	}
	return append(out,
		one("handshake/hello-not-cbor", "what is no strict CBOR before ready ends the connection", laws("SUBSTRATE-HANDSHAKE-005"), nil, func(s *subT) {
			for _, octets := range [][]byte{{}, {0xff}, []byte("hello"), {0xa1}, encode(1), append(encode(map[string]any{"t": "hello"}), 0)} {
				l := s.Party().Dial()
				l.Binary(octets)
				l.Ends("SUBSTRATE-HANDSHAKE-005", "handshake messages are deterministic CBOR", 4002, 4004)
			}
		}),
		one("handshake/hello-unsorted", "a hello whose keys are not sorted ends the connection", laws("SUBSTRATE-HANDSHAKE-005"), nil, func(s *subT) {
			l := s.Party().Dial()
			var pairs [][2][]byte
			for key, v := range l.Offer() {
				pairs = append(pairs, [2][]byte{encode(key), encode(v)})
			}
			slices.SortFunc(pairs, func(a, b [2][]byte) int { return bytes.Compare(b[0], a[0]) })
			l.Binary(appendPairs(nil, pairs))
			l.Ends("SUBSTRATE-HANDSHAKE-005", "handshake messages are always deterministic CBOR", 4002, 4004)
		}),
		one("handshake/reply", "the reply to a hello has the same fields with single choices", laws("SUBSTRATE-HANDSHAKE-005", "SUBSTRATE-HANDSHAKE-006", "SUBSTRATE-HANDSHAKE-007"), nil, func(s *subT) {
			l := s.offering(func(fields) {})
			ok := l.Chosen("SUBSTRATE-HANDSHAKE-005", "a hello is answered by hello_ok")
			nonce, _ := ok["nonce"].([]byte)
			epoch, _ := ok["epoch"].([]byte)
			peer, _ := ok["peer"].(string)
			s.Equal("SUBSTRATE-HANDSHAKE-005", "octets of nonce and epoch", "16 8", fmt.Sprint(len(nonce), " ", len(epoch)))
			s.Check(peer != "" && len(peer) <= 64 && !strings.Contains(peer, "/") && isText(1, 64, nil)(peer), "SUBSTRATE-HANDSHAKE-005", "the peer id is an address without /", "a peer id", peer)
			if id := s.profile().ID; id != "" {
				s.Equal("SUBSTRATE-HANDSHAKE-005", "the peer id is that of the profile", id, peer)
			}
			s.Equal("SUBSTRATE-HANDSHAKE-006", "the version is the highest common one", 1, ok["v"])
			s.Equal("SUBSTRATE-HANDSHAKE-007", "the scope of dedupe is a negotiated feature", fmt.Sprint([]any{onlyPeer}), fmt.Sprint(ok["features"]))
			auth := authHMAC
			if l.p.key == nil {
				auth = authNone
			}
			s.Equal("SUBSTRATE-HANDSHAKE-006", "each slot has what both offer", fmt.Sprint(map[string]any{"auth": auth, "codec": "cbor", "e2eSeal": "none", "e2eSign": "none"}), fmt.Sprint(ok["slots"]))
		}),
	)
}

func selectionCases() []conformance.Case {
	ends := func(name, title, law string, edit func(fields)) conformance.Case {
		return one("handshake/"+name, title+" ends with 4002", laws(law), nil, func(s *subT) {
			s.offering(edit).Ends(law, title+" closes 4002", 4002)
		})
	}
	chooses := func(name, title, law string, edit func(fields), field string, want any) conformance.Case {
		return one("handshake/"+name, title, laws(law, "SUBSTRATE-HANDSHAKE-001"), nil, func(s *subT) {
			l := s.offering(edit)
			ok := l.Chosen(law, title)
			got := ok[field]
			if slots, is := ok["slots"].(map[string]any); is && field != "v" && field != "features" {
				got = slots[field]
			}
			s.Equal(law, title, want, got)
			l.Finish("SUBSTRATE-HANDSHAKE-001", "the handshake goes on to ready")
			l.Up("SUBSTRATE-HANDSHAKE-001", "and the connection is served")
		})
	}
	const selection = "SUBSTRATE-HANDSHAKE-006"
	return []conformance.Case{
		ends("no-common-version", "no common version", selection, func(h fields) { h["v"] = []any{2, 3} }),
		ends("version-zero", "version 0 alone", selection, func(h fields) { h["v"] = []any{0} }),
		ends("no-common-codec", "no common codec", selection, slot("codec", "json")),
		ends("no-common-seal", "no common e2eSeal", "SUBSTRATE-E2E-002", slot("e2eSeal", "box")),
		ends("no-common-sign", "no common e2eSign", "SUBSTRATE-E2E-002", slot("e2eSign", "ed25519")),
		ends("no-common-auth", "no common auth", selection, slot("auth", "password")),
		ends("no-scope", "no dedupeScope token", selection, func(h fields) { h["features"] = []any{} }),
		ends("another-scope", "another dedupeScope token", selection, func(h fields) { h["features"] = []any{"dedupeScope:connection"} }),
		chooses("highest-version", "of several versions the highest common one is chosen", selection, func(h fields) { h["v"] = []any{1, 2, 99} }, "v", 1),
		chooses("first-codec", "of several codecs the first that is common is chosen", selection, slot("codec", "json", "cbor", "zip"), "codec", "cbor"),
		chooses("known-seal", "of several e2eSeal names the one that is implemented is chosen", "SUBSTRATE-E2E-001", slot("e2eSeal", "box", "none"), "e2eSeal", "none"),
		chooses("known-sign", "of several e2eSign names the one that is implemented is chosen", "SUBSTRATE-E2E-001", slot("e2eSign", "ed25519", "none"), "e2eSign", "none"),
		chooses("unknown-features", "unknown features are dropped", selection, func(h fields) {
			h["features"] = []any{"a:unknown", onlyPeer, "zz:unknown"}
		}, "features", []any{onlyPeer}),
	}
}

func stageCases() []conformance.Case {
	early := func(name, title string, laws []string, say func(s *subT, l *link), codes ...int) conformance.Case {
		return one("handshake/early-"+name, title+" ends the connection", laws, nil, func(s *subT) {
			l := s.Party().Dial()
			say(s, l)
			l.Ends(laws[0], title+" ends the connection", codes...)
		})
	}
	op := func(s *subT) *frame { return sendTo(s, "a") }
	form := laws("SUBSTRATE-WIRE-006", "SUBSTRATE-HANDSHAKE-001")
	order := laws("SUBSTRATE-HANDSHAKE-001")
	return []conformance.Case{
		early("op-first", "an op instead of a hello", form, func(s *subT, l *link) { l.Post(op(s)) }, 4004),
		early("op-after-hello", "an op right after the hello", form, func(s *subT, l *link) {
			l.Hello(l.Offer())
			l.Post(op(s))
		}, 4004),
		early("op-before-ready", "an op before ready", form, func(s *subT, l *link) {
			l.Hello(l.Offer())
			l.Chosen("", "a hello is answered")
			l.Post(op(s))
		}, 4004),
		early("text", "a text message instead of a hello", laws("SUBSTRATE-WIRE-006"), func(_ *subT, l *link) {
			l.sock.write(wrap(opText, true, encode(map[string]any(l.Offer()))))
		}, 4004),
		early("ready-first", "ready instead of a hello", order, func(_ *subT, l *link) { l.Say(fields{"t": "ready"}) }, 4002, 4004),
		early("second-hello", "a second hello", order, func(_ *subT, l *link) {
			l.Hello(l.Offer())
			l.Chosen("", "a hello is answered")
			l.Say(l.shake.offered)
		}, 4002, 4004),
		early("ready-without-proof", "ready without a proof", laws("SUBSTRATE-HANDSHAKE-001"), func(_ *subT, l *link) {
			l.Hello(l.Offer())
			l.Chosen("", "a hello is answered")
			l.Say(fields{"t": "ready"})
		}, 4002, 4003, 4004),
		early("unknown-message", "a message that nobody knows", order, func(_ *subT, l *link) {
			l.Hello(l.Offer())
			l.Chosen("", "a hello is answered")
			l.Say(fields{"t": "surprise"})
		}, 4002, 4004),
		one("handshake/flood", "more than 65536 octets before ready are not read", laws("SUBSTRATE-HANDSHAKE-008"), nil, func(s *subT) {
			l := s.offering(func(h fields) { h["features"] = []any{onlyPeer, strings.Repeat("x", 66_000)} })
			l.Ends("SUBSTRATE-HANDSHAKE-008", "at most 65536 octets are read before ready", 4001, 4002, 4009, 1009)
		}),
		one("handshake/silence", "a connection that says nothing is closed with 4001 after 5 s", laws("SUBSTRATE-HANDSHAKE-008"), nil, func(s *subT) {
			began := time.Now()
			l := s.Party().Dial()
			l.EndsWithin("SUBSTRATE-HANDSHAKE-008", "a connection that is not ready after 5 s is closed", 5*time.Second+s.Timing().Close, 4001)
			s.Check(time.Since(began) >= 5*time.Second, "SUBSTRATE-HANDSHAKE-008", "and not before", "5 s", time.Since(began).String())
		}),
		one("handshake/half", "a connection that stops after its hello is closed with 4001 after 5 s", laws("SUBSTRATE-HANDSHAKE-008"), nil, func(s *subT) {
			l := s.offering(func(fields) {})
			l.Chosen("", "a hello is answered")
			l.EndsWithin("SUBSTRATE-HANDSHAKE-008", "a connection that is not ready after 5 s is closed", 5*time.Second+s.Timing().Close, 4001)
		}),
		one("handshake/new-each-time", "each of twenty connections has a nonce of its own, and so an id of its own", laws("SUBSTRATE-HANDSHAKE-003", "SUBSTRATE-HANDSHAKE-004"), nil, func(s *subT) {
			p := s.Party()
			seen := map[string]bool{}
			var hello fields
			for range 20 {
				l := p.Dial()
				if hello == nil {
					hello = l.Offer()
				}
				l.Hello(hello)
				l.Chosen("SUBSTRATE-HANDSHAKE-003", "a hello is answered")
				s.Check(!seen[string(l.shake.connID)], "SUBSTRATE-HANDSHAKE-004", "replaying a hello still yields a new connection id", "a new id", brief(l.shake.connID))
				seen[string(l.shake.connID)] = true
				l.Finish("SUBSTRATE-HANDSHAKE-003", "both ends have the same tuple, id and transcript: their proofs agree")
			}
		}),
		{
			ID: "substrate/peer/handshake/pending", Title: "of seventy connections that are not ready some are refused, and then served again",
			Laws: laws("SUBSTRATE-HANDSHAKE-008"), Alone: true, Run: run(func(s *subT) {
				p := s.Party()
				refusals, began := 0, time.Now()
				for range 70 {
					if _, err := p.TryDial(); err != nil {
						refusals++
					}
				}
				if refusals == 0 && time.Since(began) > 4*time.Second {
					s.Inconclusive("70 connections take longer to open than a listener waits for the first of them")
				}
				s.Check(refusals > 0, "SUBSTRATE-HANDSHAKE-008", "a listener keeps at most 64 connections that are not ready", "refusals", "none of 70")
				s.Note("refused", "%d of 70", refusals)
			}),
		},
	}
}
