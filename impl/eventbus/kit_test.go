package eventbus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

var both = []eventbus.Dialect{eventbus.Seed, eventbus.Later}

// inBoth runs f in both dialects.
func inBoth(t *testing.T, f func(t *testing.T, d eventbus.Dialect)) {
	t.Helper()
	for _, d := range both {
		t.Run(d.String(), func(t *testing.T) { f(t, d) })
	}
}

const stamp = 1719000000000

func at(ms int64) func() time.Time { return func() time.Time { return time.UnixMilli(ms) } }

func newBus(tb testing.TB, c eventbus.Config) *eventbus.Bus {
	tb.Helper()
	if c.Now == nil {
		c.Now = at(stamp)
	}
	b, err := eventbus.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func raw(tb testing.TB, text string) eventbus.Payload {
	tb.Helper()
	p, err := eventbus.Raw([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// publish publishes n events that are as long as each other while ids have one digit.
func publish(tb testing.TB, b *eventbus.Bus, n int) {
	tb.Helper()
	for range n {
		if _, ok := b.Publish(eventbus.Input{Type: "e", Data: raw(tb, `1`)}); !ok {
			tb.Fatal("not published")
		}
	}
}

// sizeOf1 is the size of those events.
const sizeOf1 = int64(len(`{"id":1,"v":1,"type":"e","data":1,"_meta":{"serverTimestamp":1719000000000}}`))

func subscribe(tb testing.TB, b *eventbus.Bus, o eventbus.Options) *eventbus.Subscription {
	tb.Helper()
	s, err := b.Subscribe(context.Background(), o)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// brief returns the id of an event, or the type and the data of a synthetic frame.
func brief(tb testing.TB, e *eventbus.Event) string {
	tb.Helper()
	if !e.Synthetic() {
		return fmt.Sprint(e.ID)
	}
	d, err := e.Data()
	if err != nil {
		tb.Fatal(err)
	}
	return e.Type + d.String()
}

// drain takes all that is buffered, and says "done" if the subscription has ended.
func drain(tb testing.TB, s *eventbus.Subscription) string {
	tb.Helper()
	return take(tb, s, 1<<30)
}

func take(tb testing.TB, s *eventbus.Subscription, n int) string {
	tb.Helper()
	var all []string
	for range n {
		e, ok := s.TryNext()
		if !ok {
			if s.Ended() {
				all = append(all, "done")
			}
			break
		}
		all = append(all, brief(tb, e))
	}
	return strings.Join(all, " ")
}

// types returns what drain does, with the type only of synthetic frames.
func types(tb testing.TB, s *eventbus.Subscription) string {
	tb.Helper()
	var all []string
	for _, f := range strings.Fields(drain(tb, s)) {
		name, _, _ := strings.Cut(f, "{")
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func text1(tb testing.TB, e *eventbus.Event) string {
	tb.Helper()
	b, err := e.AppendJSON(nil)
	if err != nil {
		tb.Fatal(err)
	}
	if n, err := e.Size(); err != nil || n != len(b) {
		tb.Errorf("Size = %d, %v, of %s", n, err, b)
	}
	if !json.Valid(b) {
		tb.Errorf("not JSON: %s", b)
	}
	return string(b)
}

func same[T comparable](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if got != want {
		tb.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func ring(first, last int) string {
	var all []string
	for i := first; i <= last; i++ {
		all = append(all, fmt.Sprint(i))
	}
	return strings.Join(all, " ")
}

// complete is the frame behind a replay of count events, the last of which is last.
func complete(count, last int) string {
	if count == 0 {
		return `replay_complete{"replayedCount":0}`
	}
	return fmt.Sprintf(`replay_complete{"replayedCount":%d,"lastReplayedEventId":%d,"lastEventId":%d}`, count, last, last)
}

func resync(reason string, last, earliest int64) string {
	return fmt.Sprintf(`state_resync_required{"reason":"%s","lastDeliveredId":%d,"earliestAvailableId":%d}`, reason, last, earliest)
}

// words joins what is not empty.
func words(w ...string) string {
	return strings.Join(strings.Fields(strings.Join(w, " ")), " ")
}

// asked is a call of Next that is parked.
type asked struct {
	s    *eventbus.Subscription
	done chan struct{}
	e    *eventbus.Event
	err  error
}

// ask calls Next in a goroutine and returns once it is parked.
func ask(tb testing.TB, s *eventbus.Subscription) *asked {
	tb.Helper()
	return askIn(tb, context.Background(), s)
}

func askIn(tb testing.TB, ctx context.Context, s *eventbus.Subscription) *asked {
	tb.Helper()
	a := &asked{s: s, done: make(chan struct{})}
	before := s.Parked()
	go func() {
		defer close(a.done)
		a.e, a.err = s.Next(ctx)
	}()
	for s.Parked() == before {
		runtime.Gosched()
	}
	return a
}

// wait returns what Next did, nil if that failed.
func (a *asked) wait(tb testing.TB) *eventbus.Event {
	tb.Helper()
	<-a.done
	return a.e
}
