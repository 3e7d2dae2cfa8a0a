// Package generate plays sequences of moves that are generated from a run's seed, on a target and beside it on a model of what the
// laws ask for, and makes a sequence on which the two part as small as it can be.
//
// A suite says what a move is, in which scene it makes sense, and how it is played; [Campaign] does the rest: the seed, the deadlines,
// the shrinking, and the notes, evidence and replay of the result. What a sequence does depends on nothing but its moves and the
// scene that it begins in, so that it can be shrunk, saved and played again.
package generate

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A Play is one sequence being played.
type Play[M any] interface {
	// Play plays one move on target and model and says where they part; nil: they agree.
	Play(m M) *conformance.Break
}

// A Sequence is a scene and the moves that are played from it.
type Sequence[S, M any] struct {
	Begin S
	Moves []M
}

// A Campaign is all the sequences of one case. All of its fields are required.
type Campaign[S Scene[S, M], M Move[M]] struct {
	Runs              int     // sequences
	Shortest, Longest int     // moves of the first sequence, the end included, and what no sequence has
	Shrinks           int     // tries to make a finding smaller
	Share             float64 // of an ordinary case's deadline, after which no sequence is begun
	// Begin draws the scene in which a sequence of so many moves begins.
	Begin func(r *rand.Rand, moves int) S
	// Open begins to play in a scene.
	Open func(S) Play[M]
	// Save returns what a replay file keeps of a sequence, and Load reads it, with a scene of as many moves.
	Save func(Sequence[S, M]) any
	Load func(json.RawMessage) (Sequence[S, M], error)
}

// shownMoves is how many moves of the sequence that was found the notes show.
const shownMoves = 30

// inTime are the shares of a case's deadline after which what was found is made no smaller.
const inTime = 0.8

// Judge generates sequences or, in a replay, plays the one of the replay, and reports through t.
func (c Campaign[S, M]) Judge(t *conformance.T) {
	r := &run[S, M]{Campaign: c, t: t, start: time.Now(), seed: int64(t.Rand().Uint64())}
	if raw := t.Replaying(); raw != nil {
		steps, err := c.Load(raw)
		if err != nil {
			t.Inconclusive("the steps of the replay cannot be read: %v", err)
		}
		r.again(steps)
	} else if r.generate(); r.worst != nil {
		// Once more, so that the evidence is the wire of the smallest sequence.
		small := *r.worst
		if r.again(small.Sequence); r.worst == nil {
			t.Note("again", "played once more, the sequence did not show it")
			r.worst = &small
		}
	}
	t.Note("sequences", "%d played, %d more to shrink", r.runs, r.shrinks)
	if f := r.worst; f != nil {
		t.Note("begins", "%s", f.Begin)
		for i, m := range f.Moves[:min(len(f.Moves), shownMoves)] {
			t.Note(fmt.Sprintf("move %02d", i+1), "%s", m)
		}
		t.Steps(c.Save(f.Sequence))
		t.Step()
		t.Broken(f.Break)
	}
}

// run is a campaign under way.
type run[S Scene[S, M], M Move[M]] struct {
	Campaign[S, M]
	t     *conformance.T
	start time.Time
	seed  int64

	runs, shrinks int
	worst         *find[S, M]
}

// A find is where target and model part, and how they got there.
type find[S, M any] struct {
	conformance.Break
	Sequence[S, M]
}

// generate plays sequences until one parts target and model, and makes it small.
func (r *run[S, M]) generate() {
	Search[S, M]{
		Seed: r.seed, Runs: r.Runs, Shortest: r.Shortest, Longest: r.Longest, Shrinks: r.Shrinks,
		Begin: r.Begin, Open: func(scene S) Player[M] { return r.begin(scene) },
	}.Run()
}

// begin opens the next sequence, or one that is not played when there is no more time.
func (r *run[S, M]) begin(scene S) *playing[S, M] {
	used := time.Since(r.start)
	switch {
	case r.worst != nil && used > time.Duration(inTime*float64(r.t.Deadline())),
		r.worst == nil && float64(used) > r.Share*float64(r.t.Timing().Case):
		return &playing[S, M]{}
	case r.worst != nil:
		r.shrinks++
	default:
		r.runs++
	}
	return r.open(scene)
}

func (r *run[S, M]) open(scene S) *playing[S, M] {
	r.t.Rewind()
	return &playing[S, M]{run: r, play: r.Open(scene), done: Sequence[S, M]{Begin: scene}}
}

// again plays a known sequence.
func (r *run[S, M]) again(steps Sequence[S, M]) {
	r.worst = nil
	scene, p := steps.Begin, r.open(steps.Begin)
	for i, m := range steps.Moves {
		if !scene.Allows(m) {
			r.t.Inconclusive("step %d of the replay (%s) makes no sense there, or the target cannot do it", i+1, m)
		}
		if !p.Play(m) {
			return
		}
		scene = scene.After(m)
	}
}

// playing is one sequence being played.
type playing[S Scene[S, M], M Move[M]] struct {
	run  *run[S, M]
	play Play[M] // nil: nothing is played
	done Sequence[S, M]
}

// Play plays a move. It reports false where target and model part, unless another law is being made small: then the target is beyond
// the model from here on.
func (p *playing[S, M]) Play(m M) bool {
	if p.play == nil {
		return true
	}
	p.done.Moves = append(p.done.Moves, m)
	b := p.play.Play(m)
	if b == nil {
		return true
	}
	if worst := p.run.worst; worst != nil && worst.Law != b.Law {
		p.play = nil
		return true
	}
	p.run.worst = &find[S, M]{*b, Sequence[S, M]{p.done.Begin, slices.Clone(p.done.Moves)}}
	return false
}

// Close implements [Player]: what Open makes ends with the case.
func (p *playing[S, M]) Close() {}
