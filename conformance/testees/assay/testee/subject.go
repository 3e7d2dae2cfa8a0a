package testee

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// A subject is the connection that is judged, and what came over it.
type subject struct {
	address    string
	conn       *client.Client
	subs       map[string]*client.Subscription
	txs        map[string]*client.Transaction
	deliveries []*client.Delivery

	events    chan report
	following sync.WaitGroup // the goroutines that put events
	told      bool           // that the connection is over
}

// longestShown is how many octets of a body are reported as they are.
const longestShown = 64 << 10

// queued bounds the events that were not asked for yet.
const queued = 4096

func (s *subject) close() {
	if s.conn != nil {
		_ = s.conn.Close()
		s.following.Wait()
	}
}

func (s *subject) try(ctx context.Context, o order, r report) error {
	switch {
	case o.Do == "hello":
		r["library"], r["language"], r["can"] = "assay", "Go", can
		return nil
	case o.Do == "connect":
		return s.connect(ctx, o, r)
	case s.conn == nil && o.Do == "receive":
		r["event"], r["reason"] = "closed", "not connected"
		return nil
	case s.conn == nil:
		return errors.New("not connected")
	}
	tx, named := s.txs[o.Transaction]
	if o.Transaction != "" && !named && o.Do != "begin" {
		return fmt.Errorf("no transaction %q", o.Transaction)
	}
	switch o.Do {
	case "send":
		return s.send(ctx, o, tx)
	case "subscribe":
		return s.subscribe(ctx, o)
	case "unsubscribe":
		return s.subs[o.ID].Unsubscribe(ctx)
	case "receive":
		s.receive(ctx, r)
		return nil
	case "ack", "nack":
		return s.settle(ctx, o, tx)
	case "begin":
		tx, err := s.conn.Begin(ctx)
		s.txs[o.Transaction] = tx
		return err
	case "commit":
		return tx.Commit(ctx)
	case "abort":
		return tx.Abort(ctx)
	case "disconnect":
		return s.conn.Disconnect(ctx)
	}
	return fmt.Errorf("no order %q", o.Do)
}

func (s *subject) connect(ctx context.Context, o order, r report) (err error) {
	s.close()
	cfg := client.Config{Host: "assay", Login: o.Login, Passcode: o.Passcode, Versions: every}
	if v, ok := frame.ParseVersion(o.Version); ok {
		cfg.Versions = []frame.Version{v}
	}
	if len(o.Beats) == 2 {
		cfg.HeartBeat = heartbeat.Pair{Send: o.Beats[0], Want: o.Beats[1]}
	}
	*s = subject{
		address: s.address, subs: map[string]*client.Subscription{}, txs: map[string]*client.Transaction{},
		events: make(chan report, queued),
	}
	if s.conn, err = client.Dial(ctx, "tcp://"+s.address, cfg); err == nil {
		r["version"] = s.conn.Version().String()
	}
	return err
}

func (s *subject) send(ctx context.Context, o order, tx *client.Transaction) error {
	m := client.Message{Destination: o.Destination, Body: o.body()}
	for name, value := range o.Headers {
		m.Headers = append(m.Headers, frame.Header{Name: name, Value: value})
	}
	switch {
	case tx != nil && o.Receipt:
		return tx.SendReceipt(ctx, m)
	case tx != nil:
		return tx.Send(ctx, m)
	case !o.Receipt:
		return s.conn.Send(ctx, m)
	}
	p, err := s.conn.SendAsync(ctx, m)
	if err != nil {
		return err
	}
	s.following.Go(func() {
		if p.Wait(context.WithoutCancel(ctx)) == nil {
			s.put(report{"event": "receipt", "id": p.ID()})
		}
	})
	return nil
}

func (s *subject) subscribe(ctx context.Context, o order) error {
	modes := map[string]client.AckMode{"client": client.AckClient, "client-individual": client.AckIndividual}
	sub, err := s.conn.Subscribe(ctx, o.Destination, client.SubscribeOptions{ID: o.ID, Ack: modes[o.Ack], Confirm: o.Receipt})
	if err != nil {
		return err
	}
	s.subs[o.ID] = sub
	s.following.Go(func() {
		for d, err := range sub.Messages(context.WithoutCancel(ctx)) {
			if err != nil {
				return
			}
			s.put(report{"event": "message", "delivery": d, "headers": headers(d.Frame()), "body": d.Body()})
		}
	})
	return nil
}

func (s *subject) settle(ctx context.Context, o order, tx *client.Transaction) error {
	if o.Message < 1 || o.Message > len(s.deliveries) {
		return fmt.Errorf("no message %d", o.Message)
	}
	d := s.deliveries[o.Message-1]
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

// put keeps an event until it is asked for; beyond what fits it is lost, as on a user who does not look.
func (s *subject) put(r report) {
	select {
	case s.events <- r:
	default:
	}
}

// receive reports the next event: of those that came, or that the connection is over.
func (s *subject) receive(ctx context.Context, r report) {
	select {
	case e := <-s.events:
		s.show(e, r)
		return
	default:
	}
	over := s.conn.Done()
	if s.told {
		over = nil
	}
	select {
	case e := <-s.events:
		s.show(e, r)
	case <-over:
		s.following.Wait()
		s.end(r)
	case <-ctx.Done():
		r["event"] = "none"
	}
}

func (s *subject) show(e, r report) {
	for k, v := range e {
		r[k] = v
	}
	if body, _ := e["body"].([]byte); len(body) > longestShown {
		delete(r, "body")
		r["size"], r["sha256"] = len(body), fmt.Sprintf("%x", sha256.Sum256(body))
	}
	if d, ok := e["delivery"].(*client.Delivery); ok {
		s.deliveries = append(s.deliveries, d)
		r["message"] = len(s.deliveries)
		delete(r, "delivery")
	}
}

// end reports why the connection is over, after what came before it: the ERROR frame first, if there was one.
func (s *subject) end(r report) {
	select {
	case e := <-s.events:
		s.show(e, r)
		return
	default:
	}
	s.told = true
	err := s.conn.Err()
	var failed *client.Error
	if errors.As(err, &failed) && failed.Code == client.BrokerError && failed.Frame != nil {
		s.put(report{"event": "closed", "reason": err.Error()})
		r["event"], r["headers"], r["body"] = "error", headers(failed.Frame), failed.Frame.Body
		return
	}
	r["event"], r["reason"] = "closed", fmt.Sprint(err)
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
