package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/seed-6f28358b/assay/conformance"
)

// Bounds of what a terminal is shown of one kind; the result file has all.
const (
	maxTerminalBlocks  = 200
	maxTerminalReasons = 40
	maxTerminalCases   = 8
	maxTerminalField   = 1200
	maxTerminalChanges = 20
)

// Terminal writes what a person at a terminal or in a CI log wants to know of each target: what was
// judged, counts by group, every deviation as a block that stands alone, and last the totals.
func Terminal(w io.Writer, o Options, results ...*conformance.Result) error {
	m := o.join(results...)
	p := &terminal{o: o, m: m}
	for i, t := range m.Targets {
		if i > 0 {
			p.line("")
		}
		p.target(t)
	}
	if len(m.Targets) == 0 {
		p.line("no results")
	}
	_, err := w.Write(p.b.Bytes())
	return err
}

type terminal struct {
	b bytes.Buffer
	o Options
	m *Matrix
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
	violet = "35"
)

func hue(v conformance.Verdict) string {
	switch v {
	case conformance.Fail:
		return red
	case conformance.Lax:
		return yellow
	case conformance.Inconclusive, conformance.Blocked:
		return violet
	case conformance.Info:
		return blue
	case conformance.Pass:
		return green
	default:
		return dim
	}
}

