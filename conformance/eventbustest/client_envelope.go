package eventbustest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

// daemonFrame is an event of the qwen-code daemon as it stands on the wire; id 0: none.
func daemonFrame(id int, kind, payload string) string {
	if id == 0 {
		return fmt.Sprintf("event: %s\ndata: %s\n\n", kind, daemonJSON(id, kind, payload))
	}
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", id, kind, daemonJSON(id, kind, payload))
}

// daemonJSON is the JSON of an event; id 0: none.
func daemonJSON(id int, kind, payload string) string {
	name, _ := json.Marshal(kind)
	head := ""
	if id != 0 {
		head = fmt.Sprintf(`"id":%d,`, id)
	}
	return fmt.Sprintf(`{%s"v":1,"type":%s,"data":%s}`, head, name, payload)
}

// envelopeCase makes a case of a client that reads the daemon's envelope.
func envelopeCase(name, title string, laws []string, run func(*client), needs ...string) conformance.Case {
	c := clientCase(name, title, laws, run)
	c.Needs.Options = append([]string{sseclient.Envelope}, needs...)
	return c
}

// attach opens a client of the daemon and answers its request with the head of a stream.
func (c *client) attach() *source {
	s := c.openWith(sseclient.Order{As: sseclient.Envelope})
	s.first().stream()
	return s
}

// envelopeBarrier is the barrier for clients of the daemon.
const envelopeBarrier = `data: {"v":1,"type":"assay_end","data":"` + barrier + "\"}\n\n"

// took compares the envelopes that a client of the daemon showed up to a last one, which is sent behind what the case sent. An adapter
// gives the envelope's type and id, and its data member as JSON.
func (s *source) took(law, reason string, want ...sseclient.Event) {
	s.request.send(envelopeBarrier)
	whole := s.until(func() bool { return len(s.events) > 0 && s.events[len(s.events)-1].Type == "assay_end" })
	got := s.events
	s.events = nil
	if whole {
		got = got[:len(got)-1]
	}
	s.differs(byEnvelope, law, reason, got, whole, want)
}

var byEnvelope = look{"envelope", func(e sseclient.Event) string { return e.Type + "#" + e.ID + " " + display(e.Data) }}

// enveloped is what an adapter gives of an envelope.
func enveloped(id int, kind, payload string) sseclient.Event {
	e := sseclient.Event{Type: kind, Data: payload}
	if id != 0 {
		e.ID = fmt.Sprint(id)
	}
	return e
}

