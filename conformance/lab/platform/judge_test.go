package platform

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/spec"
)

// Every assumption is decided in one area, cites laws that there are, and names a file of the machine.
func TestAssumptionsAreMeasured(t *testing.T) {
	known, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	var measured, stated []string
	for _, a := range areas() {
		measured = append(measured, a.ids...)
	}
	for _, a := range Assumptions() {
		stated = append(stated, a.ID)
		for _, id := range a.Laws {
			if _, ok := known.Law(id); !ok {
				t.Errorf("%s cites %s, which is no law", a.ID, id)
			}
		}
		file, _, ok := strings.Cut(a.Rule, ": ")
		if _, err := os.Stat("../../../model/databusmodel/" + file); !ok || err != nil || len(a.Laws) == 0 {
			t.Errorf("%s names no file of the machine, or no law: %q, %v", a.ID, a.Rule, a.Laws)
		}
	}
	slices.Sort(measured)
	slices.Sort(stated)
	if !slices.Equal(measured, stated) {
		t.Errorf("measured %v, stated %v", measured, stated)
	}
}

// verdicts holds outcomes to what is wanted of each: h holds, f does not, u is undecided, ! failed.
func verdicts(t *testing.T, name, want string, got ...outcome) {
	t.Helper()
	var have []string
	for _, o := range got {
		s := map[Verdict]string{Holds: "h", Fails: "f", Undecided: "u"}[o.verdict]
		if o.fault {
			s = "!"
		}
		if o.evidence == "" {
			t.Errorf("%s: %s has no evidence", name, o.id)
		}
		have = append(have, s)
	}
	if s := strings.Join(have, ""); s != want {
		t.Errorf("%s: %s, want %s: %+v", name, s, want, got)
	}
}

func TestVisibilityIsJudged(t *testing.T) {
	w := written{Done: []float64{10, 20, 30}}
	// 0 until the first write is through, 1 until 21 ms although 2 was written at 20.
	seen := func(until float64) watched {
		return watched{
			Reads: 9, Spins: 2, First: [][2]float64{{0, 5}, {1, 11}, {2, until + 1}, {3, 31}}, Until: [][2]float64{
				{0, 9},
				{1, until},
				{2, 30},
				{3, 40},
			},
		}
	}
	verdicts(t, "in time", "hhhh", judgeVisibility(w, seen(21))...)
	verdicts(t, "late", "hfhh", judgeVisibility(w, seen(23.5))...)
	if o := judgeVisibility(w, seen(23.5))[1]; !strings.Contains(o.evidence, "first: 1 was read 3.5 ms after 2 had been written") {
		t.Errorf("the shortest counterexample is named: %s", o.evidence)
	}
	odd := seen(21)
	odd.Moved = 1
	verdicts(t, "moved", "hhfh", judgeVisibility(w, odd)...)
	for _, odd := range []watched{{Swapped: 1}, {Back: 1}} {
		r := seen(21)
		r.Swapped, r.Back = odd.Swapped, odd.Back
		verdicts(t, "out of order", "hhhf", judgeVisibility(w, r)...)
	}
	verdicts(t, "own", "fhhh", judgeVisibility(written{Done: w.Done, Unseen: 1}, seen(21))...)
	verdicts(t, "blind", "h!!!", judgeVisibility(w, watched{Reads: 9})...)
	verdicts(t, "beside", "hf!", judgeBeside(beside{N: 5}), judgeBeside(beside{N: 5, Stale: 1, First: 3}), judgeBeside(beside{}))
}

