package corpus

import (
	"fmt"
	"slices"
	"strings"
)

// field is one field of a vector: whether the data sets it, and the operations that read it.
type field[O ~string] struct {
	name string
	set  bool
	ops  []O
}

// checkOp runs the check of op, one of those that are known. It refuses a field that op does not read: it would look like
// a check and be none.
func checkOp[O ~string](op O, checks map[O]func() error, fields []field[O]) error {
	check, known := checks[op]
	if !known {
		return fmt.Errorf("unknown op %q", op)
	}
	for _, f := range fields {
		if f.set && !slices.Contains(f.ops, op) {
			return fmt.Errorf("op %s has no field %s", op, f.name)
		}
	}
	return check()
}

// checkOffset tests a position in all of the feeds against the feed that must fail there.
func checkOffset(offset int64, feeds []Text, feed int) error {
	from := length(feeds[:feed-1])
	to := from + int64(len(feeds[feed-1]))
	if offset < from || offset >= to {
		return fmt.Errorf("offset %d is not in feed %d, which has the octets %d to %d", offset, feed, from, to-1)
	}
	return nil
}

func length(feeds []Text) (n int64) {
	for _, f := range feeds {
		n += int64(len(f))
	}
	return n
}

// choice is a field that has one of some values.
type choice struct {
	name, value string
	allowed     []string
}

func checkChoices(choices []choice) error {
	for _, c := range choices {
		if !slices.Contains(c.allowed, c.value) {
			return fmt.Errorf("%s %q is not one of %s", c.name, c.value, strings.Join(c.allowed, ", "))
		}
	}
	return nil
}
