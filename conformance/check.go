package conformance

import (
	"context"
	"fmt"
)

// With returns what makes cases of functions that are written against C, which begin makes of the T of each: the words of a suite
// over T. What has to end with a case is left to [T.Cleanup].
func With[C any](begin func(*T) C) func(run func(C)) func(context.Context, *T) {
	return func(run func(C)) func(context.Context, *T) {
		return func(_ context.Context, t *T) { run(begin(t)) }
	}
}

// Cleanup has f called when the case has ended, last added first, while its connections are still open. f gives no verdict.
func (t *T) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

func (t *T) cleanUp() {
	for _, f := range t.cleanups {
		defer f()
	}
}

// Check counts a step and breaks law unless ok; the case goes on. With an empty law what is checked is a prerequisite: the case is
// blocked and ends.
func (t *T) Check(ok bool, law, reason, expected, seen string) bool {
	t.Step()
	switch {
	case ok:
	case law == "":
		t.lacks(Break{Reason: reason, Expected: expected, Seen: seen})
	default:
		t.Broken(Break{Law: law, Reason: reason, Expected: expected, Seen: seen})
	}
	return ok
}

// Equal is Check of two values by their printed form.
func (t *T) Equal(law, reason string, expected, seen any) bool {
	want, got := fmt.Sprint(expected), fmt.Sprint(seen)
	return t.Check(want == got, law, reason, want, got)
}

// Missed ends the case over something that did not come on a connection which ended in that way, or is open. It breaks the law; an
// empty law blocks, as in Check. A reset may have swallowed what did not come (ambiguity: lingering): that decides nothing, unless
// the case is about the end of the connection and says [T.Stopped] instead.
func (t *T) Missed(b Break, end Ending) {
	switch {
	case b.Law == "":
		t.lacks(b)
	case end == Reset || end == Broken:
		t.Inconclusive("%s: expected %s, but the connection was reset, which may have swallowed it", b.Reason, b.Expected)
	}
	t.Stopped(b)
}

// lacks ends the case over a prerequisite that does not hold.
func (t *T) lacks(b Break) {
	t.Blocked("prerequisite", "%s: expected %s, seen %s", b.Reason, b.Expected, b.Seen)
}
