package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suites"
	"github.com/seed-6f28358b/assay/spec"
)

type lawsCommand struct {
	What []string `arg:"" optional:"" help:"A protocol (stomp, eventbus, substrate, databus), a suite (stomp-client, sse-client: the laws that its cases cite), a law id, or a glob over law ids."`

	Group     []string `help:"Only these groups, as in FRAME,ACK." placeholder:"G"`
	Level     []string `help:"Only these levels: MUST, SHOULD, MAY, REFERENCE." placeholder:"L"`
	Role      []string `help:"Only these roles, as in codec,server." placeholder:"R"`
	Version   []string `help:"Only laws that hold in one of these protocol versions." placeholder:"V"`
	Judged    bool     `help:"As if each protocol were named that some suite judges by."`
	Matrix    bool     `help:"Show what covers each law: case, machine, fuzz, mutant."`
	Undecided bool     `help:"List MUST and REFERENCE laws that nothing checks; exit 1 if there are any." xor:"open"`
	Unproven  bool     `help:"List MUST and REFERENCE laws without a caught mutant; exit 1 if there are any." xor:"open"`
	Format    string   `help:"terminal, json or md." enum:"terminal,json,md" default:"terminal" placeholder:"F"`
}

// Help is shown below the flags.
func (lawsCommand) Help() string {
	return `Examples:
  assay laws stomp --group ACK
  assay laws STOMP-ESC-003
  assay laws stomp --matrix --format md
  assay laws stomp --undecided --role codec,server
  assay laws sse-client                                the laws that this suite's cases cite

Exit status: 0; 1 --undecided or --unproven lists something; 64 usage.`
}

// Run executes the command.
func (c *lawsCommand) Run(s streams) error {
	catalogue, err := spec.Load()
	if err != nil {
		return err
	}
	filter, err := c.filter(catalogue)
	if err != nil {
		return usageError{err}
	}
	laws, err := catalogue.Select(filter)
	if err != nil {
		return usageError{err}
	}
	if len(laws) == 0 {
		return usageError{fmt.Errorf("no law matches")}
	}
	coverage, err := evidence()
	if err != nil {
		return err
	}
	switch {
	case c.Undecided:
		return c.unmet(s, coverage.Undecided(laws), len(laws), "without a check", coverage)
	case c.Unproven:
		return c.unmet(s, coverage.Unproven(laws), len(laws), "without a caught mutant", coverage)
	case len(laws) == 1 && len(c.What) == 1 && c.Format == "terminal":
		printLaw(s.out, laws[0], coverage)
		return nil
	default:
		return c.print(s.out, laws, coverage)
	}
}

func (c *lawsCommand) filter(catalogue *spec.Catalogue) (spec.Filter, error) {
	f := spec.Filter{Groups: c.Group, Roles: c.Role, Versions: c.Version}
	for _, l := range c.Level {
		f.Levels = append(f.Levels, spec.Level(strings.ToUpper(l)))
	}
	if c.Judged {
		for _, s := range suites.All() {
			f.Protocols = append(f.Protocols, s.Protocol)
		}
	}
	for _, what := range c.What {
		suite, isSuite := suites.Named(what)
		switch {
		case slices.Contains(catalogue.Protocols(), strings.ToLower(what)):
			f.Protocols = append(f.Protocols, strings.ToLower(what))
		case isSuite:
			f.Globs = append(f.Globs, cited(suite)...)
		case strings.Contains(what, "*") || strings.Contains(what, "-"):
			f.Globs = append(f.Globs, what)
		default:
			return f, fmt.Errorf("%q is neither a protocol (%s), nor a suite (%s), nor a law id", what,
				strings.Join(catalogue.Protocols(), ", "), strings.Join(suites.Names(), ", "))
		}
	}
	return f, nil
}

