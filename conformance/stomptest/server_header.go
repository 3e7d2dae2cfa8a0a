package stomptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func headerCases() []conformance.Case {
	return slices.Concat(headerShapeCases(), headerRepeatCases(), headerTextCases())
}

func headerShapeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/header/empty-value",
			Title:    "a header with an empty value is relayed as such",
			Laws:     []string{"STOMP-HDR-002"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.carries("STOMP-HDR-002", "an empty value is legal, and not the same as no header", "x-empty", "")
			}),
		},
		{
			ID:       "stomp/server/header/missing-colon",
			Title:    "a header line without a colon is invalid",
			Laws:     []string{"STOMP-HDR-001"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				trials := r.try(r.lines("header line without colon", "abc\n"), r.lines("header line of one octet", "a\n"))
				never(trials, s.tolerated, "STOMP-HDR-001", "a header line has a colon")
				s.unnamed(trials)
			}),
		},
		{
			ID:       "stomp/server/header/empty-name",
			Title:    "a header line without a name is invalid",
			Laws:     []string{"STOMP-HDR-001"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				trials := r.try(r.lines("header line without name", ":v\n"), r.lines("a colon alone", ":\n"))
				never(trials, s.tolerated, "STOMP-HDR-001", "a header line has a name")
				s.unnamed(trials)
			}),
		},
		neverCase("stomp/server/header/names-are-case-sensitive", "Destination is not destination",
			every, "STOMP-HDR-006", (*serverT).Broken, "a header name in another letter case does not stand for destination",
			func(r *relay) []variant { return []variant{r.renamed("Destination"), r.renamed("DESTINATION")} }),
		{
			ID:       "stomp/server/header/content-length-is-case-sensitive",
			Title:    "Content-Length is not content-length",
			Laws:     []string{"STOMP-HDR-006"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				t := r.try(r.lines("Content-Length:1 on a longer body", "Content-Length:1\n"))[0]
				if s.always(t, "STOMP-HDR-006", "a header name in another letter case does not stand for content-length") {
					s.CheckEqual("STOMP-HDR-006", "the body is not cut by a header that is none of its own", token(0), string(t.message.Body))
				}
			}),
		},
		{
			ID:       "stomp/server/header/letter-case-is-relayed",
			Title:    "headers whose names differ in letter case are two headers",
			Laws:     []string{"STOMP-HDR-006"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.carries("STOMP-HDR-006", "x-case and X-Case are two headers", "x-case", "lower", "X-Case", "upper")
			}),
		},
		{
			ID:       "stomp/server/header/spaces-of-values-are-kept",
			Title:    "spaces around a value are data",
			Laws:     []string{"STOMP-HDR-007"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.carries("STOMP-HDR-007", "spaces at the ends of a value are kept", "x-both", "  v ", "x-left", " v", "x-right", "v ", "x-only", " ", "x-tab", "\tv\t")
			}),
		},
		{
			ID:       "stomp/server/header/spaces-of-names-are-kept",
			Title:    "spaces around a name are data",
			Laws:     []string{"STOMP-HDR-007"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.carries("STOMP-HDR-007", "spaces at the ends of a name are kept", " x-left", "1", "x-right ", "2", "x inside", "3")
			}),
		},
		neverCase("stomp/server/header/padded-name-is-another-name", "a name with a space beside it is another name",
			since11, "STOMP-HDR-007", (*serverT).Broken, "a name is not trimmed: with a space beside it, it is not destination",
			func(r *relay) []variant { return []variant{r.renamed("destination "), r.renamed(" destination")} }),
		{
			ID:       "stomp/server/header/padded-destination-is-another-destination",
			Title:    "a destination with a space before it is another destination, or the MESSAGE names it as it was sent",
			Laws:     []string{"STOMP-HDR-007", "STOMP-SEND-002"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				t := r.try(r.redirected("space before the destination", " "+r.place))[0]
				if t.message == nil {
					return
				}
				// What a destination means is the server's, and two names may be one place to it.
				s.optional(conformance.Break{
					Law: "STOMP-HDR-007", Reason: "a value is not trimmed: with a space before it, it is not the same destination", Expected: t.name + ": no MESSAGE", Seen: t.name + ": " + t.seen(),
				})
				if got := t.message.Get("destination"); got != " "+r.place {
					s.renames(" "+r.place, got)
				}
			}),
		},
		{
			ID:       "stomp/server/ambiguity/padding-in-1.0",
			Title:    "spaces around a 1.0 header value",
			Laws:     []string{"STOMP-HDR-008"},
			Versions: only10,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				trials := r.try(r.lines("user header", "x:  v \n"), r.redirected("space before the destination", " "+r.place), r.redirected("space behind the destination", r.place+" "))
				for _, t := range trials {
					s.Chose("STOMP-HDR-008", "1.0 examples pad values, and no text says whether a receiver trims them", t.name+": "+t.seen())
				}
			}),
		},
		{
			ID:       "stomp/server/ambiguity/empty-value-in-1.0",
			Title:    "an empty value in 1.0, whose grammar has none",
			Laws:     []string{"STOMP-HDR-003"},
			Versions: only10,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				s.Chose("STOMP-HDR-003", "a 1.0 value has at least one character; what a receiver does with none is not said", r.try(r.lines("empty value", "x:\n"))[0].seen())
			}),
		},
		{
			ID:       "stomp/server/header/raw-colons-in-1.0",
			Title:    "only the first colon of a 1.0 header line separates",
			Laws:     []string{"STOMP-HDR-004"},
			Versions: only10,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				const reason = "further colons of a 1.0 header line belong to its value"
				r := s.relay()
				if t := r.try(r.lines("x:a:b", "x:a:b:\n"))[0]; s.always(t, "STOMP-HDR-004", reason) {
					got, ok := t.message.Lookup("x")
					switch {
					case !ok:
						s.Unsupported("user headers are not relayed in 1.0, so that the value cannot be looked at")
					case got == `a\cb\c`:
						// Split at the first colon as it must be: that it writes escapes into 1.0 is judged by STOMP-ESC-010.
						s.Note("further colons", "kept, and written as escapes")
					default:
						s.CheckEqual("STOMP-HDR-004", reason, "a:b:", got)
					}
				}
			}),
		},
		neverCase("stomp/server/header/raw-colon-in-value", "a second raw colon in a header line is refused by the reference",
			since11, "STOMP-HDR-005", (*serverT).Broken, "the grammar of a value has no raw colon",
			func(r *relay) []variant { return []variant{r.lines("x:a:b", "x:a:b\n")} }),
	}
}

