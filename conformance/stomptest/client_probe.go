package stomptest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// clientProbe asks the testee what its library can do, and in which versions it opens a session.
func clientProbe(_ context.Context, t *conformance.T) conformance.Capabilities {
	caps := conformance.Capabilities{Missing: map[string]string{}, Absent: map[string]string{}, Settings: map[string]string{}}
	c := clientOf(t)
	// The clock starts once the control connection stands: an interpreter's start says nothing of round trips.
	o := c.Order("hello", nil)
	start := time.Now()
	r, err := o.Try()
	if err != nil {
		t.Inconclusive("%v", err)
	}
	caps.RTT = time.Since(start)
	caps.Software = strings.TrimSpace(r.Library + " " + r.Release)
	if r.Language != "" {
		caps.Software += " (" + r.Language + ")"
	}
	for _, name := range clientOptions {
		if slices.Contains(r.Can, name) {
			continue
		}
		option := name
		if mapped, ok := optionNames[name]; ok {
			option = mapped
		}
		caps.Absent[option] = "the testee's hello does not list " + name
	}
	for _, v := range every {
		claimed := t.Profile().Versions
		if slices.Contains(r.Can, v) && (claimed == nil || slices.Contains(claimed, v)) {
			caps.Versions = append(caps.Versions, v)
		}
	}
	if len(caps.Versions) == 0 {
		t.Inconclusive("the testee's hello lists no version of 1.0, 1.1 and 1.2")
	}
	return caps
}

// clientAlive opens a session and takes one message, the least that a client in working order does. No case can do
// harm to the next one's process; but a testee that manages nothing at all is found out early.
func clientAlive(_ context.Context, t *conformance.T) {
	c := clientOf(t)
	sub := c.Subscribe(c.Connect(), "auto")
	sub.Deliver("alive")
	if e := c.Await("message"); e.Kind != "message" {
		t.Blocked("stomp/client/decode/text", "a message is not shown: %s", e)
	}
}
