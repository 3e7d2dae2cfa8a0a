package eventbustest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// busParserEnvelopeCases are about bad frames, and about the ends of a body.
func busParserEnvelopeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/parser/envelope/bad-frames-are-skipped",
			Title:    "each bad frame between two good ones",
			Laws:     []string{"EVENTBUS-SSE-013"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, bad := range badEnvelopes {
					body := "data: " + smallEnvelope(1) + "\n\ndata: " + bad + "\n\ndata: " + smallEnvelope(2) + "\n\n"
					b.yields("EVENTBUS-SSE-013", "only that frame is dropped: "+bad, []string{smallEnvelope(1), smallEnvelope(2)}, body)
				}
			}),
		},
		{
			ID:       "eventbus/parser/envelope/bad-frames-in-a-row",
			Title:    "all bad frames in one body, with a good one behind each",
			Laws:     []string{"EVENTBUS-SSE-013"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				var want []string
				var body strings.Builder
				for i, bad := range badEnvelopes {
					want = append(want, smallEnvelope(i+1))
					body.WriteString("data: " + bad + "\n\ndata: " + bad + "\n\ndata: " + smallEnvelope(i+1) + "\n\n")
				}
				b.yields("EVENTBUS-SSE-013", "exactly the good ones are yielded", want, body.String())
			}),
		},
		{
			ID:       "eventbus/parser/envelope/good-frames-are-not-dropped",
			Title:    "frames at the edge of what is allowed",
			Laws:     []string{"EVENTBUS-SSE-013"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, good := range []string{
					`{"id":1,"v":1,"type":"t"}`, `{"id":9007199254740991,"v":1,"type":"t"}`, `{"v":1,"type":"t"}`, `{"v":1,"type":""}`, `{"v":1,"type":"t","data":null}`,
					`{"v":1,"type":"t","data":7}`, `{"v":1,"type":"t","data":"{}"}`, `{"v":1,"type":"never heard of","data":[]}`, `{"type":"t","v":1,"more":{"v":2,"id":-1,"type":3}}`,
					` { "v" : 1 , "type" : "t" } `, `{"v":1,"type":"t","data":{"id":0,"v":2}}`,
				} {
					b.yields("EVENTBUS-SSE-013", "it is yielded: "+good, []string{good}, "data: "+good+"\n\n")
				}
			}),
		},
		{
			ID:       "eventbus/parser/end/deviations-are-recorded",
			Title:    "a last block without a blank line, lone CR, LF CRLF",
			Laws:     []string{"EVENTBUS-SSE-014", "EVENTBUS-SSE-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				first := "data: " + smallEnvelope(1) + "\n\n"
				for _, c := range []struct{ what, body string }{
					{"a last block without a blank line", "data: " + smallEnvelope(2)},
					{"a last block with one LF", "data: " + smallEnvelope(2) + "\n"},
					{"lines that end in CR", "data: " + smallEnvelope(2) + "\r\rdata: " + smallEnvelope(3) + "\r\r"},
					{"LF CRLF for a blank line", "data: " + smallEnvelope(2) + "\n\r\ndata: " + smallEnvelope(3) + "\n\n"},
				} {
					events, failed := b.Parse(first, c.body)
					var seen []string
					for _, e := range events {
						seen = append(seen, e.Token())
					}
					b.Chose("EVENTBUS-SSE-014", "readers differ in "+c.what, strings.TrimSpace(fmt.Sprintf("ids %v %s", seen, failed)))
					b.Check(len(events) > 0 && sameJSON([]byte(smallEnvelope(1)), events[0].Raw), "EVENTBUS-SSE-010", "the frame in front is complete whatever follows: "+c.what, smallEnvelope(1), fmt.Sprint(seen))
				}
			}),
		},
		{
			ID:       "eventbus/parser/limit/unframed-input",
			Title:    "16777216 units without a separator, and one more",
			Laws:     []string{"EVENTBUS-SSE-015"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				kilo := strings.Repeat("x", 4096)
				_, failed := b.ParseLong("", kilo, 4096, "")
				b.Equal("EVENTBUS-SSE-015", "exactly 2^24 is accepted", "", failed)
				_, failed = b.ParseLong("", kilo, 4096, "x")
				b.Check(failed != "", "EVENTBUS-SSE-015", "one more fails instead of growing", "an error", "none")
				_, failed = b.ParseLong("x", kilo, 4096, "")
				b.Check(failed != "", "EVENTBUS-SSE-015", "so it does when the last read is the long one", "an error", "none")
			}),
		},
		{
			ID:       "eventbus/parser/limit/unframed-data-line",
			Title:    "a data line that does not end, at 16777216 units and one more",
			Laws:     []string{"EVENTBUS-SSE-015"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				// 4095 times 4096, and the rest of the last 4096.
				kilo, start := strings.Repeat(" ", 4096), "data: {"
				_, failed := b.ParseLong(start, kilo, 4095, strings.Repeat(" ", 4096-len(start)))
				b.Equal("EVENTBUS-SSE-015", "the name of the field counts, and exactly 2^24 is accepted", "", failed)
				_, failed = b.ParseLong(start, kilo, 4095, strings.Repeat(" ", 4097-len(start)))
				b.Check(failed != "", "EVENTBUS-SSE-015", "one more fails instead of growing", "an error", "none")
			}),
		},
		{
			ID:       "eventbus/parser/limit/bounds-what-is-unread-only",
			Title:    "20 MiB of complete frames, read by read",
			Laws:     []string{"EVENTBUS-SSE-015"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				block := []byte(": " + strings.Repeat("x", 1020) + "\n\n")
				events, failed := b.parse(append(slices.Repeat([]parseChunk{{block, 1024}}, 20), parseChunk{[]byte("data: " + smallEnvelope(1) + "\n\n"), 1}))
				b.Equal("EVENTBUS-SSE-015", "what was read does not count", "", failed)
				b.Equal("EVENTBUS-SSE-015", "the frame behind it is yielded", 1, len(events))
			}),
		},
		{
			ID:       "eventbus/parser/limit/test-comes-before-frames",
			Title:    "one read of more than 16777216 units that holds complete frames only",
			Laws:     []string{"EVENTBUS-SSE-015"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				_, failed := b.parse([]parseChunk{{[]byte(": " + strings.Repeat("x", 1020) + "\n\n"), 16_385}})
				if failed == "" {
					failed = "no error"
				}
				b.Chose("EVENTBUS-SSE-015", "the original tests before it takes frames out; whether so long a read is made is up to the reader", failed)
			}),
		},
	}
}