// unnamed judges the lines that a server writes itself, having taken one that is no header: to write it on is more
// than to tolerate it.
func (s *serverT) unnamed(trials []trial) {
	for _, t := range trials {
		if t.message == nil {
			continue
		}
		for _, f := range t.message.Faults {
			s.Check(f.Law != "STOMP-HDR-001", "STOMP-HDR-001", "every header line that a server sends has a name and a colon", "a well-formed MESSAGE", f.Text)
		}
	}
}

// renamed returns the variant of a SEND whose destination header has another name.
func (r *relay) renamed(name string) variant {
	return variant{fmt.Sprintf("%q", name), func(token string) string {
		return "SEND\n" + name + ":" + escape(r.place, r.s.Version()) + "\n\n" + token + "\x00"
	}}
}

// redirected returns the variant of a SEND to another destination.
func (r *relay) redirected(name, destination string) variant {
	return variant{name, func(token string) string {
		return "SEND\ndestination:" + escape(destination, r.s.Version()) + "\n\n" + token + "\x00"
	}}
}

// carries sends a message with user headers and checks that each arrives as it was sent.
func (s *serverT) carries(law, reason string, kv ...string) {
	r := s.relay()
	p := s.Connect("sender")
	p.Send(frameOf("SEND", append([]string{"destination", r.place}, kv...)...).Carrying("carried"))
	m := r.gets(law, reason, p, "carried")
	for i := 0; i < len(kv); i += 2 {
		s.header(m, law, reason, kv[i], kv[i+1])
	}
}

// repeated judges a server that did not go by the first of several headers of one name. 1.2 asks it of both sides,
// 1.1 of clients alone, and 1.0 of nobody.
func (s *serverT) repeated(reason, expected, seen string) {
	s.Step()
	b := conformance.Break{Law: "STOMP-HDR-009", Reason: reason, Expected: expected, Seen: seen}
	if s.Version() == "1.2" {
		s.Broken(b)
		return
	}
	s.optional(b)
}

func headerRepeatCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/header/first-destination-wins",
			Title:    "a SEND with two destinations goes to the first",
			Laws:     []string{"STOMP-HDR-009"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				const reason = "of a repeated header the first is its value"
				first, second := s.relay(), s.relay()
				p := s.Connect("sender")
				p.Send(frameOf("SEND", "destination", first.place, "destination", second.place).Carrying("two destinations"))
				o := first.witness.Await(carries("two destinations"), s.Timing().Reply)
				other := second.witness.Watch(carries("two destinations"), s.Timing().Quiet)
				refusal := p.Await(is("ERROR"), 0)
				if o.Frame == nil && other == nil && refusal.Error != nil {
					s.Note("two destinations", "refused with %s", refusal)
					return
				}
				if o.Frame == nil || other != nil {
					s.repeated(reason, "a MESSAGE at the first destination only", fmt.Sprintf("first: %s; second: %s; the sender got %s", o, other, refusal))
				}
			}),
		},
		{
			ID:       "stomp/server/header/first-user-header-wins",
			Title:    "of a repeated user header the first is relayed as its value",
			Laws:     []string{"STOMP-HDR-009"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				const reason = "of a repeated header the first is its value"
				r := s.relay()
				if t := r.try(r.lines("foo:World, foo:Hello", "foo:World\nfoo:Hello\n"))[0]; s.always(t, "STOMP-HDR-009", reason) {
					if got, ok := t.message.Lookup("foo"); !ok || got != "World" {
						s.repeated(reason, `foo "World"`, fmt.Sprintf("foo %q", got))
					}
				}
			}),
		},
		{
			ID:       "stomp/server/header/first-content-length-wins",
			Title:    "of a repeated content-length the first counts",
			Laws:     []string{"STOMP-HDR-009"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				// The second value would end the body at the NUL behind the token.
				t := r.try(variant{"content-length of 6, then of 4", func(token string) string {
					return r.raw("SEND", "content-length:6\ncontent-length:4\n", token+"\x00b")
				}})[0]
				if t.message == nil {
					s.Note("two values", "stricter than the rule: %s", t.seen())
					return
				}
				if want, got := token(0)+"\x00b", string(t.message.Body); got != want {
					s.repeated("of a repeated content-length the first counts the body", fmt.Sprintf("%q", want), fmt.Sprintf("%q", got))
				}
			}),
		},
		{
			ID:       "stomp/server/header/later-content-length-is-not-looked-at",
			Title:    "a later content-length is neither applied nor validated",
			Laws:     []string{"STOMP-HDR-011"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				for _, second := range []string{"abc", "1048577", "0"} {
					t := r.try(r.lines("content-length:4, then "+second, "content-length:4\ncontent-length:"+second+"\n"))[0]
					s.always(t, "STOMP-HDR-011", "only the first content-length is interpreted")
				}
			}),
		},
		{
			ID:       "stomp/server/ambiguity/repeated-header-in-message",
			Title:    "what becomes of later entries of a repeated user header",
			Laws:     []string{"STOMP-HDR-009"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				t := r.try(r.lines("foo three times", "foo:1\nbar:2\nfoo:3\n"))[0]
				s.Chose("STOMP-HDR-009", "a server may relay later entries of a repeated header or not", t.seen())
			}),
		},
		{
			ID:       "stomp/server/header/repeats-are-kept-in-order",
			Title:    "the reference relays repeated headers in order",
			Laws:     []string{"STOMP-HDR-010"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				t := r.try(r.lines("x, y, x", "x:1\ny:2\nx:3\n"))[0]
				if t.message == nil {
					s.Blocked("stomp/server/header/first-user-header-wins", "%s", t.seen())
				}
				var got []string
				for _, h := range t.message.Headers {
					if h.Name == "x" || h.Name == "y" {
						got = append(got, h.Name+":"+h.Value)
					}
				}
				s.CheckEqual("STOMP-HDR-010", "every entry of a header is kept in wire order", "x:1 y:2 x:3", strings.Join(got, " "))
			}),
		},
		{
			ID:       "stomp/server/header/100-user-headers",
			Title:    "100 user headers are relayed, or refused with ERROR",
			Laws:     []string{"STOMP-SEND-003", "STOMP-LIMIT-019"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				var lines strings.Builder
				for i := range 100 {
					fmt.Fprintf(&lines, "x-%d:%d\n", i, i)
				}
				t := r.try(r.lines("100 user headers", lines.String()))[0]
				if t.message == nil {
					s.Check(t.answer.Error != nil, "STOMP-LIMIT-019", "a server that limits the number of headers says so by ERROR", "MESSAGE or ERROR", t.seen())
					return
				}
				for i := range 100 {
					s.header(t.message, "STOMP-SEND-003", "every user header of a SEND stands in its MESSAGE", fmt.Sprintf("x-%d", i), fmt.Sprint(i))
				}
			}),
		},
	}
}
