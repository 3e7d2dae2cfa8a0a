package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

type exploreCommand struct {
	Machine string        `arg:"" help:"stomp-broker: two sessions, one queue, two messages, one transaction." enum:"stomp-broker"`
	States  int           `help:"Bound on states; 0: none." placeholder:"N"`
	Depth   int           `help:"Bound on steps from the initial state; 0: none." placeholder:"N"`
	Workers int           `help:"Goroutines; 0: one per processor." placeholder:"N"`
	Dot     string        `help:"Write the graph within the bounds as DOT, or as Mermaid if the name ends in .mmd." placeholder:"FILE"`
	Timeout time.Duration `help:"Stop after this long." default:"5m"`
	Version string        `help:"STOMP version of the sessions." enum:"1.0,1.1,1.2" default:"1.2"`
}

// Help is shown below the flags.
func (exploreCommand) Help() string {
	return `Examples:
  assay explore stomp-broker
  assay explore stomp-broker --depth 4 --dot broker.dot

Exit status: 0 every invariant holds in every state; 1 one is broken, with a shortest counterexample; 2 a bound ended
the exploration first.`
}

// Run executes the command.
func (c *exploreCommand) Run(ctx context.Context, s streams) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	machine, err := stompmodel.NewBroker(stompmodel.BrokerConfig{Version: stompmodel.Version(c.Version), Explicit: true})
	if err != nil {
		return usageError{err}
	}
	bounds := model.Bounds{States: c.States, Depth: c.Depth, Workers: c.Workers}
	if c.Dot != "" {
		if err := c.draw(ctx, machine, bounds); err != nil {
			return err
		}
	}
	bar := newProgress(s, c.Machine)
	res, err := model.Exhaust(ctx, machine, model.ExhaustConfig[stompmodel.BrokerState, stompmodel.Action, stompmodel.Output]{
		Bounds: bounds, Invariants: machine.Invariants(), EdgeInvariants: machine.EdgeInvariants(),
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
	fmt.Fprintf(s.out, "held in every state: %s\n", strings.Join(invariantLaws(machine), " "))
	return nil
}

func invariantLaws(machine *stompmodel.Broker) []string {
	var laws []string
	seen := map[string]bool{}
	add := func(law string) {
		if !seen[law] {
			seen[law] = true
			laws = append(laws, law)
		}
	}
	for _, i := range machine.Invariants() {
		add(i.Law)
	}
	for _, i := range machine.EdgeInvariants() {
		add(i.Law)
	}
	return laws
}

func (c *exploreCommand) draw(ctx context.Context, machine *stompmodel.Broker, bounds model.Bounds) error {
	g, err := model.Unfold(ctx, machine, bounds)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		labels := model.Labels[stompmodel.BrokerState, stompmodel.Action, stompmodel.Output]{}
		if strings.HasSuffix(c.Dot, ".mmd") {
			return model.WriteMermaid(w, g, labels)
		}
		return model.WriteDOT(w, g, labels)
	}
	f, err := os.Create(c.Dot)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
