package stomptest

import (
	"math/rand"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance/generate"
)

// How much one case generates, and how much it does to make a finding small.
const (
	propertyRuns  = 36              // sequences
	shortestRun   = 8               // moves of the first sequence, the end included
	longestRun    = 32              // no sequence has as many
	generateShare = 0.6             // of an ordinary case's deadline, after which no sequence is begun
	shrinkRuns    = 150             // tries to make a finding smaller
	shrinkFor     = 8 * time.Second // and the time they may take
	confirmations = 3               // times that what was found is played again
)

// A campaign is all the sequences of one case.
type campaign struct {
	s          *serverT
	abilities  abilities
	redelivers bool
	seed       int64
	start      time.Time

	runs, ended, lost int
	early             map[string]*early // why sequences ended early
	first, worst      *find             // what was found, and the smallest sequence that shows it
	aside             []*find           // what does not end the search, the first of each kind

	// mute holds the commands whose receipts the target was found not to answer. That is one finding of each;
	// no receipt is asked of them any more, so that it does not hide all others.
	mute  map[string]bool
	tardy bool // the target keeps the RECEIPT of a transactional frame back until COMMIT

	opened    int    // dialogues so far
	index     int    // of the sequence being played, from 1
	skip      int    // sequences to leave out because they were played before
	sought    string // the one law to look for, empty for any
	repeating bool   // a known sequence is played: no receipt is left out of it
	shrinking time.Time
	shrinks   int
}

// A find is a departure with the moves that led to it.
type find struct {
	departure
	moves []move
	index int // of its sequence
}

// early is how often sequences ended before their end for one reason, with one of them.
type early struct {
	n     int
	moves []move
}

func newCampaign(s *serverT, a abilities) *campaign {
	c := &campaign{s: s, abilities: a, start: time.Now(), early: map[string]*early{}, mute: map[string]bool{}}
	c.seed = int64(s.Rand().Uint64())
	c.redelivers = s.redelivers()
	return c
}

// generate plays sequences until one breaks what the laws demand, and makes that one small. Lesser departures do not
// end the search; one of them is made small if there is nothing worse.
func (c *campaign) generate() {
	c.pass()
	if c.worst == nil && len(c.aside) > 0 {
		f := slices.MaxFunc(c.aside, func(a, b *find) int {
			return propertyWeight(a.law, c.abilities.version) - propertyWeight(b.law, c.abilities.version)
		})
		clear(c.mute)
		c.sought, c.skip, c.index, c.repeating = f.law, f.index-1, 0, true
		if c.pass(); c.worst == nil {
			c.worst = f
		}
	}
	c.confirm()
}

// pass generates the sequences of the seed and plays those that are not to be skipped.
func (c *campaign) pass() { c.search().Run() }

func (c *campaign) search() generate.Search[scene, move] {
	return generate.Search[scene, move]{
		Seed: c.seed, Runs: propertyRuns, Shortest: shortestRun, Longest: longestRun, Shrinks: shrinkRuns,
		Begin: func(r *rand.Rand, moves int) scene { return newScene(c.abilities, moves, theme(r.Intn(int(themes)))) },
		Open:  func(scene) generate.Player[move] { return c.begin() },
	}
}

// begin opens the connections of the next run, or none if it is not to be played.
func (c *campaign) begin() *dialogue {
	idle := &dialogue{campaign: c, over: "not played", judge: &judge{}}
	used := time.Since(c.start)
	if c.worst != nil {
		if c.shrinks >= shrinkRuns || time.Since(c.shrinking) > shrinkFor || used > c.s.Deadline()*9/10 {
			return idle
		}
		c.shrinks++
		d := c.open()
		// What is found in a hurry is played again with full patience in the end.
		d.hasty = c.worst.timed
		return d
	}
	c.index++
	switch {
	case c.index <= c.skip, c.sought != "" && c.index > c.skip+1:
		return idle
	case c.sought == "" && float64(used) > generateShare*float64(c.s.Timing().Case):
		return idle
	}
	return c.open()
}

func (c *campaign) open() *dialogue {
	c.opened++
	d := c.s.newDialogue(c.opened, c.abilities.peers, c.redelivers)
	d.campaign = c
	return d
}

// weigh takes in what a dialogue found and reports whether gopter is to hear of it.
func (c *campaign) weigh(d *dialogue) bool {
	f := &find{*d.judge.found, slices.Clone(d.played), c.index}
	switch {
	case c.worst != nil:
		if c.worst.law != f.law {
			return false
		}
	case c.sought != "":
		if c.sought != f.law {
			return false
		}
	case !c.repeating && c.lesser(f):
		return false
	}
	if c.worst == nil {
		c.shrinking, c.first = time.Now(), f
	}
	c.worst = f
	return true
}

// lesser puts f aside if it should not end the search: an unanswered receipt, which would hide everything else,
// and what is no more than a looseness or a choice.
func (c *campaign) lesser(f *find) bool {
	if last := f.moves[len(f.moves)-1].command(); f.law == "STOMP-RECEIPT-001" && f.timed && last != "SEND" && last != "" {
		if !c.mute[last] {
			c.mute[last] = true
			c.aside = append(c.aside, f)
		}
		return true
	}
	if propertyWeight(f.law, c.abilities.version) == weightMust {
		return false
	}
	if !slices.ContainsFunc(c.aside, func(o *find) bool { return o.law == f.law }) {
		c.aside = append(c.aside, f)
	}
	return true
}

// finish closes a dialogue and counts how it ended.
func (c *campaign) finish(d *dialogue) {
	if d.s == nil {
		return
	}
	d.close()
	if c.worst != nil || c.sought != "" {
		return
	}
	c.runs++
	switch {
	case d.judge.lost:
		c.lost++
	case d.ended:
		c.ended++
	case d.over != "":
		if c.early[d.over] == nil {
			c.early[d.over] = &early{moves: slices.Clone(d.played)}
		}
		c.early[d.over].n++
	}
}

// confirm plays the smallest sequence again, so that the evidence is its own wire.
func (c *campaign) confirm() {
	if c.worst == nil {
		return
	}
	small, first := c.worst, c.first
	if first == nil {
		first = small
	}
	c.sought, c.repeating = small.law, true
	for range confirmations {
		if time.Since(c.start) > c.s.Deadline()*9/10 {
			break
		}
		if c.again(small.moves); c.worst != nil {
			return
		}
	}
	if c.worst = small; small.timed {
		c.worst = first
	}
	c.s.Note("again", "played %d times more, the sequence did not show it: it depends on time", confirmations)
}

// again plays a sequence once.
func (c *campaign) again(moves []move) {
	c.worst = nil
	d := c.open()
	defer d.Close()
	for _, m := range moves {
		d.Play(m)
	}
}
