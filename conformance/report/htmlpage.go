package report

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// Bounds of lists that the page holds as ready HTML; the rest is in the result files.
const (
	maxPageDeviations = 400
	maxPageChoices    = 600
	maxPageReasons    = 60
)

type page struct {
	Title, Lede, Date, Assay, Policy string
	Style                            template.CSS
	Script, Data                     template.JS
	CaseData                         []template.JS
	Single, Wide, Many, Deviates     bool
	Stand                            string
	Stats                            []pageStat
	Columns                          int
	Targets                          []pageTarget
	Groups, Levels, Scopes           []string
	Verdicts                         []pageVerdict
	Sections                         []pageSection
	Choices                          []Choice
	MoreChoices                      string
	LawLine, PortableLine            string
	Portable                         []pagePortable
}

type pageStat struct {
	Verdict conformance.Verdict // colour; empty: none
	N       int
	Text    string
}

type pageVerdict struct {
	Word, Symbol, Meaning string
	Laws                  int // laws that have this verdict on some target
}

type pageSection struct {
	Group string
	Rows  []pageRow
}

type pageRow struct {
	ID, Level, Title string
	Cells            []pageCell
}

type pageCell struct {
	Verdict                    conformance.Verdict
	Symbol, Law, Target, Label string
	Varies                     bool
}

type pagePortable struct {
	Group string
	Of    int
	Laws  []spec.Law
}

func newPage(m *Matrix) *page {
	p := &page{
		Stand: standHere, Style: template.CSS(pageStyle), Script: template.JS(pageScript()), Policy: pagePolicy(pageScript(), pageStyle),
		Single: len(m.Targets) == 1, Wide: len(m.Targets) > 4, Many: len(m.Targets) == 1 || len(m.Targets) > 3, Columns: len(m.Targets) + 1, Groups: m.Groups(),
	}
	p.head(m)
	p.verdicts(m)
	p.stats(m)
	for _, t := range m.Targets {
		p.Targets = append(p.Targets, newPageTarget(m, t))
		p.Deviates = p.Deviates || t.Counts[conformance.Fail]+t.Counts[conformance.Lax] > 0
	}
	p.matrix(m)
	p.choices(m)
	p.portable(m)
	p.embed(m)
	return p
}

func (p *page) head(m *Matrix) {
	var last time.Time
	protocols, kinds := []string{}, map[string]bool{}
	for _, t := range m.Targets {
		if name := suiteTitle(t.Header); !kinds[name] {
			kinds[name] = true
			protocols = append(protocols, name)
		}
		for _, r := range t.Runs {
			if r.Started.After(last) {
				last = r.Started
			}
		}
		if p.Assay == "" {
			p.Assay = t.Header.Assay
		}
		if s := t.Header.Scope; s != "" && !kinds["scope "+s] {
			kinds["scope "+s] = true
			p.Scopes = append(p.Scopes, s)
		}
	}
	if !last.IsZero() {
		p.Date = last.UTC().Format("2 January 2006")
	}
	switch len(m.Targets) {
	case 0:
		p.Title = "No results"
	case 1:
		p.Title = protocols[0] + " conformance of " + m.Targets[0].Label
	default:
		p.Title = fmt.Sprintf("%s conformance of %d targets", strings.Join(protocols, ", "), len(m.Targets))
	}
	if len(p.Scopes) > 0 {
		p.Lede = p.Scopes[0]
	}
}

// suiteTitle says what a suite judges: in its own words or, in a result that does not hold them, by its name.
func suiteTitle(h conformance.Header) string {
	if h.Title != "" {
		return h.Title
	}
	name, rest, _ := strings.Cut(h.Suite, "-")
	return strings.TrimSpace(strings.ToUpper(name) + " " + rest)
}

