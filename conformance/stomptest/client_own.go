package stomptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// clientOwnCases are about the interface of our own client: laws of the role reference-client that no order to a
// testee can reach. They run it against a listener of the case's own, and on the reference alone.
func clientOwnCases() []conformance.Case {
	return slices.Concat(ownWaitCases(), ownLimitCases(), ownErrorCases(), ownFailureCases(), ownSessionCases(), ownConnectCases(), ownTLSCases())
}

// An own is what such a case works with: the T, and clients that it runs itself.
type own struct {
	*clientT
	ctx      context.Context // ends with the case, before its clients are closed
	laws     []string
	listener *conformance.Listener
	running  sync.WaitGroup
	clients  []*client.Client
}

// ownCase makes a case about our own client.
func ownCase(id, title string, run func(*own), laws ...string) conformance.Case {
	return conformance.Case{
		ID: "stomp/client/own/" + id, Title: title, Laws: laws, Needs: conformance.Needs{Reference: true},
		Run: runClient(func(c *clientT) {
			ctx, cancel := context.WithCancel(c.Context())
			o := &own{clientT: c, ctx: ctx, laws: laws, listener: c.Listen()}
			defer o.running.Wait()
			defer func() {
				for _, cl := range o.clients {
					_ = cl.Close()
				}
			}()
			defer cancel()
			run(o)
		}),
	}
}

// Context returns the context of the case's own calls.
func (o *own) Context() context.Context { return o.ctx }

// url is the address of the case's listener.
func (o *own) url() string { return "tcp://" + o.listener.Address() }

// A dialing is a client that is being connected.
type dialing struct {
	client *client.Client
	err    error
	done   chan struct{}
}

// dial begins to connect a client to address, for at most the reply deadline.
func (o *own) dial(address string, cfg client.Config) *dialing {
	d := &dialing{done: make(chan struct{})}
	o.running.Go(func() {
		defer close(d.done)
		ctx, cancel := context.WithTimeout(o.ctx, o.Timing().Reply)
		defer cancel()
		d.client, d.err = client.Dial(ctx, address, cfg)
	})
	return d
}

// result waits until the client is connected or has failed to be.
func (o *own) result(d *dialing) (*client.Client, error) {
	<-d.done
	if d.client != nil {
		o.clients = append(o.clients, d.client)
	}
	return d.client, d.err
}

// tries connects a client to address.
func (o *own) tries(address string, cfg client.Config) (*client.Client, error) {
	return o.result(o.dial(address, cfg))
}

// accept takes the next connection in, up to its CONNECT.
func (o *own) accept() (*wire, *wireFrame) {
	conn, err := o.listener.Accept(fmt.Sprintf("broker-%d", len(o.subjects)+1))
	if err != nil {
		o.Stopped(conformance.Break{Law: o.law(), Reason: "the client connects", Expected: "a connection", Seen: err.Error()})
	}
	p := o.peer(conn.Name, conn)
	o.subjects = append(o.subjects, p)
	return p, p.Expect(o.law(), "the client connects", "CONNECT", is("CONNECT"))
}

// law is the first that the case decides: what is broken when not even its stage can be set up.
func (o *own) law() string { return o.laws[0] }

// session opens a session of a client with this configuration.
func (o *own) session(cfg client.Config, connected ...string) (*client.Client, *wire) {
	d := o.dial(o.url(), cfg)
	p, f := o.accept()
	p.Send(p.ConnectedFrame(f, connected...))
	cl, err := o.result(d)
	if err != nil {
		o.Stopped(conformance.Break{Law: o.law(), Reason: "the client connects", Expected: "a session", Seen: err.Error()})
	}
	return cl, p
}

// subscribed opens a session with one subscription, of which nobody reads.
func (o *own) subscribed(cfg client.Config) (*client.Client, *wire, *subscription) {
	cl, p := o.session(cfg)
	sub, err := cl.Subscribe(o.Context(), "/queue/own", client.SubscribeOptions{ID: "s"})
	if err != nil {
		o.Stopped(conformance.Break{Law: o.law(), Reason: "the client subscribes", Expected: "a subscription", Seen: err.Error()})
	}
	f := p.Expect(o.law(), "the client subscribes", "SUBSCRIBE", is("SUBSCRIBE"))
	return cl, p, &subscription{c: o.clientT, p: p, ID: sub.ID(), Destination: "/queue/own", Ack: "auto", Frame: f}
}

