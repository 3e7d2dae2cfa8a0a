package report

import (
	"bytes"
	"encoding/json"
	"html/template"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// maxPageTranscripts bounds the transcripts of one page, in octets of their texts. Deviations come first.
const maxPageTranscripts = 24 << 20

type pageData struct {
	Targets  []string      `json:"targets"`
	Groups   []string      `json:"groups"`
	Levels   []string      `json:"levels"`
	Verdicts []dataVerdict `json:"verdicts"`
	Laws     []dataLaw     `json:"laws"`
}

type dataVerdict struct {
	Word    string `json:"word"`
	Symbol  string `json:"symbol"`
	Meaning string `json:"meaning"`
}

type dataLaw struct {
	ID        string     `json:"id"`
	Group     string     `json:"group"`
	Level     string     `json:"level"`
	Role      string     `json:"role,omitempty"`
	Versions  string     `json:"versions,omitempty"`
	Title     string     `json:"title"`
	Statement string     `json:"statement,omitempty"`
	Source    string     `json:"source,omitempty"`
	Check     string     `json:"check,omitempty"`
	Notes     string     `json:"notes,omitempty"`
	Withdrawn string     `json:"withdrawn,omitempty"`
	Differs   bool       `json:"differs,omitempty"`
	Cells     []dataCell `json:"cells"`
}

type dataCell struct {
	Verdict conformance.Verdict `json:"v"`
	Varies  bool                `json:"varies,omitempty"`
	Cases   []int               `json:"cases"`
}

type dataCase struct {
	conformance.CaseResult
	Varies  []conformance.Verdict `json:"varies,omitempty"`
	Dropped bool                  `json:"dropped,omitempty"` // the transcript was left out
	Known   string                `json:"known,omitempty"`   // why the baseline excuses it
	Again   string                `json:"again,omitempty"`   // the command that repeats its replay
}

// embed puts what the page's scripts need into the page: the laws at once, the cases of each target in a
// block of their own, which is parsed only when one of them is looked at.
func (p *page) embed(m *Matrix) {
	d := pageData{Targets: []string{}, Groups: append([]string{}, p.Groups...), Levels: append([]string{}, p.Levels...), Laws: []dataLaw{}}
	for _, v := range p.Verdicts {
		d.Verdicts = append(d.Verdicts, dataVerdict{v.Word, v.Symbol, v.Meaning})
	}
	for _, t := range m.Targets {
		d.Targets = append(d.Targets, t.Label)
	}
	for _, r := range m.Rows {
		l := dataLaw{
			ID: r.ID, Group: r.Group, Level: r.Level(), Role: r.Law.Role, Versions: strings.Join(r.Law.Versions, ", "), Title: r.Title(),
			Statement: r.Law.Statement, Source: r.Law.Source, Check: r.Law.Check, Notes: r.Law.Notes, Withdrawn: r.Law.Withdrawn,
			Differs: r.Differs(), Cells: []dataCell{},
		}
		for _, c := range r.Cells {
			l.Cells = append(l.Cells, dataCell{c.Verdict, c.Varies, append([]int{}, c.Cases...)})
		}
		d.Laws = append(d.Laws, l)
	}
	p.Data = scriptJSON(d)
	for _, cases := range pageCases(m) {
		p.CaseData = append(p.CaseData, scriptJSON(cases))
	}
}

// pageCases returns the cases of every target, with transcripts as far as the page's bound allows: those
// of deviations first, of passes last.
func pageCases(m *Matrix) [][]dataCase {
	out := make([][]dataCase, len(m.Targets))
	left := maxPageTranscripts
	for ti, t := range m.Targets {
		out[ti] = make([]dataCase, len(t.Cases))
	}
	for _, v := range conformance.Verdicts() {
		for ti, t := range m.Targets {
			for ci, c := range t.Cases {
				if c.Verdict != v {
					continue
				}
				one := dataCase{CaseResult: c.CaseResult, Varies: c.Varies, Known: c.known()}
				one.Type, one.Replay = "", ""
				one.Again, _ = m.published(c)
				size := 0
				for _, r := range c.Transcript {
					size += len(r.Text)
				}
				if size > left {
					one.Transcript, one.Dropped = nil, true
				} else {
					left -= size
				}
				out[ti][ci] = one
			}
		}
	}
	return out
}

// scriptJSON encodes v for a script element of type application/json. The encoder writes <, >, & and the
// two line separators as \uNNNN, so that no text can end the element or open a comment in it; it is given
// as template.JS because it is already in the form that the element needs.
func scriptJSON(v any) template.JS {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(true)
	if err := enc.Encode(v); err != nil {
		panic("report: page data of our own cannot be JSON: " + err.Error())
	}
	return template.JS(bytes.TrimSpace(b.Bytes()))
}
