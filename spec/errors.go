package spec

import (
	"fmt"
	"slices"
	"strings"
)

// An Error is one fault of a law file.
type Error struct {
	File   string // as given to Parse
	Line   int    // 1-based
	Column int    // 1-based; 0 when only the line is known
	Law    string // id of the law it stands in; empty when the fault is outside a law or in the id itself
	Reason string // what is wrong, with the value found and the values accepted
}

// Error formats the fault as file:line:column: law: reason.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d", e.File, e.Line)
	if e.Column > 0 {
		fmt.Fprintf(&b, ":%d", e.Column)
	}
	b.WriteString(": ")
	if e.Law != "" {
		b.WriteString(e.Law + ": ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// Errors is every fault of one law file, ordered by position. It is never empty when returned as an error.
type Errors []*Error

// Error joins the faults, one a line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As and errors.Is reach the single faults.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

func (es Errors) sorted() Errors {
	slices.SortStableFunc(es, func(a, b *Error) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return es
}

// An UnknownError reports a value of a question about the catalogue that matches nothing in it.
type UnknownError struct {
	What  string   // protocol, group, level, role, version, kind, since, glob or, for a glob without a star, law
	Value string   // the value asked for
	Known []string // the values that would have been accepted; nil when there are none
}

// Error names the value and the known ones.
func (e *UnknownError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("unknown %s %q: nothing matches it", e.What, e.Value)
	}
	return fmt.Sprintf("unknown %s %q, known: %s", e.What, e.Value, strings.Join(e.Known, ", "))
}
