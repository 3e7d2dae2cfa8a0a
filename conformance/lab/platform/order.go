package platform

import "fmt"

// overtaken is what a tab tells that looked into storage for each frame.
type overtaken struct {
	Frames, Stale int
	// First is the first frame that came without its write, and Had what was stored then. Behind is by how many writes storage was behind
	// at most, and Late how many milliseconds it took to catch up.
	First, Had, Behind int
	Late               float64
}

func (s overtaken) String() string {
	text := fmt.Sprintf("%d of %d frames came before the write", s.Stale, s.Frames)
	if s.Stale > 0 {
		text += fmt.Sprintf(", at most %d writes and %.1f ms before it; first: frame %d, when %d was stored", s.Behind, s.Late, s.First, s.Had)
	}
	return text
}

// orders sends frames that are about writes, one by one and without waiting, within a process, to another and through a third.
func (b *bench) orders() (out []outcome, err error) {
	const n, few = 2000, 300
	near, err := b.twin()
	if err != nil {
		return nil, err
	}
	defer near.stop()
	same, err := b.overtake(near, "near", fmt.Sprintf(`lab.send("near", %d, false)`, n))
	if err != nil {
		return nil, err
	}
	out = append(out, held("order/same-process", same.Stale == 0, same.Frames, "%v", same))
	one, err := b.overtake(b.b, "single", fmt.Sprintf(`lab.send("single", %d, false)`, n))
	if err != nil {
		return out, err
	}
	many, err := b.overtake(b.b, "poured", fmt.Sprintf(`lab.pour("poured", %d)`, n))
	if err != nil {
		return out, err
	}
	out = append(out, held("order/other-process", one.Stale+many.Stale == 0, one.Frames+many.Frames, "one at a time: %v. In bursts of "+
		"8: %v", one, many))
	shy, err := b.overtake(b.shy, "shy", fmt.Sprintf(`lab.send("shy", %d, false)`, few))
	if err != nil {
		return out, err
	}
	out = append(out, held("order/hidden", shy.Stale == 0, shy.Frames, "%v", shy))
	for t, order := range map[*tab]string{b.b: `lab.read("relay", "relay", "relay:2")`, b.c: `lab.read("relay:2", "relay", "relay:back")`} {
		if err := run(t, order); err != nil {
			return out, err
		}
	}
	if err := run(b.a, `lab.send("relay", %d, false)`, n); err != nil {
		return out, err
	}
	third, err := eval[overtaken](b.c, `lab.stop("relay:2")`)
	if err == nil {
		err = run(b.b, `lab.stop("relay")`)
	}
	if err != nil {
		return out, err
	}
	out = append(out, held("order/third", third.Stale == 0, third.Frames, "passed on by a tab in between: %v", third))
	after, err := b.overtake(b.b, "after", fmt.Sprintf(`lab.send("after", %d, true)`, n))
	if err != nil {
		return out, err
	}
	return append(out, seen("order/before-flush", after.Stale > 0, after.Frames, "posted before the write, which a microtask makes: %v",
		after)), nil
}

// overtake has the first tab send, and another read.
func (b *bench) overtake(reader *tab, name, send string) (o overtaken, err error) {
	if err := run(reader, `lab.read(%q, %q, %q)`, name, name, name+":back"); err != nil {
		return o, err
	}
	if err := run(b.a, "%s", send); err != nil {
		return o, err
	}
	return eval[overtaken](reader, `lab.stop(%q)`, name)
}
