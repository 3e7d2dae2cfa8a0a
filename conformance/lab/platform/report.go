package platform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Formats are the names of the forms of a report, the default first.
func Formats() []string { return []string{"terminal", "md", "json"} }

// Write writes a report in the form that is named.
func (r *Report) Write(w io.Writer, format string) error {
	var b bytes.Buffer
	switch format {
	case "terminal":
		r.terminal(&b)
	case "md":
		r.markdown(&b)
	case "json":
		if err := r.json(&b); err != nil {
			return err
		}
	default:
		return fmt.Errorf("format %q is unknown, want one of %s", format, strings.Join(Formats(), ", "))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// sign is the mark of a verdict, as in other reports.
func (v Verdict) sign() string {
	return map[Verdict]string{Holds: "✓", Fails: "✗", Undecided: "?"}[v]
}

// sum counts the verdicts.
func (r *Report) sum() string {
	return fmt.Sprintf("%d assumptions = %d hold + %d do not + %d could not be decided", len(r.Findings), r.Count(Holds), r.Count(Fails),
		r.Count(Undecided))
}

// width is that of the lines on a terminal.
const width = 118

// terminal writes a table, and below it all that does not hold or could not be decided, with its evidence.
func (r *Report) terminal(b *bytes.Buffer) {
	fmt.Fprintf(b, "platform of the data bus: %s on %s\n\n", r.Browser, r.System)
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"", "assumption", "trials", "it says"})
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 3, Align: text.AlignRight}, {Number: 4, WidthMax: 80, WidthMaxEnforcer: text.WrapSoft}})
	for _, f := range r.Findings {
		t.AppendRow(table.Row{f.Verdict.sign(), f.ID, f.Trials, f.Text})
	}
	fmt.Fprintln(b, t.Render())
	for _, v := range []Verdict{Fails, Undecided} {
		for _, f := range r.Findings {
			if f.Verdict == v {
				f.block(b)
			}
		}
	}
	fmt.Fprintf(b, "\n%s\n", r.sum())
}

// block writes one finding so that it stands alone.
func (f Finding) block(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n%s %s %s\n", f.Verdict.sign(), f.Verdict, f.ID)
	for _, line := range []struct{ name, value string }{
		{"assumed", f.Text}, {"seen", f.Evidence}, {"rule", f.Rule}, {"laws", strings.Join(f.Laws, " ")}, {"covered", f.covered()},
	} {
		if line.value == "" {
			continue
		}
		for i, part := range strings.Split(text.WrapSoft(line.value, width-12), "\n") {
			name := line.name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(b, "  %-9s %s\n", name, strings.TrimSpace(part))
		}
	}
}

// covered says what of the machine covers what does not hold.
func (f Finding) covered() string {
	switch {
	case f.Verdict != Fails:
		return ""
	case f.Cover == "":
		return "by nothing of the machine"
	}
	return f.Cover
}

func (r *Report) json(b *bytes.Buffer) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// markdown writes a table for each verdict, the worst one first.
func (r *Report) markdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "# What the data bus takes for granted about a browser\n\n")
	fmt.Fprintf(b, "%s on %s: %s.\nMade by `assay lab platform --format md`. ", r.Browser, r.System, r.sum())
	b.WriteString("What holds was not seen to break in so many trials on one machine; it is no proof, and numbers of milliseconds are " +
		"those of that machine.\n")
	for _, part := range []struct {
		v     Verdict
		title string
	}{{Fails, "Does not hold"}, {Undecided, "Could not be decided"}, {Holds, "Holds"}} {
		if r.Count(part.v) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n## %s\n\n", part.title)
		head := []string{"assumption", "what was seen", "laws", "rule of the machine"}
		if part.v == Fails {
			head = append(head, "covered by")
		}
		row(b, head)
		row(b, strings.Split(strings.Repeat("---,", len(head)-1)+"---", ","))
		for _, f := range r.Findings {
			if f.Verdict != part.v {
				continue
			}
			cells := []string{"`" + f.ID + "` " + escape(f.Text), escape(f.Evidence), short(f.Laws), escape(f.Rule)}
			if part.v == Fails {
				cells = append(cells, escape(f.covered()))
			}
			row(b, cells)
		}
	}
}

func row(b *bytes.Buffer, cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }

// short leaves out of the ids what they have in common.
func short(laws []string) string {
	return strings.ReplaceAll(strings.Join(laws, ", "), "DATABUS-", "")
}

// escape keeps a text within its cell.
func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "\n", " ").Replace(s)
}
