package fuzz

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// A busRig is a real bus that takes the actions of the bus machine. It must live in a synctest bubble, so that it is known when a consumer waits.
type busRig struct {
	real *eventbus.Bus
	now  float64
	subs []rigSub
	// lines and called are the diagnostics of the last action.
	lines  []eventbus.Diagnostic
	called []rigCall
	faults []string
	turn   int
	sized  int
	// sizedKnown says that the last event would have told when it was sized.
	sizedKnown bool
}

// A rigSub is one subscription of a rig.
type rigSub struct {
	real   *eventbus.Subscription
	cancel context.CancelFunc
	asks   []rigAsk
}

// A rigAsk is one call of Next that waits.
type rigAsk struct {
	answer chan rigAnswer
	cancel context.CancelFunc
}

type rigAnswer struct {
	event *eventbus.Event
	err   error
}

// A rigCall is one call of a diagnostic callback.
type rigCall struct {
	slot int
	said eventbus.Diagnostic
}

// newBusRig returns a bus and the machine of the same configuration.
func newBusRig(cfg eventbusmodel.BusConfig) (*busRig, *eventbusmodel.Bus, error) {
	machine, err := eventbusmodel.NewBus(cfg)
	if err != nil {
		return nil, nil, err
	}
	r := &busRig{subs: make([]rigSub, machine.Config().Slots)}
	r.real, err = eventbus.New(eventbus.Config{
		Dialect: eventbus.Dialect(cfg.Dialect), RingSize: cfg.RingSize, MaxSubscribers: cfg.MaxSubscribers, MaxQueuedBytes: cfg.MaxQueuedBytes,
		ReplayBudgetBytes: cfg.ReplayBudgetBytes,
		Now:               func() time.Time { return time.UnixMilli(int64(r.now)) },
		Diagnose:          func(d eventbus.Diagnostic) { r.lines = append(r.lines, d) },
	})
	return r, machine, err
}

// end lets nobody wait any more, so that the bubble can end.
func (r *busRig) end() {
	r.real.Close()
	for i := range r.subs {
		if r.subs[i].cancel != nil {
			r.subs[i].cancel()
		}
		for _, ask := range r.subs[i].asks {
			ask.cancel()
		}
	}
	synctest.Wait()
}

func (r *busRig) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// Do takes an action and returns all that a caller sees of it. What no machine can say ends up in Next, where nothing equals it.
func (r *busRig) Do(a eventbusmodel.BusAction) eventbusmodel.BusOutput {
	var o eventbusmodel.BusOutput
	r.turn++
	r.lines, r.called, r.faults, r.sizedKnown, r.now = nil, nil, nil, false, a.Now
	sized := r.sized
	switch a.Op {
	case eventbusmodel.OpPublish:
		e, ok := r.real.Publish(r.input(a.Input))
		o.Sized = r.sized > sized
		if o.Refused = !ok; ok {
			o.Event = r.frame(e)
		}
		// EVENTBUS-QUEUE-009 does not speak of what a closed bus does with a payload.
		r.sizedKnown = r.sizedKnown && !r.real.Snapshot().Closed
		if ok == (e == nil) {
			r.fault("publish returned %v and %t", e, ok)
		}
	case eventbusmodel.OpSeed:
		var in []eventbus.Input
		for _, input := range a.Inputs {
			in = append(in, r.input(input))
		}
		r.sizedKnown = false
		for _, e := range r.real.Seed(in) {
			o.Events = append(o.Events, *r.frame(e))
		}
	case eventbusmodel.OpSubscribe:
		r.subscribe(a, &o)
	case eventbusmodel.OpNext:
		r.next(&r.subs[a.Sub], &o)
	case eventbusmodel.OpWithdraw:
		r.withdraw(&r.subs[a.Sub])
	case eventbusmodel.OpAbort:
		// The end of the context is the abort signal.
		if r.turn%2 == 0 {
			r.subs[a.Sub].real.Abort()
		} else {
			r.subs[a.Sub].cancel()
			synctest.Wait()
		}
	case eventbusmodel.OpReturn:
		r.subs[a.Sub].real.Close()
	case eventbusmodel.OpClose:
		r.real.Close()
	}
	r.settle(&o)
	r.diagnostics(&o)
	o.Last, o.Count = r.real.LastEventID(), r.real.SubscriberCount()
	if len(r.faults) > 0 {
		o.Next = eventbusmodel.NextState("fault: " + strings.Join(r.faults, "; "))
	}
	return o
}

