package eventbustest

import (
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

// soon is a block of a stream that asks for a quick reconnect, in a block of its own event, since some libraries make an
// event of a block that has only a retry.
const soon = "retry: 20\n"

// ending is the setting that names how a stream has to end for the client to ask again: what the probe found.
const (
	ending       = "ending"
	endedCleanly = "end"
	endedByReset = "reset"
)

// over ends the stream in the way after which this client asks again, and returns when it began to. Something that yields an event
// was sent on it: a reset may overtake what the client has not read yet, so that one waits for an event.
func (s *source) over() time.Time {
	if s.c.Capabilities().Settings[ending] == endedByReset {
		s.until(func() bool { return s.total > s.settled })
		return s.request.reset()
	}
	return s.request.end()
}

// drop is over for a stream on which nothing was sent that yields an event.
func (s *source) drop() {
	if s.c.Capabilities().Settings[ending] == endedByReset {
		s.pause()
		s.request.reset()
		return
	}
	s.request.end()
}

// came waits for the next request after an end and returns whether it came. It is not answered yet.
func (s *source) came() bool {
	r := s.c.next(s.path, s.c.patience())
	if r != nil {
		s.request = r
	}
	return r != nil
}

// again waits for the next request after an end. Cases that are about something else need the option again; without
// a request they are blocked.
func (s *source) again() *clientRequest {
	if !s.came() {
		s.collect(0, 0)
		s.c.Blocked("eventbus/client/reconnect/after-the-end", "no further request came; the client is %s", s.condition())
	}
	return s.request
}

// asksAgain requires a further request.
func (s *source) asksAgain(law, reason string) *clientRequest {
	if !s.came() {
		s.collect(0, 0)
		s.c.Stopped(conformance.Break{
			Law: law, Reason: reason, Expected: "a further request",
			Seen: fmt.Sprintf("none within %v; the client is %s", s.c.patience(), s.condition()), Timed: true,
		})
	}
	return s.request
}

// asksNoMore requires that no further request comes. A client that says that it is closed is given one window in which to go
// back on its word; any other is given more, in which one that had been told to be quick would have come.
func (s *source) asksNoMore(law, reason string) {
	start := time.Now()
	for range 3 {
		s.collect(maxUnseen, s.c.Timing().Quiet)
		if r := s.c.next(s.path, time.Millisecond); r != nil {
			s.request = r
			seen := "a further request"
			if s.state == sseclient.Closed {
				seen += " of a client that says that it is closed"
			}
			s.c.Stopped(conformance.Break{Law: law, Reason: reason, Expected: "no further request", Seen: seen})
		}
		if s.state == sseclient.Closed {
			break
		}
	}
	s.c.Watched(time.Since(start))
}

// maxUnseen is more events than any case sends, so that a collect waits its whole time.
const maxUnseen = 1 << 30

// lastEventID requires a request to carry an id; empty: no such header, or an empty one.
func (s *source) lastEventID(r *clientRequest, law, reason, want string) {
	s.c.Step()
	got, ok := r.get("Last-Event-ID")
	if got == want {
		return
	}
	seen := "no Last-Event-ID"
	if ok {
		seen = fmt.Sprintf("Last-Event-ID: %q", got)
	}
	expected := "no Last-Event-ID"
	if want != "" {
		expected = fmt.Sprintf("Last-Event-ID: %q", want)
	}
	s.c.Broken(conformance.Break{Law: law, Reason: reason, Expected: expected, Seen: seen})
}

// early is how much sooner than told a timer may fire before that counts: clocks are coarse.
const early = 50 * time.Millisecond

// notBefore requires that a request came no sooner than a delay behind the end of the stream before it, give or take early.
func (s *source) notBefore(r *clientRequest, end time.Time, delay time.Duration, law, reason string) {
	if waited := r.at.Sub(end); waited < delay-early {
		s.c.Broken(conformance.Break{
			Law: law, Reason: reason, Expected: fmt.Sprintf("no request within %v", delay), Seen: fmt.Sprintf("one after %v", waited.Round(time.Millisecond)),
		})
	}
}
