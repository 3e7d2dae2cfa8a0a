package fuzz

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// A feedMachine is the machine in the terms of the rig.
type feedMachine struct{ *substratemodel.Feed }

// Do takes an action.
func (m feedMachine) Do(s substratemodel.FeedState, a substratemodel.FeedAction) (substratemodel.FeedState, feedSeen, bool) {
	for after, o := range m.Step(s, a) {
		return after, feedSeen{FeedOutcome: o}, true
	}
	return s, feedSeen{}, false
}

// feedConfig drafts a stream and what happens to it.
func feedConfig(d draws) substratemodel.FeedConfig {
	few := func() uint8 { return uint8(d.draw(4)) }
	cfg := substratemodel.FeedConfig{Inbox: few(), Drop: few(), Disconnect: few(), Crash: few(), Trim: few()}
	if d.rarely(4) {
		cfg.Denied = 1 + uint8(d.draw(2))
	}
	seq, objects, entries := uint8(0), 2, 1+d.draw(8)
	switch d.draw(6) {
	case 4:
		// What is trimmed while something before it is lost is named twice.
		cfg.Drop, cfg.Disconnect, cfg.Crash, cfg.Trim, cfg.Denied, objects, entries = 2, 0, 0, 3, 0, 1, 5
	case 5:
		// Both objects miss something.
		cfg.Inbox, cfg.Disconnect, cfg.Crash, cfg.Denied, entries = 1, 0, 0, 0, 8
	}
	for range entries {
		seq += 1 + few()
		cfg.Stream = append(cfg.Stream, substratemodel.FeedEntry{Object: uint8(d.draw(objects)), Seq: seq})
	}
	return cfg
}

// feedsTogether lets browsers, edges and their machine live through one run.
func feedsTogether(d draws, limit int, spoil func(*feedRig), reached ways) error {
	for i := 0; i < limit; {
		cfg := feedConfig(d)
		machine, err := substratemodel.NewFeed(cfg)
		if err != nil {
			return err
		}
		rig := newFeedRig(cfg)
		if spoil != nil {
			spoil(rig)
		}
		r := model.NewTandem(feedMachine{machine}, rig, func(want, got feedSeen) bool { return want == got })
		r.Look = rig.look
		// A life in which nothing is possible is a step as well.
		for more := true; more && i < limit; i++ {
			a, ok := feedNext(d, machine, r.State())
			if more = ok; !ok {
				continue
			}
			before, want, err := r.Take(a)
			if err != nil {
				return fmt.Errorf("%+v: %w", cfg, err)
			}
			waysOfFeed(a, before, r.State(), want.FeedOutcome, reached)
		}
		rig.disconnect()
	}
	return nil
}

// feedNext drafts an action out of those that are possible, and says whether there is one.
func feedNext(d draws, m *substratemodel.Feed, s substratemodel.FeedState) (a substratemodel.FeedAction, ok bool) {
	var possible []substratemodel.FeedAction
	for a := range m.Actions(s) {
		for range m.Step(s, a) {
			possible = append(possible, a)
		}
	}
	if len(possible) == 0 {
		return a, false
	}
	return likely(d, possible), true
}

// likely chooses an action. What only goes on is likelier than what goes wrong.
func likely[A interface{ Fair() bool }](d draws, possible []A) A {
	var fair, rest []A
	for _, a := range possible {
		if a.Fair() {
			fair = append(fair, a)
		} else {
			rest = append(rest, a)
		}
	}
	if len(fair) == 0 || len(rest) > 0 && d.rarely(4) {
		fair = rest
	}
	return one(d, fair...)
}

// waysOfFeed names what a step reached.
func waysOfFeed(a substratemodel.FeedAction, before, after substratemodel.FeedState, o substratemodel.FeedOutcome, reached ways) {
	was, is := before.View(o.Object), after.View(o.Object)
	arrives := a.Op == substratemodel.FeedArrive
	for way, there := range map[string]bool{
		a.String():                 true,
		"resumes behind something": a.Op == substratemodel.FeedConnect && max(o.Asked[0], o.Asked[1]) > 1,
		"asks for both":            a.Op == substratemodel.FeedRepeat && o.Asked[0] > 0 && o.Asked[1] > 0,
		"pushes behind a base":     o.Base > 0,
		"denied":                   o.Denied,
		"known":                    o.Known,
		"gap":                      o.GapTo > 0,
		"a gap ends a loss":        o.GapTo > 0 && was.Waits,
		"base of nothing":          arrives && !o.Known && o.GapTo == 0 && was == is && !was.Waits,
		"in order":                 arrives && o.GapTo == 0 && is.Last > was.Last,
		"jump":                     arrives && o.GapTo == 0 && is.Last > was.Last+1,
		"ends a loss":              arrives && o.GapTo == 0 && was.Waits && !is.Waits,
		"loss":                     arrives && o.Asked[o.Object] > 0,
		"loss again":               arrives && !o.Known && was.Waits && is.Waits,
		"full":                     arrives && !was.Waits && is.Waits && o.Asked[o.Object] == 0,
		"last goes back":           a.Op == substratemodel.FeedCrash && is.Last < was.Last,
	} {
		if there {
			reached[way]++
		}
	}
}

// TestSubstrateFeedReachesEveryWay takes browsers, edges and the machine through many random lives in step, and sees every action and every way that one can go.
func TestSubstrateFeedReachesEveryWay(t *testing.T) {
	reached := ways{}
	if err := feedsTogether(draws{rand.New(rand.NewPCG(8, 1)).IntN}, 4**steps, nil, reached); err != nil {
		t.Fatal(err)
	}
	reached.check(t, lines(`
connect
push 0
push 1
arrive
ask
repeat
handover 0
handover 1
drop
lose
disconnect
crash
trim
resumes behind something
asks for both
pushes behind a base
denied
known
gap
a gap ends a loss
base of nothing
in order
jump
ends a loss
loss
loss again
full
last goes back
`), 4**steps)
}

// FuzzSubstrateFeed drives browsers, edges and their machine with the same actions, drafted from the script.
func FuzzSubstrateFeed(f *testing.F) {
	for i := range uint64(20) {
		f.Add(randomScript(7000 + i))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		limit := min(len(script), pairSteps)
		if err := feedsTogether(drawFrom(&script), limit, nil, ways{}); err != nil {
			t.Fatal(err)
		}
	})
}
