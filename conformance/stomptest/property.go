package stomptest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// What the notes show.
const (
	shownMoves     = 30  // of the sequence that was found
	shownReasons   = 3   // why sequences ended early
	inconclusiveIf = 0.5 // share of sequences about which nothing could be said
)

// propertyCases are sessions that are generated from the run's seed, judged by the broker machine, and made as
// small as they can be when the machine does not allow what the target did.
func propertyCases() []conformance.Case {
	var laws []string
	for _, l := range propertyLaws {
		laws = append(laws, l.law)
	}
	build := func(name, title string, conns int) conformance.Case {
		return conformance.Case{
			ID: "stomp/server/property/" + name, Title: title, Laws: laws, Versions: every, Explores: true,
			Needs: conformance.Needs{Options: []string{Delivery, Receipts, Queues, Loopback}},
			Run:   run(func(s *serverT) { s.property(conns) }),
		}
	}
	return []conformance.Case{
		build("one-connection", "generated sessions over one connection do what the machine allows", 1),
		build("two-connections", "generated sessions over two connections do what the machine allows", 2),
		build("three-connections", "generated sessions over three connections do what the machine allows", 3),
	}
}

func (s *serverT) abilities(conns int) abilities {
	v := s.Version()
	return abilities{
		peers: conns, version: v, acks: s.has(Acks), individual: s.has(ClientIndividual) && v != "1.0",
		nack: s.has(Nack) && s.has(Acks) && v != "1.0", txs: s.has(Transactions), topics: s.has(Topics),
	}
}

// property plays generated sessions over that many connections, or the one of a replay.
func (s *serverT) property(conns int) {
	c := newCampaign(s, s.abilities(conns))
	if raw := s.Replaying(); raw != nil {
		c.replay(raw)
	} else {
		c.generate()
	}
	c.report()
}

// replay plays the steps of a replay file, once.
func (c *campaign) replay(raw json.RawMessage) {
	var moves []move
	if err := json.Unmarshal(raw, &moves); err != nil {
		c.s.Inconclusive("the steps of the replay cannot be read: %v", err)
	}
	state := newScene(c.abilities, len(moves), mixed)
	for i, m := range moves {
		if !state.Allows(m) {
			c.s.Inconclusive("step %d of the replay (%s) makes no sense there, or the target cannot do it", i+1, m)
		}
		state = state.After(m)
	}
	c.repeating = true
	c.again(moves)
}

// report gives the verdict.
func (c *campaign) report() {
	c.s.Note("redelivers", "%v", c.redelivers)
	c.s.Note("sequences", "%d played, %d to the end, %d beyond what the machine can follow; %d more to shrink", c.runs, c.ended, c.lost, c.shrinks)
	var reasons []string
	for reason, e := range c.early {
		reasons = append(reasons, fmt.Sprintf("%3d: %s: %s", e.n, reason, lines(e.moves)))
	}
	slices.Sort(reasons)
	slices.Reverse(reasons)
	for _, reason := range reasons[:min(len(reasons), shownReasons)] {
		c.s.Note("ended early", "%s", strings.TrimSpace(reason))
	}
	if f := c.worst; f != nil {
		for i, m := range f.moves[:min(len(f.moves), shownMoves)] {
			c.s.Note(fmt.Sprintf("move %02d", i+1), "%s", m)
		}
		c.s.Steps(f.moves)
		c.broken(f)
	}
	told := map[string]bool{}
	for _, f := range c.aside {
		c.s.Note("also seen", "%s: %s", f.law, lines(f.moves))
		if (c.worst == nil || c.worst.law != f.law) && !told[f.law] {
			c.broken(f)
		}
		told[f.law] = true
	}
	switch {
	case c.worst != nil || len(c.aside) > 0:
	case float64(c.lost) > inconclusiveIf*float64(c.runs):
		c.s.Inconclusive("%d of %d sequences left more states possible than the machine may keep", c.lost, c.runs)
	case c.ended == 0 && c.s.Replaying() == nil:
		c.s.Inconclusive("none of %d sequences came to its end: %s", c.runs, strings.Join(reasons, "; "))
	}
}

func (c *campaign) broken(f *find) {
	c.s.Step()
	c.s.Broken(conformance.Break{Law: f.law, Reason: f.reason, Expected: f.expected, Seen: f.seen, Timed: f.timed})
}

// lines words a sequence on one line.
func lines(moves []move) string {
	var out []string
	for _, m := range moves {
		out = append(out, m.String())
	}
	return strings.Join(out, "; ")
}