func (p *page) verdicts(m *Matrix) {
	for _, v := range conformance.Verdicts() {
		n := 0
		for _, r := range m.Rows {
			for _, c := range r.Cells {
				if c.Verdict == v {
					n++
					break
				}
			}
		}
		p.Verdicts = append(p.Verdicts, pageVerdict{string(v), symbol(v), meaning(v), n})
	}
	for _, l := range spec.Levels() {
		for _, r := range m.Rows {
			if r.Law.Level == l {
				p.Levels = append(p.Levels, string(l))
				break
			}
		}
	}
}

// stats says in one line what the laws came to. The figures behind the first add up to it.
func (p *page) stats(m *Matrix) {
	decided, differ := 0, 0
	kinds := conformance.Counts{}
	for _, r := range m.Rows {
		if r.Differs() {
			differ++
		}
		if v := r.worstDecided(); v != conformance.NotRun {
			decided++
			kinds[v]++
		}
	}
	if len(m.Targets) == 0 {
		return
	}
	where := [4]string{"held", "broken", "held loosely", "left open by the text"}
	if len(m.Targets) > 1 {
		where = [4]string{"held wherever decided", "broken somewhere", "held loosely somewhere", "left open by the text"}
	}
	p.Stats = []pageStat{{N: decided, Text: strings.TrimPrefix(count(decided, "law"), fmt.Sprint(decided)+" ") + " decided:"}}
	for i, v := range []conformance.Verdict{conformance.Pass, conformance.Fail, conformance.Lax, conformance.Info} {
		if kinds[v] > 0 || i < 2 {
			p.Stats = append(p.Stats, pageStat{v, kinds[v], where[i]})
		}
	}
	if len(m.Targets) > 1 {
		p.Stats = append(p.Stats, pageStat{"", differ, "differing between targets"})
	}
}

func (p *page) matrix(m *Matrix) {
	for _, r := range m.Rows {
		if n := len(p.Sections); n == 0 || p.Sections[n-1].Group != r.Group {
			p.Sections = append(p.Sections, pageSection{Group: r.Group})
		}
		row := pageRow{ID: r.ID, Level: r.Level(), Title: r.Title()}
		for ti, c := range r.Cells {
			label := fmt.Sprintf("%s on %s: %s", r.ID, m.Targets[ti].Label, c.Verdict)
			if c.Varies {
				label += ", runs disagree"
			}
			row.Cells = append(row.Cells, pageCell{c.Verdict, symbol(c.Verdict), r.ID, m.Targets[ti].Label, label, c.Varies})
		}
		s := &p.Sections[len(p.Sections)-1]
		s.Rows = append(s.Rows, row)
	}
	p.LawLine = m.lawLine()
}

func (p *page) choices(m *Matrix) {
	p.Choices = m.Choices()
	if n := len(p.Choices); n > maxPageChoices {
		p.Choices = p.Choices[:maxPageChoices]
		p.MoreChoices = fmt.Sprintf("%d more are in the result files.", n-maxPageChoices)
	}
	for i, c := range p.Choices {
		p.Choices[i].Key = short(c.Key, 400)
		for j, list := range c.Answers {
			const shown = 12
			if len(list) > shown {
				list = append(list[:shown:shown], Answer{Text: fmt.Sprintf("… %d more", len(list)-shown)})
				p.Choices[i].Answers[j] = list
			}
			for k := range list {
				list[k].Text = short(list[k].Text, 400)
			}
		}
	}
}

func (p *page) portable(m *Matrix) {
	total := 0
	for _, s := range p.Sections {
		one := pagePortable{Group: s.Group, Of: len(s.Rows)}
		for _, r := range m.Rows {
			if r.Group == s.Group && r.Portable() {
				one.Laws = append(one.Laws, spec.Law{ID: r.ID, Title: r.Title()})
			}
		}
		if total += len(one.Laws); len(one.Laws) > 0 {
			p.Portable = append(p.Portable, one)
		}
	}
	p.PortableLine = fmt.Sprintf("Held in every case that could tell: %d of %s.", total, count(len(m.Rows), "law"))
	if !p.Single {
		p.PortableLine = fmt.Sprintf("Held on all %d targets: %d of %s. An application may rely on these wherever it is moved.", len(m.Targets), total, count(len(m.Rows), "law"))
	}
}
