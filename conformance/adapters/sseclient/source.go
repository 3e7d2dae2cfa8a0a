package sseclient

import (
	"context"
	"sync"
	"time"
)

// States of a source, as collect reports them. Empty: the library does not tell.
const (
	Connecting = "connecting"
	Open       = "open"
	Closed     = "closed"
)

// Bounds of what a source keeps until it is collected.
const (
	maxEvents = 50_000
	maxOctets = 48 << 20
	maxErrors = 40
)

// watchEvery is how often a watched state is looked at.
const watchEvery = 5 * time.Millisecond

// An Event is what a library handed to its user. Type is message where the library names none.
type Event struct {
	Type string `json:"type"`
	Data string `json:"data"`
	ID   string `json:"id"`
}

// A Source keeps what one opened client hands out until it is collected. It is safe for concurrent use.
type Source struct {
	mu     sync.Mutex
	wake   chan struct{} // holds a token when something changed
	events []Event
	octets int
	state  string
	watch  func() string
	failed []string // errors not yet collected
}

// NewSource returns a source in the given state.
func NewSource(state string) *Source {
	return &Source{wake: make(chan struct{}, 1), state: state}
}

// Event keeps an event. What goes beyond 50000 events or 48 MiB is counted as an error and dropped, so that a server cannot
// fill the adapter's memory.
func (s *Source) Event(e Event) {
	if e.Type == "" {
		e.Type = "message"
	}
	s.mu.Lock()
	size := len(e.Type) + len(e.Data) + len(e.ID)
	if len(s.events) >= maxEvents || s.octets+size > maxOctets {
		s.fail("the adapter keeps no more events")
	} else {
		s.events = append(s.events, e)
		s.octets += size
	}
	s.mu.Unlock()
	s.signal()
}

// State sets the state of the client.
func (s *Source) State(state string) {
	s.mu.Lock()
	s.state = state
	s.mu.Unlock()
	s.signal()
}

// Watch has the state asked for instead of being set, for libraries that answer but do not tell.
func (s *Source) Watch(state func() string) {
	s.mu.Lock()
	s.watch = state
	s.mu.Unlock()
	s.signal()
}

// Fail keeps an error that the library showed.
func (s *Source) Fail(text string) {
	s.mu.Lock()
	s.fail(text)
	s.mu.Unlock()
	s.signal()
}

func (s *Source) fail(text string) {
	if len(s.failed) < maxErrors {
		s.failed = append(s.failed, text)
	}
}

func (s *Source) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// A Collection is what collect replies.
type Collection struct {
	Events []Event  `json:"events"`
	State  string   `json:"state"`
	Errors []string `json:"errors"`
}

// Collect returns what was kept since the last call, as soon as there are count events, the source is closed, or wait
// has passed.
func (s *Source) Collect(ctx context.Context, count int, wait time.Duration) Collection {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	var tick <-chan time.Time
	for late := false; ; {
		s.mu.Lock()
		if s.watch != nil {
			s.state = s.watch()
			tick = time.After(watchEvery)
		}
		if late || len(s.events) >= count || s.state == Closed {
			out := Collection{Events: append([]Event{}, s.events...), State: s.state, Errors: append([]string{}, s.failed...)}
			s.events, s.octets, s.failed = nil, 0, nil
			s.mu.Unlock()
			return out
		}
		s.mu.Unlock()
		select {
		case <-s.wake:
		case <-tick:
		case <-timer.C:
			late = true
		case <-ctx.Done():
			late = true
		}
	}
}
