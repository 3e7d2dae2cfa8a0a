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
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errors.Join(errors.New("closed before it was connected"), c.Close())
	}
	s.client, s.told = c, make(chan struct{})
	go func() {
		defer close(s.told)
		<-c.Done()
		s.quiet() // what came before the end is told first
		s.tellEnd(c.Err())
	}()
	return c.Version().String(), nil
}

// tells has the end told after what a call has to tell, or what goes on after it, which is over when done is called.
func (s *subject) tells() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.telling++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.telling--; s.telling == 0 {
			s.silent.Broadcast()
		}
	}
}

// quiet waits until nothing is left to tell.
func (s *subject) quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.telling > 0 {
		s.silent.Wait()
	}
}

// errNotConnected is what an order comes to before there is a connection.
var errNotConnected = errors.New("not connected")

// connected returns the connection, and the transaction and the subscription of a name, nil if there is none.
func (s *subject) connected(tx, sub string) (*client.Client, *client.Transaction, *client.Subscription, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil, nil, nil, errNotConnected
	}
	return s.client, s.txs[tx], s.subs[sub], nil
}

func (s *subject) Send(ctx context.Context, o gotestee.Order) (confirmed bool, err error) {
	m := client.Message{Destination: o.Destination, Body: o.Content()}
	if o.Text && o.Headers["content-type"] == "" {
		m.ContentType = "text/plain"
	}
	for name, value := range o.Headers {
		m.Headers = append(m.Headers, frame.Header{Name: name, Value: value})
	}
	c, tx, _, err := s.connected(o.Transaction, "")
	if err != nil {
		return false, err
	}
	switch {
	case tx != nil && o.Receipt:
		return true, tx.SendReceipt(ctx, m)
	case tx != nil:
		return false, tx.Send(ctx, m)
	case !o.Receipt:
		return false, c.Send(ctx, m)
	}
	done := s.tells()
	p, err := c.SendAsync(ctx, m)
	if err != nil {
		done()
		return false, err
	}
	go func() {
		defer done()
		if p.Wait(context.WithoutCancel(ctx)) == nil {
			s.events.Receipt(p.ID())
		}
	}()
	return false, nil
}

func (s *subject) Subscribe(ctx context.Context, o gotestee.Order) error {
	c, _, _, err := s.connected("", "")
	if err != nil {
		return err
	}
	modes := map[string]client.AckMode{"client": client.AckClient, "client-individual": client.AckIndividual}
	done := s.tells()
	sub, err := c.Subscribe(ctx, o.Destination, client.SubscribeOptions{ID: o.ID, Ack: modes[o.Ack], Confirm: o.Receipt})
	if err != nil {
		done()
		return err
	}
	s.mu.Lock()
	s.subs[o.ID] = sub
	s.mu.Unlock()
	go func() {
		defer done()
		for d, err := range sub.Messages(context.WithoutCancel(ctx)) {
			if err != nil {
				return
			}
			s.events.Message(d, headers(d.Frame()), d.Body())
		}
	}()
	return nil
}

func (s *subject) Unsubscribe(ctx context.Context, o gotestee.Order) error {
	_, _, sub, err := s.connected("", o.ID)
	if err != nil {
		return err
	}
	return sub.Unsubscribe(ctx)
}

func (s *subject) Settle(ctx context.Context, o gotestee.Order, message any) error {
	d := message.(*client.Delivery)
	_, tx, _, err := s.connected(o.Transaction, "")
	switch {
	case err != nil:
		return err
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

func (s *subject) Transact(ctx context.Context, o gotestee.Order) error {
	c, tx, _, err := s.connected(o.Transaction, "")
	switch {
	case err != nil:
		return err
	case o.Do == "commit":
		return tx.Commit(ctx)
	case o.Do == "abort":
		return tx.Abort(ctx)
	}
	if tx, err = c.Begin(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.txs[o.Transaction] = tx
	return nil
}

func (s *subject) Disconnect(ctx context.Context) error {
	c, _, _, err := s.connected("", "")
	if err != nil {
		return err
	}
	return c.Disconnect(ctx)
}

func (s *subject) Close() {
	s.mu.Lock()
	s.closed = true
	c, told := s.client, s.told
	s.mu.Unlock()
	if c != nil {
		_ = c.Close()
		<-told
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
