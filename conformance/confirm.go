package conformance

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// confirmAtOnce is how many suspects are judged again at the same time: fewer than cases run at first,
// so that a target is less loaded when it counts.
const confirmAtOnce = 4

// confirm judges suspects again. Those whose verdict holds are recorded; those whose verdict moves,
// and all of them once the target has died in this run, are settled one by one with nothing beside.
func (r *run) confirm(ctx context.Context, suspects []suspect) {
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		moved []suspect
		slots = make(chan struct{}, min(confirmAtOnce, r.cfg.Parallel))
	)
	for _, s := range suspects {
		if r.mortal() || s.in.Case.Alone {
			mu.Lock()
			moved = append(moved, s)
			mu.Unlock()
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if res, held := r.again(ctx, s); held {
				r.record(res)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			moved = append(moved, s)
		})
	}
	wg.Wait()
	for _, s := range moved {
		r.settle(ctx, s.in, s.first)
	}
}

// mortal reports whether the target stopped answering at any time in this run.
func (r *run) mortal() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dead != "" || r.revivals > 0
}

// again repeats a suspect as settle does, and tells whether the verdict held each time.
func (r *run) again(ctx context.Context, s suspect) (CaseResult, bool) {
	var last CaseResult
	for i, scale := range s.first.scales() {
		res, fault := r.attempt(ctx, s.in, r.timing.Scaled(scale), i+2)
		r.look(ctx, res, fault)
		if fault != nil || res.Verdict != s.first.Verdict || r.mortal() {
			return res, false
		}
		last = res
	}
	if last.silent() && !r.checkLife(ctx) {
		return last, false
	}
	if s.first.timed() {
		last.Timing = "steady"
	}
	return last, true
}

// checkLife repeats the shortest dialogue now and buries a target that does not manage it.
func (r *run) checkLife(ctx context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	alive, why := r.answers(ctx)
	if !alive {
		r.bury(ctx, why)
	}
	return alive
}

// silent reports whether the case ended because something did not come.
func (c CaseResult) silent() bool {
	return c.unsure() || c.Verdict == Fail && c.timed()
}

// unsure reports whether the case came to a doubt.
func (c CaseResult) unsure() bool { return c.Verdict == Inconclusive || c.Verdict == Blocked }

// scales are the factors by which the deadlines are multiplied when a verdict is judged again: half
// and double for one that rests on a deadline, more patience for a doubt.
func (c CaseResult) scales() []float64 {
	switch {
	case c.unsure():
		return []float64{2}
	case c.timed():
		return []float64{0.5, 2}
	default:
		return []float64{1}
	}
}

// settle confirms a suspect verdict, with no other case running, and records the outcome. A verdict
// that moves is never a fail.
func (r *run) settle(ctx context.Context, in Instance, first CaseResult) {
	tries := 1
	if in.Case.Alone && r.mayBlame(in) && suspicious(first) && r.whyDead() == "" && r.killer(ctx, in, &first) {
		// Nothing has run since the case but the dialogue that the target still had room for.
		r.record(first)
		return
	}
	if suspicious(first) && r.whyDead() == "" && (!r.checkLife(ctx) || r.mortal()) && r.whyDead() == "" {
		// The first verdict may be another case's doing: that one killed the target under this one.
		var done bool
		if first, done = r.once(ctx, in, 1, &tries); done {
			r.record(first)
			return
		}
	}
	// A doubt that turns into a finding has to be confirmed like any other finding, hence twice around.
	for round := range 2 {
		if !suspicious(first) {
			break
		}
		if dead := r.whyDead(); dead != "" {
			first.Verdict, first.Reason = Inconclusive, fmt.Sprintf("%s once, could not be judged again: %s", first.Verdict, dead)
			break
		}
		doubt := first.unsure()
		last, moved, cleared := first, "", true
		for _, scale := range first.scales() {
			var done bool
			if last, done = r.once(ctx, in, scale, &tries); !done && !doubt && last.unsure() {
				// A doubt neither confirms nor refutes what was found.
				scale *= patience
				last, done = r.once(ctx, in, scale, &tries)
			}
			if done {
				r.record(last)
				return
			}
			cleared = cleared && !suspicious(last)
			if last.Verdict != first.Verdict && moved == "" {
				moved = fmt.Sprintf("%s at first, %s at %g times the deadlines", first.Verdict, last.Verdict, scale)
			}
		}
		switch {
		case moved == "":
			if first.timed() {
				last.Timing = "steady"
			}
			r.record(last)
			return
		case doubt && (round == 0 || !suspicious(last)):
			first = last
		case first.timed() && cleared:
			r.stalled(ctx, in, first, moved, &tries)
			return
		default:
			r.record(movedVerdict(first, last, moved))
			return
		}
	}
	r.record(first)
}

