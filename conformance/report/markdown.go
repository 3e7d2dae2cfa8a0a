package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/conformance"
)

// Bounds of Markdown: a step summary of a CI system takes 1 MiB at most.
const (
	maxMarkdownGroups  = 150
	maxMarkdownDetails = 60
	maxMarkdownRecords = 24
	maxMarkdownRecord  = 600
	maxMarkdownConn    = 40
	maxMarkdownField   = 600
	maxMarkdownOctets  = 900 << 10
)

// Markdown writes one section for each target: totals by group, and every deviation with the text of its
// law and the beginning of its transcript. It fits a CI step summary.
func Markdown(w io.Writer, o Options, results ...*conformance.Result) error {
	m := o.join(results...)
	md := &markdown{m: m, level: 2}
	for _, t := range m.Targets {
		md.printf("# %s: %s\n\n", mdEscape(t.Header.Suite), mdEscape(t.Label))
		md.printf("**%s; %s**\n\n", sum(t.Counts), exitSentence(t))
		md.facts(t)
		md.groups(t)
		md.deviations(t)
		md.undecided(t)
		md.baseline(t)
	}
	md.choices()
	md.scope()
	_, err := w.Write(md.b.Bytes())
	return err
}

// markdown collects the text. level is that of the headings inside a target's section.
type markdown struct {
	b     bytes.Buffer
	m     *Matrix
	level int
	shown int  // deviations shown in full
	brief bool // without transcripts
	stood bool // where commands are to be given has been said
}

func (md *markdown) printf(format string, args ...any) { fmt.Fprintf(&md.b, format, args...) }

func (md *markdown) heading(text string) {
	md.printf("%s %s\n\n", strings.Repeat("#", md.level), text)
}

func (md *markdown) facts(t *Target) {
	h := t.Header
	md.printf("| | |\n|---|---|\n")
	row := func(name, value string) {
		if value != "" {
			md.printf("| %s | %s |\n", name, value)
		}
	}
	row("target", mdCell(h.Target)+" ("+mdEscape(h.Kind)+")")
	row("software", mdCell(h.Software))
	row("versions", mdEscape(strings.Join(h.Versions, ", ")))
	row("profile", mdCell(h.Profile))
	for _, r := range t.Runs {
		value := fmt.Sprintf("seed %d, nonce %s, started %s", r.Seed, mdCell(r.Nonce), r.Started.UTC().Format("2006-01-02 15:04:05Z"))
		if len(r.Selection) > 0 {
			value += ", " + mdCell(strings.Join(r.Selection, " "))
		}
		row("run", value)
	}
	row("calibration", mdEscape(calibrationLine(h)))
	if t.Stopped != "" {
		row("ended early", mdEscape(t.Stopped))
	}
	md.printf("\n")
}

func (md *markdown) groups(t *Target) {
	used := t.used()
	md.printf("| group |")
	for _, v := range used {
		md.printf(" %s %s |", symbol(v), v)
	}
	md.printf(" cases |\n|---|%s---:|\n", strings.Repeat("---:|", len(used)))
	groups := t.Groups()
	row := func(name string, c conformance.Counts) {
		md.printf("| %s |", name)
		for _, v := range used {
			if c[v] > 0 {
				md.printf(" %d |", c[v])
			} else {
				md.printf(" |")
			}
		}
		md.printf(" %d |\n", c.Total())
	}
	for i, g := range groups {
		if i == maxMarkdownGroups {
			rest := conformance.Counts{}
			for _, g := range groups[i:] {
				for v, n := range g.Counts {
					rest[v] += n
				}
			}
			row(fmt.Sprintf("… %d more groups", len(groups)-i), rest)
			break
		}
		row(mdEscape(g.Name), g.Counts)
	}
	row("**all**", t.Counts)
	md.printf("\n")
}

func (md *markdown) deviations(t *Target) {
	for _, v := range []conformance.Verdict{conformance.Fail, conformance.Lax} {
		list := md.m.Deviations(t, v)
		if len(list) == 0 {
			continue
		}
		md.heading(fmt.Sprintf("%s %s: %s", symbol(v), v, tally(list, v)))
		if !md.stood {
			md.stood = true
			md.printf("*%s*\n\n", standHere)
		}
		for i, d := range list {
			if md.shown == maxMarkdownDetails || md.b.Len() > maxMarkdownOctets {
				md.printf("… and %d more; the result file and the other forms have all of them.\n\n", len(list)-i)
				break
			}
			md.shown++
			md.deviation(d)
		}
	}
}

