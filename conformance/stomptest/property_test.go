package stomptest

import (
	"encoding/json"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/generate"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/spec"
)

// everything is what a target without limits can do.
func everything(version string, peers int) abilities {
	late := version != "1.0"
	return abilities{peers: peers, version: version, acks: true, individual: late, nack: late, txs: true, topics: true}
}

// sequence generates one sequence of n moves as a campaign does, and checks on the way that each move makes sense.
func sequence(t *testing.T, a abilities, seed int64, n int) []move {
	t.Helper()
	r := rand.New(rand.NewSource(seed))
	s := newScene(a, n, theme(seed%int64(themes)))
	var out []move
	for range n {
		m := s.Draw(r)
		if !s.Allows(m) {
			t.Fatalf("after %s: %s makes no sense", lines(out), m)
		}
		out = append(out, m)
		s = s.After(m)
	}
	return out
}

func TestSequencesAreMostlySessionsAndEndOnce(t *testing.T) {
	counts := map[string]int{}
	for seed := range int64(200) {
		for i, v := range every {
			moves := sequence(t, everything(v, 1+i), seed, 20)
			if at := slices.IndexFunc(moves, func(m move) bool { return m.Op == opEnd }); at != len(moves)-1 {
				t.Fatalf("the end is move %d of %d", at+1, len(moves))
			}
			for _, m := range moves {
				counts[m.Op]++
			}
		}
	}
	for _, w := range propertyWeights {
		// 12000 moves: none of the kinds is a rarity.
		if counts[w.op] < 60 {
			t.Errorf("%s was generated %d times in %v", w.op, counts[w.op], counts)
		}
	}
}

func TestGeneratorKeepsToWhatTheTargetCanDo(t *testing.T) {
	for seed := range int64(200) {
		for _, m := range sequence(t, abilities{peers: 2, version: "1.2"}, seed, 20) {
			switch {
			case m.Op == opNack || m.Op == opAck || m.Op == opBegin || m.Tx != 0:
				t.Fatalf("%s for a target that has auto mode only", m)
			case m.Op == opSubscribe && m.Mode != "auto":
				t.Fatalf("%s for a target that has auto mode only", m)
			case m.Dest == topicDest:
				t.Fatalf("%s for a target without topics", m)
			}
		}
		for _, m := range sequence(t, everything("1.0", 3), seed, 20) {
			if m.Op == opNack || m.Mode == "client-individual" {
				t.Fatalf("%s in 1.0", m)
			}
		}
	}
}

func TestScenesRefuseWhatMakesNoSense(t *testing.T) {
	start := newScene(everything("1.2", 2), 9, mixed)
	subscribed := start.After(move{Op: opSubscribe, Mode: "client"})
	for name, tc := range map[string]struct {
		scene scene
		move  move
	}{
		"an open connection opens":                 {start, move{Op: opConnect}},
		"a connection that there is not":           {start, move{Op: opSend, Conn: 2}},
		"a closed connection sends":                {start.After(move{Op: opDrop}), move{Op: opSend}},
		"UNSUBSCRIBE of nothing":                   {start, move{Op: opUnsubscribe}},
		"UNSUBSCRIBE without a receipt":            {subscribed, move{Op: opUnsubscribe, Bare: true}},
		"UNSUBSCRIBE by destination in 1.2":        {subscribed, move{Op: opUnsubscribe, ByDestination: true}},
		"a subscription in a slot that is taken":   {subscribed, move{Op: opSubscribe, Mode: "auto"}},
		"an ack mode that there is not":            {start, move{Op: opSubscribe, Mode: "never"}},
		"an ACK where nothing was sent":            {subscribed, move{Op: opAck}},
		"COMMIT of nothing":                        {start, move{Op: opCommit, Tx: 1}},
		"SEND in a transaction that was not begun": {start, move{Op: opSend, Tx: 1}},
		"BEGIN of an open one":                     {start.After(move{Op: opBegin, Tx: 2}), move{Op: opBegin, Tx: 2}},
		"anything after the end":                   {start.After(move{Op: opEnd}), move{Op: opWatch}},
		"what is no move":                          {start, move{Op: "dance"}},
	} {
		if tc.scene.Allows(tc.move) {
			t.Errorf("%s: %s is allowed", name, tc.move)
		}
	}
	// A transaction, a subscription and an open connection end with the session.
	again := subscribed.After(move{Op: opBegin, Tx: 1}).After(move{Op: opDisconnect}).After(move{Op: opConnect})
	if again.Allows(move{Op: opCommit, Tx: 1}) || again.Allows(move{Op: opUnsubscribe}) || !again.Allows(move{Op: opSend}) {
		t.Error("a new session begins with something of the old one")
	}
}

