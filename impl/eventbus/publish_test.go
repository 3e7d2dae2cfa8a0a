package eventbus_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

func TestIDsGrowByOne(t *testing.T) { // EVENTBUS-ID-001 EVENTBUS-ID-002
	inBoth(t, func(t *testing.T, d eventbus.Dialect) {
		a, b := newBus(t, eventbus.Config{Dialect: d}), newBus(t, eventbus.Config{Dialect: d})
		same(t, "last id of a new bus", a.LastEventID(), 0)
		for want := int64(1); want <= 20; want++ {
			for _, bus := range []*eventbus.Bus{a, b} {
				e, ok := bus.Publish(eventbus.Input{Type: "x"})
				if !ok || e.ID != want || bus.LastEventID() != want {
					t.Fatalf("id %d, last %d, want %d", e.ID, bus.LastEventID(), want)
				}
			}
		}
		s := subscribe(t, a, eventbus.Options{After: eventbus.After(0), MaxQueued: 1})
		drain(t, s)
		subscribe(t, a, eventbus.Options{}).Abort()
		same(t, "last id after subscribing and aborting", a.LastEventID(), 20)
	})
}

func TestEnvelope(t *testing.T) { // EVENTBUS-ID-003 EVENTBUS-PUBLISH-001 EVENTBUS-PUBLISH-005 EVENTBUS-QUEUE-008
	inBoth(t, func(t *testing.T, d eventbus.Dialect) {
		for _, c := range []struct {
			in   eventbus.Input
			want string
		}{
			{eventbus.Input{Type: "x"}, `{"id":1,"v":1,"type":"x","_meta":{"serverTimestamp":1719000000000}}`},
			{
				eventbus.Input{Type: "a\"\n\x01é<", Data: raw(t, ` { "a" : [1, "<é\u2028\u00e9\/\ud83d\ude00\ud800"] } `), Originator: "c\\1"},
				`{"id":1,"v":1,"type":"a\"\n\u0001é<","data":{"a":[1,"<é` + "\u2028" + `é/😀\ud800"]},"originatorClientId":"c\\1","_meta":{"serverTimestamp":1719000000000}}`,
			},
			{eventbus.Input{Type: "x", Data: raw(t, "null")}, `{"id":1,"v":1,"type":"x","data":null,"_meta":{"serverTimestamp":1719000000000}}`},
			{
				eventbus.Input{Type: "x", Value: map[string]string{"k": "<\u2028&\xff"}, Meta: map[string]any{"b": []int{1}, "a": "é", "serverTimestamp": -1.5}},
				`{"id":1,"v":1,"type":"x","data":{"k":"<` + "\u2028" + `&` + "\uFFFD" + `"},"_meta":{"serverTimestamp":-1.5,"a":"é","b":[1]}}`,
			},
		} {
			b := newBus(t, eventbus.Config{Dialect: d})
			s := subscribe(t, b, eventbus.Options{})
			e, ok := b.Publish(c.in)
			if !ok {
				t.Fatal("refused")
			}
			same(t, "returned", text1(t, e), c.want)
			live, _ := s.TryNext()
			same(t, "live", text1(t, live), c.want)
			replayed, _ := subscribe(t, b, eventbus.Options{After: eventbus.After(0)}).TryNext()
			same(t, "replayed", text1(t, replayed), c.want)
			same(t, "size", b.Snapshot().RingLen, 1)
		}
	})
}

