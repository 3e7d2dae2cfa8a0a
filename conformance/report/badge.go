package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// A badge is the endpoint form that badge services read.
type badge struct {
	SchemaVersion int    `json:"schemaVersion"`
	Label         string `json:"label"`
	Message       string `json:"message"`
	Color         string `json:"color"`
}

// Badge writes the overall badge: the cases of every target together.
func Badge(w io.Writer, o Options, results ...*conformance.Result) error {
	return writeJSON(w, o.join(results...).badge())
}

func (m *Matrix) badge() badge {
	all, known := conformance.Counts{}, 0
	protocols := []string{}
	for _, t := range m.Targets {
		for _, c := range t.Cases {
			if c.Excuse != nil {
				known++
				continue
			}
			all[c.Verdict]++
		}
		if p := t.Header.Suite; p != "" && !strings.Contains(strings.Join(protocols, " "), p) {
			protocols = append(protocols, p)
		}
	}
	return newBadge(strings.Join(append(protocols, "conformance"), " "), "case", all, known)
}

// badges returns the overall badge and one for each law group, by file name.
func (m *Matrix) badges() []File {
	out := []File{{Name: "badge.json", Data: mustJSON(m.badge())}}
	for _, g := range m.Groups() {
		c, known := conformance.Counts{}, 0
		for _, r := range m.Rows {
			if r.Group != g {
				continue
			}
			for _, cell := range r.Cells {
				if cell.Known {
					known++
					continue
				}
				c[cell.Verdict]++
			}
		}
		name := strings.ToLower(g)
		out = append(out, File{
			Name: "badges/" + name + ".json",
			Data: mustJSON(newBadge(strings.ReplaceAll(name, "-", " "), "law", c, known)),
		})
	}
	return out
}

// newBadge words counts so that nothing that was not decided can look green, and what is known to deviate looks neither
// green nor red; known ones are not among the counts.
func newBadge(label, thing string, c conformance.Counts, known int) badge {
	b := badge{SchemaVersion: 1, Label: label}
	decided := c[conformance.Pass] + c[conformance.Lax] + c[conformance.Info] + c[conformance.Fail]
	undecided := c[conformance.Inconclusive] + c[conformance.Blocked]
	switch {
	case c[conformance.Fail] > 0:
		b.Message, b.Color = fmt.Sprintf("%d of %s fail", c[conformance.Fail], count(decided, thing)), "red"
	case known > 0 && undecided == 0:
		b.Message, b.Color = fmt.Sprintf("%s held, %d known to deviate", count(decided-c[conformance.Lax], thing), known), "yellow"
		if lax := c[conformance.Lax]; lax > 0 {
			b.Message = fmt.Sprintf("%s held, %d lax, %d known to deviate", count(decided-lax, thing), lax, known)
		}
	case decided == 0 && undecided == 0:
		b.Message, b.Color = "not run", "lightgrey"
	case decided == 0:
		b.Message, b.Color = "inconclusive", "lightgrey"
	case undecided > 0:
		b.Message, b.Color = fmt.Sprintf("%d of %s undecided", undecided, count(decided+undecided, thing)), "orange"
	case c[conformance.Lax] > 0:
		b.Message, b.Color = fmt.Sprintf("%s held, %d lax", count(decided-c[conformance.Lax], thing), c[conformance.Lax]), "yellow"
	default:
		b.Message, b.Color = fmt.Sprintf("%s held", count(decided, thing)), "brightgreen"
	}
	return b
}

func mustJSON(v any) []byte {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("report: a value of our own cannot be JSON: %v", err))
	}
	return append(data, '\n')
}

func writeJSON(w io.Writer, v any) error {
	_, err := w.Write(mustJSON(v))
	return err
}
