package machines

import (
	"context"
	"io"

	"github.com/seed-6f28358b/assay/model"
)

// A Scope is a machine in one configuration.
type Scope struct {
	Name string
	// Laws are the ids of those that the invariants of the machine state.
	Laws []string
	// Explore visits every state within the bounds and looks at every invariant: see model.Exhaust. progress may be nil.
	Explore func(ctx context.Context, b model.Bounds, progress func(model.Progress)) (Found, error)
	// Draw writes the graph within the bounds as DOT, or as Mermaid.
	Draw func(ctx context.Context, w io.Writer, b model.Bounds, mermaid bool) error
}

// Found is what an exploration found.
type Found struct {
	model.Summary
	// Counterexample is in words a shortest way to break a law; empty: none is broken.
	Counterexample string
}

// of returns what makes the scopes of a version, whose machines build makes.
func of[V, C any, M model.Checked[S, A, O], S, A, O any](
	parse func(string) (V, error), scopes func(V) []model.Scope[C], build func(C) (M, error),
) func(string) ([]Scope, error) {
	return func(version string) ([]Scope, error) {
		v, err := parse(version)
		if err != nil {
			return nil, err
		}
		var out []Scope
		for _, sc := range scopes(v) {
			m, err := build(sc.Config)
			if err != nil {
				return nil, err
			}
			out = append(out, scopeOf(sc.Name, m))
		}
		return out, nil
	}
}

func scopeOf[S, A, O any](name string, m model.Checked[S, A, O]) Scope {
	return Scope{
		Name: name,
		Laws: model.LawsOf(m),
		Explore: func(ctx context.Context, b model.Bounds, progress func(model.Progress)) (Found, error) {
			r, err := model.Exhaust(ctx, m, model.ExhaustConfig[S, A, O]{
				Bounds: b, Invariants: m.Invariants(), EdgeInvariants: m.EdgeInvariants(), Progress: progress,
			})
			found := Found{Summary: r.Summary}
			if r.Counterexample != nil {
				found.Counterexample = r.Counterexample.String()
			}
			return found, err
		},
		Draw: func(ctx context.Context, w io.Writer, b model.Bounds, mermaid bool) error {
			g, err := model.Unfold(ctx, m, b)
			switch {
			case err != nil:
				return err
			case mermaid:
				return model.WriteMermaid(w, g, model.Labels[S, A, O]{})
			}
			return model.WriteDOT(w, g, model.Labels[S, A, O]{})
		},
	}
}
