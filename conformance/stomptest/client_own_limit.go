package stomptest

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func ownLimitCases() []conformance.Case {
	return []conformance.Case{
		ownCase("limit/1024-events", "1024 events may wait for somebody, and the next one closes the connection", func(o *own) {
			cl, p, sub := o.subscribed(client.Config{})
			o.flood(sub, 1024)
			o.must(o.settled(cl, p))
			o.active(cl, "STOMP-WAIT-001", "1024 events fit")
			o.CheckEqual("STOMP-WAIT-001", "all of them are queued", "1024", fmt.Sprint(cl.Stats().Events))
			waiter := o.begin(cl, time.Minute, noEvent)
			sub.Deliver("one too many")
			o.closed(cl, "STOMP-WAIT-001", "the 1025th event closes the connection", "events")
			o.rejected(waiter, "STOMP-WAIT-001", "waiters are refused")
		}, "STOMP-WAIT-001"),
		ownCase("limit/event-octets", "a queued receipt r costs 28 octets of the budget", func(o *own) {
			for budget, fits := range map[int]bool{28: true, 27: false} {
				cl, p := o.session(client.Config{Limits: limits(func(l *client.Limits) { l.EventBytes = budget })})
				o.must(cl.SendFrame(asks("r")))
				p.Send(frameOf("RECEIPT", "receipt-id", "r"))
				if !fits {
					o.closed(cl, "STOMP-WAIT-002", "one octet over the budget closes the connection", "event-bytes")
					continue
				}
				o.must(o.settled(cl, p))
				o.CheckEqual("STOMP-WAIT-002", "the budget may be used up", "28", fmt.Sprint(cl.Stats().EventBytes))
				_, err := o.wait(cl, time.Second, isReceipt)
				o.must(err)
				o.CheckEqual("STOMP-WAIT-002", "who takes an event gives its octets back", "0", fmt.Sprint(cl.Stats().EventBytes))
			}
		}, "STOMP-WAIT-002"),
		ownCase("limit/json-is-not-body", "a body of 1 MiB may cost more than the queue may hold", func(o *own) {
			high, low := strings.Repeat("\xff", 1<<20), strings.Repeat("A", 1<<20)
			cl, p, sub := o.subscribed(client.Config{})
			sub.Deliver(low)
			o.must(o.settled(cl, p))
			o.CheckEqual("STOMP-WAIT-003", "1 MiB of two-digit octets fits the queue", "1", fmt.Sprint(cl.Stats().Events))
			_, err := o.wait(cl, time.Second, isMessage)
			o.must(err)
			waiter := o.begin(cl, time.Minute, isMessage)
			sub.Deliver(high)
			got := o.over(waiter)
			o.Check(got.err == nil && len(got.event.Frame.Body) == 1<<20, "STOMP-WAIT-003",
				"1 MiB of three-digit octets reaches who waits for it", "message", got.String())
			sub.Deliver(high)
			o.closed(cl, "STOMP-WAIT-003", "when nobody waits for it, it does not fit the queue", "event-bytes")
		}, "STOMP-WAIT-003"),
		ownCase("limit/256-waiters", "256 waiters may be registered, and one more is refused", func(o *own) {
			cl, p, sub := o.subscribed(client.Config{})
			sub.Deliver("queued")
			o.must(o.settled(cl, p))
			for range 256 {
				o.begin(cl, time.Minute, noEvent)
			}
			o.active(cl, "STOMP-WAIT-004", "256 waiters are allowed")
			_, err := o.wait(cl, time.Minute, noEvent)
			o.refuses(cl, err, client.Argument, "STOMP-WAIT-004", "the 257th waiter is refused")
			e, err := o.wait(cl, time.Minute, isMessage)
			o.CheckEqual("STOMP-WAIT-004", "what is queued can be had without becoming a waiter", "message", outcome{e, err}.String())
		}, "STOMP-WAIT-004"),
		ownCase("limit/write-buffer", "2097152 octets may wait to be written, and one more closes the connection", func(o *own) {
			o.fillsWriteBuffer()
		}, "STOMP-WAIT-005"),
		ownCase("limit/no-back-pressure", "a server that floods is cut off, neither slowed down nor partly lost", func(o *own) {
			cl, _, sub := o.subscribed(client.Config{Limits: limits(func(l *client.Limits) { l.Events = 10 })})
			o.flood(sub, 11)
			o.closed(cl, "STOMP-WAIT-008", "overflow is handled by closing", "events")
		}, "STOMP-WAIT-008"),
	}
}

// flood sends n messages of a subscription in one piece.
func (o *own) flood(sub *subscription, n int) {
	var frames []*wireFrame
	for i := range n {
		frames = append(frames, sub.MessageFrame(fmt.Sprint(i)))
	}
	sub.p.SendAll(frames...)
}

// fillsWriteBuffer fills the buffer of a client whose server reads nothing, to the octet.
func (o *own) fillsWriteBuffer() {
	const law, limit = "STOMP-WAIT-005", 2097152
	cl, server := o.piped()
	defer server.Close()
	sized := func(octets int) *frame.Frame {
		f := frame.New(frame.SEND, "destination", "/queue/own")
		f.Body = make([]byte, octets)
		for range 2 { // the length of the length is part of the frame
			b, err := frame.Append(nil, frame.V12, f)
			o.must(err)
			f.Body = make([]byte, len(f.Body)-(len(b)-octets))
		}
		return f
	}
	o.must(cl.SendFrame(sized(1000)))
	// Its first octet tells that it is on its way; the server takes no more of it.
	_, err := server.Read(make([]byte, 1))
	o.must(err)
	for left := limit - cl.Stats().Buffered; left > 0; left = limit - cl.Stats().Buffered {
		n := min(left, 1<<20)
		if rest := left - n; rest > 0 && rest < 1000 {
			n -= 1000
		}
		if err := cl.SendFrame(sized(n)); err != nil {
			o.Check(false, law, fmt.Sprintf("%d octets may wait", limit), "room", fmt.Sprintf("%v, %d octets wait", err, limit-left))
			return
		}
	}
	o.CheckEqual(law, "the buffer is full to the octet", fmt.Sprint(limit), fmt.Sprint(cl.Stats().Buffered))
	o.active(cl, law, "a full buffer is no fault")
	o.Check(cl.SendFrame(asks("r")) != nil, law, "there is no room for more", "an error", "none")
	o.closed(cl, law, "what does not fit closes the connection", "write-buffer")
}

// piped opens a session over an unbuffered pipe, of which nobody reads after CONNECT.
func (o *own) piped() (*client.Client, net.Conn) {
	near, far := net.Pipe()
	done := make(chan error, 1)
	o.running.Go(func() {
		buf := make([]byte, 4096)
		n, err := far.Read(buf)
		if err == nil && strings.HasSuffix(string(buf[:n]), "\x00") {
			_, err = io.WriteString(far, "CONNECTED\nversion:1.2\n\n\x00")
		}
		done <- err
	})
	cl, err := client.New(context.WithoutCancel(o.Context()), near, client.Config{Host: "assay", Timing: timing(func(t *client.Timing) {
		t.Connect, t.Write = o.Timing().Reply, time.Minute
	})})
	if err == nil {
		err = <-done
		o.clients = append(o.clients, cl)
	}
	o.must(err)
	return cl, far
}