func (md *markdown) deviation(d Deviation) {
	f, c := d.Finding, d.Case
	md.printf("**%s %s** (%s) on %s, case %s", symbol(f.Verdict), mdEscape(d.Law.ID), mdEscape(f.Level), mdEscape(d.Target.Label), mdCode(c.ID))
	if f.Step > 0 {
		md.printf(", step %d", f.Step)
	}
	md.printf("\n\n> %s\n", mdEscape(d.Sentence()))
	if d.Law.Source != "" {
		md.printf(">\n> *%s*\n", mdEscape(d.Law.Source))
	}
	md.printf("\n")
	item := func(name, value string) {
		if value != "" {
			md.printf("- %s: %s\n", name, value)
		}
	}
	item("reason", mdEscape(short(f.Reason, maxMarkdownField)))
	item("expected", mdCode(short(f.Expected, maxMarkdownField)))
	item("seen", mdCode(short(f.Seen, maxMarkdownField)))
	item("timing", mdEscape(c.Timing))
	item("window", windowText(c))
	if c.Varies != nil {
		item("varies", variesText(c.Varies))
	}
	item("known", mdEscape(short(c.known(), maxMarkdownField)))
	replay, command := md.m.published(c)
	item("replay", mdCode(replay))
	item("run again", mdCode(command))
	md.printf("\n")
	md.transcript(c)
}

func (md *markdown) transcript(c Case) {
	if len(c.Transcript) == 0 || md.brief {
		return
	}
	var lines []string
	width := 0
	for _, r := range c.Transcript[:min(len(c.Transcript), maxMarkdownRecords)] {
		width = max(width, utf8.RuneCountInString(short(r.Conn, maxMarkdownConn)))
	}
	for i, r := range c.Transcript {
		if i == maxMarkdownRecords {
			lines = append(lines, fmt.Sprintf("… %d more", len(c.Transcript)-i))
			break
		}
		l := fmt.Sprintf("%9.1f ms  %-*s %s  %s", r.Millis, width, short(r.Conn, maxMarkdownConn), r.Dir, short(r.Text, maxMarkdownRecord))
		if r.Cut {
			l += fmt.Sprintf("  [cut, %d octets]", r.Octets)
		}
		lines = append(lines, l)
	}
	fence := mdFence(lines)
	md.printf("<details><summary>transcript: %s (&gt; to the target, &lt; from it, - an event)</summary>\n\n%s\n%s\n%s\n\n</details>\n\n",
		count(len(c.Transcript), "record"), fence, strings.Join(lines, "\n"), fence)
}

func (md *markdown) undecided(t *Target) {
	for _, v := range []conformance.Verdict{conformance.Inconclusive, conformance.Blocked, conformance.Unsupported} {
		list := t.Reasons(v)
		if len(list) == 0 {
			continue
		}
		md.heading(fmt.Sprintf("%s %s: %s", symbol(v), v, count(t.Counts[v], "case")))
		for i, r := range list {
			if i == maxTerminalReasons || md.b.Len() > maxMarkdownOctets {
				md.printf("- … and %d more reasons\n", len(list)-i)
				break
			}
			md.printf("- %s: ", mdEscape(short(r.Text, maxMarkdownField)))
			for j, c := range r.Cases {
				if j == maxTerminalCases {
					md.printf(" and %d more", len(r.Cases)-j)
					break
				}
				if j > 0 {
					md.printf(", ")
				}
				md.printf("%s", mdCode(c.ID))
			}
			md.printf("\n")
		}
		md.printf("\n")
	}
}

func (md *markdown) baseline(t *Target) {
	b := t.Baseline
	if b == nil {
		return
	}
	md.heading("Baseline")
	md.printf("%s excused.\n\n", count(b.Known, "known deviation"))
	if b.Unjudged > 0 {
		md.printf("%s.\n\n", unjudgedText(b.Unjudged))
	}
	for _, l := range []struct {
		name string
		ids  []string
	}{{"new", b.New}, {"changed", b.Changed}, {"fixed (the entry is stale)", b.Fixed}, {"expired", b.Expired}} {
		for i, id := range l.ids {
			if i == maxTerminalBlocks || md.b.Len() > maxMarkdownOctets {
				md.printf("- … and %d more %s\n", len(l.ids)-i, l.name)
				break
			}
			md.printf("- %s: %s\n", l.name, mdCode(id))
		}
	}
	md.printf("\n")
}

func (md *markdown) scope() {
	seen := map[string]bool{}
	for _, t := range md.m.Targets {
		if s := t.Header.Scope; s != "" && !seen[s] {
			seen[s] = true
			md.printf("*%s*\n\n", mdEscape(s))
		}
	}
}
