package platform

import (
	"fmt"
	"time"
)

// A numbered frame is the sender and the number, as a receiver got them.
type numbered [2]any

func (f numbered) sender() string { s, _ := f[0].(string); return s }
func (f numbered) number() int    { n, _ := f[1].(float64); return int(n) }

// frames has two tabs post to two others at once, and one answer another while a third listens.
func (b *bench) frames() ([]outcome, error) {
	const n, asked = 3000, 1500
	for _, t := range []*tab{b.c, b.d} {
		if err := run(t, `lab.log("numbers", 2)`); err != nil {
			return nil, err
		}
	}
	at := soon()
	if err := together(
		func() error { return run(b.a, `lab.number("numbers", "a", %d, %d)`, n, at) },
		func() error { return run(b.b, `lab.number("numbers", "b", %d, %d)`, n, at) },
	); err != nil {
		return nil, err
	}
	var got [2][]numbered
	for i, t := range []*tab{b.c, b.d} {
		var err error
		if got[i], err = eval[[]numbered](t, `lab.stop("numbers")`); err != nil {
			return nil, err
		}
	}
	out := judgeFrames(n, got)
	if err := run(b.b, `lab.reply("answers", "b")`); err != nil {
		return out, err
	}
	if err := run(b.c, `lab.log("answers", 2)`); err != nil {
		return out, err
	}
	if err := run(b.a, `lab.number("answers", "a", %d)`, asked); err != nil {
		return out, err
	}
	heard, err := eval[[]numbered](b.c, `lab.stop("answers")`)
	if err != nil {
		return out, err
	}
	return append(out, judgeCausal(heard)), run(b.b, `lab.stop("answers")`)
}

func judgeFrames(n int, got [2][]numbered) []outcome {
	wrong, first := 0, ""
	for i, log := range got {
		next := map[string]int{"a": 1, "b": 1}
		for _, f := range log {
			if want := next[f.sender()]; f.number() != want {
				wrong++
				if first == "" {
					first = fmt.Sprintf("; first: receiver %d got frame %d of %s, and not %d", i+1, f.number(), f.sender(), want)
				}
			}
			next[f.sender()] = f.number() + 1
		}
		for _, sender := range []string{"a", "b"} {
			if missing := n + 1 - next[sender]; missing != 0 {
				wrong++
				if first == "" {
					first = fmt.Sprintf("; first: receiver %d lacks the last %d of %s", i+1, missing, sender)
				}
			}
		}
	}
	differ, mixed := 0, 0
	for i := range min(len(got[0]), len(got[1])) {
		if got[0][i].sender() != got[1][i].sender() {
			differ++
		}
		if i > 0 && got[0][i].sender() != got[0][i-1].sender() {
			mixed++
		}
	}
	trials := len(got[0]) + len(got[1])
	return []outcome{
		held("channel/fifo", wrong == 0, trials, "two tabs posted %d frames each to two others, four in each task: %d gaps, repeats or "+
			"reversals%s", n, wrong, first),
		seen("channel/across", differ > 0, trials, "the frames of two senders took turns %d times, and two receivers had them in "+
			"different orders at %d of %d places", mixed, differ, trials/2),
	}
}

func judgeCausal(heard []numbered) outcome {
	asked, before, answers := map[int]bool{}, 0, 0
	for _, f := range heard {
		if f.sender() == "a" {
			asked[f.number()] = true
			continue
		}
		answers++
		if !asked[f.number()] {
			before++
		}
	}
	return seen("channel/causal", before > 0, answers, "%d of %d answers came to a third tab before what they answer", before, answers)
}

// echoed is what a tab tells of its own channels.
type echoed struct {
	N, Own, Other, Order, Shared, Mutated, Synchronous int
	Thrown, Closed                                     string
}

// greeted, deafened and turned are what tabs tell of channels that were opened just now, or closed in the midst of it, and of microtasks.
type (
	greeted  struct{ N, Answered int }
	deafened struct{ Before, After, Closed int }
	turned   struct{ N, Early int }
)

// channels looks at objects: those of one page, those just opened, those just closed.
func (b *bench) channels() (out []outcome, err error) {
	const echoes, closes, rounds, turns, greetings = 1000, 500, 60, 2000, 150
	e, err := eval[echoed](b.a, `lab.echoes("echo", %d)`, echoes)
	if err != nil {
		return out, err
	}
	out = append(out, judgeEchoes(e)...)
	if err := run(b.b, `lab.reply("greet", "b")`); err != nil {
		return out, err
	}
	g, err := eval[greeted](b.a, `lab.greet("greet", %d)`, greetings)
	if err != nil {
		return out, err
	}
	out = append(out, held("channel/greeting", g.Answered == g.N, g.N, "%d of %d channels that posted as soon as they were opened got "+
		"an answer from another process", g.Answered, g.N))
	if err := run(b.b, `lab.stop("greet")`); err != nil {
		return out, err
	}
	if err := run(b.c, `lab.log("closing", 1)`); err != nil {
		return out, err
	}
	if err := run(b.a, `lab.closing("closing", %d)`, closes); err != nil {
		return out, err
	}
	heard, err := eval[[]numbered](b.c, `lab.stop("closing")`)
	if err != nil {
		return out, err
	}
	out = append(out, held("channel/close-sends", len(heard) == closes, closes, "%d of %d frames arrived in another process whose "+
		"channel was closed in the task that posted them", len(heard), closes))
	d, err := b.deafen(rounds)
	if err != nil {
		return out, err
	}
	out = append(out, held("channel/close-hears", d.After == 0 && e.Closed == "InvalidStateError", d.Closed,
		"%d channels were closed in the midst of frames, after %d of them: %d came later; a post on a closed one throws %s", d.Closed,
		d.Before, d.After, or(e.Closed)))
	t, err := eval[turned](b.a, `lab.turns("turns", %d)`, turns)
	if err != nil {
		return out, err
	}
	return append(out, held("channel/turns", t.Early == 0, t.N, "%d of %d frames, with timers between them, came before all "+
		"microtasks of the task before", t.Early, t.N)), nil
}

// deafen has a tab close channels while another floods them.
func (b *bench) deafen(rounds int) (d deafened, err error) {
	if err := run(b.c, `lab.deaf("flood", %d)`, rounds); err != nil {
		return d, err
	}
	for range 10 {
		if err := run(b.a, `lab.number("flood", "a", 400)`); err != nil {
			return d, err
		}
		b.home.sleep(20 * time.Millisecond)
	}
	return eval[deafened](b.c, `lab.stop("flood")`)
}

func judgeEchoes(e echoed) []outcome {
	return []outcome{
		held("channel/no-echo", e.Own == 0 && e.Other == e.N && e.Order == 0, e.N,
			"of %d frames the object that posted them heard %d, and another of its name in the page %d, %d of them out of order", e.N, e.Own,
			e.Other, e.Order),
		held("channel/clone", e.Shared+e.Mutated+e.Synchronous == 0 && e.Thrown == "DataCloneError", e.Other,
			"of %d frames %d were the sender's own object, %d showed what it changed later, %d came within the post; a function throws %s",
			e.Other, e.Shared, e.Mutated, e.Synchronous, or(e.Thrown)),
	}
}
