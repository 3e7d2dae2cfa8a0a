package eventbustest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func busParserCases() []conformance.Case {
	return slices.Concat(busParserFrameCases(), busParserEnvelopeCases())
}

// captured are the events of the body that parser cases cut up.
var captured = []string{
	`{"id":1,"v":1,"type":"note","data":{"s":"héllo €uro 😀"}}`,
	`{"v":1,"type":"replay_complete","data":{"replayedCount":0}}`,
	`{"id":2,"v":1,"type":"note","data":[1,2,{"a":null}]}`,
}

// capture returns the body of the captured events with an end of line.
func capture(eol string) string {
	var out strings.Builder
	out.WriteString("retry: 3000" + eol + eol)
	for i, e := range captured {
		out.WriteString(fmt.Sprintf("id: %d", i+1) + eol + "event: note" + eol + "data: " + e + eol + eol + ": heartbeat" + eol + eol)
	}
	return out.String()
}

// smallEnvelope returns an envelope of an id.
func smallEnvelope(id int) string { return fmt.Sprintf(`{"id":%d,"v":1,"type":"note","data":{}}`, id) }

// busParserFrameCases are about blocks and lines.
func busParserFrameCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/parser/frame/octet-by-octet",
			Title:    "a body as LF and as CRLF, whole and in pieces of one octet",
			Laws:     []string{"EVENTBUS-SSE-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, eol := range []string{"\n", "\r\n"} {
					body := capture(eol)
					b.yields("EVENTBUS-SSE-010", fmt.Sprintf("in one piece with %q", eol), captured, body)
					for _, size := range []int{1, 2, 3, 7} {
						var pieces []string
						for rest := range slices.Chunk([]byte(body), size) {
							pieces = append(pieces, string(rest))
						}
						b.yields("EVENTBUS-SSE-010", fmt.Sprintf("in pieces of %d with %q", size, eol), captured, pieces...)
					}
				}
			}),
		},
		{
			ID:       "eventbus/parser/frame/split-anywhere",
			Title:    "a short body cut in two at every octet",
			Laws:     []string{"EVENTBUS-SSE-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				want := []string{`{"id":1,"v":1,"type":"é😀"}`, `{"id":2,"v":1,"type":"b"}`}
				for _, eol := range []string{"\n", "\r\n"} {
					body := "data: " + want[0] + eol + eol + "data: " + want[1] + eol + eol
					for i := 1; i < len(body); i++ {
						if !b.yields("EVENTBUS-SSE-010", fmt.Sprintf("cut before octet %d of %q", i, body), want, body[:i], body[i:]) {
							return
						}
					}
				}
			}),
		},
		{
			ID:       "eventbus/parser/frame/mixed-separators",
			Title:    "frames that end in LF LF and in CRLF CRLF in turn",
			Laws:     []string{"EVENTBUS-SSE-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				var want []string
				var body strings.Builder
				for id := 1; id <= 8; id++ {
					eol := "\n"
					if id%4 >= 2 {
						eol = "\r\n"
					}
					want = append(want, smallEnvelope(id))
					body.WriteString("data: " + smallEnvelope(id) + eol + eol)
				}
				b.yields("EVENTBUS-SSE-010", "the separators may differ from frame to frame", want, body.String())
				b.yields("EVENTBUS-SSE-010", "also octet by octet", want, strings.Split(body.String(), "")...)
			}),
		},
		{
			ID:       "eventbus/parser/frame/random-pieces",
			Title:    "a body in random pieces",
			Laws:     []string{"EVENTBUS-SSE-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for range 20 {
					rest := capture([]string{"\n", "\r\n"}[b.Rand().IntN(2)])
					var pieces []string
					for len(rest) > 0 {
						n := 1 + b.Rand().IntN(min(40, len(rest)))
						pieces, rest = append(pieces, rest[:n]), rest[n:]
					}
					b.yields("EVENTBUS-SSE-010", fmt.Sprintf("%d pieces", len(pieces)), captured, pieces...)
				}
			}),
		},
		{
			ID:       "eventbus/parser/frame/blocks-without-data",
			Title:    "comments, retry, id, event and unknown lines alone",
			Laws:     []string{"EVENTBUS-SSE-011"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, block := range []string{": heartbeat", ":", "retry: 3000", "id: 7", "event: note", "nonsense", "nonsense: x", "id: 7\nevent: note\nretry: 1", "", "\n\n"} {
					body := "data: " + smallEnvelope(1) + "\n\n" + block + "\n\n" + "data: " + smallEnvelope(2) + "\n\n"
					b.yields("EVENTBUS-SSE-011", fmt.Sprintf("%q yields nothing and suppresses nothing", block), []string{smallEnvelope(1), smallEnvelope(2)}, body)
				}
			}),
		},
		{
			ID:       "eventbus/parser/frame/lines-beside-data",
			Title:    "a block that mixes other lines with a data line",
			Laws:     []string{"EVENTBUS-SSE-011"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, block := range []string{
					": x\nretry: 5\ndata: %s", "data: %s\n: x\nretry: 5", "retry: soon\ndata: %s", "id: 9\ndata: %s", "data: %s\nid: 9", "event: client_evicted\ndata: %s",
					"unknown: 1\ndata: %s\nunknown", ":\n:\n:\ndata: %s", "id: \ndata: %s", "event:\ndata: %s", "id: 9\nevent: other\nretry: 1\n: c\ndata: %s\nid: 10\nevent: third",
				} {
					body := fmt.Sprintf(block, smallEnvelope(3)) + "\n\n"
					b.yields("EVENTBUS-SSE-011", fmt.Sprintf("one event, whose id and type are those of the JSON: %q", block), []string{smallEnvelope(3)}, body)
				}
			}),
		},
		{
			ID:       "eventbus/parser/frame/id-line-is-not-the-id",
			Title:    "an id line for an event without an id",
			Laws:     []string{"EVENTBUS-SSE-011"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				want := []string{`{"v":1,"type":"replay_complete","data":{"replayedCount":0}}`, smallEnvelope(3)}
				b.yields("EVENTBUS-SSE-011", "the JSON is authoritative: what has no id stays without", want, "id: 9\nevent: note\ndata: "+want[0]+"\n\n"+"id: 9\ndata: "+want[1]+"\n\n")
			}),
		},
		{
			ID:       "eventbus/parser/frame/data-lines-join-with-lf",
			Title:    "JSON over several data lines, cut between tokens and inside one",
			Laws:     []string{"EVENTBUS-SSE-012"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				want := []string{smallEnvelope(1)}
				for _, body := range []string{
					"data: {\"id\":1,\ndata: \"v\":1,\"type\":\"note\",\"data\":{}}\n\n",
					"data:{\"id\":1,\ndata:\"v\":1,\ndata:\ndata: \"type\":\"note\",\"data\":{}\ndata:}\n\n",
					"data: {\"id\":1,\n: between\nid: 4\ndata: \"v\":1,\"type\":\"note\",\"data\":{}}\n\n",
					"data: {\"id\":1,\r\ndata: \"v\":1,\"type\":\"note\",\"data\":{}}\r\n\r\n",
				} {
					b.yields("EVENTBUS-SSE-012", fmt.Sprintf("the lines are one text: %q", body), want, body)
				}
				// A line feed inside a string or a number is no JSON: lines that were joined with nothing between would be.
				for _, body := range []string{
					"data: {\"id\":2,\"v\":1,\"type\":\"no\ndata: te\"}\n\n", "data: {\"id\":2\ndata: 2,\"v\":1,\"type\":\"note\"}\n\n", "data: {\"id\":2,\"v\":1,\"type\":\"note\",\"data\":tr\ndata: ue}\n\n",
				} {
					b.yields("EVENTBUS-SSE-012", fmt.Sprintf("a line feed stands between them: %q", body), want, body+"data: "+want[0]+"\n\n")
				}
			}),
		},
		{
			ID:       "eventbus/parser/frame/space-behind-the-colon",
			Title:    "no space, one and several behind the colon of a data line",
			Laws:     []string{"EVENTBUS-SSE-012"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				var want []string
				var body strings.Builder
				for i, space := range []string{"", " ", "  ", "\t", " \t "} {
					want = append(want, smallEnvelope(i+1))
					body.WriteString("data:" + space + smallEnvelope(i+1) + "\n\n")
				}
				b.yields("EVENTBUS-SSE-012", "one space belongs to the line, JSON lets any other stand", want, body.String())
				// The first character of what follows is never taken for the space.
				b.yields("EVENTBUS-SSE-012", "without a space nothing is dropped", []string{smallEnvelope(1)}, "data:{\ndata:\"id\":1,\"v\":1,\ndata:\"type\":\"note\",\"data\":{}}\n\n")
			}),
		},
	}
}

// yields breaks law unless a body, one read for each chunk, gives exactly these events and no error.
func (b *busT) yields(law, reason string, want []string, chunks ...string) bool {
	events, failed := b.Parse(chunks...)
	ok := failed == "" && len(events) == len(want)
	seen := make([]string, 0, len(events)+1)
	for i, e := range events {
		seen = append(seen, e.String())
		ok = ok && i < len(want) && sameJSON([]byte(want[i]), e.Raw)
	}
	if failed != "" {
		seen = append(seen, "error "+failed)
	}
	return b.Check(ok, law, reason, strings.Join(want, " "), strings.Join(seen, " "))
}
