package eventbustest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// epochHeader is where a bus says which instance it is.
const epochHeader = "X-Qwen-Event-Epoch"

// serverProbe finds out whether the target serves an event stream at all, in which dialects, and what the profile lets a case
// do with it.
func serverProbe(_ context.Context, t *conformance.T) conformance.Capabilities {
	// The first session of a target that has just been started can take much longer than any other.
	w := webOf(t)
	w.patience = 4
	p := w.http()
	caps := conformance.Capabilities{Missing: map[string]string{}, Absent: map[string]string{}, Settings: map[string]string{}}
	for option, given := range map[string]bool{
		WebSessions: p.Open.Given(), WebPublish: p.Publish.Given(), WebBurst: p.Burst.Given(), WebShut: p.Shut.Given(),
		WebCapabilities: p.Capabilities != "", WebRing: p.Ring > 0 && p.Burst.Given(), WebSubscribers: p.Subscribers > 0,
	} {
		if !given {
			caps.Absent[option] = "the profile does not spell it out"
		}
	}
	if w.Target().URL == nil && p.Events == "" {
		t.Inconclusive("the profile names no path of events")
	}
	x := w.open()
	start := time.Now()
	st := x.stream("probe", ask{})
	if !st.streams() {
		t.Inconclusive("GET %s is not answered with an event stream; seen: %s", x.path(""), st.answer())
	}
	caps.RTT = time.Since(start)
	caps.Versions = w.probeDialects(st)
	caps.Software = w.probeSoftware()
	if p.Publish.Given() {
		word := x.publish()
		if e := st.await(holding(word), t.Timing().Reply); e == nil {
			caps.Missing[WebPublish] = fmt.Sprintf("probe: what was published did not arrive: %s", st.seen())
			return caps
		}
	}
	kept := x.kept()
	for option, n := range map[string]int{WebKeepsFew: keptFew, WebKeepsMany: keptMany} {
		if kept < n {
			caps.Absent[option] = fmt.Sprintf("the target keeps %d events for a resumed stream", kept)
		}
	}
	return caps
}

// probeDialects returns the dialects that the profile claims or, without one, the one that the head of a stream shows.
func (w *webT) probeDialects(st *webStream) []string {
	if claimed := w.Profile().Versions; claimed != nil {
		var out []string
		for _, d := range bothDialects {
			if slices.Contains(claimed, d) {
				out = append(out, d)
			}
		}
		return out
	}
	if _, ok := st.resp.field(epochHeader); ok {
		return laterOnly
	}
	return seedOnly
}

// probeSoftware returns what a target says it is in its capabilities; empty if it does not.
func (w *webT) probeSoftware() string {
	doc := w.capabilities("probe-capabilities")
	for _, name := range []string{"software", "qwenCodeVersion", "version"} {
		var s string
		if json.Unmarshal(doc[name], &s) == nil && s != "" {
			return webClip(s, 80)
		}
	}
	return ""
}

// capabilities reads the capabilities document; nil if there is none, or it is no object.
func (w *webT) capabilities(name string) map[string]json.RawMessage {
	path := w.http().Capabilities
	if path == "" {
		return nil
	}
	r := Request{Method: "GET", Path: path}.Fill("version", w.dialect())
	st, err := w.try(name, r)
	if err != nil {
		w.Inconclusive("connection %s cannot be opened: %v", name, err)
	}
	st.read(w.Timing().Reply)
	st.close()
	var doc map[string]json.RawMessage
	if json.Unmarshal(st.body, &doc) != nil {
		return nil
	}
	return doc
}

// serverAlive opens a session and its stream, the least that a target in working order does.
func serverAlive(_ context.Context, t *conformance.T) {
	w := webOf(t)
	x := w.open()
	if st := x.stream("alive", ask{}); !st.streams() {
		t.Inconclusive("GET %s is not answered with an event stream; seen: %s", x.path(""), st.answer())
	}
}
