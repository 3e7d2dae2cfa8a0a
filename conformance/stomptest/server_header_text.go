package stomptest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func headerTextCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/header/unicode-values",
			Title:    "header values in UTF-8 are relayed",
			Laws:     []string{"STOMP-FRAME-014"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.carries("STOMP-FRAME-014", "headers are UTF-8", "x-2", "größe", "x-3", "日本語", "x-4", "😀", "x-nbsp", "\u00a0v\u00a0", "x-bom", "\ufeffv",
					"x-combining", "e\u0301", "x-last", "\U0010ffff")
			}),
		},
		{
			ID:       "stomp/server/header/unicode-names",
			Title:    "header names in UTF-8 are relayed",
			Laws:     []string{"STOMP-FRAME-014"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.carries("STOMP-FRAME-014", "header names are UTF-8 too", "größe", "2", "日本語", "3", "😀", "4")
			}),
		},
		{
			ID:       "stomp/server/header/control-characters",
			Title:    "control characters other than CR, LF and NUL are ordinary octets of a value",
			Laws:     []string{"STOMP-SEND-003"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				all := ""
				for c := rune(1); c < 0x20; c++ {
					if c != '\r' && c != '\n' {
						all += string(c)
					}
				}
				s.carries("STOMP-SEND-003", "user headers pass through unchanged", "x-controls", "a"+all+"\x7fb")
			}),
		},
		{
			ID:       "stomp/server/header/invalid-utf-8",
			Title:    "header octets that are not UTF-8 are refused by the reference",
			Laws:     []string{"STOMP-FRAME-014"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				var variants []variant
				for _, octets := range []string{"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe4\xb8", "\x80", "\xff"} {
					variants = append(variants, r.lines(fmt.Sprintf("% X in a value", octets), "x:a"+octets+"\n"))
				}
				variants = append(variants, r.lines("C0 AF in a name", "x\xc0\xaf:a\n"))
				never(r.try(variants...), s.tolerated, "STOMP-FRAME-014", "commands and headers are UTF-8")
			}),
		},
		{
			ID:       "stomp/server/header/no-lf-for-1.0",
			Title:    "an LF that a later client escaped is not written raw into a 1.0 header",
			Laws:     []string{"STOMP-HDR-003"},
			Versions: only10,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				const reason = "a 1.0 header has no LF: a value with one cannot be said there, and must not become lines of its own"
				m := s.crossing(s.later(), "STOMP-HDR-003", "x", "a\ninjected:1\n\ncut")
				_, injected := m.Lookup("injected")
				s.Check(!injected && string(m.Body) == crossed, "STOMP-HDR-003", reason, "no such header, and the body as sent", m.String())
			}),
		},
		{
			ID:       "stomp/server/header/ascii-for-1.0",
			Title:    "headers outside the grammar of 1.0 are not written to a 1.0 session",
			Laws:     []string{"STOMP-HDR-003"},
			Versions: only10,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				m := s.crossing(s.later(), "STOMP-HDR-003", "x-text", "größe", "x-empty", "")
				for _, h := range m.Headers {
					if h.Value == "" || strings.ContainsFunc(h.Name+h.Value, func(r rune) bool { return r > 127 }) {
						s.tolerated(conformance.Break{
							Law: "STOMP-HDR-003", Reason: "a 1.0 header is US-ASCII with a value", Expected: "no such header", Seen: fmt.Sprintf("%q:%q", h.Name, h.Value),
						})
					}
				}
			}),
		},
		{
			ID:       "stomp/server/ambiguity/non-ascii-header-in-1.0",
			Title:    "a 1.0 header outside US-ASCII",
			Laws:     []string{"STOMP-HDR-003"},
			Versions: only10,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				for _, t := range r.try(r.lines("UTF-8", "x:größe\n"), r.lines("other octets", "x:\xff\xfe\n")) {
					s.Chose("STOMP-HDR-003", "1.0 headers are US-ASCII; what a receiver does with others is not said", t.name+": "+t.seen())
				}
			}),
		},
	}
}
