package stomptest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/conformance"
)

// mediaType is the grammar of a content-type (STOMP-HDR-014): type, subtype, parameters.
var mediaType = regexp.MustCompile(`^[!#$&^_.+0-9A-Za-z-]+/[!#$&^_.+0-9A-Za-z-]+( *; *[!#$%&'*+.^_|~0-9A-Za-z-]+=("[^"]*"|[^ ;"]*))* *;? *$`)

func bodyCases() []conformance.Case {
	return slices.Concat(bodyContentCases(), bodyServerCases(), bodyForbiddenCases(), bodyLengthCases(), bodyLengthSyntaxCases())
}

func bodyContentCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/body/counted-nuls",
			Title:    "a counted body may hold NULs",
			Laws:     []string{"STOMP-BODY-003", "STOMP-BODY-006"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				for _, m := range s.conveyed("STOMP-BODY-003", "exactly the counted octets are the body, NULs included", "a\x00b", "\x00a", "a\x00", "\x00", "\x00\x00\n\x00") {
					_, ok := m.Lookup("content-length")
					s.Check(ok, "STOMP-BODY-006", "a frame whose body holds a NUL has a content-length", "content-length", "none in "+m.String())
				}
			}),
		},
		{
			ID:       "stomp/server/body/counted-nuls-in-1.0",
			Title:    "a counted 1.0 body may hold NULs",
			Laws:     []string{"STOMP-SEND-004"},
			Versions: only10,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				// 1.0 words it as should: a content-length should be read, and if so, the octets counted.
				r := s.relay()
				t := r.try(variant{"content-length of 6 and a NUL inside", func(token string) string {
					return r.raw("SEND", "content-length:6\n", token+"\x00b")
				}})[0]
				if t.message == nil || string(t.message.Body) != token(0)+"\x00b" {
					s.Loose(conformance.Break{
						Law: "STOMP-SEND-004", Reason: "a body that 1.0 counts by content-length is read by its count", Expected: fmt.Sprintf("%q", token(0)+"\x00b"), Seen: t.seen(),
					})
				}
			}),
		},
		{
			ID:       "stomp/server/body/all-octets",
			Title:    "a body of all 256 octet values arrives as it was sent",
			Laws:     []string{"STOMP-BODY-014", "STOMP-SEND-004"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, BinaryBodies}},
			Run: run(func(s *serverT) {
				all := make([]byte, 256)
				for i := range all {
					all[i] = byte(i)
				}
				back := slices.Clone(all)
				slices.Reverse(back)
				s.conveyed("STOMP-BODY-014", "the octets of a body are opaque", string(all), string(back))
			}),
		},
		{
			ID:       "stomp/server/body/invalid-utf-8",
			Title:    "a body that is not UTF-8 arrives as it was sent",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, BinaryBodies}},
			Run: run(func(s *serverT) {
				s.conveyed("STOMP-BODY-014", "a body is not checked or mended as text", "a\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe4\xb8", "\xff\xfe\xfd")
			}),
		},
		{
			ID:       "stomp/server/body/line-ends",
			Title:    "line ends in a body are data",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.conveyed("STOMP-BODY-014", "EOLs and spaces of a body are neither converted nor trimmed",
					"a\r\nb", "a\r\n\r\nb", "\na", "\r\na", "a\n", "a\r\n", "\n", "\n\n\n", "a\rb", " a ", "\ta\t", "\ufeffa", "SEND\ndestination:x\n\ny")
			}),
		},
		{
			ID:       "stomp/server/body/uncounted",
			Title:    "a body without content-length ends at the first NUL",
			Laws:     []string{"STOMP-BODY-005"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				p.RawString(r.raw("SEND", "", "ab") + r.raw("SEND", "", "cd\n") + "\n" + r.raw("SEND", "", "\n"))
				for _, body := range []string{"ab", "cd\n", "\n"} {
					r.gets("STOMP-BODY-005", "a body without content-length ends at the first NUL, and the next frame begins behind it", p, body)
				}
			}),
		},
		{
			ID:       "stomp/server/body/empty",
			Title:    "a body may be empty, counted or not",
			Laws:     []string{"STOMP-SEND-004"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				for _, lines := range []string{"", "content-length:0\n", "content-length:000\n"} {
					p.RawString(r.raw("SEND", lines, ""))
					r.gets("STOMP-SEND-004", "a message without octets is a message", p, "")
				}
			}),
		},
	}
}

// conveyed sends bodies, each counted, and checks that each arrives unchanged. It returns the messages.
func (s *serverT) conveyed(law, reason string, bodies ...string) []*wireFrame {
	r := s.relay()
	p := s.Connect("sender")
	var out []*wireFrame
	for _, body := range bodies {
		p.Send(frameOf("SEND", "destination", r.place, "content-type", "application/octet-stream").Carrying(body))
		o := r.witness.Await(is("MESSAGE"), s.Timing().Reply)
		if o.Frame == nil {
			told := p.Await(is("ERROR"), 0)
			s.Stopped(conformance.Break{
				Law: law, Reason: reason, Expected: "MESSAGE with body " + quoted(body, 80),
				Seen: fmt.Sprintf("%s; the sender got %s", o, told), Timed: o.Timed && told.Timed,
			})
		}
		s.CheckEqual(law, reason, body, string(o.Frame.Body))
		out = append(out, o.Frame)
	}
	return out
}

func bodyServerCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/body/server-content-length",
			Title:    "the content-length that a server sends is the number of octets of the body",
			Laws:     []string{"STOMP-BODY-008"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				c := s.capture()
				c.faults(s, "STOMP-BODY-008", "content-length counts the octets of the body and nothing else", "STOMP-BODY-008", "STOMP-BODY-010")
				c.each(s, "STOMP-BODY-008", "content-length counts the octets of the body and nothing else", "digits", func(f *wireFrame) string {
					if v, ok := f.Lookup("content-length"); ok && strings.Trim(v, "0123456789") != "" {
						return fmt.Sprintf("content-length %q", v)
					}
					return ""
				})
				for _, p := range c.peers {
					// A count that is too large leaves a frame waiting whose NUL has come.
					rest := bytes.TrimRight(p.reader.buf, "\r\n")
					s.Check(!bytes.HasSuffix(rest, []byte{0}), "STOMP-BODY-008", "content-length counts the octets of the body and nothing else",
						"a frame that is whole at its NUL", conformance.EscapeMax(rest, 300))
				}
			}),
		},
		{
			ID:       "stomp/server/body/server-bodies",
			Title:    "only MESSAGE and ERROR of a server have a body",
			Laws:     []string{"STOMP-BODY-001"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				s.capture().each(s, "STOMP-BODY-001", "CONNECTED and RECEIPT have no body", "no body", func(f *wireFrame) string {
					if len(f.Body) > 0 && (f.Command == "CONNECTED" || f.Command == "RECEIPT") {
						return f.String()
					}
					return ""
				})
			}),
		},
		{
			ID:       "stomp/server/body/receipt-of-1.0",
			Title:    "a 1.0 RECEIPT has no body",
			Laws:     []string{"STOMP-BODY-015"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Run: run(func(s *serverT) {
				s.capture().each(s, "STOMP-BODY-015", "the body of a RECEIPT is empty", "no body", func(f *wireFrame) string {
					if len(f.Body) > 0 && f.Command == "RECEIPT" {
						return f.String()
					}
					return ""
				})
			}),
		},
		{
			ID:       "stomp/server/body/server-content-type",
			Title:    "a content-type that a 1.2 server sends is a MIME type",
			Laws:     []string{"STOMP-HDR-014"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				s.capture().each(s, "STOMP-HDR-014", "a content-type holds a MIME type", "type/subtype", func(f *wireFrame) string {
					if v, ok := f.Lookup("content-type"); ok && !mediaType.MatchString(v) {
						return fmt.Sprintf("content-type %q", v)
					}
					return ""
				})
			}),
		},
		{
			ID:       "stomp/server/body/server-text-is-utf-8",
			Title:    "a body of a text type without charset is UTF-8",
			Laws:     []string{"STOMP-HDR-016"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				s.capture().each(s, "STOMP-HDR-016", "a text type implies UTF-8 unless a charset is named", "UTF-8", func(f *wireFrame) string {
					v := f.Get("content-type")
					if strings.HasPrefix(v, "text/") && !strings.Contains(v, "charset") && !utf8.Valid(f.Body) {
						return f.String()
					}
					return ""
				})
			}),
		},
		{
			ID:       "stomp/server/body/server-counts-its-bodies",
			Title:    "a frame with a body should carry content-length",
			Laws:     []string{"STOMP-BODY-007"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				s.capture().each(s, "STOMP-BODY-007", "a frame with a body should carry its content-length", "content-length", func(f *wireFrame) string {
					if _, ok := f.Lookup("content-length"); len(f.Body) > 0 && !ok {
						return f.String()
					}
					return ""
				})
			}),
		},
		{
			ID:       "stomp/server/body/server-types-its-bodies",
			Title:    "an ERROR with a body, and a MESSAGE whose SEND had a content-type, should carry content-type",
			Laws:     []string{"STOMP-BODY-007"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				s.capture().each(s, "STOMP-BODY-007", "a frame with a body should carry its content-type", "content-type", func(f *wireFrame) string {
					if _, ok := f.Lookup("content-type"); len(f.Body) > 0 && !ok {
						return f.String()
					}
					return ""
				})
			}),
		},
		{
			ID:       "stomp/server/body/length-counts-octets",
			Title:    "content-length counts octets and not characters",
			Laws:     []string{"STOMP-BODY-008"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				for _, m := range s.conveyed("STOMP-BODY-008", "content-length counts octets, not characters", "日本", "é", "😀😀", "e\u0301") {
					if v, ok := m.Lookup("content-length"); ok {
						s.CheckEqual("STOMP-BODY-008", "content-length counts octets, not characters", fmt.Sprint(len(m.Body)), v)
					}
				}
			}),
		},
	}
}
