package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// maxParts bounds the parts that are named one by one.
const maxParts = 20

// missingParts returns the parts I/N of sharded runs that are not among the runs. Runs of another selection are of
// another set of parts; a whole run of the same selection makes up for all.
func missingParts(runs []Run) []string {
	type set struct {
		rest string // the selection without its part
		of   int
	}
	whole, have := map[string]bool{}, map[set][]int{}
	var order []set
	for _, r := range runs {
		var rest []string
		index, of := 0, 0
		for _, s := range r.Selection {
			if part, ok := strings.CutPrefix(s, "--shard "); ok {
				if i, n, err := conformance.ParseShard(part); err == nil {
					index, of = i, n
					continue
				}
			}
			rest = append(rest, s)
		}
		key := set{strings.Join(rest, " "), of}
		if of == 0 {
			whole[key.rest] = true
			continue
		}
		if have[key] == nil {
			order = append(order, key)
		}
		if !slices.Contains(have[key], index) {
			have[key] = append(have[key], index)
		}
		if len(have[key]) == of {
			whole[key.rest] = true
		}
	}
	var out []string
	for _, key := range order {
		if whole[key.rest] {
			continue
		}
		left := key.of - len(have[key])
		for i := 1; left > 0; i++ {
			if slices.Contains(have[key], i) {
				continue
			}
			if len(out) == maxParts {
				return append(out, fmt.Sprintf("… %d more", left))
			}
			out = append(out, strconv.Itoa(i)+"/"+strconv.Itoa(key.of))
			left--
		}
	}
	return out
}

// lacks records parts that are missing: of what was not judged nobody can say that it held.
func (t *Target) lacks(parts []string) {
	t.Missing = parts
	if len(parts) > 0 && t.Exit != conformance.ExitBroken {
		t.Exit = conformance.ExitInconclusive
	}
}

// missingText says which parts are missing; empty when none is.
func (t *Target) missingText() string {
	switch len(t.Missing) {
	case 0:
		return ""
	case 1:
		return "part " + t.Missing[0] + " of the run is missing"
	default:
		return "parts " + strings.Join(t.Missing, ", ") + " of the run are missing"
	}
}