// settled waits until the client has dealt with all that the broker sent: with a receipt, which comes behind it.
func (o *own) settled(cl *client.Client, p *wire) error {
	done := make(chan error, 1)
	o.running.Go(func() {
		ctx, cancel := context.WithTimeout(o.ctx, 2*o.Timing().Reply)
		defer cancel()
		done <- cl.SendReceipt(ctx, client.Message{Destination: "/queue/settled"})
	})
	if got := p.Await(is("SEND", "destination", "/queue/settled"), o.Timing().Reply); got.Frame != nil {
		p.confirm(got.Frame)
	}
	return <-done
}

// ended waits for the end of the client and returns why it is over; nil when it is not.
func (o *own) ended(cl *client.Client) error {
	timer := time.NewTimer(o.Timing().Close)
	defer timer.Stop()
	select {
	case <-cl.Done():
		return cl.Err()
	case <-timer.C:
		return nil
	}
}

// closed checks that the client closes, for a reason with this word, and that it then holds nothing.
func (o *own) closed(cl *client.Client, law, reason, word string) {
	o.Step()
	err := o.ended(cl)
	var e *client.Error
	if !o.Check(errors.As(err, &e) && e.Reason == word, law, reason, "the client closes: "+word, fmt.Sprint(err)) {
		return
	}
	_ = cl.Close() // waits for the goroutine that writes
	o.CheckEqual(law, "a closed client holds nothing", fmt.Sprint(client.Stats{}), fmt.Sprint(cl.Stats()))
	o.CheckEqual(law, "a closed client stays closed", session.Closed.String(), cl.State().String())
}

// active checks that the client goes on.
func (o *own) active(cl *client.Client, law, reason string) bool {
	return o.CheckEqual(law, reason, session.Active.String(), cl.State().String())
}

// refuses checks that err is of a code, and that the client goes on.
func (o *own) refuses(cl *client.Client, err error, code client.Code, law, reason string) {
	var e *client.Error
	o.Check(errors.As(err, &e) && e.Code == code, law, reason, string(code), fmt.Sprint(err))
	if cl != nil {
		o.active(cl, law, reason+"; the connection is as it was")
	}
}

// begin starts a Wait and returns where its outcome will be, once the client counts one waiter more.
func (o *own) begin(cl *client.Client, within time.Duration, accept func(client.Event) bool) <-chan outcome {
	out := make(chan outcome, 1)
	n := cl.Stats().Waiters
	o.running.Go(func() {
		e, err := cl.Wait(o.Context(), within, accept)
		out <- outcome{e, err}
	})
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	for by := time.Now().Add(o.Timing().Reply); cl.Stats().Waiters != n+1 && len(out) == 0 && time.Now().Before(by); {
		<-ticks.C
	}
	return out
}

// wait waits for an event, and for no longer than the reply deadline.
func (o *own) wait(cl *client.Client, within time.Duration, accept func(client.Event) bool) (client.Event, error) {
	ctx, cancel := context.WithTimeout(o.ctx, o.Timing().Reply)
	defer cancel()
	return cl.Wait(ctx, within, accept)
}

// over returns what a Wait that was begun comes to within the reply deadline.
func (o *own) over(w <-chan outcome) outcome {
	timer := time.NewTimer(o.Timing().Reply)
	defer timer.Stop()
	select {
	case got := <-w:
		return got
	case <-timer.C:
		return outcome{err: errWaits}
	}
}

// errWaits is the outcome of a Wait that is not over.
var errWaits = errors.New("it still waits")

// rejected checks that a Wait that was begun fails.
func (o *own) rejected(w <-chan outcome, law, reason string) {
	got := o.over(w)
	o.Check(got.err != nil && !errors.Is(got.err, errWaits), law, reason, "an error", got.String())
}

type outcome struct {
	event client.Event
	err   error
}

// String shows the kind of the event, or the error.
func (o outcome) String() string {
	if o.err != nil {
		return o.err.Error()
	}
	return o.event.Kind.String()
}

func isMessage(e client.Event) bool { return e.Kind == client.MessageKind }
func isReceipt(e client.Event) bool { return e.Kind == client.ReceiptKind }
func noEvent(client.Event) bool     { return false }
func anyEvent(client.Event) bool    { return true }

// limits are the default ones, changed.
func limits(change func(*client.Limits)) client.Limits {
	l := client.DefaultLimits()
	change(&l)
	return l
}

// timing is the default one, changed.
func timing(change func(*client.Timing)) client.Timing {
	t := client.DefaultTiming()
	change(&t)
	return t
}

// asks is a SEND that asks for a receipt.
func asks(id string) *frame.Frame {
	return frame.New(frame.SEND, "destination", "/queue/own", "receipt", id)
}
