package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/spec"
)

// lawLine says how many laws the cases cite, how many bind what these runs judge and are cited by none, and whose the others
// are: those say nothing about how much was tested.
func (m *Matrix) lawLine() string {
	s := count(len(m.Rows), "law") + " cited by the cases of these runs"
	own, others := 0, map[string]int{}
	for _, l := range m.uncited {
		switch {
		case l.Level == spec.Reference:
			others["Assay's reference"]++
		case m.judges(l.Role):
			own++
		default:
			others[l.Role]++
		}
	}
	if own > 0 {
		s += fmt.Sprintf("; %d more bind the same role and are cited by none", own)
	}
	if len(others) == 0 {
		return s
	}
	total := 0
	var parts []string
	for _, who := range slices.Sorted(maps.Keys(others)) {
		total += others[who]
		parts = append(parts, fmt.Sprintf("%s %d", who, others[who]))
	}
	return s + fmt.Sprintf("; another %d bind others (%s), and assay laws tells what judges each", total, strings.Join(parts, ", "))
}

// judges reports whether these runs judge a role: a suite cites some laws of the other side too, but not most of them.
func (m *Matrix) judges(role string) bool {
	cited, uncited := 0, 0
	for _, r := range m.Rows {
		if r.Law.Role == role && r.Law.Level != spec.Reference {
			cited++
		}
	}
	for _, l := range m.uncited {
		if l.Role == role && l.Level != spec.Reference {
			uncited++
		}
	}
	return cited > 0 && cited >= uncited
}
