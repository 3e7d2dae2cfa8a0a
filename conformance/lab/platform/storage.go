package platform

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// tolerance is what two readings of the pages' clock may differ by, in milliseconds. Only what exceeds it is called late.
const tolerance = 2

// written and watched are what the writer and the reader of two keys tell.
type written struct {
	Done   []float64 // when each write was through
	Unseen int       // own writes that were not read back
}

type watched struct {
	Reads, Back, Swapped, Moved, Spins int
	// First and Until say when each value that was read was read first and last.
	First, Until [][2]float64
}

// beside is what a tab tells that looked into another of its process.
type beside struct{ N, Stale, First int }

// visibility has one tab write and others read, in the same process and in another.
func (b *bench) visibility() ([]outcome, error) {
	const n = 1000
	if err := run(b.b, `lab.watch("seen")`); err != nil {
		return nil, err
	}
	w, err := eval[written](b.a, `lab.write("seen", %d)`, n)
	if err != nil {
		return nil, err
	}
	r, err := eval[watched](b.b, `lab.stop("watch")`)
	if err != nil {
		return nil, err
	}
	out := judgeVisibility(w, r)
	apart, err := b.apart(b.a, b.b)
	if err != nil {
		return out, err
	}
	if !apart {
		out = slices.DeleteFunc(out, func(o outcome) bool { return o.id == "storage/other-process" })
		out = append(out, failed("storage/other-process", fmt.Errorf("both tabs have one process")))
	}
	near, err := b.twin()
	if err != nil {
		return out, err
	}
	defer near.stop()
	s, err := eval[beside](b.a, `lab.beside(lab.twin, "near", %d)`, 3*n)
	if err != nil {
		return out, err
	}
	return append(out, judgeBeside(s)), nil
}

func judgeBeside(s beside) outcome {
	return held("storage/same-process", s.Stale == 0, s.N, "%s", count(s.Stale, s.N, "reads right after a write were stale", "write",
		s.First))
}

// count says how many of how many, and which was the first.
func count(n, of int, what, unit string, first int) string {
	text := fmt.Sprintf("%d of %d %s", n, of, what)
	if n > 0 && first > 0 {
		text += fmt.Sprintf(", first with %s %d", unit, first)
	}
	return text
}

func judgeVisibility(w written, r watched) []outcome {
	n := len(w.Done)
	late, worst, delays := 0, 0.0, []float64{}
	shortest := ""
	for i, until := range r.Until {
		v := int(until[0])
		if v >= n {
			continue
		}
		// The next write was through at Done[v], counted from 0.
		if age := until[1] - w.Done[v]; age > tolerance {
			late++
			worst = max(worst, age)
			if shortest == "" {
				shortest = fmt.Sprintf("; first: %d was read %.1f ms after %d had been written", v, age, v+1)
			}
		}
		if v > 0 {
			delays = append(delays, r.First[i][1]-w.Done[v-1])
		}
	}
	slices.Sort(delays)
	median := 0.0
	if len(delays) > 0 {
		median = delays[len(delays)/2]
	}
	reads := r.Reads
	if len(delays) == 0 {
		reads = 0 // the reader saw nothing of it
	}
	return []outcome{
		held("storage/own-write", w.Unseen == 0, 2*n, "%d of %d writes and removals were not read back", w.Unseen, 2*n),
		held("storage/other-process", late == 0, reads,
			"of %d values that were read, %d were read more than %d ms after the next one had been written, the oldest by %.1f ms; seen "+
				"after %.1f ms in the median%s",
			len(r.Until), late, tolerance, worst, median, shortest),
		held("storage/still", r.Moved == 0, r.Spins, "%d of %d values changed within 2 ms of one task, while another tab wrote every ms or so",
			r.Moved, r.Spins),
		held("storage/in-order", r.Swapped == 0 && r.Back == 0, reads,
			"of %d reads of two keys, %d had the later write and not the earlier, %d an older value than the read before", r.Reads, r.Swapped,
			r.Back),
	}
}

// apart says that two tabs have a process each: one has turns while the other lets nobody have one.
func (b *bench) apart(x, y *tab) (bool, error) {
	if err := run(y, `lab.pulse()`); err != nil {
		return false, err
	}
	hogged, err := eval[[2]float64](x, `lab.hog(200)`)
	if err != nil {
		return false, err
	}
	turns, err := eval[[]float64](y, `lab.stop("pulse")`)
	if err != nil {
		return false, err
	}
	// Clocks of two tabs differ by little, so the edges do not count.
	n := 0
	for _, at := range turns {
		if at > hogged[0]+50 && at < hogged[1]-50 {
			n++
		}
	}
	return n > 0, nil
}

