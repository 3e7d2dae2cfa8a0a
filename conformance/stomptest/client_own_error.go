package stomptest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
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
			p.Send(frameOf("ERROR", "message", "told"))
			got := o.over(waiter)
			o.Check(got.err == nil && got.event.Frame != nil, "STOMP-ERROR-008", "the waiter gets the frame", "server-error", got.String())
			err := o.ended(cl)
			o.Check(err != nil, "STOMP-ERROR-008", "the connection is closed after it", "closed", "open")
			o.Check(p.Ends(o.Timing().Close), "STOMP-ERROR-008", "the socket is closed", "closed", "open")
			var e *client.Error
			o.Check(errors.As(err, &e) && e.Code == client.BrokerError && e.Frame != nil, "STOMP-ERROR-009",
				"that somebody took the ERROR changes nothing about why the client is closed", "STOMP_BROKER_ERROR with the frame", fmt.Sprint(err))
		}, "STOMP-ERROR-008", "STOMP-ERROR-009"),
		ownCase("error/nobody-keeps-it", "an ERROR that nobody waits for is not kept for later, and takes what is queued along", func(o *own) {
			cl, p, sub := o.subscribed(client.Config{})
			sub.Deliver("queued")
			o.must(o.settled(cl, p))
			p.Send(frameOf("ERROR", "message", "untold"))
			o.Check(o.ended(cl) != nil, "STOMP-ERROR-008", "ERROR ends the connection", "closed", "open")
			o.CheckEqual("STOMP-ERROR-008", "nothing is queued", "0", fmt.Sprint(cl.Stats().Events))
			_, err := o.wait(cl, time.Second, anyEvent)
			o.refuses(nil, err, client.Handle, "STOMP-ERROR-008", "a wait after the end is refused")
		}, "STOMP-ERROR-008"),
		ownCase("error/broker-error-has-the-frame", "what fails because of an ERROR holds the frame", func(o *own) {
			cl, p, _ := o.subscribed(client.Config{})
			waiter := o.begin(cl, time.Minute, isMessage)
			p.Send(frameOf("ERROR", "message", "no: more").Carrying("why"))
			var e *client.Error
			err := o.over(waiter).err
			if !o.Check(errors.As(err, &e) && e.Frame != nil, "STOMP-ERROR-009", "the error holds the ERROR frame", "an error with a frame", fmt.Sprint(err)) {
				return
			}
			message, _ := e.Frame.Get("message")
			o.CheckEqual("STOMP-ERROR-009", "code, command, header and body can be had", "STOMP_BROKER_ERROR ERROR no: more why",
				fmt.Sprintf("%s %s %s %s", e.Code, e.Frame.Command, message, e.Frame.Body))
		}, "STOMP-ERROR-009"),
		ownCase("error/codes", "every kind of fault has its code, an operation and a reason", func(o *own) {
			cl, p, _ := o.subscribed(client.Config{})
			_, argument := o.wait(cl, 0, noEvent)
			waiter := o.begin(cl, time.Minute, noEvent)
			p.RawString("NONSENSE\n\n\x00")
			invalid := o.over(waiter).err
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
			_, timeout := o.wait(cl, time.Millisecond, noEvent)
			l, err := net.Listen("tcp", conformance.DefaultListen)
			o.must(err)
			o.must(l.Close())
			_, refused := o.tries("tcp://"+l.Addr().String(), client.Config{})
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
	}
}
