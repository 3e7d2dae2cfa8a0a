package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

type exploreCommand struct {
	Machine string        `arg:"" help:"stomp-broker: two sessions, one queue, two messages, one transaction. stomp-session: one client with room for two subscriptions, two transactions, two receipts and three deliveries. eventbus-bus: small buses, one for each family of laws. eventbus-reducer: the view of a session." enum:"stomp-broker,stomp-session,eventbus-bus,eventbus-reducer"`
	States  int           `help:"Bound on states; 0: none." placeholder:"N"`
	Depth   int           `help:"Bound on steps from the initial state; 0: none." placeholder:"N"`
	Workers int           `help:"Goroutines; 0: one per processor." placeholder:"N"`
	Dot     string        `help:"Write the graph within the bounds as DOT, or as Mermaid if the name ends in .mmd." placeholder:"FILE"`
	Timeout time.Duration `help:"Stop after this long." default:"5m"`
	Version string        `help:"STOMP version of the broker's sessions (default 1.2), or dialect of the event bus (seed, the default, or later)." placeholder:"V"`
}

// Help is shown below the flags.
func (exploreCommand) Help() string {
	return `Examples:
  assay explore stomp-broker
  assay explore stomp-broker --depth 4 --dot broker.dot
  assay explore stomp-session
  assay explore eventbus-bus --version later

Exit status: 0 every invariant holds in every state; 1 one is broken, with a shortest counterexample; 2 a bound ended
the exploration first.`
}

// Run executes the command.
func (c *exploreCommand) Run(ctx context.Context, s streams) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	switch c.Machine {
	case "stomp-broker":
		m, err := stompmodel.NewBroker(stompmodel.BrokerConfig{Version: stompmodel.Version(cmp.Or(c.Version, "1.2")), Explicit: true})
		return exploreNew(ctx, c, m, err, s)
	case "stomp-session":
		m, err := stompmodel.NewSession(stompmodel.SessionConfig{})
		return exploreNew(ctx, c, m, err, s)
	case "eventbus-reducer":
		dialect, err := eventbusmodel.ParseDialect(cmp.Or(c.Version, "seed"))
		if err != nil {
			return usageError{err}
		}
		m, err := eventbusmodel.NewReducer(eventbusmodel.ReducerScopes(dialect)[0].Config)
		return exploreNew(ctx, c, m, err, s)
	default:
		return c.buses(ctx, s)
	}
}

// buses explores each scope of the event bus. The worst outcome counts.
func (c *exploreCommand) buses(ctx context.Context, s streams) error {
	dialect, err := eventbusmodel.ParseDialect(cmp.Or(c.Version, "seed"))
	if err != nil {
		return usageError{err}
	}
	scopes := eventbusmodel.BusScopes(dialect)
	if c.Dot != "" {
		scopes = scopes[:1]
	}
	status := statusError(conformance.ExitHeld)
	for _, scope := range scopes {
		fmt.Fprintf(s.out, "%s: ", scope.Name)
		m, err := eventbusmodel.NewBus(scope.Config)
		err = exploreNew(ctx, c, m, err, s)
		var code statusError
		switch {
		case err == nil:
		case !errors.As(err, &code):
			return err
		case code == conformance.ExitBroken || status == conformance.ExitHeld:
			status = code
		}
	}
	if status != conformance.ExitHeld {
		return status
	}
	return nil
}

// exploreNew explores a machine that was just made, unless that failed.
func exploreNew[S, A, O any](ctx context.Context, c *exploreCommand, m checked[S, A, O], err error, s streams) error {
	if err != nil {
		return usageError{err}
	}
	return explore(ctx, c, m, s)
}

// A checked machine knows what holds in it.
type checked[S, A, O any] interface {
	model.Machine[S, A, O]
	Invariants() []model.Invariant[S]
	EdgeInvariants() []model.EdgeInvariant[S, A, O]
}

func explore[S, A, O any](ctx context.Context, c *exploreCommand, m checked[S, A, O], s streams) error {
	bounds := model.Bounds{States: c.States, Depth: c.Depth, Workers: c.Workers}
	if c.Dot != "" {
		if err := draw(ctx, c.Dot, m, bounds); err != nil {
			return err
		}
	}
	bar := newProgress(s, c.Machine)
	res, err := model.Exhaust(ctx, m, model.ExhaustConfig[S, A, O]{
		Bounds: bounds, Invariants: m.Invariants(), EdgeInvariants: m.EdgeInvariants(),
		Progress: func(p model.Progress) { bar.line(fmt.Sprintf("depth %d, %d states", p.Depth, p.States)) },
	})
	bar.done()
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	fmt.Fprintf(s.out, "%d states, %d edges, depth %d, %.0f states/s, %.0f octets a state: %s\n",
		res.States, res.Edges, res.Depth, res.Rate(), res.BytesPerState(), res.Stopped)
	switch {
	case res.Counterexample != nil:
		fmt.Fprintln(s.out, res.Counterexample)
		return statusError(conformance.ExitBroken)
	case !res.Complete:
		return statusError(conformance.ExitInconclusive)
	}
	fmt.Fprintf(s.out, "held in every state: %s\n", strings.Join(invariantLaws(m), " "))
	return nil
}

func invariantLaws[S, A, O any](m checked[S, A, O]) []string {
	var laws []string
	for _, i := range m.Invariants() {
		laws = append(laws, i.Law)
	}
	for _, i := range m.EdgeInvariants() {
		laws = append(laws, i.Law)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(laws, func(law string) bool {
		again := seen[law]
		seen[law] = true
		return again
	})
}

func draw[S, A, O any](ctx context.Context, file string, m model.Machine[S, A, O], bounds model.Bounds) error {
	g, err := model.Unfold(ctx, m, bounds)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	labels := model.Labels[S, A, O]{}
	if strings.HasSuffix(file, ".mmd") {
		return errors.Join(model.WriteMermaid(f, g, labels), f.Close())
	}
	return errors.Join(model.WriteDOT(f, g, labels), f.Close())
}