func TestMovesSurviveJSON(t *testing.T) {
	for seed := range int64(50) {
		moves := sequence(t, everything("1.1", 3), seed, 20)
		data, err := json.Marshal(moves)
		if err != nil {
			t.Fatal(err)
		}
		var back []move
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(moves, back); diff != "" {
			t.Errorf("%s: %s", data, diff)
		}
	}
}

// commitless is a target that cannot do COMMIT: a sequence that got there is what is looked for.
type commitless struct {
	moves []move
	found *[]move
}

func (c *commitless) Play(m move) bool {
	c.moves = append(c.moves, m)
	if m.Op == opCommit {
		*c.found = c.moves
	}
	return m.Op != opCommit
}

func (c *commitless) Close() {}

func TestShrinkingASequenceKeepsItSensible(t *testing.T) {
	search := (&campaign{abilities: everything("1.2", 2), seed: 3}).search()
	search.Runs, search.Shortest, search.Longest = 20, 20, 21
	var small []move
	search.Open = func(scene) generate.Player[move] { return &commitless{found: &small} }
	search.Run()
	// A COMMIT needs its BEGIN, and nothing else.
	if len(small) != 2 || small[0].Op != opBegin || small[1].Op != opCommit {
		t.Errorf("the smallest sequence is %s", lines(small))
	}
}

// TestPropertyLawsAreThoseOfTheCatalogue: what the campaign takes for a breach must be one to the runner.
func TestPropertyLawsAreThoseOfTheCatalogue(t *testing.T) {
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	levels := map[spec.Level]int{spec.Must: weightMust, spec.Should: weightShould, spec.May: weightMay}
	for _, l := range propertyLaws {
		law, ok := laws.Law(l.law)
		if !ok {
			t.Errorf("%s is no law", l.law)
			continue
		}
		if levels[law.Level] != l.weight || !slices.Equal(law.Versions, l.versions) {
			t.Errorf("%s is a %s of %v, the campaign takes it for %d of %v", l.law, law.Level, law.Versions, l.weight, l.versions)
		}
	}
}

// replayOn repeats steps on the reference.
func replayOn(t *testing.T, steps, id string) conformance.CaseResult {
	t.Helper()
	return suitetest.One(t, Server(), conformance.Config{Target: suitetest.Target(t, "ref"), Steps: json.RawMessage(steps)}, id)
}

func TestReplayPlaysExactlyItsSteps(t *testing.T) {
	moves := []move{
		{Op: opSubscribe, Conn: 1, Sub: 2, Mode: "client"},
		{Op: opBegin, Tx: 1, Bare: true},
		{Op: opSend, Tx: 1},
		{Op: opSend},
		{Op: opCommit, Tx: 1},
		{Op: opAck, Conn: 1, Pick: 1},
		{Op: opDrop, Conn: 1},
		{Op: opConnect, Conn: 1},
		{Op: opEnd},
	}
	data, err := json.Marshal(moves)
	if err != nil {
		t.Fatal(err)
	}
	got := replayOn(t, string(data), "stomp/server/property/two-connections@1.2")
	if got.Verdict != conformance.Pass {
		t.Fatalf("%s: %s", got.Verdict, got.Reason)
	}
	var sent []string
	for _, r := range got.Transcript {
		if command, _, _ := strings.Cut(r.Text, `\n`); r.Dir == ">" && command != "CONNECT" {
			sent = append(sent, r.Conn+" "+command)
		}
	}
	want := []string{
		"c1 SUBSCRIBE", "c0 BEGIN", "c0 SEND", "c0 SEND", "c0 COMMIT", "c1 ACK",
		// The end looks into the queue that was used.
		"c0-2 SUBSCRIBE", "c0-2 SEND",
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
}

func TestReplayOfNonsenseIsInconclusive(t *testing.T) {
	for _, steps := range []string{`{}`, `[{"op":"dance","conn":0}]`, `[{"op":"commit","conn":0,"tx":1}]`, `[{"op":"send","conn":1}]`} {
		if got := replayOn(t, steps, "stomp/server/property/one-connection@1.1"); got.Verdict != conformance.Inconclusive {
			t.Errorf("%s: %s: %s", steps, got.Verdict, got.Reason)
		}
	}
}
