// Package relay says what a stateless edge of the substrate stores into and feeds from, and has both in memory. Start with [Sink] and
// [Feed]; package natsstream has both on JetStream.
package relay

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Window is how long a sink must know an op again (SUBSTRATE-RELAY-007).
const Window = 7 * 24 * time.Hour

// An Op is an op or an answer of a browser.
type Op struct {
	Peer    string // the browser's authenticated id
	Obj     string
	ObjKind string // session or queue
	Kind    string // open, close, send, req, or an answer
	Answer  bool   // ids of answers are apart from those of ops (SUBSTRATE-ANSWER-003)
	ID      string
	Seq     uint64
	Code    string // of reject and err
	Msg     string
	Body    []byte // nil: none; empty and not nil: one of no octets
}

// A Stored says where an op lies in the sink.
type Stored struct {
	Seq       uint64 // of the stream, from 1
	Duplicate bool   // it lay there already
}

// A Sink keeps what browsers send. An edge makes one call for an object at a time, in the order of the ops, and acknowledges an op
// when its call has returned nil (SUBSTRATE-RELAY-002, SUBSTRATE-RELAY-003).
type Sink interface {
	// Store keeps op, once for each peer, class and id, whoever asks and however often: one that is there already comes back as a
	// duplicate (SUBSTRATE-RELAY-006). An error says that nothing is known: the op may be stored or not.
	Store(ctx context.Context, op Op) (Stored, error)

	// Remembers returns how long an op is known again after it was stored.
	Remembers() time.Duration
}

// A ForgetfulError says that a sink knows ops again for less than the ledger of the substrate would.
type ForgetfulError struct {
	Remembers time.Duration
}

func (e *ForgetfulError) Error() string {
	return fmt.Sprintf("the sink knows an op again for %v, needed are %v (SUBSTRATE-RELAY-007)", e.Remembers, Window)
}

// Check refuses a sink that forgets too soon, with a [*ForgetfulError].
func Check(s Sink) error {
	if r := s.Remembers(); r < Window {
		return &ForgetfulError{r}
	}
	return nil
}

// A Message is what an event says. The zero value is a send without a body.
type Message struct {
	Kind string // send, or any other op or answer; empty: send
	// ID is the id of what an answer answers, and of an op. Empty: one that is made of the seq of the event.
	ID   string
	Code string // of reject and err
	Msg  string
	Body []byte // nil: none; empty and not nil: one of no octets
}

// An Event is one entry of an object's stream. Seqs grow along the stream but not by one: other objects have theirs between them.
type Event struct {
	Message
	Seq  uint64
	Prev uint64 // the seq of the event before it in the same object, 0 for the first (SUBSTRATE-FEED-001)
	// Trimmed says that events were asked for which came before this one and are not kept any more (SUBSTRATE-FEED-006).
	Trimmed bool
}

// A Feed has the streams of what browsers are to see.
type Feed interface {
	// Resume returns the events of an object from seq from on, that one included, and then those that come
	// (SUBSTRATE-FEED-003). It is for any replica: nothing that another edge did is needed.
	Resume(ctx context.Context, peer, obj string, from uint64) (Events, error)
}

// Events are read by one goroutine.
type Events interface {
	// Next returns the next event as soon as there is one. It fails when ctx ends or the stream does.
	Next(ctx context.Context) (Event, error)

	// Close ends the reading. It does not wait for Next.
	Close()
}

// ErrClosed is returned by Next of events that were closed.
var ErrClosed = errors.New("the events were closed")