func TestTimestamp(t *testing.T) { // EVENTBUS-PUBLISH-004
	now := int64(1000)
	b := newBus(t, eventbus.Config{Now: at(now)})
	for _, c := range []struct {
		meta map[string]any
		want float64
	}{
		{nil, 1000},
		{map[string]any{"k": 1}, 1000},
		{map[string]any{"serverTimestamp": "nope"}, 1000},
		{map[string]any{"serverTimestamp": nil}, 1000},
		{map[string]any{"serverTimestamp": true}, 1000},
		{map[string]any{"serverTimestamp": math.NaN()}, 1000},
		{map[string]any{"serverTimestamp": math.Inf(-1)}, 1000},
		{map[string]any{"serverTimestamp": json.Number("1e999")}, 1000},
		{map[string]any{"serverTimestamp": 5}, 5},
		{map[string]any{"serverTimestamp": uint8(5)}, 5},
		{map[string]any{"serverTimestamp": 0.0}, 0},
		{map[string]any{"serverTimestamp": math.Copysign(0, -1)}, 0},
		{map[string]any{"serverTimestamp": -1.5, "k": "v"}, -1.5},
		{map[string]any{"serverTimestamp": json.Number("2.5e3")}, 2500},
		{map[string]any{"serverTimestamp": float32(0.5)}, 0.5},
		{map[string]any{"serverTimestamp": 1e300}, 1e300},
		{map[string]any{"serverTimestamp": 1.5e-7}, 1.5e-7},
	} {
		e, _ := b.Publish(eventbus.Input{Type: "x", Meta: c.meta})
		same(t, "timestamp", e.Timestamp, c.want)
		text := text1(t, e)
		var back struct {
			Meta map[string]any `json:"_meta"`
		}
		if err := json.Unmarshal([]byte(text), &back); err != nil {
			t.Fatal(err)
		}
		same(t, "timestamp in "+text, back.Meta["serverTimestamp"].(float64), c.want)
		for k := range c.meta {
			if _, ok := back.Meta[k]; !ok {
				t.Errorf("member %s is lost in %s", k, text)
			}
		}
	}
}

// A clock that panics must not take the publisher with it.
func TestClockPanics(t *testing.T) { // EVENTBUS-PUBLISH-003
	b := newBus(t, eventbus.Config{Now: func() time.Time { panic("no time") }})
	if e, ok := b.Publish(eventbus.Input{}); !ok || e.Timestamp < stamp {
		t.Errorf("published %v, %v", e, ok)
	}
}

// Without a clock of one's own, events bear the time of the machine.
func TestWallClock(t *testing.T) { // EVENTBUS-PUBLISH-004
	synctest.Test(t, func(t *testing.T) {
		b, err := eventbus.New(eventbus.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for range 3000 {
			e, _ := b.Publish(eventbus.Input{})
			same(t, "timestamp", e.Timestamp, float64(time.Now().UnixMilli()))
			time.Sleep(70 * time.Microsecond)
		}
	})
}

type loop struct{ Self *loop }

type failing struct{}

func (failing) MarshalJSON() ([]byte, error) { return nil, errors.New("no text") }

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("no text") }

type broken struct{}

func (broken) MarshalJSON() ([]byte, error) { return []byte(`{"a":`), nil }

// counting counts how often it was encoded.
type counting struct{ n *int }

func (c counting) MarshalJSON() ([]byte, error) {
	*c.n++
	return []byte(`1`), nil
}

func unencodable() map[string]eventbus.Input {
	circular := &loop{}
	circular.Self = circular
	all := make(map[string]eventbus.Input)
	for name, v := range map[string]any{
		"circular": circular, "failing": failing{}, "panicking": panicking{}, "broken": broken{}, "func": func() {},
		"chan": make(chan int), "nan": math.NaN(), "complex": 1i,
	} {
		all[name] = eventbus.Input{Type: "bad", Value: v}
		all[name+" in _meta"] = eventbus.Input{Type: "bad", Meta: map[string]any{"k": v}}
	}
	return all
}