func clientEnvelopeCases() []conformance.Case {
	const separators, ignored, joined, bad, deviations = "EVENTBUS-SSE-010", "EVENTBUS-SSE-011", "EVENTBUS-SSE-012", "EVENTBUS-SSE-013", "EVENTBUS-SSE-014"
	capture := "retry: 3000\n\n" + daemonFrame(1, "session_update", `{"n":"naïve ☃"}`) + ": heartbeat\n\n" + daemonFrame(0, "slow_client_warning", `{"queueSize":12}`) + daemonFrame(2, "x", `null`)
	same := []sseclient.Event{enveloped(1, "session_update", `{"n":"naïve ☃"}`), enveloped(0, "slow_client_warning", `{"queueSize":12}`), enveloped(2, "x", "null")}
	takes := func(law, reason, body string, want ...sseclient.Event) func(*client) {
		return func(c *client) {
			s := c.attach()
			s.request.send(body)
			s.took(law, reason, want...)
		}
	}
	one := enveloped(1, "x", "1")
	return []conformance.Case{
		envelopeCase("parse/frames-lf", "a capture with LF", []string{separators}, takes(separators, "frames end with LF LF", capture, same...)),
		envelopeCase("parse/frames-crlf", "a capture with CR LF", []string{separators}, takes(separators, "frames end with CR LF CR LF", strings.ReplaceAll(capture, "\n", "\r\n"), same...)),
		envelopeCase("parse/frames-mixed", "both separators in one stream", []string{separators},
			takes(separators, "the separators may be mixed", daemonFrame(1, "x", "1")+strings.ReplaceAll(daemonFrame(2, "x", "2"), "\n", "\r\n")+daemonFrame(3, "x", "3"), one, enveloped(2, "x", "2"), enveloped(3, "x", "3"))),
		envelopeCase("parse/frames-octet-by-octet", "a capture in pieces of one octet", []string{separators}, func(c *client) {
			s := c.attach()
			s.request.pieces(strings.ReplaceAll(capture, "\n", "\r\n"), 1)
			s.took(separators, "any split of octets gives the same events", same...)
		}),
		envelopeCase("field/frames-with-comments", "comment, retry and unknown lines beside data", []string{ignored},
			takes(ignored, "a block that mixes them with a data line still yields its event", ": c\nretry: 5\nfoo: bar\ndata: "+daemonJSON(1, "x", "1")+"\n\n: c\n\nretry: 5\n\nid: 4\n\n", one)),
		envelopeCase("field/frames-are-authoritative", "the JSON decides, not the lines beside it", []string{ignored},
			takes(ignored, "id and event lines are not used", "id: 9\nevent: other\ndata: "+daemonJSON(3, "x", "1")+"\n\n", enveloped(3, "x", "1"))),
		envelopeCase("field/frames-over-lines", "JSON over two data lines", []string{joined},
			takes(joined, "data lines are joined with a line feed", "data: {\"id\":1,\"v\":1,\ndata: \"type\":\"x\",\"data\":1}\n\n", one)),
		envelopeCase("field/frames-without-space", "no space behind the colon", []string{joined}, takes(joined, "the space behind the colon is optional", "data:"+daemonJSON(1, "x", "1")+"\n\n", one)),
		envelopeCase("deviant/frames-that-are-none", "bad frames are skipped", []string{bad}, func(c *client) {
			for _, text := range []string{
				"no JSON", "{", "1", "null", `"x"`, "[]", `{"id":7,"type":"x","data":1}`, `{"id":7,"v":2,"type":"x"}`, `{"id":7,"v":"1","type":"x"}`, `{"id":7,"v":1}`, `{"id":7,"v":1,"type":5}`,
			} {
				s := c.attach()
				s.request.send(daemonFrame(1, "x", "1") + "data: " + text + "\n\n" + daemonFrame(2, "x", "2"))
				s.took(bad, "a bad frame drops that frame only: "+text, one, enveloped(2, "x", "2"))
				s.shut()
			}
		}),
		envelopeCase("deviant/frames-with-bad-ids", "frames whose id is none are skipped", []string{bad}, func(c *client) {
			for _, id := range []string{"0", "-1", "1.5", `"3"`, "null", "9007199254740992", "[]", "true"} {
				s := c.attach()
				s.request.send(daemonFrame(1, "x", "1") + fmt.Sprintf("data: {\"id\":%s,\"v\":1,\"type\":\"x\",\"data\":0}\n\n", id) + daemonFrame(2, "x", "2"))
				s.took(bad, "an id is absent or a safe integer of at least 1: "+id, one, enveloped(2, "x", "2"))
				s.shut()
			}
		}),
		envelopeCase("parse/frames-deviations", "where the daemon's own client leaves the standard", []string{deviations}, func(c *client) {
			for _, d := range []struct{ name, body string }{
				{"CR alone", strings.ReplaceAll(daemonFrame(1, "x", "1"), "\n", "\r") + "\n\n"}, {"LF CR LF", "data: " + daemonJSON(1, "x", "1") + "\n\r\n"},
			} {
				s := c.attach()
				// A client that takes the frame for unfinished joins the first barrier to it.
				s.request.send(d.body + envelopeBarrier + envelopeBarrier)
				s.until(func() bool { return len(s.events) > 0 && s.events[len(s.events)-1].Type == "assay_end" })
				c.Chose(deviations, "line endings of the standard that the daemon's own client does not know", d.name+": "+byEnvelope.list(s.events))
				s.shut()
			}
			s := c.attach()
			s.request.send("data: " + daemonJSON(1, "x", "1") + "\n")
			s.request.end()
			s.collect(1, c.Timing().Reply)
			c.Chose(deviations, "the standard discards a last block without a blank line", "at the end: "+byEnvelope.list(s.events))
		}),
		envelopeCase("limit/frames", "input without a frame is bounded at 2^24 units", []string{"EVENTBUS-SSE-015"}, func(c *client) {
			law, tail := "EVENTBUS-SSE-015", "\n\n"+daemonFrame(1, "x", "1")
			// However reads join what is sent, the buffer never holds more than all of it.
			fits := 1<<24 - len(": "+tail+envelopeBarrier)
			s := c.attach()
			s.request.pieces(": "+strings.Repeat("x", fits), 64<<10)
			s.request.send(tail)
			s.took(law, "16777216 units are accepted", one)
			s.shut()
			s = c.attach()
			s.request.pieces(": "+strings.Repeat("x", 1<<24-1), 64<<10)
			s.until(func() bool { return s.failure != "" })
			if s.failure == "" {
				c.Broken(conformance.Break{Law: law, Reason: "a buffer of more than 16777216 units fails", Expected: "an error", Seen: "the client is " + s.condition(), Timed: true})
			}
		}),
	}
}
