package stomptest

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// An event is what the library showed its user next.
type event struct {
	Kind    string // "message", "error", "receipt", "closed", "none", and "lost" when the testee hangs or has ended
	Message int    // its number, to acknowledge it by
	Headers map[string]string
	Body    string // as shown has it
	ID      string // of a receipt
	Reason  string // of closed and lost
	Hangs   bool   // lost, and still running
}

// String describes the event for a report.
func (e event) String() string {
	switch e.Kind {
	case "message", "error":
		var names []string
		for name, value := range e.Headers {
			names = append(names, fmt.Sprintf("%s:%s", conformance.EscapeMax([]byte(name), 60), conformance.EscapeMax([]byte(value), 80)))
		}
		sort.Strings(names)
		return fmt.Sprintf("%s [%s] body %s", e.Kind, strings.Join(names, " "), quoted(e.Body, 120))
	case "receipt":
		return "receipt " + e.ID
	case "closed", "lost":
		return e.Kind + ": " + conformance.EscapeMax([]byte(e.Reason), 200)
	default:
		return "nothing"
	}
}

// Over reports whether the session is over for the user.
func (e event) Over() bool { return e.Kind == "closed" || e.Kind == "lost" && !e.Hangs }

// Next returns what the library shows within the time.
func (c *clientT) Next(within time.Duration) event {
	r, err := c.Order("receive", fields{"wait": within}).Try()
	if err != nil {
		return event{Kind: "lost", Reason: err.Error(), Hangs: c.testee.Ended() == ""}
	}
	if r.Error != "" {
		return event{Kind: "closed", Reason: r.Error}
	}
	e := event{Kind: r.Event, Message: r.Message, Headers: r.Headers, Body: string(r.Body), ID: r.ID, Reason: r.Reason}
	if r.SHA256 != "" {
		e.Body = digest(r.Size, r.SHA256)
	}
	return e
}

// Await returns the first event of a kind that the library shows within the reply deadline, passing over
// others but for the end.
func (c *clientT) Await(kind string) event {
	for deadline := time.Now().Add(c.Timing().Reply); ; {
		e := c.Next(max(time.Until(deadline), time.Millisecond))
		if e.Kind == kind || e.Kind == "none" || e.Kind == "lost" || e.Kind == "closed" {
			return e
		}
	}
}

// Delivered waits for the next message. When it does not come law is broken and the case ends.
func (c *clientT) Delivered(law, reason string) event {
	c.Step()
	e := c.Await("message")
	if e.Kind != "message" {
		c.Stopped(conformance.Break{Law: law, Reason: reason, Expected: "the message is delivered", Seen: e.String(), Timed: e.Kind == "none" || e.Hangs})
	}
	return e
}

// DeliveredAs waits for the next message and needs its body to be this one.
func (c *clientT) DeliveredAs(law, reason, body string) event {
	e := c.Delivered(law, reason)
	c.CheckEqual(law, reason, shown(body), e.Body)
	return e
}

// subjectEnded reports whether the client has ended the latest subject connection.
func (c *clientT) subjectEnded() bool {
	if len(c.subjects) == 0 {
		return false
	}
	return c.subjects[len(c.subjects)-1].Ends(c.Timing().Quiet)
}
