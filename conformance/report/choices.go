package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// A Choice is one question that the specification leaves open, or one figure, with every target's answer.
type Choice struct {
	Law     string // the law that leaves it open; empty for a note
	Key     string // the question
	Answers [][]Answer
}

// An Answer is one thing that a target did, and where.
type Answer struct {
	Text     string
	Versions []string // protocol versions under which it was seen; nil when versions do not matter
}

// Where returns the versions as a remark, empty when there are none.
func (a Answer) Where() string { return strings.Join(a.Versions, ", ") }

// Differs reports whether two targets that answered gave different answers.
func (c Choice) Differs() bool {
	var first string
	for _, list := range c.Answers {
		if len(list) == 0 {
			continue
		}
		var texts []string
		for _, a := range list {
			texts = append(texts, a.Text+"\x00"+a.Where())
		}
		slices.Sort(texts)
		key := strings.Join(texts, "\x01")
		if first != "" && key != first {
			return true
		}
		first = key
	}
	return false
}

// Choices returns what the targets chose where the specification is silent: the info findings in the
// order of the laws, then the notes by key.
func (m *Matrix) Choices() []Choice {
	index := map[[2]string]int{}
	var out []Choice
	add := func(ti int, law, key, text, version string) {
		k := [2]string{law, key}
		i, ok := index[k]
		if !ok {
			i = len(out)
			index[k] = i
			out = append(out, Choice{Law: law, Key: key, Answers: make([][]Answer, len(m.Targets))})
		}
		out[i].Answers[ti] = withAnswer(out[i].Answers[ti], text, version)
	}
	for ti, t := range m.Targets {
		for _, c := range t.Cases {
			for _, f := range c.Findings {
				if f.Verdict == conformance.Info {
					add(ti, f.Law, f.Reason, cmp.Or(f.Seen, "observed"), c.Version)
				}
			}
			for _, n := range c.Notes {
				add(ti, "", n.Key, n.Value, c.Version)
			}
		}
	}
	order := map[string]int{}
	for i, r := range m.Rows {
		order[r.ID] = i + 1
	}
	slices.SortStableFunc(out, func(a, b Choice) int {
		if (a.Law == "") != (b.Law == "") {
			return cmp.Compare(b.Law, a.Law)
		}
		return cmp.Or(cmp.Compare(order[a.Law], order[b.Law]), cmp.Compare(a.Key, b.Key))
	})
	for _, c := range out {
		for _, list := range c.Answers {
			slices.SortStableFunc(list, func(a, b Answer) int {
				return cmp.Or(cmp.Compare(a.Where(), b.Where()), cmp.Compare(a.Text, b.Text))
			})
		}
	}
	return out
}

func withAnswer(list []Answer, text, version string) []Answer {
	i := slices.IndexFunc(list, func(a Answer) bool { return a.Text == text })
	if i < 0 {
		list = append(list, Answer{Text: text})
		i = len(list) - 1
	}
	if version != "" && !slices.Contains(list[i].Versions, version) {
		list[i].Versions = append(list[i].Versions, version)
		slices.Sort(list[i].Versions)
	}
	return list
}