func (p *terminal) paint(code, s string) string {
	if !p.o.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// line writes one line. CI systems take a line that begins with two colons or "##[" for a command; text of
// a target must not become one.
func (p *terminal) line(s string) {
	if l := strings.TrimLeft(s, " "); strings.HasPrefix(l, "::") || strings.HasPrefix(l, "##[") {
		s = s[:len(s)-len(l)] + "· " + l
	}
	p.b.WriteString(strings.TrimRight(s, " ") + "\n")
}

func (p *terminal) target(t *Target) {
	p.header(t)
	p.line("")
	p.groups(t)
	p.blocks(t, conformance.Fail)
	p.blocks(t, conformance.Lax)
	p.reasons(t, conformance.Inconclusive, true)
	p.reasons(t, conformance.Blocked, false)
	p.reasons(t, conformance.Unsupported, false)
	p.info(t)
	p.baseline(t)
	p.line("")
	if t.Stopped != "" {
		p.line(p.paint(violet, "the run ended early: ") + t.Stopped)
	}
	p.line(p.paint(bold, sum(t.Counts)+"; ") + p.paint(exitHue(t.Exit)+";"+bold, exitSentence(t)))
}

func exitHue(code int) string {
	switch code {
	case conformance.ExitHeld:
		return green
	case conformance.ExitBroken:
		return red
	default:
		return violet
	}
}

func (p *terminal) header(t *Target) {
	h := t.Header
	p.line(p.paint(bold, fmt.Sprintf("%s: %s", h.Suite, h.Name)))
	field := func(name, value string) {
		if value != "" {
			p.hang("  ", name, value)
		}
	}
	// STOMP-INTEROP-002: the kind of the evidence, version, profile and date stand on every report.
	field("target", h.Target+" ("+h.Kind+")")
	field("software", h.Software)
	field("versions", strings.Join(h.Versions, ", "))
	field("profile", h.Profile)
	for _, r := range t.Runs {
		seed := fmt.Sprintf("%d, nonce %s, %s", r.Seed, r.Nonce, r.Started.UTC().Format("2006-01-02 15:04:05Z"))
		if len(r.Selection) > 0 {
			seed += ", " + strings.Join(r.Selection, " ")
		}
		field("seed", seed)
	}
	field("timing", timingLine(h))
	field("calibration", calibrationLine(h))
	if h.Assay != "" {
		field("assay", h.Assay)
	}
	// STOMP-INTEROP-003: what the run claims is bounded.
	field("scope", h.Scope)
}

// hang writes a named value, wrapped, with its later lines under the first.
func (p *terminal) hang(lead, name, value string) {
	const label = 12
	room := max(20, p.o.width()-text.StringWidthWithoutEscSequences(lead)-label)
	for i, l := range strings.Split(text.WrapSoft(value, room), "\n") {
		n := ""
		if i == 0 {
			n = name
		}
		p.line(lead + p.paint(dim, fmt.Sprintf("%-*s", label, n)) + strings.TrimRight(l, " "))
	}
}

// groups writes the table of counts: without the signs, and at last with abbreviated heads, where the width asks for it.
func (p *terminal) groups(t *Target) {
	var lines []string
	for _, head := range []func(conformance.Verdict) string{
		func(v conformance.Verdict) string { return symbol(v) + " " + string(v) },
		func(v conformance.Verdict) string { return string(v) },
		abbreviation,
	} {
		lines = p.table(t, head)
		if text.StringWidthWithoutEscSequences(lines[0]) <= p.o.width() {
			break
		}
	}
	for _, l := range lines {
		p.line(l)
	}
}

func (p *terminal) table(t *Target, head func(conformance.Verdict) string) []string {
	tw := table.NewWriter()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	style.Options.SeparateFooter = true
	style.Format.Header, style.Format.Footer = text.FormatDefault, text.FormatDefault
	tw.SetStyle(style)
	used := t.used()
	titles, configs := table.Row{"group"}, []table.ColumnConfig{}
	for i, v := range used {
		titles = append(titles, head(v))
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
	}
	configs = append(configs, table.ColumnConfig{Number: len(used) + 2, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
	tw.SetColumnConfigs(configs)
	tw.AppendHeader(append(titles, "cases"))
	row := func(name string, c conformance.Counts) table.Row {
		r := table.Row{name}
		for _, v := range used {
			cell := ""
			if c[v] > 0 {
				cell = p.paint(hue(v), fmt.Sprint(c[v]))
			}
			r = append(r, cell)
		}
		return append(r, c.Total())
	}
	for _, g := range t.Groups() {
		tw.AppendRow(row(short(g.Name, 40), g.Counts))
	}
	tw.AppendFooter(row("all", t.Counts))
	return strings.Split(tw.Render(), "\n")
}

func (p *terminal) blocks(t *Target, v conformance.Verdict) {
	list := p.m.Deviations(t, v)
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line(p.paint(hue(v)+";"+bold, fmt.Sprintf("%s %s: %s", symbol(v), v, tally(list, v))) + " (" + meaning(v) + ")")
	for i, d := range list {
		if i == maxTerminalBlocks {
			p.line(fmt.Sprintf("… and %d more in the result file", len(list)-i))
			return
		}
		p.line("")
		p.block(d)
	}
}

// block writes one deviation so that it stands alone.
func (p *terminal) block(d Deviation) {
	f, c := d.Finding, d.Case
	level := f.Level
	if level == "" {
		level = "level unknown"
	}
	p.line(p.paint(hue(f.Verdict), "┌ "+symbol(f.Verdict)+" "+string(f.Verdict)) + " " + p.paint(bold, d.Law.ID) + " " + level)
	field := func(name, value string) {
		if value != "" {
			p.hang(p.paint(hue(f.Verdict), "│")+" ", name, short(value, maxTerminalField))
		}
	}
	field("law", d.Sentence())
	field("source", d.Law.Source)
	field("case", c.ID)
	field("title", c.Title)
	target := d.Target.Header.Name
	if d.Target.Header.Target != target {
		target += " at " + d.Target.Header.Target
	}
	field("target", target)
	if f.Step > 0 {
		field("step", fmt.Sprint(f.Step))
	}
	field("reason", f.Reason)
	field("expected", f.Expected)
	field("seen", f.Seen)
	field("known", c.known())
	field("timing", c.Timing)
	field("window", windowText(c))
	if c.Varies != nil {
		field("varies", variesText(c.Varies))
	}
	// A command that is wrapped cannot be copied.
	replay, command := again(c)
	for _, l := range [][2]string{{"replay", replay}, {"run again", command}} {
		if l[1] != "" {
			p.line(p.paint(hue(f.Verdict), "│") + " " + p.paint(dim, fmt.Sprintf("%-12s", l[0])) + l[1])
		}
	}
	p.line(p.paint(hue(f.Verdict), "└"))
}

func variesText(list []conformance.Verdict) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return "runs disagree: " + strings.Join(words, ", ")
}

// reasons writes the cases of an undecided verdict, grouped by why.
func (p *terminal) reasons(t *Target, v conformance.Verdict, commands bool) {
	list := t.Reasons(v)
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line(p.paint(hue(v)+";"+bold, fmt.Sprintf("%s %s: %s", symbol(v), v, count(t.Counts[v], "case"))) + " (" + meaning(v) + ")")
	for i, r := range list {
		if i == maxTerminalReasons {
			p.line(fmt.Sprintf("  … and %d more reasons in the result file", len(list)-i))
			return
		}
		p.hang("  ", "reason", short(r.Text, maxTerminalField))
		for j, c := range r.Cases {
			if j == maxTerminalCases {
				p.line(fmt.Sprintf("    … and %d more", len(r.Cases)-j))
				break
			}
			p.line("    " + c.ID)
			if commands && c.Command != "" {
				p.line("      " + p.paint(dim, short(c.Command, maxTerminalField)))
			}
		}
	}
}

func (p *terminal) info(t *Target) {
	n, notes := len(p.m.Deviations(t, conformance.Info)), 0
	for _, c := range t.Cases {
		notes += len(c.Notes)
	}
	if n+notes == 0 {
		return
	}
	p.line("")
	p.line(p.paint(hue(conformance.Info)+";"+bold, fmt.Sprintf("%s %s: %s and %s", symbol(conformance.Info), conformance.Info, count(n, "choice"), count(notes, "note"))) +
		" recorded where the specification is silent; the md and html forms set them side by side")
}

func (p *terminal) baseline(t *Target) {
	b := t.Baseline
	if b == nil {
		return
	}
	p.line("")
	p.line(p.paint(bold, "baseline: ") + count(b.Known, "known deviation"))
	if b.Unjudged > 0 {
		p.line("  " + unjudgedText(b.Unjudged))
	}
	for _, l := range []struct {
		name string
		ids  []string
	}{{"new", b.New}, {"changed", b.Changed}, {"fixed", b.Fixed}, {"expired", b.Expired}} {
		for i, id := range l.ids {
			if i == maxTerminalChanges {
				p.hang("  ", "", fmt.Sprintf("… and %d more in the result file", len(l.ids)-i))
				break
			}
			p.hang("  ", l.name, id)
		}
	}
}
