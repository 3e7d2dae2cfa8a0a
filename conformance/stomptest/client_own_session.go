package stomptest

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// ownSessionCases are about what the client sends, and to whom it hands what comes, where a testee has no order for it
// or does not tell.
func ownSessionCases() []conformance.Case {
	return []conformance.Case{
		ownCase("disconnect/always-stops", "disconnecting ends the client whether it is answered or not", func(o *own) {
			brief := client.Config{Timing: timing(func(t *client.Timing) { t.Receipt = o.Timing().Reply / 2 })}
			for name, answer := range map[string]func(p *wire, f *wireFrame){
				"answered":   func(p *wire, f *wireFrame) { p.confirm(f) },
				"unanswered": func(*wire, *wireFrame) {},
				"reset":      func(p *wire, _ *wireFrame) { p.Reset() },
			} {
				cfg := client.Config{}
				if name == "unanswered" {
					cfg = brief
				}
				cl, p := o.session(cfg)
				done := make(chan error, 1)
				o.running.Go(func() { done <- cl.Disconnect(o.Context()) })
				answer(p, p.Expect("STOMP-DISCONNECT-007", "the client says DISCONNECT", "DISCONNECT", is("DISCONNECT")))
				err := <-done
				o.CheckEqual("STOMP-DISCONNECT-007", name+": only an answer is success", fmt.Sprint(name == "answered"), fmt.Sprint(err == nil))
				o.CheckEqual("STOMP-DISCONNECT-007", name+": nothing is left", fmt.Sprint(client.Stats{}), fmt.Sprint(cl.Stats()))
				o.Check(p.Ends(o.Timing().Close), "STOMP-DISCONNECT-007", name+": the socket is closed", "closed", "open")
			}
		}, "STOMP-DISCONNECT-007"),
		ownCase("disconnect/does-not-hang-for-the-last-frame", "disconnecting is over with the connection, though no RECEIPT came", func(o *own) {
			for name, end := range map[string]func(*wire){"closed": (*wire).Close, "reset": (*wire).Reset} {
				cl, p := o.session(client.Config{})
				done := make(chan error, 1)
				o.running.Go(func() { done <- cl.Disconnect(o.Context()) })
				p.Expect("STOMP-ERROR-005", "the client says DISCONNECT", "DISCONNECT", is("DISCONNECT"))
				end(p)
				timer := time.NewTimer(o.Timing().Close)
				select {
				case <-done:
				case <-timer.C:
					o.Check(false, "STOMP-ERROR-005", name+": the RECEIPT may be lost, and the client does not depend on it", "the client has left", "it still waits")
				}
				timer.Stop()
			}
		}, "STOMP-ERROR-005"),
		ownCase("send/body-is-not-inspected", "a body that contradicts its content-type is sent as it is", func(o *own) {
			cl, p := o.session(client.Config{})
			o.must(cl.Send(o.Context(), client.Message{Destination: "/queue/own", ContentType: "application/json", Body: []byte("}\xff\x00{")}))
			f := p.Expect("STOMP-SEND-006", "the message is sent", "SEND", is("SEND"))
			o.CheckEqual("STOMP-SEND-006", "the client does not look into bodies", "application/json }\xff\x00{", f.Get("content-type")+" "+string(f.Body))
		}, "STOMP-SEND-006"),
		ownCase("disconnect/nothing-after-it", "a client that has said DISCONNECT sends nothing more, whoever asks it to", func(o *own) {
			cl, p, _ := o.subscribed(client.Config{})
			o.running.Go(func() { _ = cl.Disconnect(o.Context()) })
			f := p.Expect("STOMP-DISCONNECT-002", "the client says DISCONNECT", "DISCONNECT", is("DISCONNECT"))
			sent := cl.Send(o.Context(), client.Message{Destination: "/queue/own"})
			_, begun := cl.Begin(o.Context())
			_, subscribed := cl.Subscribe(o.Context(), "/queue/late", client.SubscribeOptions{})
			for call, err := range map[string]error{"Send": sent, "Begin": begun, "Subscribe": subscribed} {
				o.Check(err != nil, "STOMP-DISCONNECT-002", call+" is refused after DISCONNECT", "an error", "none")
			}
			p.Quiet("STOMP-DISCONNECT-002", "a client must send no frame after DISCONNECT", anyFrame)
			p.confirm(f)
		}, "STOMP-DISCONNECT-002"),
		ownCase("subscribe/one-id-at-a-time", "a subscription with the id of an open one is refused, to whatever destination", func(o *own) {
			for _, destination := range []string{"/queue/own", "/queue/other"} {
				cl, p, sub := o.subscribed(client.Config{})
				_, err := cl.Subscribe(o.Context(), destination, client.SubscribeOptions{ID: sub.ID})
				o.refuses(cl, err, client.Argument, "STOMP-SUBSCRIBE-003", "an id names one open subscription")
				p.Quiet("STOMP-SUBSCRIBE-003", "open subscriptions of a connection have different ids", is("SUBSCRIBE"))
			}
		}, "STOMP-SUBSCRIBE-003"),
		ownCase("subscribe/each-gets-its-own", "of two subscriptions to one destination each hands out the messages that name it", func(o *own) {
			cl, p := o.session(client.Config{})
			subs, wires := map[string]*client.Subscription{}, map[string]*subscription{}
			for _, id := range []string{"a", "b"} {
				sub, err := cl.Subscribe(o.Context(), "/topic/own", client.SubscribeOptions{ID: id})
				o.must(err)
				p.Expect("STOMP-SUBSCRIBE-016", "the client subscribes", "SUBSCRIBE", is("SUBSCRIBE", "id", id))
				subs[id], wires[id] = sub, &subscription{c: o.clientT, p: p, ID: id, Destination: "/topic/own", Ack: "auto"}
			}
			for _, id := range []string{"b", "a", "b", "a"} {
				wires[id].Deliver("for " + id)
			}
			ctx, cancel := context.WithTimeout(o.Context(), o.Timing().Reply)
			defer cancel()
			for range 2 {
				for id, sub := range subs {
					seen := "nothing"
					if d, err := sub.Next(ctx); err == nil {
						seen = string(d.Body())
					}
					o.CheckEqual("STOMP-SUBSCRIBE-016", "the subscription header decides who gets a message", "for "+id, seen)
				}
			}
		}, "STOMP-SUBSCRIBE-016"),
		ownCase("subscribe/ends-what-is-open", "UNSUBSCRIBE by anything but the id of an open subscription is refused", func(o *own) {
			for name, f := range map[string]*frame.Frame{
				"no such id":     frame.New(frame.UNSUBSCRIBE, "id", "other"),
				"a destination":  frame.New(frame.UNSUBSCRIBE, "destination", "/queue/own"),
				"an empty id":    frame.New(frame.UNSUBSCRIBE, "id", ""),
				"no header":      frame.New(frame.UNSUBSCRIBE),
				"another's case": frame.New(frame.UNSUBSCRIBE, "id", "S"),
			} {
				cl, p, _ := o.subscribed(client.Config{})
				o.Check(cl.SendFrame(f) != nil, "STOMP-UNSUBSCRIBE-001", name+" names no subscription", "an error", "none")
				o.Check(len(p.Drain(is("UNSUBSCRIBE"))) == 0, "STOMP-UNSUBSCRIBE-001", name+" is not sent", "no frame", "UNSUBSCRIBE")
			}
		}, "STOMP-UNSUBSCRIBE-001"),
		ownCase("connect/reads-by-the-version", "headers are decoded by the version that was chosen, not by the highest offered", func(o *own) {
			for _, version := range every {
				d := o.dial(o.url(), client.Config{Versions: []frame.Version{frame.V10, frame.V11, frame.V12}})
				p, f := o.accept()
				p.version, p.reader.version = version, version
				p.Send(p.ConnectedFrame(f))
				cl, err := o.result(d)
				o.must(err)
				o.must(cl.SendFrame(frame.New(frame.SUBSCRIBE, "id", "s", "destination", "/queue/own")))
				p.Expect("STOMP-NEGOTIATE-009", "the client subscribes", "SUBSCRIBE", is("SUBSCRIBE"))
				p.RawString("MESSAGE\ndestination:/queue/own\nsubscription:s\nmessage-id:m\nx-own:a\\nb\n\n\x00")
				seen := ""
				e, err := o.wait(cl, o.Timing().Reply, isMessage)
				if err == nil {
					seen, _ = e.Frame.Get("x-own")
				}
				want := map[string]string{"1.0": `a\nb`, "1.1": "a\nb", "1.2": "a\nb"}[version]
				o.CheckEqual("STOMP-NEGOTIATE-009", "a backslash in a header of "+version+" means what that version says", want, seen)
			}
		}, "STOMP-NEGOTIATE-009"),
		ownCase("transaction/one-name-at-a-time", "a BEGIN with the name of an open transaction is refused", func(o *own) {
			cl, p := o.session(client.Config{})
			o.must(cl.SendFrame(frame.New(frame.BEGIN, "transaction", "t")))
			p.Expect("STOMP-TX-002", "the client begins", "BEGIN", is("BEGIN"))
			o.Check(cl.SendFrame(frame.New(frame.BEGIN, "transaction", "t")) != nil, "STOMP-TX-002", "a name names one open transaction", "an error", "none")
			p.Quiet("STOMP-TX-002", "different transactions of a connection have different names", is("BEGIN"))
		}, "STOMP-TX-002"),
	}
}
