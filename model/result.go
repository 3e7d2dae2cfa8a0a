package model

import (
	"fmt"
	"strings"
	"time"
)

// A Stop says why an exploration ended.
type Stop uint8

const (
	// StopComplete: every reachable state was visited and every step taken.
	StopComplete Stop = iota
	// StopViolation: a law is broken; see Result.Counterexample.
	StopViolation
	// StopStates: Bounds.States was reached and there was at least one more.
	StopStates
	// StopDepth: Bounds.Depth was reached with states left unexpanded.
	StopDepth
	// StopContext: the context ended first.
	StopContext
)

// String returns the reason in words.
func (s Stop) String() string {
	switch s {
	case StopComplete:
		return "complete"
	case StopViolation:
		return "law broken"
	case StopStates:
		return "bound on states"
	case StopDepth:
		return "bound on depth"
	case StopContext:
		return "time is up"
	}
	return fmt.Sprintf("stop %d", uint8(s))
}

// A Summary is what an exploration found, in numbers.
type Summary struct {
	// Stopped says why the exploration ended.
	Stopped Stop
	// Complete is true when every reachable state was visited, every step
	// taken, and every law held.
	Complete bool
	// States counts the distinct states kept, the initial one included.
	States int64
	// Edges counts the outcomes of all steps taken, repeated ones included.
	Edges int64
	// Depth is the largest number of steps from the initial state to a state
	// that was kept, each reached by a shortest way.
	Depth int
	// Elapsed is the wall time spent exploring.
	Elapsed time.Duration
	// Bytes is the most memory that the explorer held between two depths, for
	// the table of states, the trace log and the frontier together. It does not
	// count what the states themselves point to, nor the old half-sized table
	// that is held while the table grows.
	Bytes int64
	// Collisions counts distinct states whose fingerprints were equal. It is
	// known only with ExhaustConfig.Exact, which keeps such states apart.
	Collisions int64
}

// A Result is what an exploration found.
type Result[S, A, O any] struct {
	Summary
	// Counterexample is nil unless a law is broken.
	Counterexample *Counterexample[S, A, O]
}

// Rate returns the states found per second.
func (s Summary) Rate() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.States) / s.Elapsed.Seconds()
}

// BytesPerState returns Bytes divided by States.
func (s Summary) BytesPerState() float64 {
	if s.States == 0 {
		return 0
	}
	return float64(s.Bytes) / float64(s.States)
}

// CollisionOdds returns an upper estimate of the chance that two of the states found
// shared a fingerprint and one of them was therefore lost: n²/2⁶⁵ for n states.
func (s Summary) CollisionOdds() float64 {
	n := float64(s.States)
	return n * n / (1 << 32) / (1 << 33)
}

// String returns the counts on one line.
func (s Summary) String() string {
	return fmt.Sprintf("%s: %d states, %d edges, depth %d, %.3g s, %.3g states/s, %.3g bytes/state",
		s.Stopped, s.States, s.Edges, s.Depth, s.Elapsed.Seconds(), s.Rate(), s.BytesPerState())
}

// String returns the counts on one line, and the counterexample below it if
// there is one.
func (r Result[S, A, O]) String() string {
	if r.Counterexample == nil {
		return r.Summary.String()
	}
	return r.Summary.String() + "\n" + r.Counterexample.String()
}

// A Counterexample is a shortest way to break a law.
type Counterexample[S, A, O any] struct {
	// Law is the id of the law that is broken; DeadlockLaw for a deadlock.
	Law string
	// Title is the invariant's title.
	Title string
	// Err is what the invariant said.
	Err error
	// Trace is every step from the initial state to the fault, in order.
	Trace []Step[A, O]
	// States holds the states that the trace passes through: States[0] is the
	// initial one and States[i+1] follows Trace[i].
	States []S
}

// DeadlockLaw stands in Counterexample.Law for a state that has no way on and is not
// declared final.
const DeadlockLaw = "DEADLOCK"

// String returns the law, the fault and the whole trace, one step a line.
func (c *Counterexample[S, A, O]) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is broken after %d steps: %v", lawName(c.Law, c.Title), len(c.Trace), c.Err)
	fmt.Fprintf(&b, "\n  start: %+v", c.States[0])
	for i, step := range c.Trace {
		fmt.Fprintf(&b, "\n  %d. %+v -> %+v: %+v", i+1, step.Action, step.Outcome, c.States[i+1])
	}
	return b.String()
}
