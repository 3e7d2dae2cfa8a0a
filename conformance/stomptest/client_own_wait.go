package stomptest

import (
	"fmt"
	"math"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func ownWaitCases() []conformance.Case {
	return []conformance.Case{
		ownCase("wait/first-waiter-takes", "an event goes to the first waiter that accepts it, and past the queue", func(o *own) {
			cl, _, sub := o.subscribed(client.Config{Limits: limits(func(l *client.Limits) { l.Events = 1 })})
			first, second := o.begin(cl, time.Minute, isMessage), o.begin(cl, time.Minute, isMessage)
			sub.Deliver("one")
			sub.Deliver("two")
			for want, got := range map[string]outcome{"one": o.over(first), "two": o.over(second)} {
				o.Check(got.err == nil && string(got.event.Frame.Body) == want, "STOMP-WAIT-006",
					"waiters are served in the order in which they began to wait", want, got.String())
			}
			o.active(cl, "STOMP-WAIT-006", "two events that were waited for do not overflow a queue of one")
			o.CheckEqual("STOMP-WAIT-006", "an event that somebody waited for is not queued", "0 events, 0 octets",
				fmt.Sprintf("%d events, %d octets", cl.Stats().Events, cl.Stats().EventBytes))
		}, "STOMP-WAIT-006"),
		ownCase("wait/beats-are-not-queued", "a heart-beat that nobody waits for is dropped", func(o *own) {
			cl, p, sub := o.subscribed(client.Config{Limits: limits(func(l *client.Limits) { l.Events = 1 })})
			p.RawString("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n")
			sub.Deliver("one")
			if err := o.settled(cl, p); err != nil {
				o.Check(false, "STOMP-WAIT-007", "heart-beats do not fill a queue of one event", "the connection goes on", err.Error())
				return
			}
			o.CheckEqual("STOMP-WAIT-007", "the message is the only event that is queued", "1", fmt.Sprint(cl.Stats().Events))
			beat := o.begin(cl, time.Minute, func(e client.Event) bool { return e.Kind == client.HeartBeat })
			p.RawString("\n")
			o.CheckEqual("STOMP-WAIT-007", "who waits for a heart-beat gets one", "heart-beat", o.over(beat).String())
		}, "STOMP-WAIT-007"),
		ownCase("wait/receipts-come-first", "who waits for a receipt gets it, whoever waits for anything", func(o *own) {
			cl, p, sub := o.subscribed(client.Config{})
			all := o.begin(cl, time.Minute, anyEvent)
			err := o.settled(cl, p)
			o.Check(err == nil, "STOMP-WAIT-009", "a waiter for anything does not take a receipt away", "the receipt is told", fmt.Sprint(err))
			sub.Deliver("next")
			o.CheckEqual("STOMP-WAIT-009", "it gets the next event that nobody has a better claim to", "message", o.over(all).String())
		}, "STOMP-WAIT-009"),
		ownCase("wait/no-predicate", "a wait without a predicate is refused", func(o *own) {
			cl, _ := o.session(client.Config{})
			_, err := o.wait(cl, time.Second, nil)
			o.refuses(cl, err, client.Argument, "STOMP-WAIT-010", "nil accepts nothing")
			o.CheckEqual("STOMP-WAIT-010", "a refused wait is not registered", "0", fmt.Sprint(cl.Stats().Waiters))
		}, "STOMP-WAIT-010"),
		ownCase("wait/predicate-fails-on-queued", "a predicate that fails over a queued event changes nothing", func(o *own) {
			cl, p, sub := o.subscribed(client.Config{})
			sub.Deliver("queued")
			o.must(o.settled(cl, p))
			for range 3 {
				_, err := o.wait(cl, time.Second, func(client.Event) bool { panic("predicate") })
				o.refuses(cl, err, client.Argument, "STOMP-WAIT-011", "the wait is refused")
			}
			o.CheckEqual("STOMP-WAIT-011", "the event stays queued", "1", fmt.Sprint(cl.Stats().Events))
			e, err := o.wait(cl, time.Second, isMessage)
			o.CheckEqual("STOMP-WAIT-011", "a good predicate takes it", "message", outcome{e, err}.String())
			o.CheckEqual("STOMP-WAIT-011", "and the budget is whole again", "0", fmt.Sprint(cl.Stats().EventBytes))
		}, "STOMP-WAIT-011"),
		ownCase("wait/predicate-fails-on-arrival", "a predicate that fails over an arriving event closes the connection", func(o *own) {
			cl, p, sub := o.subscribed(client.Config{})
			failing := o.begin(cl, time.Minute, func(client.Event) bool { panic("predicate") })
			other := o.begin(cl, time.Minute, noEvent)
			sub.Deliver("arriving")
			for _, w := range []<-chan outcome{failing, other} {
				o.rejected(w, "STOMP-WAIT-012", "every waiter is refused")
			}
			o.closed(cl, "STOMP-WAIT-012", "the connection is closed", "predicate")
			o.Check(p.Ends(o.Timing().Close), "STOMP-WAIT-012", "the socket is closed", "closed", "open")
		}, "STOMP-WAIT-012"),
		ownCase("wait/timeout-removes-the-waiter", "a wait for a receipt that times out leaves the receipt pending", func(o *own) {
			cl, p := o.session(client.Config{})
			_, err := cl.Receipt(o.Context(), 20*time.Millisecond, "r", frame.New(frame.SEND, "destination", "/queue/own"))
			o.Check(isTimeout(err), "STOMP-WAIT-013", "a receipt that does not come times out", "a timeout", fmt.Sprint(err))
			s := cl.Stats()
			o.CheckEqual("STOMP-WAIT-013", "the waiter is gone and the receipt is still pending", "0 waiters, 1 receipt",
				fmt.Sprintf("%d waiters, %d receipt", s.Waiters, s.Receipts))
			p.Send(frameOf("RECEIPT", "receipt-id", "r"))
			o.must(o.settled(cl, p))
			o.active(cl, "STOMP-WAIT-013", "the receipt that comes late does no harm")
			e, err := o.wait(cl, time.Second, isReceipt)
			o.CheckEqual("STOMP-WAIT-013", "it is queued", "receipt", outcome{e, err}.String())
		}, "STOMP-WAIT-013"),
		ownCase("wait/pending-id-is-not-reused", "sending the id of a receipt that is pending closes the connection", func(o *own) {
			cl, _ := o.session(client.Config{})
			o.must(cl.SendFrame(asks("r")))
			err := cl.SendFrame(asks("r"))
			o.Check(err != nil, "STOMP-WAIT-016", "a receipt id is not to be used while it is pending", "an error", "none")
			o.closed(cl, "STOMP-WAIT-016", "what the session refuses to send closes the client", "receipt-pending")
		}, "STOMP-WAIT-016"),
		ownCase("wait/times", "a wait takes 1 ms to 2147483647 ms, and checks that before the connection", func(o *own) {
			cl, _ := o.session(client.Config{})
			const longest = math.MaxInt32 * time.Millisecond
			for _, within := range []time.Duration{0, -1, -time.Millisecond, time.Microsecond, longest + time.Millisecond} {
				_, err := o.wait(cl, within, noEvent)
				o.refuses(cl, err, client.Argument, "STOMP-WAIT-014", fmt.Sprintf("a wait of %v is refused", within))
			}
			o.begin(cl, longest, noEvent)
			o.active(cl, "STOMP-WAIT-014", "the longest wait is one")
			_, err := o.wait(cl, time.Millisecond, noEvent)
			o.Check(isTimeout(err), "STOMP-WAIT-014", "the shortest wait is one", "a timeout", fmt.Sprint(err))
			o.must(cl.Close())
			_, err = o.wait(cl, 0, noEvent)
			o.refuses(nil, err, client.Argument, "STOMP-WAIT-014", "the time is checked before the connection")
			_, err = o.wait(cl, time.Minute, noEvent)
			o.refuses(nil, err, client.Handle, "STOMP-WAIT-014", "a closed connection has nothing to wait for")
		}, "STOMP-WAIT-014"),
		ownCase("wait/receipt-is-checked-before-it-is-sent", "a receipt call that cannot work sends nothing", func(o *own) {
			cl, p := o.session(client.Config{Limits: limits(func(l *client.Limits) { l.Waiters = 2 })})
			send := func(id string, f *frame.Frame) error {
				_, err := cl.Receipt(o.Context(), 20*time.Millisecond, id, f)
				return err
			}
			plain := func() *frame.Frame { return frame.New(frame.SEND, "destination", "/queue/own") }
			o.Check(isTimeout(send("r", plain())), "STOMP-WAIT-015", "nobody answers", "a timeout", "something else")
			p.Send(frameOf("RECEIPT", "receipt-id", "r"))
			o.must(o.settled(cl, p))
			o.refuses(cl, send("r", plain()), client.Argument, "STOMP-WAIT-015", "the RECEIPT of that id is still queued")
			o.refuses(cl, send("x", asks("y")), client.Argument, "STOMP-WAIT-015", "the frame has a receipt of its own")
			o.refuses(cl, send("", plain()), client.Argument, "STOMP-WAIT-015", "an empty id")
			o.refuses(cl, send("x", nil), client.Argument, "STOMP-WAIT-015", "no frame")
			o.begin(cl, time.Minute, noEvent)
			o.begin(cl, time.Minute, noEvent)
			o.refuses(cl, send("x", plain()), client.Argument, "STOMP-WAIT-015", "no room for a waiter")
			p.Expect("STOMP-WAIT-015", "the first was sent", "SEND", is("SEND", "destination", "/queue/own"))
			p.Quiet("STOMP-WAIT-015", "of all these only the first was sent", is("SEND"))
			if _, err := o.wait(cl, time.Second, isReceipt); err != nil {
				o.Check(false, "STOMP-WAIT-015", "the queued receipt can be taken", "receipt", err.Error())
			}
		}, "STOMP-WAIT-015"),
	}
}

// must ends the case when a step of its stage fails.
func (o *own) must(err error) {
	if err != nil {
		o.Stopped(conformance.Break{Law: o.law(), Reason: "the stage can be set", Expected: "no error", Seen: err.Error()})
	}
}