// stalled records a verdict that rested on a deadline and that did not come again, not even with half the patience. When it
// stays away a third time, something stood still once, on either side, and the case is what it is otherwise; the report still
// says so.
func (r *run) stalled(ctx context.Context, in Instance, first CaseResult, moved string, tries *int) {
	last, done := r.once(ctx, in, 1, tries)
	switch {
	case done:
	case suspicious(last):
		last = movedVerdict(first, last, moved)
	default:
		last.Timing = "sensitive"
		last.Notes = append(last.Notes, Note{"stall", moved + " and at the deadlines themselves"})
	}
	r.record(last)
}

// once runs an instance alone. done is true when its result is final: a fault of ours, or a case that
// killed the target.
func (r *run) once(ctx context.Context, in Instance, scale float64, tries *int) (res CaseResult, done bool) {
	*tries++
	res, fault := r.attempt(ctx, in, r.timing.Scaled(scale), *tries)
	r.look(ctx, res, fault)
	return res, fault != nil || (r.mortal() || res.silent()) && r.killer(ctx, in, &res)
}

// movedVerdict is the doubt that remains when a verdict did not hold.
func movedVerdict(first, last CaseResult, moved string) CaseResult {
	if first.timed() {
		last.Timing, last.Reason = "sensitive", "verdict moved: "+moved
	} else {
		last.Timing, last.Reason = "", "not reproducible: "+moved
	}
	last.Verdict = Inconclusive
	if len(last.Findings) == 0 {
		last.Findings = first.Findings
	}
	return last
}

// timed reports whether the verdict rests on a deadline.
func (c CaseResult) timed() bool {
	for _, f := range c.Findings {
		if f.Timed && f.Verdict == c.Verdict {
			return true
		}
	}
	return false
}

// look watches for a target that has stopped answering: after a row of cases without an answer it
// repeats the shortest dialogue and revives the target or blocks the rest of the run.
func (r *run) look(ctx context.Context, res CaseResult, fault *FaultError) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if fault != nil {
		r.faults = append(r.faults, fault)
	}
	if !res.silent() {
		if res.Verdict == Pass {
			r.doubts = 0
		}
		return
	}
	if r.doubts++; r.doubts < doubtsToLook || r.dead != "" {
		return
	}
	r.doubts = 0
	if alive, why := r.answers(ctx); !alive {
		r.bury(ctx, why)
	}
}

// answers repeats the shortest dialogue, at most three times, the last with patience, since one that is busy for a while is not dead. It
// says why the target does not manage it.
func (r *run) answers(ctx context.Context) (alive bool, why string) {
	if r.suite.Alive == nil {
		return true, ""
	}
	for n, timing := range []Timing{r.timing, r.timing, r.timing.Scaled(patience)} {
		if alive, why = r.alive(ctx, timing, n+1); alive {
			break
		}
	}
	return alive, why
}

// alive is answers once, with a suite that has such a dialogue.
func (r *run) alive(ctx context.Context, timing Timing, n int) (alive bool, why string) {
	in := Instance{Case: &Case{ID: r.suite.Name + "/alive", Run: r.suite.Alive}}
	began := r.flights.begin("")
	res, fault := r.perform(ctx, in, timing, n)
	alive = fault == nil && res.Verdict == Pass
	r.flights.end(began, alive)
	return alive, res.Reason
}

// bury revives a target that no longer answers or ends the run. A reason that nobody could act on would be worth nothing: it
// names the cases that may have done it.
func (r *run) bury(ctx context.Context, why string) {
	suspects := r.flights.String()
	if r.cfg.Revive != nil && r.revivals < maxRevivals && ctx.Err() == nil {
		r.revivals++
		if err := r.cfg.Revive(ctx); err == nil {
			if alive, _ := r.answers(ctx); alive {
				return
			}
		}
	}
	r.dead = fmt.Sprintf("%s (%s); under way since it last did: %s", errTargetDead, why, suspects)
}

// killer reports whether an instance that just ran, and no other, left the target unable to answer, and makes that its
// finding.
func (r *run) killer(ctx context.Context, in Instance, res *CaseResult) bool {
	if r.suite.Death == "" {
		return false
	}
	alive, why := r.answers(ctx)
	if alive {
		return false
	}
	law, _ := r.laws.Law(r.suite.Death)
	const reason = "the target must go on serving new connections whatever one client does"
	// What did not come from a target that is dead is no finding of its own, and that it is dead is said once.
	res.Findings = slices.DeleteFunc(res.Findings, func(f Finding) bool { return f.Timed || f.Law == law.ID })
	res.Findings = append(res.Findings, Finding{
		Law: law.ID, Level: string(law.Level), Verdict: Fail, Reason: reason, Expected: "a new connection is served",
		Seen: fmt.Sprintf("the target no longer answers a new connection, at last within %s: %s", r.timing.Scaled(patience).Reply, why),
	})
	res.Verdict, res.Reason = Fail, reason
	r.mu.Lock()
	r.bury(ctx, why)
	r.mu.Unlock()
	return true
}

func (r *run) whyDead() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dead
}
