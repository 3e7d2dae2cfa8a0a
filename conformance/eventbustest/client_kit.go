package eventbustest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

// A client is what a case of the client suite works with: the T of the runner, the client under judgement behind its
// adapter, and the listener at which the case plays the server.
type client struct {
	*conformance.T
	listener *conformance.Listener
	opened   int
	names    int           // connections taken
	told     time.Duration // how long the case has told the client to wait
}

// barrier is the data of the event behind whatever a case sends: what has not come when it comes does not come.
const barrier = "assay-end"

// clientTypes are all types of events that cases send, for libraries that want to be asked for each.
var clientTypes = []string{
	"message", "update", "other", "first", "last", "Update", "a b", "tab\there", "naïve ☃", "error", "open", "close", "1", "data",
	"session_update", "slow_client_warning", "replay_complete", "client_evicted", "x",
}

// patience is how long something is waited for that has to happen; browsers let 3 s and more pass before they reconnect.
func (c *client) patience() time.Duration { return 4*c.Timing().Reply + c.told }

// call asks the adapter. What the library throws is no verdict on the client.
func (c *client) call(op string, request, reply any) {
	if thrown := c.Ask(op, request, reply); thrown != nil {
		c.Inconclusive("the client cannot %s: %s: %s", op, thrown.Name, thrown.Message)
	}
}

// A source is one opened client: the server's side of its connections and all that it has handed out.
type source struct {
	c       *client
	path    string
	events  []sseclient.Event
	state   string
	failure string         // the newest error that it showed
	total   int            // events that have come in all
	octets  int            // of these
	settled int            // those that had come when the newest stream began
	request *clientRequest // the newest
}

// open opens a client on a path of its own.
func (c *client) open() *source { return c.openWith(sseclient.Order{}) }

// openWith is open with settings; address and types are filled in.
func (c *client) openWith(order sseclient.Order) *source {
	if c.listener == nil {
		c.listener = c.Listen()
	}
	c.opened++
	s := &source{c: c, path: fmt.Sprintf("/stream/%d", c.opened)}
	order.URL, order.Types = "http://"+c.listener.Address()+s.path, clientTypes
	c.Step()
	c.call("open", order, nil)
	return s
}

// start opens a client, takes its request and answers with the head of a stream.
func (c *client) start() *source {
	s := c.open()
	s.first().stream()
	return s
}

// starts answers a further request with the head of a stream.
func (s *source) starts(r *clientRequest) {
	s.settled = s.total
	r.stream()
}

// first takes the first request; a client that makes none cannot be judged.
func (s *source) first() *clientRequest {
	r := s.c.next(s.path, s.c.patience())
	if r == nil {
		s.collect(0, 0)
		s.c.Inconclusive("the client sent no request; it is %s", s.condition())
	}
	s.request = r
	return r
}

// collect takes in what the client handed out, as soon as there are count events more or wait has passed.
func (s *source) collect(count int, wait time.Duration) {
	var out sseclient.Collection
	s.c.call("collect", map[string]any{"count": count, "ms": wait.Milliseconds()}, &out)
	s.events = append(s.events, out.Events...)
	s.total += len(out.Events)
	for _, e := range out.Events {
		s.octets += len(e.Type) + len(e.Data) + len(e.ID)
	}
	s.state = out.State
	if n := len(out.Errors); n > 0 {
		s.failure = webClip(out.Errors[n-1], 300)
	}
	if s.total > maxShown || s.octets > maxShownOctets {
		s.c.Inconclusive("the client hands out over %d events, or %d octets, which is more than any case sends", maxShown, maxShownOctets)
	}
}

// Bounds of what one client hands out in a case.
const (
	maxShown       = 100_000
	maxShownOctets = 256 << 20
)

// until collects until done, the end of the client or the end of our patience, which begins anew with everything that comes, and
// returns whether it was done.
func (s *source) until(done func() bool) bool {
	for deadline, total := time.Now().Add(s.c.patience()), s.total; ; total = s.total {
		s.collect(1, min(500*time.Millisecond, max(0, time.Until(deadline))))
		if s.total > total {
			deadline = time.Now().Add(s.c.patience())
		}
		switch {
		case done():
			return true
		case time.Now().After(deadline), s.state == sseclient.Closed, s.c.Context().Err() != nil:
			return false
		}
	}
}

// toBarrier sends the barrier, waits for it and returns what came before it. complete is false if it did not come.
func (s *source) toBarrier() (got []sseclient.Event, complete bool) {
	s.request.send("data: " + barrier + "\n\n")
	at := func() int {
		return slices.IndexFunc(s.events, func(e sseclient.Event) bool { return e.Data == barrier })
	}
	if complete = s.until(func() bool { return at() >= 0 }); !complete {
		got, s.events = s.events, nil
		return got, false
	}
	i := at()
	got, s.events = s.events[:i:i], s.events[i+1:]
	return got, true
}

// shut closes the client.
func (s *source) shut() { s.c.call("shut", nil, nil) }

// condition says what the client shows, without anything that differs from run to run.
func (s *source) condition() string {
	var out []string
	if s.state != "" {
		out = append(out, s.state)
	}
	if s.failure != "" {
		out = append(out, "last error: "+s.failure)
	}
	if len(out) == 0 {
		return "silent"
	}
	return strings.Join(out, ", ")
}
