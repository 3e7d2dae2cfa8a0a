package stomptest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// ownFailureCases are about connections that fail under the client.
func ownFailureCases() []conformance.Case {
	return []conformance.Case{
		ownCase("failure/closes-everything", "what the transport cannot do closes the connection", func(o *own) {
			cl, p, sub := o.subscribed(client.Config{})
			sub.Deliver("queued")
			o.must(o.settled(cl, p))
			waiter := o.begin(cl, time.Minute, noEvent)
			err := cl.SendFrame(frame.New(frame.ACK, "id", "unknown"))
			o.Check(err != nil, "STOMP-WAIT-016", "an ACK of nothing is refused", "an error", "none")
			o.closed(cl, "STOMP-WAIT-016", "what the session refuses to send closes the client", "ack-id")
			o.rejected(waiter, "STOMP-WAIT-016", "waiters are refused")
			cl, p = o.session(client.Config{})
			p.RawString("MESSAGE\nno colon\n\n\x00")
			o.closed(cl, "STOMP-WAIT-016", "what cannot be parsed closes the client", "syntax")
		}, "STOMP-WAIT-016"),
		ownCase("failure/of-a-write-ends-the-session", "a write that fails ends the session for good", func(o *own) {
			cl, server := o.piped()
			o.must(server.Close())
			o.Check(o.ended(cl) != nil, "STOMP-CLIENT-004", "octets that cannot be written end the session", "closed", "open")
			err := cl.Send(o.Context(), client.Message{Destination: "/queue/own"})
			o.refuses(nil, err, client.Handle, "STOMP-CLIENT-004", "nothing is sent on it any more")
		}, "STOMP-CLIENT-004"),
		ownCase("failure/no-reconnect", "a client that lost its connection does not open another", func(o *own) {
			cl, p := o.session(client.Config{})
			p.Reset()
			o.Check(o.ended(cl) != nil, "STOMP-CLIENT-010", "the client ends with its connection", "closed", "open")
			o.Check(o.listener.Unused(), "STOMP-CLIENT-010", "there is no reconnecting", "no connection", "a second connection")
		}, "STOMP-CLIENT-010"),
		ownCase("failure/of-a-write-alone", "a write that fails on a connection that still reads ends the session, and is not tried again", func(o *own) {
			conn := new(faltering)
			cl, p := o.session(client.Config{Dialer: func(ctx context.Context, network, address string) (_ net.Conn, err error) {
				conn.Conn, err = (&net.Dialer{}).DialContext(ctx, network, address)
				return conn, err
			}})
			o.must(cl.Send(o.Context(), client.Message{Destination: "/queue/own"}))
			err := o.ended(cl)
			o.Check(errors.Is(err, errFalters), "STOMP-CLIENT-004", "octets that cannot be written in full end the session", errFalters.Error(), fmt.Sprint(err))
			p.Quiet("STOMP-CLIENT-004", "what was not written is not tried again", anyFrame)
			conn.mu.Lock()
			defer conn.mu.Unlock()
			o.CheckEqual("STOMP-CLIENT-004", "CONNECT and what failed is all that was written", "2", fmt.Sprint(conn.writes))
		}, "STOMP-CLIENT-004"),
		ownCase("failure/no-second-try", "a client that is refused does not try again", func(o *own) {
			d := o.dial(o.url(), client.Config{})
			p, _ := o.accept()
			p.Send(frameOf("ERROR", "message", "no"))
			p.Close()
			_, err := o.result(d)
			o.Check(err != nil, "STOMP-CLIENT-010", "a refused client has no session", "an error", "none")
			o.Check(o.listener.Unused(), "STOMP-CLIENT-010", "a refusal is final", "no connection", "a second connection")
		}, "STOMP-CLIENT-010"),
	}
}

// errFalters is why a faltering connection fails.
var errFalters = errors.New("half of it was written")

// faltering is a connection whose second write, after that of CONNECT, gets half of its octets through; those after
// it get all of them.
type faltering struct {
	net.Conn
	mu     sync.Mutex
	writes int
}

// Write is that of the connection below, but for the second.
func (f *faltering) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.writes++; f.writes != 2 {
		return f.Conn.Write(b)
	}
	n, _ := f.Conn.Write(b[:len(b)/2])
	return n, errFalters
}