func (r *busRig) subscribe(a eventbusmodel.BusAction, o *eventbusmodel.BusOutput) {
	options := eventbus.Options{MaxQueued: a.MaxQueued}
	if a.Cursor {
		options.After = eventbus.After(a.After)
	}
	switch a.Epoch {
	case eventbusmodel.EpochRight:
		options.Epoch = r.real.Epoch()
	case eventbusmodel.EpochWrong:
		options.Epoch = "another"
		if upper := strings.ToUpper(r.real.Epoch()); upper != r.real.Epoch() && r.turn%2 == 0 {
			options.Epoch = upper
		}
	}
	if a.Callback != eventbusmodel.CallbackAbsent {
		options.Diagnose = func(d eventbus.Diagnostic) bool {
			r.called = append(r.called, rigCall{a.Sub, d})
			if a.Callback == eventbusmodel.CallbackFails {
				panic("the callback fails")
			}
			return a.Callback == eventbusmodel.CallbackTakes
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if a.Aborted {
		cancel()
	}
	sub, err := r.real.Subscribe(ctx, options)
	var limit *eventbus.SubscriberLimitError
	switch {
	case errors.As(err, &limit):
		cancel()
		o.Limit = limit.Limit
		// EVENTBUS-LIMIT-002
		if want := fmt.Sprintf("EventBus subscriber limit reached (%d)", limit.Limit); limit.Error() != want {
			r.fault("error %q, want %q", limit, want)
		}
	case err != nil:
		cancel()
		r.fault("subscribe: %v", err)
	default:
		if old := r.subs[a.Sub].cancel; old != nil {
			old()
		}
		r.subs[a.Sub] = rigSub{real: sub, cancel: cancel}
	}
}

// next asks for one item: by Next, or by a call that does not wait if something is there.
func (r *busRig) next(sub *rigSub, o *eventbusmodel.BusOutput) {
	if len(sub.asks) == 0 && r.turn%3 == 0 {
		if e, ok := sub.real.TryNext(); ok {
			o.Next, o.Item = eventbusmodel.NextItem, r.frame(e)
			return
		}
	}
	if len(sub.asks) == 0 && r.turn%3 == 1 {
		if dst := make([]*eventbus.Event, 1); sub.real.Take(dst) == 1 {
			o.Next, o.Item = eventbusmodel.NextItem, r.frame(dst[0])
			return
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ask := rigAsk{answer: make(chan rigAnswer, 1), cancel: cancel}
	go func() {
		e, err := sub.real.Next(ctx)
		ask.answer <- rigAnswer{e, err}
	}()
	synctest.Wait()
	select {
	case got := <-ask.answer:
		cancel()
		if o.Next = eventbusmodel.NextItem; got.err != nil {
			o.Next = eventbusmodel.NextDone
			r.ended(got.err)
			return
		}
		o.Item = r.frame(got.event)
	default:
		o.Next = eventbusmodel.NextParked
		sub.asks = append(sub.asks, ask)
	}
}

func (r *busRig) ended(err error) {
	if !errors.Is(err, eventbus.ErrEnded) {
		r.fault("next: %v, want %v", err, eventbus.ErrEnded)
	}
}

// withdraw ends the context of the last call that waits, which takes nothing from the subscription.
func (r *busRig) withdraw(sub *rigSub) {
	last := len(sub.asks) - 1
	ask := sub.asks[last]
	sub.asks = sub.asks[:last]
	ask.cancel()
	if got := <-ask.answer; !errors.Is(got.err, context.Canceled) {
		r.fault("a call that was cancelled returned %v, %v", got.event, got.err)
	}
}

// settle collects the answers of calls that waited, and sees that those that still wait say so.
func (r *busRig) settle(o *eventbusmodel.BusOutput) {
	if slices.ContainsFunc(r.subs, func(s rigSub) bool { return len(s.asks) > 0 }) {
		synctest.Wait()
	}
	for slot := range r.subs {
		sub := &r.subs[slot]
		var waiting []rigAsk
		for _, ask := range sub.asks {
			select {
			case got := <-ask.answer:
				if len(waiting) > 0 {
					r.fault("#%d: a later call was answered before an earlier one", slot)
				}
				ask.cancel()
				h := eventbusmodel.BusHanded{Sub: slot, Done: got.err != nil}
				if got.err != nil {
					r.ended(got.err)
				} else {
					h.Frame = *r.frame(got.event)
				}
				o.Handed = append(o.Handed, h)
			default:
				waiting = append(waiting, ask)
			}
		}
		sub.asks = waiting
		if sub.real != nil && sub.real.Waiting() != (len(waiting) > 0) {
			r.fault("#%d: waiting %t with %d calls", slot, sub.real.Waiting(), len(waiting))
		}
	}
}

// input is in as a publisher of Go gives it: encoded before, or as a value that tells when it is encoded.
func (r *busRig) input(in eventbusmodel.Input) eventbus.Input {
	out := eventbus.Input{Type: in.Type, Originator: in.Originator}
	members, err := metaOf(in.Meta)
	if err != nil {
		r.fault("_meta %s: %v", in.Meta, err)
	}
	if len(members) > 0 || in.Stamp.Kind != eventbusmodel.StampAbsent {
		out.Meta = members
	}
	switch in.Stamp.Kind {
	case eventbusmodel.StampNumber:
		out.Meta["serverTimestamp"] = in.Stamp.Value
	case eventbusmodel.StampOther:
		out.Meta["serverTimestamp"] = []any{"nope", nil, math.NaN(), math.Inf(1), true}[r.turn%5]
	}
	switch {
	case in.Unserialisable:
		out.Value = r.unserialisable()
	case in.Data == "":
	case r.turn%2 == 0:
		payload, err := eventbus.Raw([]byte(in.Data))
		if err != nil {
			r.fault("%s: %v", in.Data, err)
		}
		out.Data = payload
	default:
		r.sizedKnown = true
		out.Value = countedPayload{text: in.Data, count: &r.sized}
	}
	return out
}

// unserialisable returns one of the values that JSON cannot say.
func (r *busRig) unserialisable() any {
	type ring struct{ Next *ring }
	circular := &ring{}
	circular.Next = circular
	r.sizedKnown = r.turn%5 > 2
	return []any{
		make(chan int), math.NaN(), circular, countedPayload{count: &r.sized, fails: true}, countedPayload{count: &r.sized, panics: true},
	}[r.turn%5]
}

// countedPayload is a payload that counts how often it is encoded.
type countedPayload struct {
	text          string
	count         *int
	fails, panics bool
}

var errUncountable = errors.New("the payload has no text")

func (c countedPayload) MarshalJSON() ([]byte, error) {
	*c.count++
	switch {
	case c.panics:
		panic(errUncountable)
	case c.fails:
		return nil, errUncountable
	}
	return []byte(c.text), nil
}
