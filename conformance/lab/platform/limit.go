package platform

import (
	"fmt"
	"time"
)

// filled is what a tab tells that writes until it is refused.
type filled struct {
	Thrown, Grew       string
	Refused, Silent    int
	Stored, Left       int
	Kept, Small, After bool
}

// claimed counts values that two tabs wrote at once where not all of both found room.
type claimed struct {
	Tried, Taken int
	Lost         int    // were in none of three tabs five seconds later
	Apart        int    // were in some of them
	First        string // which one was lost first, and by whom it was written
}

// limit fills the storage, and has two tabs compete for the rest.
func (b *bench) limit() ([]outcome, error) {
	const rounds, each, size, spare = 8, 6, 4096, 28 * 1024
	f, err := eval[filled](b.a, `lab.fill("fill:", %d)`, spare)
	if err != nil {
		return nil, err
	}
	defer func() { _ = run(b.a, `lab.empty("fill:")`) }()
	out := []outcome{judgeFill(f)}
	// Megabytes take their time to be seen.
	for _, t := range []*tab{b.b, b.c} {
		if !b.home.until(t, `localStorage.getItem("fill:own")?.length === 1024`) {
			return out, fmt.Errorf("a tab does not come to see what another has filled the storage with")
		}
	}
	var c claimed
	for round := range rounds {
		prefix, at := fmt.Sprintf("claim%d:", round), soon()
		var taken [2][]string
		claim := func(i int, t *tab) func() error {
			return func() (err error) {
				taken[i], err = eval[[]string](t, `lab.claim("%s%d:", %d, %d, %d)`, prefix, i, each, size, at)
				return err
			}
		}
		if err := together(claim(0, b.a), claim(1, b.b)); err != nil {
			return out, err
		}
		b.home.sleep(100 * time.Millisecond)
		all := append(taken[0], taken[1]...)
		c.Tried, c.Taken = c.Tried+2*each, c.Taken+len(all)
		missing := map[string]int{}
		for _, t := range []*tab{b.a, b.b, b.c} {
			gone, err := eval[[]string](t, `lab.absent(%s)`, list(all))
			if err != nil {
				return out, err
			}
			for _, key := range gone {
				missing[key]++
			}
		}
		c.count(missing, all)
		if err := run(b.a, `lab.empty("claim")`); err != nil {
			return out, err
		}
		b.home.sleep(50 * time.Millisecond)
	}
	return append(out, judgeClaim(c)), nil
}

// count takes in how many of three tabs each key was missing from.
func (c *claimed) count(missing map[string]int, all []string) {
	for _, key := range all {
		switch n := missing[key]; {
		case n == 3:
			c.Lost++
		case n > 0:
			c.Apart++
		default:
			continue
		}
		if c.First == "" {
			c.First = fmt.Sprintf("; first: %s (round, tab, number), missing from %d tabs", key, missing[key])
		}
	}
}

// list writes strings as an array of the script's.
func list(all []string) string {
	text := "["
	for _, s := range all {
		text += fmt.Sprintf("%q,", s)
	}
	return text + "]"
}

func judgeFill(f filled) outcome {
	const quota = "QuotaExceededError"
	return held("storage/refusal", f.Thrown == quota && f.Grew == quota && f.Left+f.Silent == 0 && f.Kept && f.Small && f.After, f.Refused,
		"after %d characters setItem throws %s, and %s for a key that was to grow; %d refused keys are there, %d writes failed without a word; "+
			"the old value stays: %t; a smaller one is taken: %t; one after a removal: %t",
		f.Stored, or(f.Thrown), or(f.Grew), f.Left, f.Silent, f.Kept, f.Small, f.After)
}

func or(name string) string {
	if name == "" {
		return "nothing"
	}
	return name
}

func judgeClaim(c claimed) outcome {
	return held("storage/accepted", c.Lost+c.Apart == 0, c.Taken,
		"two tabs wrote %d values of 4 KiB at once where half of them find room: %d were not refused; five seconds later %d of those "+
			"were in none of three tabs, and %d in some of them%s", c.Tried, c.Taken, c.Lost, c.Apart, c.First)
}
