package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func open(t *testing.T, c *client.Client, p *peer, id string, ack client.AckMode) *client.Subscription {
	t.Helper()
	s, err := c.Subscribe(ctx, "/queue/a", client.SubscribeOptions{ID: id, Ack: ack})
	if err != nil {
		t.Fatal(err)
	}
	p.hear(frame.SUBSCRIBE, "id", id, "destination", "/queue/a", "ack", ack.String())
	return s
}

func TestUnsubscribeDrains(t *testing.T) {
	// STOMP-UNSUBSCRIBE-004, STOMP-UNSUBSCRIBE-005, STOMP-UNSUBSCRIBE-008
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		s := open(t, c, p, "s", client.AckIndividual)
		p.say(message("s", "1", "before"))
		synctest.Wait()
		done := background(func() error { return s.Unsubscribe(ctx) })
		id, _ := p.hear(frame.UNSUBSCRIBE, "id", "s").Get("receipt")
		if n := c.Stats().Unsubscribing; n != 1 {
			t.Errorf("%d are unsubscribing", n)
		}
		if err := s.Unsubscribe(ctx); code(err) != client.Handle {
			t.Errorf("twice: %v", err)
		}
		if _, err := c.Subscribe(ctx, "/queue/b", client.SubscribeOptions{ID: "s"}); err == nil {
			t.Error("the id was used again")
		}
		// In one chunk with the receipt.
		p.say(message("s", "2", "meanwhile"), receipt(id))
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if !errors.Is(s.Err(), io.EOF) || c.State() != client.Active {
			t.Errorf("Err %v, state %v", s.Err(), c.State())
		}
		var got []string
		for d, err := range s.Messages(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(d.Body()))
			if err := d.Ack(ctx); err != nil {
				t.Error(err)
			}
		}
		if fmt.Sprint(got) != "[before meanwhile]" {
			t.Errorf("drained %v", got)
		}
		if _, err := s.Next(ctx); err != io.EOF {
			t.Errorf("after the last: %v", err)
		}
		if err := s.Unsubscribe(ctx); code(err) != client.Handle {
			t.Errorf("after the end: %v", err)
		}
		quiet(t, c)
	})
}

func TestUnsubscribeEndsThoseThatWait(t *testing.T) {
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		s := open(t, c, p, "s", client.AckAuto)
		next := background(func() error { _, err := s.Next(ctx); return err })
		channel := s.C()
		done := background(func() error { return s.Unsubscribe(ctx) })
		p.answer(frame.UNSUBSCRIBE)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := <-next; err != io.EOF {
			t.Errorf("Next: %v", err)
		}
		if _, ok := <-channel; ok {
			t.Error("the channel is open")
		}
		quiet(t, c)
	})
}

func TestLateReceiptEndsASubscription(t *testing.T) {
	// STOMP-UNSUBSCRIBE-006, STOMP-WAIT-013
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		s := open(t, c, p, "s", client.AckAuto)
		if err := s.Unsubscribe(ctx); !errors.Is(err, client.ErrTimeout) {
			t.Fatal(err)
		}
		p.say(message("s", "1", ""))
		if _, err := s.Next(ctx); err != nil {
			t.Errorf("before the receipt: %v", err)
		}
		next := background(func() error { _, err := s.Next(ctx); return err })
		p.answer(frame.UNSUBSCRIBE)
		if err := <-next; err != io.EOF {
			t.Errorf("after the receipt: %v", err)
		}
		quiet(t, c)
		p.say(message("s", "2", ""))
		gone(t, c, p)
	})
}

func TestUnsubscribeFrameEndsAHandle(t *testing.T) {
	// STOMP-UNSUBSCRIBE-007
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		s := open(t, c, p, "s", client.AckAuto)
		if err := c.SendFrame(frame.New(frame.UNSUBSCRIBE, "id", "s")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Next(ctx); err != io.EOF {
			t.Errorf("Next: %v", err)
		}
		p.say(message("s", "1", ""))
		gone(t, c, p)
	})
}

