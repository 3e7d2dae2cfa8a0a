package eventbustest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// A twistedBus is the reference with some of its methods replaced.
type twistedBus struct {
	Bus
	publish   func(Event) (any, bool)
	subscribe func(SubscribeOptions) (Subscription, error)
}

func (b twistedBus) Publish(e Event) (any, bool) {
	if b.publish != nil {
		return b.publish(e)
	}
	return b.Bus.Publish(e)
}

func (b twistedBus) Subscribe(o SubscribeOptions) (Subscription, error) {
	if b.subscribe != nil {
		return b.subscribe(o)
	}
	return b.Bus.Subscribe(o)
}

// twisted makes buses that change replaces something in.
func twisted(change func(*twistedBus)) Factory {
	return func(s Settings) (Bus, error) {
		bus, err := Reference(s)
		if err != nil {
			return nil, err
		}
		b := twistedBus{Bus: bus}
		change(&b)
		return b, nil
	}
}

func TestBrokenBusIsSeen(t *testing.T) {
	// Every frame says v 2.
	cfg := conformance.Config{Target: suitetest.InGo(), Adapter: serveBus("twisted", twisted(func(b *twistedBus) {
		inner := b.Bus
		b.subscribe = func(o SubscribeOptions) (Subscription, error) {
			sub, err := inner.Subscribe(o)
			return secondVersion{sub}, err
		}
	}), extras{})}
	suitetest.GoesRed(t, 1, []suitetest.Broken{
		{Name: "v 2 in every frame", Only: []string{"eventbus/bus/id/every-frame-is-version-1"}, Config: cfg, Suite: busSuite()},
	}, nil)
	for _, dialect := range bothDialects {
		if got := suitetest.One(t, busSuite(), cfg, "eventbus/bus/id/grows-by-one@"+dialect); got.Verdict != conformance.Pass {
			t.Errorf("a wrong v breaks other laws: %s", suitetest.Told(got))
		}
	}
}

type secondVersion struct{ Subscription }

func (s secondVersion) Next(ctx context.Context) (any, error) {
	frame, err := s.Subscription.Next(ctx)
	if err != nil {
		return nil, err
	}
	text, err := encode(frame)
	return json.RawMessage(strings.Replace(string(text), `"v":1`, `"v":2`, 1)), err
}

// TestBlockingBusEndsInDoubt judges a bus whose publish blocks for ever, in virtual time: what did not answer may be the adapter.
func TestBlockingBusEndsInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		blocks := twisted(func(b *twistedBus) {
			b.publish = func(Event) (any, bool) {
				<-free
				return nil, false
			}
		})
		got := suitetest.One(t, busSuite(), conformance.Config{
			Target: suitetest.InGo(), Adapter: serveBus("test", blocks, extras{}),
		}, "eventbus/bus/id/grows-by-one@seed")
		close(free)
		if got.Verdict != conformance.Inconclusive {
			t.Error(suitetest.Told(got))
		}
	})
}

// converse serves a factory and returns a way to ask it.
func converse(t *testing.T, f Factory) func(op string, request, reply any) error {
	t.Helper()
	c := adapter.Local(serveBus("test", f, extras{}), adapter.Config{})
	t.Cleanup(func() { _ = c.Close() })
	return func(op string, request, reply any) error {
		t.Helper()
		return c.Call(context.Background(), op, request, reply)
	}
}

func TestPanicIsThrownByTheTarget(t *testing.T) {
	ask := converse(t, twisted(func(b *twistedBus) {
		b.publish = func(Event) (any, bool) { panic("no") }
	}))
	if err := ask("new", newRequest{Bus: "b", Dialect: "seed"}, nil); err != nil {
		t.Fatal(err)
	}
	err := ask("publish", publishRequest{Bus: "b", Event: json.RawMessage(`{"type":"x"}`)}, nil)
	if thrown, ok := errors.AsType[*adapter.TargetError](err); !ok || thrown.Name != "panic" || thrown.Message != "no" {
		t.Errorf("%v, want what the target threw", err)
	}
	if err := ask("state", busRequest{"b"}, nil); err != nil {
		t.Errorf("after that: %v", err)
	}
}

// lost is a subscription whose Next is neither answered nor waiting.
type lost struct{ Subscription }

func (lost) Next(ctx context.Context) (any, error) {
	<-ctx.Done()
	return nil, io.EOF
}
func (lost) Waiting() bool { return false }

func TestNextThatIsNeitherIsNoVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := converse(t, twisted(func(b *twistedBus) {
			b.subscribe = func(SubscribeOptions) (Subscription, error) { return lost{}, nil }
		}))
		if err := errors.Join(ask("new", newRequest{Bus: "b", Dialect: "seed"}, nil), ask("subscribe", subscribeRequest{Bus: "b", Sub: "s"}, nil)); err != nil {
			t.Fatal(err)
		}
		err := ask("next", subRequest{Sub: "s", Count: 1}, nil)
		if fault, ok := errors.AsType[*adapter.FaultError](err); !ok || fault.Kind != adapter.Refused {
			t.Errorf("%v, want a fault of the adapter", err)
		}
	})
}

