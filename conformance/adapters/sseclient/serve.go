// Package sseclient is what adapters of Go libraries that read event streams have in common: the operations open,
// collect and shut of the suite sse-client (spec/adapter.md), around a function that drives one client.
package sseclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// Options that a library may do without; hello lists them as absent, with the reason.
const (
	Text          = "text"                 // it hands out any event, not only those of one application
	Envelope      = "envelope"             // it reads the envelope of the qwen-code daemon
	StartingID    = "last-event-id-option" // it can be given an id to start with
	Headers       = "headers"              // it can be given headers of the request
	StateReported = "state"                // it tells whether it is connecting, open or closed
	Reconnects    = "reconnect"            // it reconnects by itself
	StopsAt       = "stop-at"              // its user can leave a stream within an event and read on
	AsksMaxQueued = "max-queued"           // it looks up whether a daemon knows maxQueued before it asks for it
)

// An Order is what a client is opened with.
type Order struct {
	URL string `json:"url"`
	// LastEventID is an id to start with; empty: none.
	LastEventID string            `json:"lastEventId,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"`
	// Types are those of the events that the case sends, for libraries that want to be asked for each.
	Types []string `json:"types,omitempty"`
	// StopAt is the id of an envelope within which the user leaves the stream once and then reads on; 0: none.
	StopAt int64 `json:"stopAt,omitempty"`
	// MaxQueued is what a client of the daemon asks for, of daemons whose /capabilities say that they know it; 0: nothing.
	MaxQueued int `json:"maxQueued,omitempty"`
	// As is Envelope for a client that is to read the daemon's envelopes, and empty for one of plain text.
	As string `json:"as,omitempty"`
}

// Request is the request of a stream, with the headers of the order.
func (o Order) Request(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.URL, http.NoBody)
	if err != nil {
		return nil, err
	}
	for name, value := range o.Headers {
		request.Header.Set(name, value)
	}
	return request, nil
}

// A Library is what an adapter drives.
type Library struct {
	Software string            // name and version
	Absent   map[string]string // options that it does without, with the reason
	// Run opens a client and hands what it shows to the source until ctx ends; then it closes the client and returns
	// when all that it started has ended. It returns earlier when the client has ended by itself, with the reason.
	Run func(ctx context.Context, order Order, source *Source) error
}

// errNothingOpen answers a collect without an open.
var errNothingOpen = errors.New("no source is open")

// Adapter returns the adapter of a library.
func Adapter(lib Library) adapter.Adapter {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		d := &driver{lib: lib}
		defer d.shut()
		return adapter.Serve(ctx, r, w, d.handle)
	}
}

// Main is the whole main function of an adapter: it serves on standard input and output and returns the exit status.
func Main(lib Library) (status int) {
	if err := Adapter(lib)(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A driver has at most one source open.
type driver struct {
	lib    Library
	source *Source
	stop   context.CancelFunc
	done   chan struct{}
}

func (d *driver) handle(ctx context.Context, request *adapter.Request) (any, error) {
	switch request.Op {
	case "hello":
		return adapter.Hello(request, adapter.Greeting{
			Protocol: "sse-client", Software: d.lib.Software, Roles: []string{"sse-client"}, Options: d.lib.Absent,
		})
	case "open":
		return adapter.Op(request, func(order Order) (any, error) {
			d.shut()
			d.open(context.WithoutCancel(ctx), order)
			return nil, nil
		})
	case "collect":
		return adapter.Op(request, func(q collectRequest) (any, error) {
			if d.source == nil {
				return nil, errNothingOpen
			}
			return d.source.Collect(ctx, q.Count, time.Duration(q.MS)*time.Millisecond), nil
		})
	case "shut":
		d.shut()
		return nil, nil
	default:
		return nil, &adapter.UnsupportedError{Op: request.Op, Reason: "no such operation"}
	}
}

type collectRequest struct {
	Count int   `json:"count"`
	MS    int64 `json:"ms"`
}

func (d *driver) open(ctx context.Context, order Order) {
	state := Connecting
	if _, absent := d.lib.Absent[StateReported]; absent {
		state = ""
	}
	source := NewSource(state)
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	d.source, d.stop, d.done = source, stop, done
	go func() {
		defer close(done)
		err := d.lib.Run(ctx, order, source)
		if err != nil && ctx.Err() == nil {
			source.Fail(err.Error())
		}
		source.Watch(nil)
		source.State(Closed)
	}()
}

// shut closes the client and waits until it has ended. What it had received can still be collected.
func (d *driver) shut() {
	if d.stop != nil {
		d.stop()
		<-d.done
		d.stop = nil
	}
}