// twin opens a page from a, which has the process of a. The page of a knows it as lab.twin.
func (b *bench) twin() (*tab, error) {
	t, err := b.opened(b.a, `(lab.twin = window.open("/", "_blank", "popup"), lab.twin !== null)`)
	if err != nil {
		return nil, err
	}
	if !b.home.until(t, `typeof lab === "object" && typeof lab.leave === "function"`) {
		t.stop()
		return nil, fmt.Errorf("the page that another opened does not load")
	}
	return t, nil
}

// raced is what tabs tell that write the same keys at once.
type raced struct {
	Views       []string // whose value each tab reads in the end, a letter a key
	Reads, Torn int
	Added, Sum  int
}

// writers has two tabs write at once while a third one reads.
func (b *bench) writers() ([]outcome, error) {
	const rounds, keys, adds = 3, 200, 800
	var r raced
	for round := range rounds {
		prefix := fmt.Sprintf("race%d:", round)
		if err := run(b.c, `lab.torn(%q, %d)`, prefix, keys); err != nil {
			return nil, err
		}
		at := soon()
		if err := together(
			func() error { return run(b.a, `lab.both(%q, "A", %d, %d)`, prefix, keys, at) },
			func() error { return run(b.b, `lab.both(%q, "B", %d, %d)`, prefix, keys, at) },
		); err != nil {
			return nil, err
		}
		b.home.sleep(200 * time.Millisecond)
		t, err := eval[struct{ Reads, Torn int }](b.c, `lab.stop("torn")`)
		if err != nil {
			return nil, err
		}
		r.Reads, r.Torn = r.Reads+t.Reads, r.Torn+t.Torn
		for i, x := range []*tab{b.a, b.b, b.c} {
			v, err := eval[string](x, `lab.values(%q, %d)`, prefix, keys)
			if err != nil {
				return nil, err
			}
			if round == 0 {
				r.Views = append(r.Views, "")
			}
			r.Views[i] += v
		}
		if err := run(b.a, `lab.empty(%q)`, prefix); err != nil {
			return nil, err
		}
	}
	at := soon()
	add := func(t *tab) func() error {
		return func() error { return run(t, `lab.add("sum", %d, %d)`, adds, at) }
	}
	if err := together(add(b.a), add(b.b)); err != nil {
		return judgeRace(r), err
	}
	b.home.sleep(200 * time.Millisecond)
	sum, err := eval[int](b.c, `Number(localStorage.getItem("sum"))`)
	r.Added, r.Sum = 2*adds, sum
	return judgeRace(r), err
}

func judgeRace(r raced) []outcome {
	n, differ, none := 0, 0, 0
	by := map[byte]int{}
	if len(r.Views) > 0 {
		n = len(r.Views[0])
	}
	for i := range n {
		for _, v := range r.Views[1:] {
			if i >= len(v) || v[i] != r.Views[0][i] {
				differ++
				break
			}
		}
		by[r.Views[0][i]]++
	}
	for _, v := range r.Views {
		none += strings.Count(v, "?")
	}
	return []outcome{
		held("storage/last-wins", differ == 0 && none == 0, n,
			"of %d keys that two tabs wrote at once, three tabs read in the end the value of the first in %d and of the second in %d; they "+
				"differed in %d, and %d values were neither",
			n, by['A'], by['B'], differ, none),
		held("storage/whole", r.Torn == 0 && none == 0, r.Reads, "%d of %d reads of values of 2000 characters while two tabs wrote them "+
			"were of no writer", r.Torn+none, r.Reads),
		seen("storage/no-lock", r.Sum < r.Added, r.Added, "two tabs added one %d times, and the sum is %d", r.Added, r.Sum),
	}
}

// listed is what a tab tells that enumerates while another writes.
type listed struct{ Lists, Missing, Twice, Gone, Moved, Changes int }

func (b *bench) keys() ([]outcome, error) {
	if err := run(b.a, `lab.churn("churn:")`); err != nil {
		return nil, err
	}
	l, err := eval[listed](b.b, `lab.list("stay:", 20, 1500)`)
	if err != nil {
		return nil, err
	}
	l.Changes, err = eval[int](b.a, `lab.stop("churn")`)
	return []outcome{judgeList(l)}, err
}

func judgeList(l listed) outcome {
	return held("storage/keys", l.Missing+l.Twice+l.Gone+l.Moved == 0 && l.Changes > 0, l.Lists,
		"%d lists during %d changes of other keys by another tab: %d lacked a key that stayed, %d had one twice, %d had one that could "+
			"not be read, %d grew or shrank within a task",
		l.Lists, l.Changes, l.Missing, l.Twice, l.Gone, l.Moved)
}
