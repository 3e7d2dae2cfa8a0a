package relaytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/relay"
)

// A Source is a feed and the other end of it.
type Source struct {
	Feed relay.Feed
	// Publish appends an event and returns its seq.
	Publish func(peer, obj string, says relay.Message) uint64
	// Trim forgets the events of an object below a seq.
	Trim func(peer, obj string, below uint64)
}

// Feed checks what open returns: empty streams for each call.
func Feed(t *testing.T, open func(t *testing.T) Source) {
	t.Helper()
	t.Run("events come in order, each naming the one before it (SUBSTRATE-FEED-001)", func(t *testing.T) {
		s := open(t)
		want := s.sparse("p", "a")
		follows(t, s.resume(t, "p", "a", 1), want)
	})
	t.Run("any replica resumes from any seq, that one included (SUBSTRATE-FEED-003)", func(t *testing.T) {
		s := open(t)
		all := s.sparse("p", "a")
		for from := uint64(1); from <= all[len(all)-1].Seq; from++ {
			var want []relay.Event
			for _, ev := range all {
				if ev.Seq >= from {
					want = append(want, ev)
				}
			}
			follows(t, s.resume(t, "p", "a", from), want)
		}
	})
	t.Run("what comes later is seen at once", func(t *testing.T) {
		s := open(t)
		events := s.resume(t, "p", "a", 1)
		for i := range 3 {
			seq := s.Publish("p", "a", relay.Message{Body: []byte{byte(i)}})
			if ev := next(t, events); ev.Seq != seq || !bytes.Equal(ev.Body, []byte{byte(i)}) {
				t.Errorf("event %d is %+v, published was %d", i, ev, seq)
			}
		}
	})
	t.Run("bodies are untouched, none and empty ones told apart (SUBSTRATE-WIRE-004)", func(t *testing.T) {
		s := open(t)
		bodies := [][]byte{nil, {}, {0}, {0xff, 0, 0xfe}, bytes.Repeat([]byte{1}, 983040)}
		for _, b := range bodies {
			s.Publish("p", "a", relay.Message{Body: b})
		}
		events := s.resume(t, "p", "a", 1)
		for i, b := range bodies {
			if ev := next(t, events); !bytes.Equal(ev.Body, b) || (ev.Body == nil) != (b == nil) {
				t.Errorf("body %d: %.20q of %d octets, want %.20q of %d", i, ev.Body, len(ev.Body), b, len(b))
			}
		}
	})
	t.Run("ops and answers of every kind come as they were said", func(t *testing.T) {
		s := open(t)
		all := []relay.Message{
			{}, {Kind: "res", ID: "01J", Body: []byte("answer")}, {Kind: "reject", ID: "x", Code: "app_error", Msg: "no: \u00fc"}, {Kind: "close", ID: "y"},
		}
		for _, says := range all {
			s.Publish("p", "a", says)
		}
		events := s.resume(t, "p", "a", 1)
		for i, says := range all {
			if got := next(t, events).Message; fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", says) {
				t.Errorf("event %d: %#v, want %#v", i, got, says)
			}
		}
	})
	t.Run("objects and peers are apart, also where their names are alike", func(t *testing.T) {
		s := open(t)
		names := []struct{ peer, obj string }{{"p", "a.b"}, {"p", "a/b"}, {"p", "a-b"}, {"p.a", "b"}, {"p", "a"}}
		for i, n := range names {
			s.Publish(n.peer, n.obj, relay.Message{Body: []byte(fmt.Sprint(i))})
		}
		for i, n := range names {
			if ev := next(t, s.resume(t, n.peer, n.obj, 1)); string(ev.Body) != fmt.Sprint(i) || ev.Trimmed {
				t.Errorf("%v: %+v", n, ev)
			}
		}
	})
	t.Run("what is trimmed is told, once, where it is missed (SUBSTRATE-FEED-006)", func(t *testing.T) {
		s := open(t)
		all := s.sparse("p", "a")
		s.Trim("p", "a", all[2].Seq)
		events := s.resume(t, "p", "a", all[0].Seq)
		first := all[2]
		first.Trimmed = true
		follows(t, events, append([]relay.Event{first}, all[3:]...))
		follows(t, s.resume(t, "p", "a", all[1].Seq+1), all[2:])
	})
	t.Run("waiting ends with the context and with Close", func(t *testing.T) {
		s := open(t)
		events := s.resume(t, "p", "a", 1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := events.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Next of an ended context: %v", err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := events.Next(t.Context())
			done <- err
		}()
		events.Close()
		if err := <-done; !errors.Is(err, relay.ErrClosed) {
			t.Errorf("Next of closed events: %v", err)
		}
	})
}

// sparse publishes five events of an object with others between them, and returns them.
func (s Source) sparse(peer, obj string) (all []relay.Event) {
	var prev uint64
	for i := range 5 {
		for range i {
			s.Publish(peer, obj+"-other", relay.Message{})
		}
		says := relay.Message{Body: fmt.Append(nil, "event ", i)}
		seq := s.Publish(peer, obj, says)
		all = append(all, relay.Event{Seq: seq, Prev: prev, Message: says})
		prev = seq
	}
	return all
}

func (s Source) resume(t *testing.T, peer, obj string, from uint64) relay.Events {
	t.Helper()
	events, err := s.Feed.Resume(t.Context(), peer, obj, from)
	if err != nil {
		t.Fatalf("resume %s of %s from %d: %v", obj, peer, from, err)
	}
	t.Cleanup(events.Close)
	return events
}

// patience is how long an event may take that is there.
const patience = 30 * time.Second

func next(t *testing.T, events relay.Events) relay.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ev, err := events.Next(ctx)
	if err != nil {
		t.Fatalf("the next event: %v", err)
	}
	return ev
}

func follows(t *testing.T, events relay.Events, want []relay.Event) {
	t.Helper()
	defer events.Close()
	for i, w := range want {
		if got := next(t, events); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", w) {
			t.Fatalf("event %d of %d:\n got %+v\nwant %+v", i, len(want), got, w)
		}
	}
}
