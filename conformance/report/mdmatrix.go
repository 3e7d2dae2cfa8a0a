package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// MatrixMarkdown writes several targets side by side: what each law's verdict is on each target, which
// laws hold on all of them, the deviations of each without their transcripts, which the results hold, and what each chose where the
// specification is silent.
func MatrixMarkdown(w io.Writer, o Options, results ...*conformance.Result) error {
	m := o.join(results...)
	md := &markdown{m: m, level: 3, brief: true}
	md.printf("# Conformance of %s\n\n", count(len(m.Targets), "target"))
	md.scope()
	md.summary()
	md.matrix()
	md.portable()
	md.printf("## Deviations by target\n\n")
	for _, t := range m.Targets {
		md.shown = 0
		md.printf("### %s\n\n", mdEscape(t.Label))
		md.level = 4
		md.deviations(t)
		md.undecided(t)
		md.baseline(t)
		if t.Counts[conformance.Fail]+t.Counts[conformance.Lax] == 0 {
			md.printf("No fail and no lax finding.\n\n")
		}
	}
	md.choices()
	md.reproduce()
	_, err := w.Write(md.b.Bytes())
	return err
}

func (md *markdown) summary() {
	md.printf("| target | software |")
	for _, v := range conformance.Verdicts() {
		md.printf(" %s |", v)
	}
	md.printf(" cases | exit |\n|---|---|%s---:|---|\n", strings.Repeat("---:|", len(conformance.Verdicts())))
	for _, t := range md.m.Targets {
		md.printf("| **%s** | %s |", mdEscape(t.Label), mdCell(t.Header.Software))
		for _, v := range conformance.Verdicts() {
			md.printf(" %d |", t.Counts[v])
		}
		md.printf(" %d | %s |\n", t.Counts.Total(), exitSentence(t))
	}
	md.printf("\n")
}

func (md *markdown) matrix() {
	md.printf("## Laws and targets\n\n")
	for _, v := range conformance.Verdicts() {
		md.printf("- %s **%s**: %s\n", symbol(v), v, meaning(v))
	}
	md.printf("- ± behind a verdict: runs of that target disagree, and the worse verdict is shown\n\n")
	md.printf("%s.\n\n", mdEscape(md.m.lawLine()))
	for _, g := range md.m.Groups() {
		md.printf("### %s\n\n| law | level | |", g)
		for _, t := range md.m.Targets {
			md.printf(" %s |", mdEscape(t.Label))
		}
		md.printf("\n|---|---|---|%s\n", strings.Repeat(":---:|", len(md.m.Targets)))
		for _, r := range md.m.Rows {
			if r.Group != g {
				continue
			}
			md.printf("| %s | %s | %s |", mdEscape(r.ID), r.Level(), mdEscape(r.Title()))
			for _, c := range r.Cells {
				md.printf(" %s |", cellText(c))
			}
			md.printf("\n")
		}
		md.printf("\n")
	}
}

// cellText names a verdict with its sign, and marks one that runs disagree about.
func cellText(c Cell) string {
	s := symbol(c.Verdict) + " " + string(c.Verdict)
	if c.Varies {
		s += " ±"
	}
	return s
}

func (md *markdown) portable() {
	heading := "Portable subset: laws that hold on every target"
	if len(md.m.Targets) == 1 {
		heading = "Laws that hold"
	}
	md.printf("## %s\n\n", heading)
	n := 0
	for _, g := range md.m.Groups() {
		var ids []string
		for _, r := range md.m.Rows {
			if r.Group == g && r.Portable() {
				ids = append(ids, mdEscape(r.ID)+" "+mdEscape(r.Title()))
			}
		}
		if n += len(ids); len(ids) > 0 {
			md.printf("**%s** (%d)\n\n- %s\n\n", g, len(ids), strings.Join(ids, "\n- "))
		}
	}
	md.printf("%d of %s.\n\n", n, count(len(md.m.Rows), "cited law"))
	var differ []string
	for _, r := range md.m.Rows {
		if r.Differs() {
			var parts []string
			for i, c := range r.Cells {
				parts = append(parts, fmt.Sprintf("%s %s", mdEscape(md.m.Targets[i].Label), cellText(c)))
			}
			differ = append(differ, fmt.Sprintf("%s %s: %s", mdEscape(r.ID), mdEscape(r.Title()), strings.Join(parts, "; ")))
		}
	}
	if len(differ) > 0 {
		md.printf("## Laws on which targets differ\n\n- %s\n\n", strings.Join(differ, "\n- "))
	}
}

func (md *markdown) choices() {
	list := md.m.Choices()
	if len(list) == 0 {
		return
	}
	md.printf("## Where the specification is silent\n\nNot a fault of anybody: what each target chose, side by side. ≠ marks a difference.\n\n")
	md.printf("| | question |")
	for _, t := range md.m.Targets {
		md.printf(" %s |", mdEscape(t.Label))
	}
	md.printf("\n|---|---|%s\n", strings.Repeat("---|", len(md.m.Targets)))
	for i, c := range list {
		if md.b.Len() > maxMarkdownOctets {
			md.printf("\n… and %d more\n", len(list)-i)
			break
		}
		mark := ""
		if c.Differs() {
			mark = "≠"
		}
		question := mdEscape(short(c.Key, maxMarkdownField))
		if c.Law != "" {
			question = mdEscape(c.Law) + ": " + question
		}
		md.printf("| %s | %s |", mark, question)
		for _, answers := range c.Answers {
			md.printf(" %s |", answersCell(answers))
		}
		md.printf("\n")
	}
	md.printf("\n")
}

func answersCell(list []Answer) string {
	const shown = 6
	var parts []string
	for i, a := range list {
		if i == shown {
			parts = append(parts, fmt.Sprintf("… %d more", len(list)-i))
			break
		}
		s := mdCell(short(a.Text, 200))
		if w := a.Where(); w != "" {
			s += " (" + mdEscape(w) + ")"
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, "<br>")
}

func (md *markdown) reproduce() {
	md.printf("## Reproduce\n\n%s\n\n", standHere)
	for _, t := range md.m.Targets {
		md.printf("### %s, as judged\n\n", mdEscape(t.Label))
		md.facts(t)
		for _, c := range reproduceCommands(t) {
			fence := mdFence([]string{c})
			md.printf("%s\n%s\n%s\n\n", fence, c, fence)
		}
	}
}
