package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machines"
)

type exploreCommand struct {
	Machine string        `arg:"" help:"${machines_help}" enum:"${machines}"`
	States  int           `help:"Bound on states; 0: none (default 0)." placeholder:"N"`
	Depth   int           `help:"Bound on steps from the initial state; 0: none (default 0)." placeholder:"N"`
	Workers int           `help:"Goroutines; 0: one per processor (default 0)." placeholder:"N"`
	Dot     string        `help:"Write the graph of the first scope within the bounds as DOT, or as Mermaid if the name ends in .mmd." placeholder:"FILE"`
	Timeout time.Duration `help:"Stop after this long." default:"5m" placeholder:"D"`
	Version string        `help:"Version of the protocol; the default is ${machines_versions}." placeholder:"V"`
}

// exploreVars are the words of exploreCommand that depend on which machines there are.
func exploreVars() kong.Vars {
	var names, helps, versions []string
	for _, m := range machines.All() {
		names = append(names, m.Name)
		helps = append(helps, m.Name+": "+m.Help+".")
		versions = append(versions, m.Version+" for "+m.Name)
	}
	return kong.Vars{"machines": strings.Join(names, ","), "machines_help": strings.Join(helps, " "), "machines_versions": strings.Join(versions, ", ")}
}

// Help is shown below the flags.
func (exploreCommand) Help() string {
	return `Examples:
  assay explore stomp-broker
  assay explore stomp-broker --depth 4 --dot broker.dot
  assay explore stomp-session
  assay explore eventbus-bus --version later

Exit status: 0 every invariant holds in every state; 1 one is broken, with a shortest counterexample; 2 a bound ended
the exploration first; 64 usage.`
}

// Run explores each scope of the machine. The worst outcome counts.
func (c *exploreCommand) Run(ctx context.Context, s streams) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	m, ok := machines.Named(c.Machine)
	if !ok {
		return usageError{fmt.Errorf("no machine is called %q", c.Machine)}
	}
	scopes, err := m.Scopes(c.Version)
	if err != nil {
		return usageError{err}
	}
	bounds := model.Bounds{States: c.States, Depth: c.Depth, Workers: c.Workers}
	if c.Dot != "" {
		scopes = scopes[:1]
		var drawn bytes.Buffer
		if err := scopes[0].Draw(ctx, &drawn, bounds, strings.HasSuffix(c.Dot, ".mmd")); err != nil {
			return err
		}
		if err := os.WriteFile(c.Dot, drawn.Bytes(), 0o666); err != nil {
			return err
		}
	}
	status := conformance.ExitHeld
	for _, sc := range scopes {
		bar := newProgress(s, c.Machine)
		found, err := sc.Explore(ctx, bounds, func(p model.Progress) { bar.line(fmt.Sprintf("depth %d, %d states", p.Depth, p.States)) })
		bar.done()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		printCounts(s.out, sc.Name, found.Summary)
		switch {
		case found.Counterexample != "":
			fmt.Fprintln(s.out, found.Counterexample)
			status = conformance.ExitBroken
		case !found.Complete:
			c.printEnded(s.out, found.Summary)
			if status == conformance.ExitHeld {
				status = conformance.ExitInconclusive
			}
		}
	}
	if status != conformance.ExitHeld {
		return statusError(status)
	}
	printHeld(s.out, scopes[0].Laws)
	return nil
}
