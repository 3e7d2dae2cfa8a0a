package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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
		if !slices.Contains(names, m.Protocol) {
			names = append(names, m.Protocol)
			helps = append(helps, m.Protocol+": all the machines of that protocol.")
		}
		names = append(names, m.Name)
		helps = append(helps, m.Name+": "+m.Help+".")
		if m.Version != "" {
			versions = append(versions, m.Version+" for "+m.Name)
		}
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
  assay explore substrate

A machine that says what comes to be in the end is looked at for that as well: from every state, the actions that are
sure to be taken must lead there. A machine that shows what may happen, such as databus-races, prints a shortest way
to each such thing.

Exit status: 0 every invariant holds in every state; 1 one is broken, with a shortest counterexample; 2 a bound ended
the exploration first; 64 usage.`
}

// Run explores each scope of those of the machines that have the version. The worst outcome counts.
func (c *exploreCommand) Run(ctx context.Context, s streams) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	chosen := machines.Named(c.Machine)
	status := conformance.ExitHeld
	explored := 0
	var unknown error
	for _, m := range chosen {
		scopes, err := m.Scopes(c.Version)
		if err != nil {
			unknown = cmp.Or(unknown, err)
			continue
		}
		explored++
		if explored == 1 && c.Dot != "" {
			scopes = scopes[:1]
			if err := c.draw(ctx, scopes[0]); err != nil {
				return err
			}
		}
		if len(chosen) > 1 {
			fmt.Fprintf(s.out, "%s: %s\n", m.Name, m.Help)
		}
		found, err := c.explore(ctx, s, m.Name, scopes)
		if err != nil {
			return err
		}
		if found == conformance.ExitBroken || status == conformance.ExitHeld {
			status = found
		}
	}
	if explored == 0 {
		return usageError{unknown}
	}
	if status != conformance.ExitHeld {
		return statusError(status)
	}
	return nil
}

func (c *exploreCommand) bounds() model.Bounds {
	return model.Bounds{States: c.States, Depth: c.Depth, Workers: c.Workers}
}

// draw writes the graph of a scope.
func (c *exploreCommand) draw(ctx context.Context, sc machines.Scope) error {
	var drawn bytes.Buffer
	if err := sc.Draw(ctx, &drawn, c.bounds(), strings.HasSuffix(c.Dot, ".mmd")); err != nil {
		return err
	}
	return os.WriteFile(c.Dot, drawn.Bytes(), 0o666)
}

// explore explores the scopes of one machine and returns the exit status that follows.
func (c *exploreCommand) explore(ctx context.Context, s streams, name string, scopes []machines.Scope) (int, error) {
	status := conformance.ExitHeld
	for _, sc := range scopes {
		bar := newProgress(s, name)
		found, err := sc.Explore(ctx, c.bounds(), func(p model.Progress) { bar.line(fmt.Sprintf("depth %d, %d states", p.Depth, p.States)) })
		bar.done()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return 0, err
		}
		printCounts(s.out, sc.Name, found)
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
		return status, nil
	}
	if scopes[0].Shows != "" {
		return status, nil
	}
	printHeld(s.out, scopes[0].Laws)
	if sc := scopes[0]; sc.LiveLaw != "" {
		printLive(s.out, sc.LiveLaw, sc.LiveTitle)
	}
	return status, nil
}
