package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-stomp/stomp/v3"
	"github.com/go-stomp/stomp/v3/frame"

	"github.com/seed-6f28358b/assay/conformance/testees/gotestee"
)

// A subject is the connection that is judged.
type subject struct {
	address string
	events  *gotestee.Events
	conn    *stomp.Conn
	subs    map[string]*stomp.Subscription
	txs     map[string]*stomp.Transaction
}

func (s *subject) Connect(ctx context.Context, o gotestee.Order) (version string, err error) {
	opts := []func(*stomp.Conn) error{stomp.ConnOpt.Host("assay"), stomp.ConnOpt.Login(o.Login, o.Passcode)}
	if o.Version != "default" {
		opts = append(opts, stomp.ConnOpt.AcceptVersion(stomp.Version(o.Version)))
	}
	if len(o.Beats) == 2 {
		send, want := time.Duration(o.Beats[0])*time.Millisecond, time.Duration(o.Beats[1])*time.Millisecond
		opts = append(opts, stomp.ConnOpt.HeartBeat(send, want))
	}
	if s.conn, err = stomp.DialWithContext(ctx, "tcp", s.address, opts...); err == nil {
		version = string(s.conn.Version())
	}
	return version, err
}

// Send waits for the receipt: the library does.
func (s *subject) Send(_ context.Context, o gotestee.Order) (confirmed bool, err error) {
	var opts []func(*frame.Frame) error
	for name, value := range o.Headers {
		if name != frame.ContentType {
			opts = append(opts, stomp.SendOpt.Header(name, value))
		}
	}
	if o.Receipt {
		opts = append(opts, stomp.SendOpt.Receipt)
	}
	contentType := o.Headers[frame.ContentType] // the library wants one, and says so
	if contentType == "" && o.Text {
		contentType = "text/plain"
	}
	if tx := s.txs[o.Transaction]; tx != nil {
		return o.Receipt, tx.Send(o.Destination, contentType, o.Content(), opts...)
	}
	return o.Receipt, s.conn.Send(o.Destination, contentType, o.Content(), opts...)
}

func (s *subject) Subscribe(_ context.Context, o gotestee.Order) error {
	if o.Receipt {
		return gotestee.Unsupported("the library takes the RECEIPT of a SUBSCRIBE for the end of the subscription")
	}
	mode := max(0, slices.Index([]string{"auto", "client", "client-individual"}, o.Ack))
	sub, err := s.conn.Subscribe(o.Destination, stomp.AckMode(mode), stomp.SubscribeOpt.Id(o.ID))
	if err == nil {
		s.subs[o.ID] = sub
		go s.follow(sub)
	}
	return err
}

// follow tells what a subscription shows. A lost connection is shown as an ERROR frame of the library's own making.
func (s *subject) follow(sub *stomp.Subscription) {
	own := []string{"connection closed", "read timeout", "write channel closed"}
	for m := range sub.C {
		headers := map[string]string{}
		for i := range m.Header.Len() {
			name, _ := m.Header.GetAt(i)
			headers[name] = m.Header.Get(name) // the first of a repeated header
		}
		switch text := fmt.Sprint(m.Err); {
		case m.Err == nil:
			s.events.Message(m, headers, m.Body)
		case m.Header == nil || slices.Contains(own, text) || strings.HasPrefix(text, "write "):
			s.events.Closed(text)
		default:
			s.events.Error(headers, m.Body)
		}
	}
}

func (s *subject) Unsubscribe(_ context.Context, o gotestee.Order) error {
	return s.subs[o.ID].Unsubscribe()
}

func (s *subject) Settle(_ context.Context, o gotestee.Order, message any) error {
	calls := map[string]func(*stomp.Message) error{"ack": s.conn.Ack, "nack": s.conn.Nack}
	if tx := s.txs[o.Transaction]; tx != nil {
		calls = map[string]func(*stomp.Message) error{"ack": tx.Ack, "nack": tx.Nack}
	}
	return calls[o.Do](message.(*stomp.Message))
}

func (s *subject) Transact(_ context.Context, o gotestee.Order) (err error) {
	switch o.Do {
	case "begin":
		s.txs[o.Transaction], err = s.conn.BeginWithError()
		return err
	case "commit":
		return s.txs[o.Transaction].Commit()
	default:
		return s.txs[o.Transaction].Abort()
	}
}

func (s *subject) Disconnect(context.Context) error { return s.conn.Disconnect() }

// Close leaves the connection to the end of the process: the library has no way to let go that does not wait.
func (s *subject) Close() {}
