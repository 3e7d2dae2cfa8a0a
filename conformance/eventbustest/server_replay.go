package eventbustest

import (
	"fmt"
	"strconv"
)

// A webReplay is how a resumed stream begins: what comes before replay_complete, and that.
type webReplay struct {
	stream   *webStream
	opening  []*webEvent // all that came before replay_complete
	frames   []*webEvent // those of them that have an id
	complete *webEvent
}

// resume opens a stream with a cursor and waits for replay_complete. One that does not come blocks the case.
func (x *webSession) resume(name string, after int64, a ask) *webReplay {
	a.after = strconv.FormatInt(after, 10)
	return x.resumeUnder("", name, a)
}

// resumeUnder is resume for a cursor of any spelling, where the absence of replay_complete breaks law.
func (x *webSession) resumeUnder(law, name string, a ask) *webReplay {
	st := x.opened(name, a)
	r := &webReplay{stream: st}
	reason := "a stream that is resumed after " + strconv.Quote(a.after) + " brings replay_complete"
	if law != "" {
		// Without what differs from run to run, so that two runs agree on how it fails.
		reason = "a stream that is resumed brings replay_complete"
	}
	r.complete = st.expect(law, reason, "replay_complete", ofKind("replay_complete"))
	r.opening = st.events[:st.next-1]
	for _, e := range r.opening {
		if !e.synthetic() {
			r.frames = append(r.frames, e)
		}
	}
	return r
}

// resyncs returns the state_resync_required frames of the opening.
func (r *webReplay) resyncs() []*webEvent {
	var out []*webEvent
	for _, e := range r.opening {
		if e.kind() == "state_resync_required" {
			out = append(out, e)
		}
	}
	return out
}

// resync returns the first of them, nil if there is none.
func (r *webReplay) resync() *webEvent {
	if all := r.resyncs(); all != nil {
		return all[0]
	}
	return nil
}

// first returns the id of the first replayed frame; 0 if there is none.
func (r *webReplay) first() int64 {
	if len(r.frames) == 0 {
		return 0
	}
	return r.frames[0].id()
}

// last returns the id of the last replayed frame; 0 if there is none.
func (r *webReplay) last() int64 {
	if len(r.frames) == 0 {
		return 0
	}
	return r.frames[len(r.frames)-1].id()
}

// String shows the opening in a report.
func (r *webReplay) String() string {
	s := span(r.frames)
	if e := r.resync(); e != nil {
		s = e.String() + ", " + s
	}
	return s + ", " + r.complete.String()
}

// follows checks that the replay is exactly what comes after a cursor that the target still knows: ids from cursor + 1 on, each
// once, in order.
func (r *webReplay) follows(law string, cursor int64) {
	w := r.stream.w
	if w.Check(r.resync() == nil, law, "a cursor inside of what is kept needs no resync", "no state_resync_required", r.String()) && len(r.frames) > 0 {
		w.Check(r.first() == cursor+1 && holes(r.frames) == "", law, "the replay is every kept event behind the cursor, in order",
			fmt.Sprintf("ids from %d, step 1", cursor+1), r.String()+" "+holes(r.frames))
	}
}

// goesOn checks that the live events behind the replay continue its ids, and that they come at all.
func (r *webReplay) goesOn(x *webSession, law string) {
	word := x.publish()
	r.stream.expect(law, "events go on behind the replay on the same stream", "an event that holds the word just published", holding(word))
	all := r.stream.numbered()
	r.stream.w.Check(holes(all) == "", law, "the boundary between replay and live has neither gap nor repeat", "ids with step 1", span(all)+" "+holes(all))
}

// upToDate resumes at the last event there is. Others may publish meanwhile, so it is tried again until nothing is replayed.
func (x *webSession) upToDate(name string, from int64) *webReplay {
	for range maxTries {
		r := x.resume(name, from, ask{})
		if len(r.frames) == 0 && r.resync() == nil {
			return r
		}
		if r.resync() != nil {
			x.w.Blocked("eventbus/server/resume/up-to-date", "resuming at the last event: expected no resync, seen %s", r)
		}
		from = r.last()
		r.stream.close()
	}
	x.w.Inconclusive("the target published between each of %d resumptions", maxTries)
	return nil
}

// maxTries bounds how often an experiment is repeated that an event of the target's own can disturb.
const maxTries = 12

// exactly breaks law unless data of a synthetic event has exactly those members.
func (w *webT) exactly(law, reason string, e *webEvent, members string) {
	w.Check(webNames(e.members()) == members, law, reason, members, webNames(e.members()))
}

// equals breaks law unless a member of data is that number.
func (w *webT) equals(law, reason string, e *webEvent, member string, want int64) {
	n, ok := e.number(member)
	w.Check(ok && n == float64(want), law, reason, fmt.Sprintf("%s %d", member, want), e.String())
}