func TestWhatGoCannotPassIsUnsupported(t *testing.T) {
	ask := converse(t, Reference)
	if err := ask("new", map[string]any{"bus": "b", "dialect": "seed"}, nil); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]struct {
		op      string
		request map[string]any
	}{
		"fraction":           {"new", map[string]any{"bus": "c", "ringSize": 1.5}},
		"text":               {"new", map[string]any{"bus": "c", "maxQueuedBytes": "7"}},
		"zero":               {"new", map[string]any{"bus": "c", "maxQueuedBytes": 0}},
		"null":               {"new", map[string]any{"bus": "c", "maxSubscribers": nil}},
		"cursor":             {"subscribe", map[string]any{"bus": "b", "sub": "s", "lastEventId": 0.5}},
		"empty epoch":        {"subscribe", map[string]any{"bus": "b", "sub": "s", "epoch": ""}},
		"cap":                {"subscribe", map[string]any{"bus": "b", "sub": "s", "maxQueued": 0}},
		"id":                 {"publish", map[string]any{"bus": "b", "event": map[string]any{"type": "x", "id": 7}}},
		"type":               {"publish", map[string]any{"bus": "b", "event": map[string]any{"type": 7}}},
		"originator":         {"publish", map[string]any{"bus": "b", "event": map[string]any{"type": "x", "originatorClientId": ""}}},
		"_meta":              {"publish", map[string]any{"bus": "b", "event": map[string]any{"type": "x", "_meta": 7}}},
		"another protocol":   {"hello", map[string]any{"protocol": "stomp"}},
		"unknown operation":  {"frobnicate", nil},
		"parse without one":  {"parse", map[string]any{"chunks": []string{}}},
		"reduce without one": {"reduce", map[string]any{"events": []string{}}},
	} {
		if name == "parse without one" || name == "reduce without one" {
			call.op = name[:len(name)-len(" without one")]
		}
		err := converse(t, Reference)(call.op, call.request, nil)
		if call.op != "new" && call.op != "hello" && call.op != "frobnicate" && call.op != "parse" && call.op != "reduce" {
			err = ask(call.op, call.request, nil)
		}
		if _, ok := errors.AsType[*adapter.UnsupportedError](err); !ok {
			t.Errorf("%s: %v, want unsupported", name, err)
		}
	}
}

func TestRefusedSettingsAreNamed(t *testing.T) {
	ask := converse(t, Reference)
	for _, value := range []int64{-1, 1 << 53} {
		err := ask("new", map[string]any{"bus": "b", "dialect": "seed", "maxQueuedBytes": value}, nil)
		if thrown, ok := errors.AsType[*adapter.TargetError](err); !ok || thrown.Name != "TypeError" {
			t.Errorf("%d: %v, want TypeError", value, err)
		}
	}
	if err := ask("new", map[string]any{"bus": "b", "dialect": "seed", "maxSubscribers": 1}, nil); err != nil {
		t.Fatal(err)
	}
	if err := ask("subscribe", map[string]any{"bus": "b", "sub": "s"}, nil); err != nil {
		t.Fatal(err)
	}
	err := ask("subscribe", map[string]any{"bus": "b", "sub": "t"}, nil)
	if thrown, ok := errors.AsType[*adapter.TargetError](err); !ok || thrown.Name != "SubscriberLimitExceededError" || thrown.Limit == nil || *thrown.Limit != 1 {
		t.Errorf("%v, want the limit of 1", err)
	}
}

// TestAsksStayOpen drives next, poll and drain through the states of a subscription.
func TestAsksStayOpen(t *testing.T) {
	ask := converse(t, Reference)
	publish := func() {
		t.Helper()
		if err := ask("publish", publishRequest{Bus: "b", Event: json.RawMessage(`{"type":"x"}`)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	asked := func(op string, count int, want string) {
		t.Helper()
		var r itemsReply
		if err := ask(op, subRequest{Sub: "s", Count: count}, &r); err != nil {
			t.Fatal(err)
		}
		got := handedItems{State: r.State}
		for _, raw := range r.Items {
			got.Frames = append(got.Frames, frameOf(t, string(raw)))
		}
		if got.String() != want {
			t.Errorf("%s: %s, want %s", op, got, want)
		}
	}
	if err := errors.Join(ask("new", newRequest{Bus: "b", Dialect: "seed"}, nil), ask("subscribe", subscribeRequest{Bus: "b", Sub: "s"}, nil)); err != nil {
		t.Fatal(err)
	}
	asked("poll", 0, "ready") // nothing was asked yet
	publish()
	asked("poll", 0, "ready") // poll does not ask
	asked("next", 1, "1 ready")
	asked("next", 3, "parked")
	asked("next", 3, "parked") // the open ask still waits
	publish()
	publish()
	asked("next", 2, "2 3 ready") // the open ask is the first of the two
	asked("drain", 0, "parked")
	publish()
	publish()
	asked("poll", 0, "4 ready") // one was handed over, the other is buffered
	asked("drain", 0, "5 parked")
	if err := ask("close", busRequest{"b"}, nil); err != nil {
		t.Fatal(err)
	}
	asked("poll", 0, "done")
	asked("poll", 0, "done")
	asked("next", 2, "done")
}
