package testee

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-6f28358b/assay/conformance/testees/gotestee"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// Connect follows the connection to its end, after which it tells why that was.
func (s *subject) Connect(ctx context.Context, o gotestee.Order) (string, error) {
	cfg := client.Config{Host: "assay", Login: o.Login, Passcode: o.Passcode, Versions: every}
	if v, ok := frame.ParseVersion(o.Version); ok {
		cfg.Versions = []frame.Version{v}
	}
	if len(o.Beats) == 2 {
		cfg.HeartBeat = heartbeat.Pair{Send: o.Beats[0], Want: o.Beats[1]}
	}
	c, err := client.Dial(ctx, "tcp://"+s.address, cfg)
	if err != nil {
		return "", err
	}
	s.client = c
	s.following.Go(func() {
		<-c.Done()
		s.reading.Wait() // what came before the end is told first
		s.tellEnd(c.Err())
	})
	return c.Version().String(), nil
}

func (s *subject) Send(ctx context.Context, o gotestee.Order) (confirmed bool, err error) {
	m := client.Message{Destination: o.Destination, Body: o.Content()}
	if o.Text && o.Headers["content-type"] == "" {
		m.ContentType = "text/plain"
	}
	for name, value := range o.Headers {
		m.Headers = append(m.Headers, frame.Header{Name: name, Value: value})
	}
	tx := s.txs[o.Transaction]
	switch {
	case tx != nil && o.Receipt:
		return true, tx.SendReceipt(ctx, m)
	case tx != nil:
		return false, tx.Send(ctx, m)
	case !o.Receipt:
		return false, s.client.Send(ctx, m)
	}
	p, err := s.client.SendAsync(ctx, m)
	if err != nil {
		return false, err
	}
	s.reading.Go(func() {
		if p.Wait(context.WithoutCancel(ctx)) == nil {
			s.events.Receipt(p.ID())
		}
	})
	return false, nil
}

func (s *subject) Subscribe(ctx context.Context, o gotestee.Order) error {
	modes := map[string]client.AckMode{"client": client.AckClient, "client-individual": client.AckIndividual}
	sub, err := s.client.Subscribe(ctx, o.Destination, client.SubscribeOptions{ID: o.ID, Ack: modes[o.Ack], Confirm: o.Receipt})
	if err != nil {
		return err
	}
	s.subs[o.ID] = sub
	s.reading.Go(func() {
		for d, err := range sub.Messages(context.WithoutCancel(ctx)) {
			if err != nil {
				return
			}
			s.events.Message(d, headers(d.Frame()), d.Body())
		}
	})
	return nil
}

func (s *subject) Unsubscribe(ctx context.Context, o gotestee.Order) error {
	return s.subs[o.ID].Unsubscribe(ctx)
}

func (s *subject) Settle(ctx context.Context, o gotestee.Order, message any) error {
	d, tx := message.(*client.Delivery), s.txs[o.Transaction]
	switch {
	case o.Do == "ack" && tx == nil:
		return d.Ack(ctx)
	case o.Do == "ack":
		return tx.Ack(ctx, d)
	case tx == nil:
		return d.Nack(ctx)
	default:
		return tx.Nack(ctx, d)
	}
}

func (s *subject) Transact(ctx context.Context, o gotestee.Order) (err error) {
	switch o.Do {
	case "begin":
		s.txs[o.Transaction], err = s.client.Begin(ctx)
		return err
	case "commit":
		return s.txs[o.Transaction].Commit(ctx)
	default:
		return s.txs[o.Transaction].Abort(ctx)
	}
}

func (s *subject) Disconnect(ctx context.Context) error { return s.client.Disconnect(ctx) }

func (s *subject) Close() {
	if s.client != nil {
		_ = s.client.Close()
		s.following.Wait()
	}
}

// tellEnd tells why the connection is over, after its ERROR frame if it had one.
func (s *subject) tellEnd(err error) {
	var failed *client.Error
	if errors.As(err, &failed) && failed.Code == client.BrokerError {
		s.events.Error(headers(failed.Frame), failed.Frame.Body)
	}
	s.events.Closed(fmt.Sprint(err))
}

// headers shows the first of each header, as [frame.Frame.Get] does.
func headers(f *frame.Frame) map[string]string {
	out := map[string]string{}
	for _, h := range f.Headers {
		if _, again := out[h.Name]; !again {
			out[h.Name] = h.Value
		}
	}
	return out
}