func TestUnencodableIsDeliveredUnsized(t *testing.T) { // EVENTBUS-PUBLISH-003 EVENTBUS-PUBLISH-007
	for name, in := range unencodable() {
		t.Run(name, func(t *testing.T) {
			var lines []string
			b := newBus(t, eventbus.Config{Diagnose: func(d eventbus.Diagnostic) { lines = append(lines, d.Line()) }})
			s := subscribe(t, b, eventbus.Options{MaxQueued: 2})
			e, ok := b.Publish(in)
			if !ok || e.ID != 1 {
				t.Fatalf("published %v, %v", e, ok)
			}
			if got := b.Snapshot().Subscribers[0]; got.Live != 1 || got.LiveBytes != 0 {
				t.Errorf("queue %+v, want one live frame of no octets", got)
			}
			same(t, "diagnostics", strings.Join(lines, "\n"), `EventBus event sizing failed {"type":"bad"}`)
			publish(t, b, 2)
			same(t, "frames", types(t, s), "1 2 slow_client_warning client_evicted done")
			var payload *eventbus.PayloadError
			if _, err := e.AppendJSON(nil); !errors.As(err, &payload) || errors.Unwrap(payload) == nil {
				t.Errorf("AppendJSON failed with %v, want a PayloadError", err)
			}
			if _, err := e.Size(); !errors.As(err, &payload) {
				t.Errorf("Size failed with %v, want a PayloadError", err)
			}
		})
	}
}

func TestUnencodableIsRefused(t *testing.T) { // EVENTBUS-PUBLISH-008
	for name, in := range unencodable() {
		t.Run(name, func(t *testing.T) {
			var lines []string
			b := newBus(t, eventbus.Config{Dialect: eventbus.Later, Diagnose: func(d eventbus.Diagnostic) { lines = append(lines, d.Line()) }})
			s := subscribe(t, b, eventbus.Options{})
			publish(t, b, 1)
			if e, ok := b.Publish(in); ok || e != nil {
				t.Errorf("published %v", e)
			}
			publish(t, b, 1)
			same(t, "frames", drain(t, s), "1 2")
			same(t, "diagnostics", strings.Join(lines, "\n"), `EventBus event sizing failed {"type":"bad"}`)
		})
	}
}

func TestSizing(t *testing.T) { // EVENTBUS-QUEUE-009
	for _, c := range []struct {
		dialect      eventbus.Dialect
		direct, full int
	}{{eventbus.Seed, 0, 0}, {eventbus.Later, 1, 1}} {
		t.Run(c.dialect.String(), func(t *testing.T) {
			b := newBus(t, eventbus.Config{Dialect: c.dialect})
			got := 0
			in := eventbus.Input{Type: "x", Value: counting{&got}}
			parked := ask(t, subscribe(t, b, eventbus.Options{}))
			b.Publish(in)
			same(t, "sized for a direct delivery", got, c.direct)
			parked.wait(t)
			for range 2 {
				subscribe(t, b, eventbus.Options{MaxQueued: 1})
			}
			publish(t, b, 1)
			got = 0
			drain(t, parked.s)
			parked = ask(t, parked.s)
			b.Publish(in)
			same(t, "sized for two full queues", got, c.full)
			parked.wait(t)
			subscribe(t, b, eventbus.Options{})
			subscribe(t, b, eventbus.Options{})
			got = 0
			b.Publish(in)
			same(t, "sized for queues with room", got, 1)
		})
	}
}

// The marshaler of a payload may use the bus.
func TestMarshalerUsesBus(t *testing.T) { // EVENTBUS-PUBLISH-003
	inBoth(t, func(t *testing.T, d eventbus.Dialect) {
		b := newBus(t, eventbus.Config{Dialect: d})
		s := subscribe(t, b, eventbus.Options{})
		b.Publish(eventbus.Input{Type: "outer", Value: nested{func() { publish(t, b, 1) }}})
		same(t, "frames", drain(t, s), "1 2")
	})
}

type nested struct{ run func() }

func (n nested) MarshalJSON() ([]byte, error) {
	n.run()
	return []byte(`0`), nil
}

func TestPublishAfterClose(t *testing.T) { // EVENTBUS-PUBLISH-002
	inBoth(t, func(t *testing.T, d eventbus.Dialect) {
		b := newBus(t, eventbus.Config{Dialect: d})
		publish(t, b, 3)
		b.Close()
		if e, ok := b.Publish(eventbus.Input{Type: "x"}); ok || e != nil {
			t.Errorf("published %v", e)
		}
		if n, _ := b.PublishAll(make([]eventbus.Input, 5)); n != 0 {
			t.Errorf("published %d", n)
		}
		same(t, "last id", b.LastEventID(), 3)
	})
}

