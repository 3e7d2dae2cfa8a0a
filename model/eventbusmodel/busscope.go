package eventbusmodel

import (
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// smallBus returns the configuration that is explored by default: a ring of three, two subscribers with a cap of three frames, five events, and every
// interleaving of publishing, asking, resuming, leaving and closing.
func smallBus(d Dialect) BusConfig {
	return BusConfig{
		Dialect: d, RingSize: 3, MaxSubscribers: 2, Slots: 2, MaxQueuedBytes: 100, Events: 5,
		Scope: slices.Concat(
			[]BusAction{weighs(1), live(0, 3), resume(0, 3, 1), live(1, 3), {Op: OpClose}},
			on(0, OpNext, OpAbort), on(1, OpNext, OpReturn)),
	}
}

// BusScopes returns the scopes of a dialect. Each has the least in which a family of laws can be broken.
func BusScopes(d Dialect) []model.Scope[BusConfig] {
	scopes := []model.Scope[BusConfig]{
		{Name: "two subscribers", Config: smallBus(d)},
		{Name: "cursors", Config: cursorScope(d)},
		{Name: "octets", Config: octetScope(d)},
		{Name: "episodes", Config: BusConfig{
			Dialect: d, RingSize: 1, MaxSubscribers: 1, Slots: 1, MaxQueuedBytes: 16, Events: 11,
			Scope: append([]BusAction{weighs(1), weighs(5), live(0, 8)}, on(0, OpNext)...),
		}},
		{Name: "small caps", Config: BusConfig{
			Dialect: d, RingSize: 2, MaxSubscribers: 2, Slots: 2, Asks: 2, MaxQueuedBytes: 4, Events: 5,
			Scope: slices.Concat([]BusAction{weighs(1), live(0, 1), live(0, 2), live(1, 0), {Op: OpClose}}, on(0, OpNext, OpWithdraw, OpAbort), on(1, OpNext)),
		}},
		{Name: "exits", Config: BusConfig{
			Dialect: d, RingSize: 1, MaxSubscribers: 1, Slots: 2, MaxQueuedBytes: 4, Events: 3,
			Scope: slices.Concat(
				[]BusAction{weighs(1), live(0, 1), resume(1, 1, 0), with(resume(1, 2, 0), func(a *BusAction) { a.Aborted = true }), {Op: OpClose}},
				on(0, OpNext, OpAbort, OpReturn), on(1, OpNext, OpAbort, OpReturn)),
		}},
	}
	if d == Later {
		scopes = append(scopes, model.Scope[BusConfig]{Name: "budget", Config: budgetScope()})
	}
	return scopes
}

// cursorScope holds one subscriber with every cursor that can matter for five events and a ring of two.
func cursorScope(d Dialect) BusConfig {
	scope := slices.Concat(
		[]BusAction{weighs(1), live(0, 2), with(resume(0, 2, 0), func(a *BusAction) { a.Aborted = true }), {Op: OpClose}},
		on(0, OpNext, OpAbort, OpReturn))
	for after := range int64(8) {
		scope = append(scope, resume(0, 2, after))
	}
	if d == Later {
		for _, epoch := range []Epoch{EpochRight, EpochWrong} {
			for _, a := range []BusAction{live(0, 2), resume(0, 2, 0), resume(0, 2, 2), resume(0, 2, 6)} {
				a.Epoch = epoch
				scope = append(scope, a)
			}
		}
		scope = append(scope, seeding(2), seeding(0))
	}
	return BusConfig{Dialect: d, RingSize: 2, MaxSubscribers: 1, Slots: 1, MaxQueuedBytes: 100, Events: 5, Scope: scope}
}

// octetScope holds one subscriber with few octets, and events that JSON cannot say.
func octetScope(d Dialect) BusConfig {
	scope := []BusAction{
		weighs(1), weighs(3), weighs(4), weighs(9), unserialisable(), live(0, 3), resume(0, 4, 0),
		{Op: OpPublish, Now: 5, Input: Input{Type: "e", Data: `"é"`, Originator: "o", Meta: `"a":1`, Stamp: Stamp{Kind: StampNumber, Value: -1.5}}},
	}
	for callback := CallbackTakes; callback <= CallbackFails; callback++ {
		scope = append(scope, with(live(0, 2), func(a *BusAction) { a.Callback = callback }))
	}
	return BusConfig{Dialect: d, RingSize: 2, MaxSubscribers: 1, Slots: 1, MaxQueuedBytes: 8, Events: 4, Scope: append(scope, on(0, OpNext)...)}
}

// budgetScope holds replays that are cut short.
func budgetScope() BusConfig {
	wrong := with(resume(0, 2, 1), func(a *BusAction) { a.Epoch = EpochWrong })
	return BusConfig{
		Dialect: Later, RingSize: 3, MaxSubscribers: 1, Slots: 1, MaxQueuedBytes: 100, ReplayBudgetBytes: 4, Events: 4,
		Scope: append([]BusAction{weighs(2), weighs(3), weighs(5), live(0, 2), resume(0, 2, 0), resume(0, 2, 1), wrong, seeding(1), {Op: OpClose}}, on(0, OpNext)...),
	}
}

// weighs is a publish of an event of so many octets.
func weighs(size int64) BusAction {
	return BusAction{Op: OpPublish, Input: Input{Type: "e", Size: size}, Now: 1}
}

// unserialisable is a publish of what JSON cannot say.
func unserialisable() BusAction {
	return BusAction{Op: OpPublish, Input: Input{Type: "e", Unserialisable: true}, Now: 1}
}

// live opens a subscription without a cursor, and resume one with.
func live(slot, maxQueued int) BusAction {
	return BusAction{Op: OpSubscribe, Sub: slot, MaxQueued: maxQueued}
}

func resume(slot, maxQueued int, after int64) BusAction {
	return BusAction{Op: OpSubscribe, Sub: slot, MaxQueued: maxQueued, Cursor: true, After: after}
}

func with(a BusAction, change func(a *BusAction)) BusAction {
	change(&a)
	return a
}

func on(slot int, ops ...BusOp) []BusAction {
	var out []BusAction
	for _, op := range ops {
		out = append(out, BusAction{Op: op, Sub: slot})
	}
	return out
}

func seeding(n int) BusAction {
	a := BusAction{Op: OpSeed, Now: 1}
	for range n {
		a.Inputs = append(a.Inputs, Input{Type: "h", Size: 2})
	}
	return a
}
