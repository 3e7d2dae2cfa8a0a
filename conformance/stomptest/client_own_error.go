package stomptest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// isTimeout reports whether an error is the client's timeout and nothing else.
func isTimeout(err error) bool {
	var e *client.Error
	return errors.Is(err, client.ErrTimeout) && !errors.As(err, &e)
}

func ownErrorCases() []conformance.Case {
	return []conformance.Case{
		ownCase("error/waiter-gets-it-first", "an ERROR goes to who waits for it, and then the connection is closed", func(o *own) {
			cl, p := o.session(client.Config{})
			waiter := o.begin(cl, time.Minute, func(e client.Event) bool { return e.Kind == client.ServerError })
			p.Send(F("ERROR", "message", "told"))
			got := <-waiter
			o.Check(got.err == nil && got.event.Frame != nil, "STOMP-ERROR-008", "the waiter gets the frame", "server-error", got.String())
			o.Check(o.ended(cl) != nil, "STOMP-ERROR-008", "the connection is closed after it", "closed", "open")
			o.Check(p.Ends(o.Timing().Close), "STOMP-ERROR-008", "the socket is closed", "closed", "open")
		}, "STOMP-ERROR-008"),
		ownCase("error/nobody-keeps-it", "an ERROR that nobody waits for is not kept for later", func(o *own) {
			cl, p := o.session(client.Config{})
			p.Send(F("ERROR", "message", "untold"))
			o.Check(o.ended(cl) != nil, "STOMP-ERROR-008", "ERROR ends the connection", "closed", "open")
			o.CheckEqual("STOMP-ERROR-008", "nothing is queued", "0", fmt.Sprint(cl.Stats().Events))
			_, err := cl.Wait(o.Context(), time.Second, anyEvent)
			o.refuses(nil, err, client.Handle, "STOMP-ERROR-008", "a wait after the end is refused")
		}, "STOMP-ERROR-008"),
		ownCase("error/broker-error-has-the-frame", "what fails because of an ERROR holds the frame", func(o *own) {
			cl, p, _ := o.subscribed(client.Config{})
			waiter := o.begin(cl, time.Minute, isMessage)
			p.Send(F("ERROR", "message", "no: more").Carrying("why"))
			var e *client.Error
			err := (<-waiter).err
			if !o.Check(errors.As(err, &e) && e.Frame != nil, "STOMP-ERROR-009", "the error holds the ERROR frame", "an error with a frame", fmt.Sprint(err)) {
				return
			}
			message, _ := e.Frame.Get("message")
			o.CheckEqual("STOMP-ERROR-009", "code, command, header and body can be had", "STOMP_BROKER_ERROR ERROR no: more why",
				fmt.Sprintf("%s %s %s %s", e.Code, e.Frame.Command, message, e.Frame.Body))
		}, "STOMP-ERROR-009"),
		ownCase("error/codes", "every kind of fault has its code, an operation and a reason", func(o *own) {
			cl, p, _ := o.subscribed(client.Config{})
			_, argument := cl.Wait(o.Context(), 0, noEvent)
			waiter := o.begin(cl, time.Minute, noEvent)
			p.RawString("NONSENSE\n\n\x00")
			invalid := (<-waiter).err
			handle := cl.Send(o.Context(), client.Message{Destination: "/queue/own"})
			for code, err := range map[client.Code]error{client.Argument: argument, client.Invalid: invalid, client.Handle: handle} {
				var e *client.Error
				o.Check(errors.As(err, &e) && e.Code == code && e.Op != "" && e.Reason != "", "STOMP-ERROR-010",
					"a fault is told by a stable code with what was attempted and why", string(code), fmt.Sprintf("%#v", err))
			}
		}, "STOMP-ERROR-010"),
		ownCase("error/kinds-of-end", "the end of a stream, a timeout and an I/O error are no protocol errors, and differ", func(o *own) {
			end := func(last string) error {
				cl, p := o.session(client.Config{})
				p.RawString(last)
				p.Close()
				return o.ended(cl)
			}
			cl, _ := o.session(client.Config{})
			_, timeout := cl.Wait(o.Context(), time.Millisecond, noEvent)
			l, err := net.Listen("tcp", conformance.DefaultListen)
			o.must(err)
			o.must(l.Close())
			_, refused := client.Dial(o.Context(), "tcp://"+l.Addr().String(), client.Config{})
			var network *net.OpError
			for _, kind := range []struct {
				name string
				err  error
				is   bool
			}{
				{"a clean end", end(""), true},
				{"a truncated stream", end("MESS"), true},
				{"a timeout", timeout, isTimeout(timeout)},
				{"a refused connection", refused, errors.As(refused, &network)},
			} {
				var e *client.Error
				o.Check(kind.err != nil && kind.is && !errors.As(kind.err, &e), "STOMP-ERROR-011", kind.name+" keeps its own kind", "an error without a code", fmt.Sprint(kind.err))
			}
			clean, cut := end(""), end("MESS")
			o.Check(errors.Is(clean, io.EOF) && !errors.Is(clean, io.ErrUnexpectedEOF) && errors.Is(cut, io.ErrUnexpectedEOF), "STOMP-ERROR-011",
				"a clean end and a truncated stream differ", "EOF and unexpected EOF", fmt.Sprintf("%v and %v", clean, cut))
		}, "STOMP-ERROR-011"),
		ownCase("failure/closes-everything", "what the transport cannot do closes the connection", func(o *own) {
			cl, _ := o.session(client.Config{})
			waiter := o.begin(cl, time.Minute, noEvent)
			err := cl.SendFrame(frame.New(frame.ACK, "id", "unknown"))
			o.Check(err != nil, "STOMP-WAIT-016", "an ACK of nothing is refused", "an error", "none")
			o.closed(cl, "STOMP-WAIT-016", "what the session refuses to send closes the client", "ack-id")
			o.Check((<-waiter).err != nil, "STOMP-WAIT-016", "waiters are refused", "an error", "none")
			cl, p := o.session(client.Config{})
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
		ownCase("disconnect/always-stops", "disconnecting ends the client whether it is answered or not", func(o *own) {
			brief := client.Config{Timing: timing(func(t *client.Timing) { t.Receipt = 50 * time.Millisecond })}
			for name, answer := range map[string]func(p *Peer, f *Frame){
				"answered":   func(p *Peer, f *Frame) { p.confirm(f) },
				"unanswered": func(*Peer, *Frame) {},
				"reset":      func(p *Peer, _ *Frame) { p.Reset() },
			} {
				cl, p := o.session(brief)
				done := make(chan error, 1)
				o.running.Go(func() { done <- cl.Disconnect(o.Context()) })
				answer(p, p.Expect("STOMP-DISCONNECT-007", "the client says DISCONNECT", "DISCONNECT", Is("DISCONNECT")))
				err := <-done
				o.CheckEqual("STOMP-DISCONNECT-007", name+": only an answer is success", fmt.Sprint(name == "answered"), fmt.Sprint(err == nil))
				o.CheckEqual("STOMP-DISCONNECT-007", name+": nothing is left", fmt.Sprint(client.Stats{}), fmt.Sprint(cl.Stats()))
				o.Check(p.Ends(o.Timing().Close), "STOMP-DISCONNECT-007", name+": the socket is closed", "closed", "open")
			}
		}, "STOMP-DISCONNECT-007"),
		ownCase("send/body-is-not-inspected", "a body that contradicts its content-type is sent as it is", func(o *own) {
			cl, p := o.session(client.Config{})
			o.must(cl.Send(o.Context(), client.Message{Destination: "/queue/own", ContentType: "application/json", Body: []byte("}\xff\x00{")}))
			f := p.Expect("STOMP-SEND-006", "the message is sent", "SEND", Is("SEND"))
			o.CheckEqual("STOMP-SEND-006", "the client does not look into bodies", "application/json }\xff\x00{", f.Get("content-type")+" "+string(f.Body))
		}, "STOMP-SEND-006"),
	}
}