// badEnvelopes are texts of which none is an envelope (EVENTBUS-SSE-013).
var badEnvelopes = []string{
	`not json`, `{"id":9,"v":1,"type":"t"`, `{"id":9,"v":1,"type":"t"} x`, `{'v':1}`, `null`, `7`, `"text"`, `true`, `[]`, `[{"id":9,"v":1,"type":"t"}]`, `{}`,
	`{"type":"t"}`, `{"v":2,"type":"t"}`, `{"v":0,"type":"t"}`, `{"v":-1,"type":"t"}`, `{"v":1.5,"type":"t"}`, `{"v":"1","type":"t"}`, `{"v":true,"type":"t"}`, `{"v":null,"type":"t"}`, `{"v":[1],"type":"t"}`,
	`{"v":1}`, `{"v":1,"type":7}`, `{"v":1,"type":null}`, `{"v":1,"type":["t"]}`, `{"v":1,"type":{}}`,
	`{"id":0,"v":1,"type":"t"}`, `{"id":-1,"v":1,"type":"t"}`, `{"id":1.5,"v":1,"type":"t"}`, `{"id":"3","v":1,"type":"t"}`, `{"id":null,"v":1,"type":"t"}`,
	`{"id":9007199254740992,"v":1,"type":"t"}`, `{"id":1e400,"v":1,"type":"t"}`, `{"id":true,"v":1,"type":"t"}`, `{"id":[1],"v":1,"type":"t"}`, `{"id":{},"v":1,"type":"t"}`,
	`{"ID":9,"V":1,"Type":"t"}`,
}
