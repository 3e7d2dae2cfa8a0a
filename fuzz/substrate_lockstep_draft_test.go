package fuzz

import (
	"slices"

	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// A pairDrafter drafts pairs and what happens to them.
type pairDrafter struct{ draws }

// config drafts a pair: mostly one with a bit of everything, now and then one for what needs a place of its own.
func (d pairDrafter) config() substratemodel.PairConfig {
	switch d.draw(20) {
	case 10, 11:
		return d.calm()
	case 12, 13:
		return d.timed()
	case 14, 15, 16:
		return d.hasty()
	case 17:
		return d.holed()
	case 18, 19:
		return d.mutual()
	}
	cfg := substratemodel.PairConfig{
		Live: d.draw(3) < 2, Fails: d.rarely(3), Handler: d.rarely(2), Resends: 3, Inbox: uint8(d.draw(3)), Budgets: d.budgets(),
	}
	cfg.Half = cfg.Live && d.rarely(5)
	cfg.Volatile = d.rarely(10)
	cfg.SameID = d.rarely(8)
	for range 1 + d.draw(5) {
		cfg.Script = append(cfg.Script, one(d.draws, substratemodel.KindSend, substratemodel.KindReq, substratemodel.KindOpen, substratemodel.KindClose, substratemodel.KindSend))
	}
	if d.rarely(4) {
		cfg.Denied = []int{1 + d.draw(len(cfg.Script))}
	}
	if cfg.SameID {
		// SUBSTRATE-BOUNCE-003: what a bounce is about is told by the order of the replies, which no connection changes.
		cfg.Budgets.Duplicate, cfg.Budgets.Reorder = 0, 0
		// Nor may B use the id twice itself.
		cfg.Budgets.CloseB = min(cfg.Budgets.CloseB, 1-cfg.Budgets.OpenB)
	}
	return cfg
}

// calm drafts a pair to which nothing happens but that frames are lost: then one side is silent for so long that the other gives up.
func (d pairDrafter) calm() substratemodel.PairConfig {
	cfg := substratemodel.PairConfig{
		Live: true, Resends: 3, Fails: d.rarely(5), Budgets: substratemodel.Budgets{Drop: 2}, Script: []substratemodel.Kind{substratemodel.KindReq, substratemodel.KindClose},
	}
	if d.rarely(4) {
		cfg.Script, cfg.Budgets.OpenB, cfg.Budgets.CloseB = cfg.Script[:d.draw(2)], 1, 1
	}
	return cfg
}

func (d pairDrafter) budgets() substratemodel.Budgets {
	few := func() uint8 { return uint8(d.draw(3)) }
	return substratemodel.Budgets{
		Drop: few(), Duplicate: few(), Reorder: few(), Disconnect: few(), Takeover: few(), CrashA: few(), CrashB: few(), Spurious: few(),
		OpenB: uint8(d.draw(2)), CloseB: uint8(d.draw(2)), Flip: few(), StoreFail: few(), StaleAck: few(), Expire: uint8(d.draw(3) / 2), Foreign: few(),
	}
}

// The marks of the clock.
var (
	gapMarks = [][]int64{{10_000, 30_000, 30_001, 60_001, 90_001, 120_001}, {30_000, 30_001, 40_001}, {10_000, 30_001, 40_000, 40_001, 70_002, 100_003, 130_004}, {1, 30_002, 60_002, 60_003, 60_004, 90_003, 120_004}}
	dayMarks = []int64{1, 601_200_000, 601_200_001, 604_800_000, 604_800_001, 604_800_002}
)

// timed drafts a pair for days that pass, at the marks at which something changes.
func (d pairDrafter) timed() substratemodel.PairConfig {
	cfg := substratemodel.PairConfig{Live: true, Resends: 3, Marks: dayMarks, Budgets: d.budgets()}
	cfg.Budgets.Spurious, cfg.Budgets.Expire, cfg.Budgets.StoreFail, cfg.Budgets.Foreign = 0, 0, 0, 0
	for range 1 + d.draw(3) {
		cfg.Script = append(cfg.Script, one(d.draws, substratemodel.KindSend, substratemodel.KindReq, substratemodel.KindClose))
	}
	return cfg
}

// hasty drafts a pair whose A does not wait for acks, so that B sees gaps.
func (d pairDrafter) hasty() substratemodel.PairConfig {
	b := d.budgets()
	cfg := substratemodel.PairConfig{Live: true, Resends: 3, Pipeline: true, Inbox: uint8(d.draw(3)), Budgets: b}
	cfg.Budgets.Expire, cfg.Budgets.OpenB, cfg.Budgets.CloseB, cfg.Budgets.StaleAck = 0, 0, 0, 0
	if d.rarely(2) {
		cfg.Marks, cfg.Inbox = one(d.draws, gapMarks[0], gapMarks[0], gapMarks[1]), 0
		cfg.Budgets.Takeover, cfg.Budgets.Disconnect, cfg.Budgets.CrashA, cfg.Budgets.CrashB = 0, 0, 0, uint8(d.draw(3)/2)
	}
	for range 3 + d.draw(3) {
		cfg.Script = append(cfg.Script, substratemodel.KindSend)
	}
	if d.rarely(2) {
		// What is refused leaves a hole, and what comes next but one is beyond a window of one.
		cfg.Denied, cfg.Window = []int{1 + d.draw(len(cfg.Script))}, 1
	}
	return cfg
}

// mutual drafts a pair whose sides ask each other more than they may have unanswered.
func (d pairDrafter) mutual() substratemodel.PairConfig {
	few := func() uint8 { return uint8(d.draw(3)) }
	cfg := substratemodel.PairConfig{
		Live: true, Resends: 3, Fails: d.rarely(4), Handler: d.rarely(4), Inbox: uint8(d.draw(2)), Outbox: 1,
		Budgets: substratemodel.Budgets{
			AskB: 2, Drop: few(), Duplicate: few(), Disconnect: few(), CrashA: uint8(d.draw(2)), CrashB: uint8(d.draw(2)), Spurious: few(), StoreFail: few(),
		},
	}
	if d.rarely(4) {
		cfg.Outbox = 2
	}
	for range 2 + d.draw(3) {
		cfg.Script = append(cfg.Script, one(d.draws, substratemodel.KindReq, substratemodel.KindReq, substratemodel.KindSend))
	}
	if d.rarely(6) {
		cfg.Script = append(cfg.Script, substratemodel.KindClose)
	}
	return cfg
}

// asks returns what has a side ask that has nothing queued, so that the answers come to be queued behind it.
func (r *pairRun) asks(s substratemodel.PairState, fair, rest []substratemodel.PairAction) (asks []substratemodel.PairAction) {
	for _, a := range append(slices.Clone(fair), rest...) {
		asking := a.Op == substratemodel.OpEnqueue || a.Op == substratemodel.OpAppAsk
		if r.cfg.Outbox > 0 && asking && len(s.View(a.Side).Rows) == 0 {
			asks = append(asks, a)
		}
	}
	return asks
}

// holed drafts a pair of which B sees one gap behind another, which comes to be the first with an age of its own.
func (d pairDrafter) holed() substratemodel.PairConfig {
	return substratemodel.PairConfig{
		Live: true, Resends: 3, Pipeline: true, Flight: 4, Budgets: substratemodel.Budgets{Drop: 2, Reorder: uint8(d.draw(2)), Spurious: uint8(d.draw(2))},
		Script: slices.Repeat([]substratemodel.Kind{substratemodel.KindSend}, 5), Marks: one(d.draws, gapMarks[2:]...),
	}
}

// next drafts an action out of those that are possible, and says whether there is one. What only goes on is likelier than what goes wrong.
func (d pairDrafter) next(r *pairRun) (substratemodel.PairAction, bool) {
	s := r.State()
	var fair, rest, late []substratemodel.PairAction
	for a := range r.machine.Actions(s) {
		switch {
		case !r.machine.Possible(s, a) || !r.fits(s, a):
		case a.Op == substratemodel.OpResend || a.Op == substratemodel.OpEscalate:
			late = append(late, a)
		case a.Fair():
			fair = append(fair, a)
		default:
			rest = append(rest, a)
		}
	}
	if asks := r.asks(s, fair, rest); len(asks) > 0 && !d.rarely(4) {
		return one(d.draws, asks...), true
	}
	from := fair
	gap, patience := s.View(substratemodel.B).Gap, 5
	if r.cfg.Flight > 2 && !s.View(substratemodel.B).Second {
		// The first gap is to be filled before time is over.
		patience = 2
		if a, ok := holes(s, 4-r.cfg.Budgets.Reorder, fair, rest); ok && len(gap) < 2 && !d.rarely(9) {
			return one(d.draws, a...), true
		}
	}
	if early := r.cfg.Pipeline && len(gap) == 0 && !d.rarely(5); early {
		// A gap comes first.
		rest = slices.DeleteFunc(rest, func(a substratemodel.PairAction) bool { return a.Op == substratemodel.OpTick })
	}
	if tick := (substratemodel.PairAction{Op: substratemodel.OpTick}); slices.Contains(rest, tick) && len(gap) > 0 && !d.rarely(patience) {
		// A gap is to last.
		return tick, true
	}
	switch {
	case len(late) > 0 && (len(fair)+len(rest) == 0 || d.rarely(2)):
		// So is a silence.
		from = late
	case len(fair) == 0 || len(rest) > 0 && d.draw(5) > 2:
		from = rest
	}
	if len(from) == 0 {
		return substratemodel.PairAction{}, false
	}
	return one(d.draws, from...), true
}

// holes returns what makes one gap behind another, or a gap of two: the second frame to B and another are lost, if they may be, and the others come.
func holes(s substratemodel.PairState, other uint8, fair, rest []substratemodel.PairAction) ([]substratemodel.PairAction, bool) {
	drop := substratemodel.PairAction{Op: substratemodel.OpDrop, Side: substratemodel.B}
	if coming := s.Coming(substratemodel.B); len(coming) > 0 && (coming[0].Seq == 2 || coming[0].Seq == other) && slices.Contains(rest, drop) {
		return []substratemodel.PairAction{drop}, true
	}
	return fair, len(fair) > 0
}

// fits says that two engines can do what the machine can. Time passes for an engine when it sends again, which for the machine is no time: where there are marks, engines do not
// send again, and the marks pass while nothing is in flight.
func (r *pairRun) fits(s substratemodel.PairState, a substratemodel.PairAction) bool {
	timed, hasty := len(r.cfg.Marks) > 0, r.cfg.Pipeline
	again := a.Op == substratemodel.OpResend || a.Op == substratemodel.OpEscalate || a.Op == substratemodel.OpSpurious
	_, inFlightA := s.Head(substratemodel.A)
	_, inFlightB := s.Head(substratemodel.B)
	switch {
	case a.Op == substratemodel.OpDeliverFails:
		// It is possible if something is written, which only the step tells.
		for range r.machine.Step(s, a) {
			return true
		}
		return false
	case timed && again && r.rig.side[a.Side].eng != nil:
		return false
	case timed && a.Op == substratemodel.OpTick:
		return !(inFlightA && !hasty || inFlightB) || !s.Connected()
	}
	return true
}