// cited returns the laws that the cases of a suite decide.
func cited(suite *conformance.Suite) []string {
	var out []string
	for _, c := range suite.Cases {
		out = append(out, c.Laws...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c *lawsCommand) unmet(s streams, open []spec.Law, total int, lack string, coverage *conformance.Coverage) error {
	if c.Format != "terminal" {
		if err := c.print(s.out, open, coverage); err != nil {
			return err
		}
	} else {
		for _, l := range open {
			fmt.Fprintf(s.out, "%s  %s  %s  %s\n", l.ID, l.Role, l.Level, l.Title)
		}
	}
	fmt.Fprintf(s.err, "%d of %d laws are MUST or REFERENCE and %s\n", len(open), total, lack)
	if len(open) > 0 {
		return statusError(conformance.ExitBroken)
	}
	return nil
}

// lawEntry is a law and what covers it, for machines.
type lawEntry struct {
	ID        string              `json:"id"`
	Protocol  string              `json:"protocol"`
	Group     string              `json:"group"`
	Role      string              `json:"role"`
	Level     string              `json:"level"`
	Versions  []string            `json:"versions,omitempty"`
	Since     string              `json:"since,omitempty"`
	Kind      string              `json:"kind,omitempty"`
	Decision  bool                `json:"decision,omitempty"`
	Title     string              `json:"title"`
	Statement string              `json:"statement"`
	Source    string              `json:"source"`
	Check     string              `json:"check"`
	Notes     string              `json:"notes,omitempty"`
	Withdrawn string              `json:"withdrawn,omitempty"`
	Coverage  map[string][]string `json:"coverage"`
	Decided   bool                `json:"decided"`
	Proven    bool                `json:"proven"`
}

func entryOf(l spec.Law, coverage *conformance.Coverage) lawEntry {
	e := lawEntry{
		ID: l.ID, Protocol: l.Protocol, Group: l.Group, Role: l.Role, Level: string(l.Level), Versions: l.Versions, Since: l.Since,
		Kind: l.Kind, Decision: l.Decision, Title: l.Title, Statement: l.Statement, Source: l.Source, Check: l.Check, Notes: l.Notes,
		Withdrawn: l.Withdrawn, Coverage: map[string][]string{}, Decided: coverage.Decided(l.ID), Proven: coverage.Proven(l.ID),
	}
	for _, kind := range conformance.Kinds() {
		e.Coverage[kind] = append([]string{}, coverage.Where(l.ID, kind)...)
	}
	return e
}

func (c *lawsCommand) print(w io.Writer, laws []spec.Law, coverage *conformance.Coverage) error {
	if c.Format == "json" {
		entries := make([]lawEntry, len(laws))
		for i, l := range laws {
			entries[i] = entryOf(l, coverage)
		}
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(entries)
	}
	t := table.NewWriter()
	header := table.Row{"law", "role", "level", "versions", "title"}
	if c.Matrix {
		for _, kind := range conformance.Kinds() {
			header = append(header, kind)
		}
	}
	t.AppendHeader(header)
	for _, l := range laws {
		row := table.Row{l.ID, l.Role, l.Level, strings.Join(l.Versions, " "), l.Title}
		if c.Matrix {
			for _, kind := range conformance.Kinds() {
				row = append(row, count(len(coverage.Where(l.ID, kind))))
			}
		}
		t.AppendRow(row)
	}
	if c.Matrix {
		footer := table.Row{fmt.Sprintf("%d laws", len(laws)), "", "", "", "covered"}
		for _, kind := range conformance.Kinds() {
			n := 0
			for _, l := range laws {
				if len(coverage.Where(l.ID, kind)) > 0 {
					n++
				}
			}
			footer = append(footer, n)
		}
		t.AppendFooter(footer)
	}
	style := table.StyleLight
	style.Format.Header, style.Format.Footer = text.FormatDefault, text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	t.SetStyle(style)
	out := t.Render()
	if c.Format == "md" {
		out = t.RenderMarkdown()
	}
	_, err := fmt.Fprintln(w, out)
	return err
}

func count(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// printLaw shows one law in full with everything that decides it.
func printLaw(w io.Writer, l spec.Law, coverage *conformance.Coverage) {
	fmt.Fprintf(w, "%s  %s\n", l.ID, l.Title)
	for _, f := range []struct{ name, value string }{
		{"protocol", l.Protocol},
		{"role", l.Role},
		{"level", string(l.Level)},
		{"versions", strings.Join(l.Versions, ", ")},
		{"since", l.Since},
		{"kind", l.Kind},
		{"withdrawn", l.Withdrawn},
		{"statement", l.Statement},
		{"source", l.Source},
		{"check", l.Check},
		{"notes", l.Notes},
	} {
		if f.value != "" {
			printField(w, f.name, strings.Split(text.WrapSoft(f.value, lawWidth), "\n"))
		}
	}
	if l.Decision {
		printField(w, "decision", []string{"of this project, where the source is silent"})
	}
	for _, kind := range conformance.Kinds() {
		where := coverage.Where(l.ID, kind)
		printField(w, kind, append([]string{fmt.Sprintf("%d", len(where))}, where...))
	}
}

// lawWidth is the width of the text of a law, in columns.
const lawWidth = 88

// printField shows a name and, in a column of their own beside it, the lines of its value.
func printField(w io.Writer, name string, lines []string) {
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-10s  %s", name, line), " "))
	}
}