func TestStorageIsJudged(t *testing.T) {
	verdicts(t, "race", "hhh", judgeRace(raced{Views: []string{"AB", "AB", "AB"}, Reads: 1, Added: 4, Sum: 3})...)
	verdicts(t, "no race", "hhu", judgeRace(raced{Views: []string{"AB", "AB", "AB"}, Reads: 1, Added: 4, Sum: 4})...)
	verdicts(t, "apart", "fhh", judgeRace(raced{Views: []string{"AB", "AB", "AA"}, Reads: 1, Added: 4, Sum: 3})...)
	verdicts(t, "neither", "ffh", judgeRace(raced{Views: []string{"A?", "A?", "A?"}, Reads: 1, Added: 4, Sum: 3})...)
	verdicts(t, "torn", "hfh", judgeRace(raced{Views: []string{"A", "A", "A"}, Reads: 1, Torn: 1, Added: 4, Sum: 3})...)
	verdicts(t, "nothing", "!!!", judgeRace(raced{})...)
	verdicts(t, "keys", "hfffff", judgeList(listed{Lists: 2, Changes: 1}), judgeList(listed{Lists: 2, Changes: 1, Missing: 1}),
		judgeList(listed{Lists: 2, Changes: 1, Twice: 1}),
		judgeList(listed{Lists: 2, Changes: 1, Gone: 1}), judgeList(listed{Lists: 2, Changes: 1, Moved: 1}), judgeList(listed{Lists: 2}))
	good := filled{Thrown: "QuotaExceededError", Grew: "QuotaExceededError", Refused: 3, Kept: true, Small: true, After: true}
	for want, edit := range map[string]func(*filled){
		"h": func(*filled) {},
		"f": func(f *filled) { f.Kept, f.Silent = true, 1 },
		"!": func(f *filled) { f.Refused = 0 },
	} {
		f := good
		edit(&f)
		verdicts(t, "fill", want, judgeFill(f))
	}
	good.Silent = 1
	verdicts(t, "silent", "f", judgeFill(good))
	c := claimed{Tried: 4, Taken: 3}
	verdicts(t, "claim", "h", judgeClaim(c))
	c.count(map[string]int{"x": 3}, []string{"w", "x"})
	verdicts(t, "lost", "f", judgeClaim(c))
	c = claimed{Tried: 4, Taken: 3}
	c.count(map[string]int{"x": 1}, []string{"x"})
	verdicts(t, "apart", "f", judgeClaim(c))
}

func TestSessionsAreJudged(t *testing.T) {
	child := inherited{ID: "first", Opener: true, Theirs: "first", Reloaded: "second"}
	stranger := inherited{Theirs: "first", Reloaded: "second"}
	two := []inherited{stranger, stranger}
	verdicts(t, "as assumed", "hhhhu", judgeSessions([]inherited{child}, two)...)
	child.StillOpener = true
	verdicts(t, "an opener stays", "hhhfu", judgeSessions([]inherited{child}, two)...)
	child.Theirs = "second"
	verdicts(t, "shared", "hfhfu", judgeSessions([]inherited{child}, two)...)
	stranger.Reloaded = ""
	verdicts(t, "forgotten", "ffhfu", judgeSessions([]inherited{child}, []inherited{stranger, two[0]})...)
	// With noopener a page inherits: it counts with those that have something.
	verdicts(t, "inherited without an opener", "hffhu", judgeSessions([]inherited{
		{ID: "first", Theirs: "first", Reloaded: "second"},
		{ID: "first", Opener: true, Theirs: "first", Reloaded: "second"},
	}, two[:1])...)
}

func TestFramesAreJudged(t *testing.T) {
	log := func(text string) (l []numbered) {
		for _, f := range strings.Fields(text) {
			l = append(l, numbered{f[:1], float64(f[1] - '0')})
		}
		return l
	}
	for text, want := range map[string]string{
		"a1 b1 a2 b2": "hu", "b1 a1 a2 b2": "hh", "a1 b1 a2": "fu", "a2 a1 b1 b2": "fh", "a1 a1 a2 b1 b2": "fh", "": "fu",
	} {
		verdicts(t, text, want, judgeFrames(2, [2][]numbered{log("a1 b1 a2 b2"), log(text)})...)
	}
	verdicts(t, "causal", "uh!", judgeCausal(log("a1 b1 a2 b2")), judgeCausal(log("b1 a1")), judgeCausal(log("a1")))
	e := echoed{N: 2, Other: 2, Thrown: "DataCloneError"}
	verdicts(t, "echoes", "hh", judgeEchoes(e)...)
	e.Own, e.Mutated = 1, 1
	verdicts(t, "echoes", "ff", judgeEchoes(e)...)
	if s := (overtaken{Frames: 3, Stale: 1, First: 2, Had: 1, Behind: 1, Late: 4}).String(); !strings.Contains(s,
		"first: frame 2, when 1 was stored") {
		t.Error(s)
	}
}