func TestFanOut(t *testing.T) { // EVENTBUS-PUBLISH-006 EVENTBUS-CONCURRENCY-003
	b := newBus(t, eventbus.Config{})
	first, middle, third := subscribe(t, b, eventbus.Options{}), subscribe(t, b, eventbus.Options{MaxQueued: 1}), subscribe(t, b, eventbus.Options{})
	publish(t, b, 2)
	same(t, "first", drain(t, first), "1 2")
	same(t, "middle", types(t, middle), "1 slow_client_warning client_evicted done")
	same(t, "third", drain(t, third), "1 2")
}

// What PublishAll publishes is what as many calls of Publish do.
func TestPublishAll(t *testing.T) { // EVENTBUS-PUBLISH-001 EVENTBUS-PUBLISH-004
	inBoth(t, func(t *testing.T, d eventbus.Dialect) {
		all := []eventbus.Input{
			{Type: "a"},
			{Type: "b", Data: raw(t, "1"), Originator: "c"},
			{Type: "c", Meta: map[string]any{"k": 1}},
			{Type: "d", Meta: map[string]any{"serverTimestamp": 7}},
			{Type: "e", Value: []int{1}},
			{Type: "f", Value: []int{1}, Data: raw(t, "2")},
		}
		for range 40 {
			all = append(all, eventbus.Input{Type: "g", Data: raw(t, "3")})
		}
		one, together := newBus(t, eventbus.Config{Dialect: d}), newBus(t, eventbus.Config{Dialect: d})
		n, last := together.PublishAll(all)
		if n != len(all) || last != int64(n) || together.LastEventID() != last {
			t.Errorf("published %d, the last is %d", n, last)
		}
		s := subscribe(t, together, eventbus.Options{After: eventbus.After(0)})
		for _, in := range all {
			want, _ := one.Publish(in)
			got, _ := s.TryNext()
			same(t, "event", text1(t, got), text1(t, want))
		}
	})
}

func TestSeed(t *testing.T) { // EVENTBUS-RING-006
	inBoth(t, func(t *testing.T, d eventbus.Dialect) {
		b := newBus(t, eventbus.Config{Dialect: d})
		s := subscribe(t, b, eventbus.Options{})
		publish(t, b, 2)
		if got := b.Seed(nil); got != nil {
			t.Errorf("seeded %v", got)
		}
		events := b.Seed([]eventbus.Input{{Type: "h", Data: raw(t, `{}`)}, {Type: "h", Meta: map[string]any{"serverTimestamp": 7}}})
		same(t, "seeded", text1(t, events[0])+text1(t, events[1]),
			`{"id":3,"v":1,"type":"h","data":{},"_meta":{"serverTimestamp":1719000000000}}{"id":4,"v":1,"type":"h","_meta":{"serverTimestamp":7}}`)
		same(t, "last id", b.LastEventID(), 4)
		same(t, "resumed at 4", drain(t, subscribe(t, b, eventbus.Options{After: eventbus.After(4)})), complete(0, 0))
		publish(t, b, 1)
		same(t, "live", drain(t, s), "1 2 5")
		state := b.Snapshot()
		same(t, "ring", fmt.Sprint(state.LastEventID, state.RingLen, state.RingFirst, state.RingLast), "5 1 5 5")
		b.Close()
		if got := b.Seed(make([]eventbus.Input, 1)); got != nil {
			t.Errorf("seeded %v on a closed bus", got)
		}
	})
}

func TestEpoch(t *testing.T) { // EVENTBUS-ID-007
	a, b := newBus(t, eventbus.Config{Dialect: eventbus.Later}), newBus(t, eventbus.Config{Dialect: eventbus.Later})
	if a.Epoch() == b.Epoch() || len(a.Epoch()) != 36 || strings.Trim(a.Epoch(), "0123456789abcdef-") != "" {
		t.Errorf("epochs %q and %q", a.Epoch(), b.Epoch())
	}
	same(t, "epoch in the seed dialect", newBus(t, eventbus.Config{}).Epoch(), "")
}
