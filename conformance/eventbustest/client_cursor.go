package eventbustest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func clientCursorCases() []conformance.Case {
	const cursor = "EVENTBUS-HTTP-011"
	follows := func(reason, body, want string) func(*client) {
		return func(c *client) {
			s := c.attach()
			s.request.send(soon + "\n" + body)
			s.took(cursor, "the frames are read", s.all(body)...)
			s.over()
			s.lastEventID(s.again(), cursor, reason, want)
		}
	}
	return []conformance.Case{
		envelopeCase("id/cursor", "the cursor is the largest id seen", []string{cursor},
			follows("the largest id seen is reported", daemonFrame(5, "x", "1")+daemonFrame(0, "slow_client_warning", "{}")+daemonFrame(7, "x", "1")+daemonFrame(0, "replay_complete", "{}"), "7"), again),
		envelopeCase("id/cursor-of-idless-frames", "frames without an id do not move the cursor", []string{cursor},
			follows("a client that never saw an id sends no header", daemonFrame(0, "slow_client_warning", "{}")+daemonFrame(0, "replay_complete", "{}"), ""), again),
		envelopeCase("id/cursor-of-a-smaller-id", "a smaller id does not move the cursor back", []string{cursor},
			follows("the largest id seen is reported", daemonFrame(9, "x", "1")+daemonFrame(4, "x", "1"), "9"), again),
		envelopeCase("id/cursor-of-bad-frames", "a frame that is skipped does not move the cursor", []string{cursor},
			follows("the cursor follows the events that were delivered", daemonFrame(5, "x", "1")+"id: 8\ndata: {\"id\":8,\"v\":2,\"type\":\"x\"}\n\n", "5"), again),
		envelopeCase("id/cursor-at-first", "a client without a cursor sends no header", []string{cursor}, func(c *client) {
			s := c.openWith(sseclient.Order{As: sseclient.Envelope})
			s.lastEventID(s.first(), cursor, "a client that never saw an id sends no header", "")
		}),
		envelopeCase("id/cursor-over-connections", "the cursor stays over connections", []string{cursor}, func(c *client) {
			s := c.attach()
			s.request.send(soon + "\n" + daemonFrame(6, "x", "1"))
			s.took(cursor, "the frame is read", enveloped(6, "x", "1"))
			s.over()
			s.starts(s.again())
			s.request.send(daemonFrame(0, "replay_complete", "{}"))
			s.took(cursor, "the frame is read", enveloped(0, "replay_complete", "{}"))
			s.over()
			s.lastEventID(s.again(), cursor, "the largest id seen is reported", "6")
		}, again),
		envelopeCase("id/cursor-of-an-event-in-work", "an event that its consumer did not finish comes again", []string{"EVENTBUS-HTTP-012"}, func(c *client) {
			s := c.openWith(sseclient.Order{As: sseclient.Envelope, StopAt: 7})
			s.first().stream()
			s.request.send(soon + "\n" + daemonFrame(6, "x", "1") + daemonFrame(7, "x", "1"))
			s.lastEventID(s.asksAgain("EVENTBUS-HTTP-012", "a consumer that left the stream reads it again"), "EVENTBUS-HTTP-012", "the cursor moves when the consumer asks for the next event", "6")
		}, sseclient.StopsAt),
		envelopeCase("id/no-epoch-without-a-cursor", "the epoch is reported together with a cursor only", []string{"EVENTBUS-HTTP-012"}, func(c *client) {
			s := c.openWith(sseclient.Order{As: sseclient.Envelope})
			s.first().octets(strings.Replace(streamHead, "\r\n", "\r\nX-Qwen-Event-Epoch: e1\r\n", 1))
			s.request.send(soon + "\n" + daemonFrame(0, "slow_client_warning", "{}"))
			s.took("EVENTBUS-HTTP-012", "the frame is read", enveloped(0, "slow_client_warning", "{}"))
			s.over()
			r := s.again()
			_, cursor := r.get("Last-Event-ID")
			epoch, ok := r.get("X-Qwen-Event-Epoch")
			if c.Step(); ok && !cursor {
				c.Broken(conformance.Break{
					Law: "EVENTBUS-HTTP-012", Reason: "an epoch without a cursor says nothing", Expected: "no X-Qwen-Event-Epoch", Seen: "X-Qwen-Event-Epoch: " + epoch,
				})
			}
		}, again),
		envelopeCase("reconnect/asks-for-max-queued", "maxQueued is asked for if slow_client_warning is advertised", []string{"EVENTBUS-HTTP-013"}, func(c *client) {
			for _, features := range []string{`["session_events","slow_client_warning"]`, `["session_events"]`, `[]`} {
				s := c.openWith(sseclient.Order{As: sseclient.Envelope, MaxQueued: 32})
				s.request = c.nextOf(c.patience(), "/capabilities", s.path)
				if s.request == nil || s.request.under("/capabilities") {
					if s.request != nil {
						s.request.answer("200 OK", "Content-Type: application/json\r\n", `{"features":`+features+`}`)
					}
					s.first()
				}
				asks := strings.Contains(s.request.target, "maxQueued=")
				if advertised := strings.Contains(features, "slow_client_warning"); asks != advertised {
					c.Broken(conformance.Break{
						Law: "EVENTBUS-HTTP-013", Reason: "maxQueued is asked for only if slow_client_warning is advertised",
						Expected: fmt.Sprintf("maxQueued with features %s: %v", features, advertised), Seen: fmt.Sprintf("%v: %s", asks, s.request.target),
					})
				}
				s.shut()
			}
		}, sseclient.AsksMaxQueued),
	}
}

// all returns the envelopes that stand in a body of frames and are good.
func (s *source) all(body string) (events []sseclient.Event) {
	for line := range strings.Lines(body) {
		text, ok := strings.CutPrefix(line, "data: ")
		var e struct {
			ID   int             `json:"id"`
			V    int             `json:"v"`
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		if ok && json.Unmarshal([]byte(text), &e) == nil && e.V == 1 {
			events = append(events, enveloped(e.ID, e.Type, string(e.Data)))
		}
	}
	return events
}