func TestMessagesGoToTheirSubscription(t *testing.T) {
	// STOMP-SUBSCRIBE-016
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		a, b := open(t, c, p, "a", client.AckAuto), open(t, c, p, "b", client.AckAuto)
		for i := range 4 {
			p.say(message("b", fmt.Sprint(i), "b"), message("a", fmt.Sprint(i), "a"))
		}
		synctest.Wait()
		if n := c.Stats().Events; n != 8 {
			t.Errorf("%d events", n)
		}
		for range 3 {
			for want, s := range map[string]*client.Subscription{"a": a, "b": b} {
				if d, err := s.Next(ctx); err != nil || string(d.Body()) != want {
					t.Errorf("%v, %v", d, err)
				}
			}
		}
		if n := a.Discard(); n != 1 {
			t.Errorf("discarded %d", n)
		}
		if d := <-b.C(); string(d.Body()) != "b" || d.ID() != "3" || d.Destination() != "/queue/a" || d.Subscription() != b {
			t.Errorf("from the channel: %+v", d)
		}
		synctest.Wait()
		if s := c.Stats(); s.Events != 0 || s.EventBytes != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestSubscriptionWithoutIDIn10(t *testing.T) {
	// STOMP-SUBSCRIBE-014, STOMP-HDR-008, STOMP-ACK-001
	answering(t, client.Config{Versions: []frame.Version{frame.V10}}, "CONNECTED\nsession: x\n\n\x00", func(t *testing.T, c *client.Client, p *peer) {
		s := open(t, c, p, "s", client.AckClient)
		p.say("MESSAGE\ndestination: /queue/a \nmessage-id: m\n\nbody\x00")
		d, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Nack(ctx); code(err) != client.Argument {
			// STOMP-NACK-001
			t.Errorf("NACK: %v", err)
		}
		if err := d.Ack(ctx); err != nil {
			t.Error(err)
		}
		p.hear(frame.ACK)
		done := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
		id, _ := p.hear(frame.SEND).Get("receipt")
		p.say("RECEIPT\nreceipt-id: " + id + "\n\n\x00")
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestAcknowledgementsNameTheDelivery(t *testing.T) {
	// STOMP-ACK-001, STOMP-ACK-002, STOMP-ACK-003
	for version, want := range map[string][]string{
		"1.2": {"id", "k"}, "1.1": {"message-id", "m", "subscription", "s"}, "1.0": {"message-id", "m"},
	} {
		v, _ := frame.ParseVersion(version)
		answering(t, client.Config{Versions: []frame.Version{v}}, "CONNECTED\nversion:"+version+"\n\n\x00", func(t *testing.T, c *client.Client, p *peer) {
			s := open(t, c, p, "s", client.AckClient)
			p.say("MESSAGE\ndestination:d\nmessage-id:m\nsubscription:s\nack:k\n\n\x00")
			d, err := s.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Ack(ctx); err != nil {
				t.Fatal(err)
			}
			if f := p.hear(frame.ACK, want...); len(f.Headers) != len(want)/2 {
				t.Errorf("%s: %v", version, f.Headers)
			}
		})
	}
}

func TestConfirmedSubscription(t *testing.T) {
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		got := make(chan *client.Subscription, 1)
		done := background(func() error {
			s, err := c.Subscribe(ctx, "/queue/a", client.SubscribeOptions{Confirm: true, Headers: []frame.Header{{Name: "x", Value: "y"}}})
			got <- s
			return err
		})
		f := p.hear(frame.SUBSCRIBE, "x", "y")
		id, _ := f.Get("id")
		r, _ := f.Get("receipt")
		// The broker may be quicker with messages.
		p.say(message(id, "1", "early"), receipt(r))
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if d, err := (<-got).Next(ctx); err != nil || string(d.Body()) != "early" {
			t.Errorf("%v, %v", d, err)
		}
	})
}

func TestNextEndsWithItsContext(t *testing.T) {
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		s := open(t, c, p, "s", client.AckAuto)
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := s.Next(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		n := 0
		for _, err := range s.Messages(short) {
			if n++; !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		if n != 1 {
			t.Errorf("%d errors", n)
		}
		quiet(t, c)
		p.say(message("s", "1", ""))
		if _, err := s.Next(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestChannelOutlivesACrowd(t *testing.T) {
	// STOMP-WAIT-004
	virtual(t, limits(func(l *client.Limits) { l.Waiters = 1 }), func(t *testing.T, c *client.Client, p *peer) {
		s := open(t, c, p, "s", client.AckAuto)
		got := waiting(c, time.Second, func(client.Event) bool { return false })
		channel := s.C()
		synctest.Wait()
		<-got
		p.say(message("s", "1", "late"))
		if d := <-channel; string(d.Body()) != "late" {
			t.Errorf("%+v", d)
		}
	})
}

func TestDeliveryCapacityCloses(t *testing.T) {
	// STOMP-LIMIT-017, STOMP-LIMIT-018
	virtual(t, limits(func(l *client.Limits) { l.Deliveries = 2 }), func(t *testing.T, c *client.Client, p *peer) {
		s := open(t, c, p, "s", client.AckClient)
		p.say(message("s", "1", ""), message("s", "2", ""))
		for range 2 {
			if _, err := s.Next(ctx); err != nil {
				t.Fatal(err)
			}
		}
		p.say(message("s", "3", ""))
		gone(t, c, p)
	})
}