func TestPagesAreJudged(t *testing.T) {
	left := func(edit func(*departure)) []departure {
		all := make([]departure, 2)
		for i, shut := range []string{"now", "task"} {
			all[i] = departure{Shut: shut, Log: "pagehide hidden", Bulk: bulk, Frames: 1, There: map[string]bool{
				"last": true, "micro": true,
				"promise": true,
			}}
		}
		edit(&all[0])
		return all
	}
	for want, edit := range map[string]func(*departure){
		"hhhhhh": func(*departure) {},
		"fhhhhh": func(d *departure) { d.Log = "hidden pagehide" },
		"hfhhhh": func(d *departure) { d.Bulk-- },
		"hhfhhh": func(d *departure) { d.There["promise"] = false },
		"hhhfhh": func(d *departure) { d.Frames = 0 },
		"hhhhhf": func(d *departure) { d.Stale = 1 },
	} {
		verdicts(t, want, want, judgeLeaves(left(edit))...)
	}
	verdicts(t, "no log", "fhhhhh", judgeLeaves(left(func(d *departure) { d.Log = "" }))...)
	verdicts(t, "deaths", "hff!", judgeDeaths(died{N: 2, Stored: 2, Heard: 2}), judgeDeaths(died{N: 2, Stored: 1, Heard: 2}),
		judgeDeaths(died{N: 2, Stored: 2, Heard: 1}),
		judgeDeaths(died{N: 2, Stored: 2, Heard: 2, Hid: 1}))
	gone := absence{Open: true, Reasons: []string{"OnMessage"}}
	kept := absence{Returned: true, Log: "pagehide+persisted pageshow+persisted=7", Fresh: true, After: 5}
	verdicts(t, "returns", "hhhhh", judgeReturns([]absence{kept, gone})...)
	lost, awake, deaf, stale := kept, kept, kept, kept
	lost.Returned, awake.Beats, deaf.After, stale.Fresh = false, 1, 4, false
	verdicts(t, "lost", "fhhhh", judgeReturns([]absence{kept, lost, gone})...)
	verdicts(t, "awake", "hfhhh", judgeReturns([]absence{awake, gone})...)
	verdicts(t, "deaf", "hhfhh", judgeReturns([]absence{deaf, gone})...)
	verdicts(t, "stale", "hhhfh", judgeReturns([]absence{stale, gone})...)
	open := kept
	open.Open = true
	verdicts(t, "open and kept", "hhhhu", judgeReturns([]absence{kept, open})...)
}

func TestSleepsAreJudged(t *testing.T) {
	night := func(during ...happening) []sleep {
		h := append([]happening{{What: "timer"}, {What: "freeze"}}, during...)
		return []sleep{{happened: append(h, happening{What: "timer"}), last: 2}}
	}
	resume, one, two := happening{What: "resume", Stored: 2}, happening{What: "frame", Frame: 1}, happening{What: "frame", Frame: 2}
	verdicts(t, "asleep", "hhh", judgeSleeps(night(resume, one, two))...)
	verdicts(t, "heard", "hfh", judgeSleeps(night(one, two, resume))...)
	verdicts(t, "out of order", "hfh", judgeSleeps(night(resume, two, one))...)
	verdicts(t, "fired", "fhh", judgeSleeps(night(happening{What: "timer"}, resume, one, two))...)
	verdicts(t, "stale", "hhf", judgeSleeps(night(happening{What: "resume", Stored: 1}, one, two))...)
	verdicts(t, "never frozen", "!!!", judgeSleeps([]sleep{{happened: []happening{one, two}, last: 2}})...)
}

func TestClocksAreJudged(t *testing.T) {
	verdicts(t, "clocks", "hhf!", judgeClocks([]reading{{1, 2, 3, 100, 101, 102}}), judgeClocks([]reading{{1, 2, 3, 100, 152, 102}}),
		judgeClocks([]reading{{1, 2, 3, 100, 153, 102}}), judgeClocks(nil))
	beats := func(at ...float64) beating { return beating{Made: 1000, Now: 13100, Fired: at, State: "hidden"} }
	verdicts(t, "beats", "hf", judgeBeats("x", beats(4000, 7000, 10000), ""), judgeBeats("x", beats(2000), ""))
	verdicts(t, "early", "uf", judgeLongBeats(beats(4000, 7000, 10000)), judgeLongBeats(beats()))
	visible := beats(4000)
	visible.State = "visible"
	verdicts(t, "visible", "!", judgeBeats("x", visible, ""))
}

// What fails in the midst of an area leaves what was found before, and an undecided rest.
func TestFailedMeasurementsAreUndecided(t *testing.T) {
	b := &bench{home: &house{ctx: t.Context()}}
	a := area{ids: []string{"x", "y"}, measure: func(*bench) ([]outcome, error) {
		return []outcome{held("x", true, 1, "seen")}, errors.New("the tab is gone")
	}}
	verdicts(t, "half", "h!", measured(b, a)...)
	a.measure = func(*bench) ([]outcome, error) { return nil, nil }
	verdicts(t, "silent", "!!", measured(b, a)...)
}

func TestLongestGapCountsTheLastOne(t *testing.T) {
	h := beating{Made: 0, Now: 9000, Fired: []float64{1000, 3000}}
	if longest, all := h.gap(); longest != 6 || all != 9 {
		t.Errorf("%v of %v s", longest, all)
	}
	if enough <= 10*time.Second {
		t.Error("a heartbeat is looked at for longer than its TTL")
	}
}
