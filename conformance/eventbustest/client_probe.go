package eventbustest

import (
	"context"
	"maps"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

// clientProbe asks the adapter what its library can do without, and finds out after which end of a stream the client asks again,
// so that cases about something else end their streams in that way.
func clientProbe(_ context.Context, t *conformance.T) conformance.Capabilities {
	c := clientOf(t)
	caps := conformance.Capabilities{Missing: map[string]string{}, Absent: map[string]string{}, Settings: map[string]string{}}
	hello := t.Greet("sse-client", clientOptions)
	caps.Software = hello.Software
	maps.Copy(caps.Absent, hello.Options)
	order := sseclient.Order{}
	if caps.Absent[sseclient.Text] != "" {
		order.As = sseclient.Envelope
	}
	s := c.openWith(order)
	s.first().stream()
	start := time.Now()
	s.request.send(soon + firstWords(order) + firstWords(order))
	if !s.until(func() bool { return len(s.events) > 0 }) {
		t.Inconclusive("the client shows no event of a plain stream; it is %s", s.condition())
	}
	caps.RTT = time.Since(start)
	caps.Settings[ending] = c.asksAfter(order, s)
	if caps.Settings[ending] == "" {
		delete(caps.Settings, ending)
		caps.Missing[again] = "eventbus/client/reconnect/after-the-end: the client asks again after no end of a stream"
		return caps
	}
	if !c.waitsAsTold(order, caps.Settings[ending]) {
		caps.Missing[retried] = "eventbus/client/retry/waits: the client does not wait as long as it is told"
	}
	return caps
}

// waitsAsTold reports whether a client that is told to wait does.
func (c *client) waitsAsTold(order sseclient.Order, how string) bool {
	c.told = 3 * time.Second
	s := c.openWith(order)
	s.first().stream()
	s.request.send("retry: 3000\n" + firstWords(order) + firstWords(order))
	s.until(func() bool { return s.total > 0 })
	end := time.Now()
	if how == endedByReset {
		s.request.reset()
	} else {
		s.request.end()
	}
	return s.came() && s.request.at.Sub(end) >= roughly(3*time.Second)
}

// asksAfter tries the ends of a stream until the client asks again; empty: it never did.
func (c *client) asksAfter(order sseclient.Order, s *source) string {
	s.request.end()
	if s.came() {
		return endedCleanly
	}
	s.shut()
	s = c.openWith(order)
	s.first().stream()
	s.request.send(soon + firstWords(order) + firstWords(order))
	if !s.until(func() bool { return len(s.events) > 0 }) {
		return ""
	}
	s.request.reset()
	if s.came() {
		return endedByReset
	}
	return ""
}

// firstWords is an event that this kind of client shows. It is sent twice, for clients that show an event only when another has begun.
func firstWords(order sseclient.Order) string {
	if order.As == sseclient.Envelope {
		return daemonFrame(1, "session_update", `"hello"`)
	}
	return "data: hello\n\n"
}

// clientAlive has a client show one event, the least that one in working order does.
func clientAlive(_ context.Context, t *conformance.T) {
	c := clientOf(t)
	order := sseclient.Order{}
	if t.Capabilities().Absent[sseclient.Text] != "" {
		order.As = sseclient.Envelope
	}
	s := c.openWith(order)
	s.first().stream()
	s.request.send(firstWords(order) + firstWords(order))
	if !s.until(func() bool { return len(s.events) > 0 }) {
		t.Blocked("eventbus/client/parse/one-event", "an event is not shown; the client is %s", s.condition())
	}
}
