package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machines"
)

// fewStates is below how many states the octets of a state say more about the empty table than about a state.
const fewStates = 10_000

// printCounts shows how much of a scope was explored, and how fast.
func printCounts(w io.Writer, scope string, res machines.Found) {
	fmt.Fprintf(w, "%s: %d states, %d edges, depth %d, %.0f states/s", scope, res.States, res.Edges, res.Depth, res.Rate())
	if res.States >= fewStates {
		fmt.Fprintf(w, ", %.0f octets a state", res.BytesPerState())
	}
	if res.Shown != "" {
		fmt.Fprintf(w, ": shown\n%s\n", res.Shown)
		return
	}
	fmt.Fprintf(w, ": %s", res.Stopped)
	if res.Live {
		fmt.Fprint(w, ", live")
	}
	fmt.Fprintln(w)
}

// printLive says what comes to be in the end of every run.
func printLive(w io.Writer, law, title string) {
	fmt.Fprintf(w, "from every state the actions that are sure to be taken lead to where %s:\n  %s\n", title, law)
}

// printEnded says what an exploration that a bound ended has shown.
func (c *exploreCommand) printEnded(w io.Writer, res model.Summary) {
	bound := map[model.Stop]string{
		model.StopStates:  fmt.Sprintf("--states %d", c.States),
		model.StopDepth:   fmt.Sprintf("--depth %d", c.Depth),
		model.StopContext: fmt.Sprintf("--timeout %s", c.Timeout),
	}[res.Stopped]
	fmt.Fprintf(w, "no invariant is broken in these %d states; %s ended the exploration before all were seen\n", res.States, bound)
}

// printHeld lists the laws that held, sorted and wrapped.
func printHeld(w io.Writer, laws []string) {
	laws = slices.Sorted(slices.Values(laws))
	list := text.WrapSoft(strings.Join(laws, " "), 96)
	noun := "laws"
	if len(laws) == 1 {
		noun = "law"
	}
	fmt.Fprintf(w, "%d %s held in every state:\n", len(laws), noun)
	for line := range strings.SplitSeq(list, "\n") {
		fmt.Fprintln(w, strings.TrimRight("  "+line, " "))
	}
}
