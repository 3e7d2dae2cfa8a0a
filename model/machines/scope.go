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
	// LiveLaw is the id of the law about what comes to be in the end, and LiveTitle what that is. Empty: the machine has none.
	LiveLaw, LiveTitle string
	// Shows is the id of the law about something that may happen and that the scope is there to show; empty: it is there to show that all its laws hold. Then
	// an exploration succeeds with a shortest way to where it has happened, and fails with none.
	Shows string
	// Explore visits every state within the bounds and looks at every invariant: see model.Exhaust. When that is complete and there is a LiveLaw, it looks at it
	// as well: see model.Live. progress may be nil.
	Explore func(ctx context.Context, b model.Bounds, progress func(model.Progress)) (Found, error)
	// Draw writes the graph within the bounds as DOT, or as Mermaid.
	Draw func(ctx context.Context, w io.Writer, b model.Bounds, mermaid bool) error
}

// Found is what an exploration found.
type Found struct {
	model.Summary
	// Counterexample is in words a shortest way to break a law; empty: none is broken.
	Counterexample string
	// Shown is in words a shortest way to what the scope is there to show.
	Shown string
	// Live says that the LiveLaw of the scope was looked at and holds.
	Live bool
}

// A shower is a machine that denies what may happen, to show it.
type shower interface{ Shows() string }

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
	lively, _ := any(m).(model.Lively[S, A, O])
	if lively != nil && lively.Liveness().Law == "" {
		lively = nil
	}
	out := Scope{
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
			if s, ok := any(m).(shower); ok && s.Shows() != "" && err == nil {
				return turn(found, s.Shows()), nil
			}
			if err != nil || !found.Complete || lively == nil {
				return found, err
			}
			return live(ctx, lively, b, found)
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
	if s, ok := any(m).(shower); ok {
		out.Shows = s.Shows()
	}
	if lively != nil {
		l := lively.Liveness()
		out.LiveLaw, out.LiveTitle = l.Law, l.Title
	}
	return out
}

// turn makes a success of what was found in a scope that shows a law, and a failure of an exploration to the end that found nothing.
func turn(found Found, law string) Found {
	if found.Counterexample != "" {
		found.Shown, found.Counterexample, found.Complete = found.Counterexample, "", true
	} else if found.Complete {
		found.Counterexample, found.Complete = law+" does not happen", false
	}
	return found
}

// live adds to what was found whether the machine is live.
func live[S, A, O any](ctx context.Context, m model.Lively[S, A, O], b model.Bounds, found Found) (Found, error) {
	r, err := model.Live(ctx, m, m.Liveness(), b)
	found.Live = r.Complete
	if !r.Complete {
		found.Complete, found.Stopped = false, r.Stopped
	}
	if r.Counterexample != nil {
		found.Counterexample = r.Counterexample.String()
	}
	return found, err
}
