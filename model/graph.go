package model

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// DefaultGraphStates bounds a graph unless it is told otherwise: more than a
// few hundred states make no picture that anyone can read.
const DefaultGraphStates = 500

// A Graph is a small part of what a machine can do, kept whole to be drawn.
// States are numbered in the order in which they are reached, breadth first.
type Graph[S, A, O any] struct {
	// States are the states, the initial one first.
	States []S
	// Edges are all the steps between them, in order of From.
	Edges []Edge[A, O]
	// Expanded is how many states, from the first, have all their steps in
	// Edges. The rest lie at the bound, and steps from them are missing.
	Expanded int
}

// An Edge is a step between two numbered states.
type Edge[A, O any] struct {
	// From and To index Graph.States.
	From, To int
	// Step is the action and the outcome.
	Step Step[A, O]
}

// Complete is true when the graph shows all that the machine can do.
func (g *Graph[S, A, O]) Complete() bool { return g.Expanded == len(g.States) }

// Unfold explores m breadth first within the bounds and keeps the graph.
// Bounds.States 0 means DefaultGraphStates; Bounds.Workers is ignored. Steps to
// states beyond the bound on states are left out, and the states that they
// start from are not counted in Expanded.
func Unfold[S, A, O any](ctx context.Context, m Machine[S, A, O], bounds Bounds) (*Graph[S, A, O], error) {
	if err := bounds.Validate(); err != nil {
		return nil, err
	}
	limit := bounds.States
	if limit == 0 {
		limit = DefaultGraphStates
	}
	g := &Graph[S, A, O]{States: []S{m.Init()}}
	ids := map[string]int{string(m.AppendKey(nil, g.States[0])): 0}
	depths := []int{0}
	var key []byte
	whole := true
	for from := 0; from < len(g.States); from++ {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("unfold %d states: %w", len(g.States), context.Cause(ctx))
		}
		if bounds.Depth > 0 && depths[from] == bounds.Depth {
			break
		}
		for a := range m.Actions(g.States[from]) {
			for after, o := range m.Step(g.States[from], a) {
				key = m.AppendKey(key[:0], after)
				to, ok := ids[string(key)]
				if !ok && len(g.States) == limit {
					whole = false
					continue
				}
				if !ok {
					to = len(g.States)
					ids[string(key)] = to
					g.States = append(g.States, after)
					depths = append(depths, depths[from]+1)
				}
				g.Edges = append(g.Edges, Edge[A, O]{from, to, Step[A, O]{a, o}})
			}
		}
		if whole {
			g.Expanded = from + 1
		}
	}
	return g, nil
}

// Labels says how the parts of a graph are written. A nil function means the
// value as %+v writes it; an edge is then "action -> outcome", or only the
// action if the outcome is an empty struct.
type Labels[S, A, O any] struct {
	// State names a state.
	State func(s S) string
	// Step names a step.
	Step func(step Step[A, O]) string
	// Mark, if not nil, says which states to draw in bold.
	Mark func(s S) bool
}

func (l Labels[S, A, O]) state(s S) string {
	if l.State != nil {
		return l.State(s)
	}
	return fmt.Sprintf("%+v", s)
}

func (l Labels[S, A, O]) step(step Step[A, O]) string {
	if l.Step != nil {
		return l.Step(step)
	}
	if _, ok := any(step.Outcome).(struct{}); ok {
		return fmt.Sprintf("%+v", step.Action)
	}
	return fmt.Sprintf("%+v -> %+v", step.Action, step.Outcome)
}

// WriteDOT writes the graph for Graphviz. The initial state has a double
// border; states at the bound are dashed, since steps from them are missing.
func WriteDOT[S, A, O any](w io.Writer, g *Graph[S, A, O], labels Labels[S, A, O]) error {
	out := bufio.NewWriter(w)
	out.WriteString("digraph machine {\n\trankdir=LR;\n\tnode [shape=box];\n")
	for i, s := range g.States {
		fmt.Fprintf(out, "\ts%d [label=%s", i, quoteDOT(labels.state(s)))
		if i == 0 {
			out.WriteString(", peripheries=2")
		}
		var styles []string
		if i >= g.Expanded {
			styles = append(styles, "dashed")
		}
		if labels.Mark != nil && labels.Mark(s) {
			styles = append(styles, "bold")
		}
		if len(styles) > 0 {
			fmt.Fprintf(out, ", style=\"%s\"", strings.Join(styles, ","))
		}
		out.WriteString("];\n")
	}
	for _, e := range g.Edges {
		fmt.Fprintf(out, "\ts%d -> s%d [label=%s];\n", e.From, e.To, quoteDOT(labels.step(e.Step)))
	}
	out.WriteString("}\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write dot graph of %d states: %w", len(g.States), err)
	}
	return nil
}

// quoteDOT writes a string as DOT reads it: only the quote and the backslash
// are special.
func quoteDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// WriteMermaid writes the graph as a Mermaid state diagram, which Markdown on
// many sites shows as a picture. States at the bound have a dashed border.
func WriteMermaid[S, A, O any](w io.Writer, g *Graph[S, A, O], labels Labels[S, A, O]) error {
	if len(g.States) == 0 {
		return errors.New("write mermaid graph: it has no states")
	}
	out := bufio.NewWriter(w)
	out.WriteString("stateDiagram-v2\n\tclassDef bound stroke-dasharray: 4\n\tclassDef marked stroke-width: 3px\n")
	for i, s := range g.States {
		fmt.Fprintf(out, "\tstate %s as s%d\n", quoteMermaid(labels.state(s)), i)
	}
	out.WriteString("\t[*] --> s0\n")
	for _, e := range g.Edges {
		fmt.Fprintf(out, "\ts%d --> s%d: %s\n", e.From, e.To, escapeMermaid(labels.step(e.Step)))
	}
	for i, s := range g.States {
		if i >= g.Expanded {
			fmt.Fprintf(out, "\tclass s%d bound\n", i)
		}
		if labels.Mark != nil && labels.Mark(s) {
			fmt.Fprintf(out, "\tclass s%d marked\n", i)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write mermaid graph of %d states: %w", len(g.States), err)
	}
	return nil
}

func quoteMermaid(s string) string { return `"` + escapeMermaid(s) + `"` }

// escapeMermaid replaces what ends a label or a statement with entity codes,
// which Mermaid writes with # instead of &.
func escapeMermaid(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", ";", "#59;", ":", "#58;", "\n", " ", "<", "#lt;", ">", "#gt;").Replace(s)
}
