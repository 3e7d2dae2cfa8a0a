package eventbus

import "bytes"

// The kinds of diagnostics.
const (
	// SizingFailed: an event has no JSON text. It was published without being sized (Seed) or refused (Later). Data holds
	// its type.
	SizingFailed = "event sizing failed"
	// SubscriberEvicted: a subscriber did not keep up. Data is that of its client_evicted frame.
	SubscriberEvicted = "subscriber evicted"
	// SlowClientWarning: a subscriber may soon be evicted. Data is that of its slow_client_warning frame.
	SlowClientWarning = "slow_client_warning"
)

// Diagnostic tells an operator what the bus did with a subscriber or an event. It is best effort.
type Diagnostic struct {
	// Kind is one of the constants above.
	Kind string
	// EventType and EventBytes describe the event that caused it; EventBytes is 0 if it was not sized.
	EventType  string
	EventBytes int64
	// Data is a JSON object. For Options.Diagnose it has the members triggerEventType and triggerEventBytes too.
	Data Payload
}

// Line returns the diagnostic as a line of a log, without a line end.
func (d Diagnostic) Line() string { return "EventBus " + d.Kind + " " + d.Data.json }

// report is a diagnostic on its way.
type report struct {
	diagnostic Diagnostic
	first      func(Diagnostic) bool // asked whether it takes the diagnostic over; may be nil
	data       Payload               // what first is told
}

// diagnostics are reports that have arisen and were not yet made. Whoever finds them makes them, one goroutine at a time.
type diagnostics struct {
	queued []report
	making bool
}

func (d *diagnostics) pending() bool { return len(d.queued) > 0 && !d.making }

func sizingFailed(e *Event) report {
	data := object{}
	data.text("type", e.Type)
	return report{diagnostic: Diagnostic{Kind: SizingFailed, EventType: e.Type, Data: data.payload()}}
}

func (b *Bus) report(r report) {
	if b.config.Diagnose != nil || r.first != nil {
		b.diagnostics.queued = append(b.diagnostics.queued, r)
	}
}

// reportFor reports what a caused for s.
//
// EVENTBUS-EVICT-008
func (b *Bus) reportFor(s *Subscription, kind string, a arrival, data object) {
	if b.config.Diagnose == nil && s.diagnose == nil {
		return
	}
	r := report{
		diagnostic: Diagnostic{Kind: kind, EventType: a.event.Type, EventBytes: a.size, Data: data.payload()},
		first:      s.diagnose,
	}
	if r.first != nil {
		told := object{members: bytes.Clone(data.members)}
		told.text("triggerEventType", a.event.Type)
		told.number("triggerEventBytes", a.size)
		r.data = told.payload()
	}
	b.report(r)
}

// flush makes the reports that are queued, unless another goroutine is doing so, which then makes them all.
func (b *Bus) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.diagnostics.pending() {
		return
	}
	b.diagnostics.making = true
	defer func() { b.diagnostics.making = false }()
	for len(b.diagnostics.queued) > 0 {
		batch := b.diagnostics.queued
		b.diagnostics.queued = nil
		func() {
			b.mu.Unlock()
			defer b.mu.Lock()
			for _, r := range batch {
				b.make(r)
			}
		}()
	}
}

// make makes one report. What it calls may fail as it likes (EVENTBUS-PUBLISH-003).
func (b *Bus) make(r report) {
	if r.first != nil && takesOver(r) {
		return
	}
	if b.config.Diagnose == nil {
		return
	}
	defer func() { _ = recover() }()
	b.config.Diagnose(r.diagnostic)
}

func takesOver(r report) (taken bool) {
	defer func() {
		if recover() != nil {
			taken = false
		}
	}()
	d := r.diagnostic
	d.Data = r.data
	return r.first(d)
}
