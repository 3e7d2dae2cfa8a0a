package eventbustest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

// A look chooses what of events a case is about. What a client gets wrong elsewhere is not held against it there.
type look struct {
	name string
	text func(sseclient.Event) string
}

var (
	byData = look{"data", func(e sseclient.Event) string { return display(e.Data) }}
	byType = look{"type", func(e sseclient.Event) string { return display(e.Type) + "=" + display(e.Data) }}
	byID   = look{"id", func(e sseclient.Event) string { return display(e.Data) + " id " + display(e.ID) }}
)

// display shows a text; a long one by its length, beginning and a sum that changes with each octet.
func display(s string) string {
	const most = 80
	if len(s) <= most {
		return strconv.Quote(s)
	}
	sum := uint64(14695981039346656037)
	for i := range len(s) {
		sum = (sum ^ uint64(s[i])) * 1099511628211
	}
	return fmt.Sprintf("%s… (%d octets, sum %08x)", strconv.Quote(s[:20]), len(s), uint32(sum))
}

func (l look) list(events []sseclient.Event) string {
	const most = 12
	if len(events) == 0 {
		return "no event"
	}
	var out []string
	for _, e := range events[:min(len(events), most)] {
		out = append(out, l.text(e))
	}
	if len(events) > most {
		out = append(out, fmt.Sprintf("… %d events in all", len(events)))
	}
	return strings.Join(out, ", ")
}

// data is an event of which the data count.
func data(text string) sseclient.Event { return sseclient.Event{Data: text} }

// typed is an event of which type and data count.
func typed(name, text string) sseclient.Event { return sseclient.Event{Type: name, Data: text} }

// marked is an event of which id and data count.
func marked(id, text string) sseclient.Event { return sseclient.Event{ID: id, Data: text} }

// texts are events of which the data count.
func texts(of ...string) (events []sseclient.Event) {
	for _, text := range of {
		events = append(events, data(text))
	}
	return events
}

// reads sends a body to a client of its own and compares the data of what it hands out.
func (c *client) reads(law, reason, body string, want ...string) {
	c.compares(byData, law, reason, body, texts(want...)...)
}

// compares is reads with a choice of what to look at.
func (c *client) compares(by look, law, reason, body string, want ...sseclient.Event) {
	s := c.start()
	s.request.send(body)
	s.gave(by, law, reason, want...)
	s.shut()
}

// gave sends the barrier on the open stream and compares what came before it. A client that does not get as far as the barrier
// breaks the law as well, and ends the case.
func (s *source) gave(by look, law, reason string, want ...sseclient.Event) {
	got, complete := s.toBarrier()
	s.differs(by, law, reason, got, complete, want)
}

func (s *source) differs(by look, law, reason string, got []sseclient.Event, complete bool, want []sseclient.Event) {
	same := slices.EqualFunc(got, want, func(a, b sseclient.Event) bool { return by.text(a) == by.text(b) })
	if same && complete {
		return
	}
	b := conformance.Break{Law: law, Reason: reason, Expected: by.list(want), Seen: by.list(got)}
	if !complete {
		b.Seen += "; and nothing of the next event, the client is " + s.condition()
		b.Timed = s.state != sseclient.Closed
		s.c.Stopped(b)
	}
	s.c.Broken(b)
}

// delivered waits for as many events, compares what came, and ends nothing. It is for streams that stay silent or are over.
func (s *source) delivered(by look, law, reason string, want ...sseclient.Event) {
	s.until(func() bool { return len(s.events) >= len(want) })
	got := s.events
	s.events = nil
	if !slices.EqualFunc(got, want, func(a, b sseclient.Event) bool { return by.text(a) == by.text(b) }) {
		s.c.Broken(conformance.Break{
			Law: law, Reason: reason, Expected: by.list(want), Seen: by.list(got) + "; the client is " + s.condition(), Timed: len(got) < len(want),
		})
	}
}
