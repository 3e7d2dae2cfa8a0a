package client_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestClientSpeaksTheVersionChosen(t *testing.T) {
	// STOMP-NEGOTIATE-009, STOMP-CONNECT-018, STOMP-NEGOTIATE-008
	all := []frame.Version{frame.V10, frame.V11, frame.V12}
	for answer, want := range map[string]string{
		"CONNECTED\n\n\x00":              "SEND\ndestination:d\na:b:c\n\n\x00",
		"CONNECTED\nversion:1.0\n\n\x00": "SEND\ndestination:d\na:b:c\n\n\x00",
		"CONNECTED\nversion:1.1\n\n\x00": "SEND\ndestination:d\na:b\\cc\n\n\x00",
		"CONNECTED\nversion:1.2\nserver:x/1\nsession:7\nheart-beat:0,0\nx:y\n\n\x00": "SEND\ndestination:d\na:b\\cc\n\n\x00",
	} {
		// The peer decodes by 1.2, where a raw colon is an error.
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := pair(t)
			heard := make(chan string, 1)
			go func() {
				buf := make([]byte, 4096)
				_, _ = theirs.Read(buf)
				_, _ = theirs.Write([]byte(answer))
				n, _ := theirs.Read(buf)
				heard <- string(buf[:n])
			}()
			c, err := client.New(ctx, ours, client.Config{Host: "h", Versions: all})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Send(ctx, client.Message{Destination: "d", Headers: []frame.Header{{Name: "a", Value: "b:c"}}}); err != nil {
				t.Fatal(err)
			}
			if got := <-heard; got != want {
				t.Errorf("after %q: %q, want %q", answer, got, want)
			}
			_ = c.Close()
		})
	}
	// A version that was not offered is refused.
	for _, offered := range [][]frame.Version{{frame.V10, frame.V11}, {frame.V10}} {
		synctest.Test(t, func(t *testing.T) {
			if _, p, err := meet(t, client.New, client.Config{Versions: offered}, connected); code(err) != client.Invalid {
				t.Errorf("offered %v: %v", offered, err)
			} else {
				<-p.ended
			}
		})
	}
}

func TestNothingIsSentBeforeCONNECTED(t *testing.T) {
	// STOMP-CONNECT-019, STOMP-CONNECT-016
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := pair(t)
		p := newPeer(t, theirs)
		done := make(chan *client.Client, 1)
		go func() {
			c, err := client.New(ctx, ours, client.Config{Host: "h", HeartBeat: beats(10)})
			if err != nil {
				t.Error(err)
			}
			done <- c
		}()
		p.hear(frame.CONNECT)
		n := p.received()
		time.Sleep(4 * time.Second)
		if more := p.received() - n; more != 0 {
			t.Errorf("%d octets before CONNECTED", more)
		}
		p.say(connected)
		_ = (<-done).Close()
		<-p.ended
	})
}

func TestIDsAreNeverShared(t *testing.T) {
	// STOMP-SUBSCRIBE-003, STOMP-TX-002, STOMP-RECEIPT-003, STOMP-UNSUBSCRIBE-001
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		seen := make(map[string]bool)
		use := func(id string) {
			t.Helper()
			if id == "" || seen[id] || !strings.HasPrefix(id, "assay-") {
				t.Errorf("id %q", id)
			}
			seen[id] = true
		}
		for range 3 {
			s, err := c.Subscribe(ctx, "/queue/a", client.SubscribeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			use(s.ID())
			p.hear(frame.SUBSCRIBE, "id", s.ID())
			tx, err := c.Begin(ctx)
			if err != nil {
				t.Fatal(err)
			}
			use(tx.ID())
			p.hear(frame.BEGIN, "transaction", tx.ID())
			r, err := c.SendAsync(ctx, client.Message{Destination: "d"})
			if err != nil {
				t.Fatal(err)
			}
			use(r.ID())
			p.hear(frame.SEND, "receipt", r.ID())
			done := background(func() error { return s.Unsubscribe(ctx) })
			f := p.hear(frame.UNSUBSCRIBE, "id", s.ID())
			id, _ := f.Get("receipt")
			use(id)
			p.say(receipt(id))
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestEscapedReceiptIDsAreTheSame(t *testing.T) {
	// STOMP-RECEIPT-007, STOMP-RECEIPT-004
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		done := background(func() error {
			_, err := c.Receipt(ctx, time.Minute, "a:\\\n", frame.New(frame.SEND, "destination", "d"))
			return err
		})
		p.hear(frame.SEND, "receipt", "a:\\\n")
		p.say("RECEIPT\nreceipt-id:a\\c\\\\\\n\n\n\x00")
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	// In 1.0 spaces around it mean nothing, even around the one that was given.
	answering(t, client.Config{Versions: []frame.Version{frame.V10}}, "CONNECTED\n\n\x00", func(t *testing.T, c *client.Client, p *peer) {
		done := background(func() error {
			_, err := c.Receipt(ctx, time.Second, " r ", frame.New(frame.SEND, "destination", "d"))
			return err
		})
		p.hear(frame.SEND)
		p.say("RECEIPT\nreceipt-id:r\n\n\x00")
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
