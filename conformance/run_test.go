package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance/suitetest/peer"
)

// scripted is a suite whose cases behave as told, against a listener that closes what it accepts.
func scripted(cases ...Case) *Suite {
	return &Suite{
		Name: "stomp", Protocol: "stomp", Schemes: []string{"tcp", "tls", "ws", "wss"},
		Cases: cases,
		Reference: func(context.Context) (*Reference, error) {
			address, stop, err := peer.Listen(peer.Leaves(""))
			if err != nil {
				return nil, err
			}
			return &Reference{
				Address: address,
				Profile: Profile{Deadlines: ProfileDeadlines{Case: Duration(2 * time.Second)}},
				Stop:    stop,
			}, nil
		},
		Probe: func(context.Context, *T) Capabilities { return Capabilities{Versions: []string{"1.2"}} },
		Alive: func(context.Context, *T) {},
	}
}

func does(id string, f func(*T)) Case {
	return Case{ID: "stomp/test/" + id, Laws: []string{"STOMP-FRAME-001", "STOMP-ERROR-003", "STOMP-FRAME-026", "STOMP-FRAME-021"}, Run: func(_ context.Context, t *T) { f(t) }}
}

func judge(t *testing.T, cfg Config, cases ...Case) (*Result, error) {
	t.Helper()
	cfg.Target, _ = ParseTarget("ref")
	return Run(t.Context(), scripted(cases...), cfg)
}

func verdicts(res *Result) map[string]Verdict {
	out := map[string]Verdict{}
	for _, c := range res.Cases {
		out[strings.TrimPrefix(c.ID, "stomp/test/")] = c.Verdict
	}
	return out
}

func broken(law string) func(*T) {
	return func(t *T) { t.Broken(Break{Law: law, Reason: "it holds", Expected: "a", Seen: "b"}) }
}

func TestVerdictFollowsTheLevelOfTheLaw(t *testing.T) {
	res, err := judge(t, Config{},
		does("holds", func(*T) {}),
		does("must", broken("STOMP-FRAME-001")),
		does("should", broken("STOMP-ERROR-003")),
		does("may", broken("STOMP-FRAME-026")),
		does("reference", broken("STOMP-FRAME-021")),
		does("loose", func(t *T) { t.Loose(Break{Law: "STOMP-FRAME-001", Reason: "r"}) }),
		does("chose", func(t *T) { t.Chose("STOMP-FRAME-001", "r", "s") }),
		does("cannot-decide", func(t *T) { t.Inconclusive("why") }),
		does("lacks", func(t *T) { t.Unsupported("why") }),
		does("needs", func(t *T) { t.Blocked("stomp/test/must", "why") }),
		does("worst-wins", func(t *T) {
			broken("STOMP-ERROR-003")(t)
			broken("STOMP-FRAME-001")(t)
			t.Inconclusive("later doubt")
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{
		"holds": Pass, "must": Fail, "should": Lax, "may": Info, "reference": Fail, "loose": Lax, "chose": Info,
		"cannot-decide": Inconclusive, "lacks": Unsupported, "needs": Blocked, "worst-wins": Fail,
	}
	if diff := cmp.Diff(want, verdicts(res)); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if res.Footer.Exit != ExitBroken || res.Footer.Total != len(want) || res.Footer.Counts.Total() != len(want) {
		t.Errorf("footer %+v does not add up", res.Footer)
	}
}

// A verdict that does not come again, or that depends on patience, is a doubt and never a fail.
func TestSuspectsAreConfirmed(t *testing.T) {
	once := map[string]int{}
	res, err := judge(t, Config{Parallel: 1},
		does("flaky", func(t *T) {
			if once["flaky"]++; once["flaky"] == 1 {
				broken("STOMP-FRAME-001")(t)
			}
		}),
		does("slow", func(t *T) {
			if t.Timing().Reply <= DefaultTiming().Reply {
				t.Broken(Break{Law: "STOMP-FRAME-001", Reason: "it comes in time", Timed: true})
			}
		}),
		does("stall", func(t *T) {
			if once["stall"]++; once["stall"] == 1 {
				t.Broken(Break{Law: "STOMP-FRAME-001", Reason: "it comes in time", Timed: true})
			}
		}),
		does("two-stalls", func(t *T) {
			if once["two-stalls"]++; once["two-stalls"] == 1 || once["two-stalls"] == 4 {
				t.Broken(Break{Law: "STOMP-FRAME-001", Reason: "it comes in time", Timed: true})
			}
		}),
		does("never", func(t *T) { t.Broken(Break{Law: "STOMP-FRAME-001", Reason: "it comes in time", Timed: true}) }),
		does("doubted-repeat", func(t *T) {
			if once["repeat"]++; once["repeat"] == 2 || once["repeat"] == 3 {
				t.Inconclusive("a hiccup")
			}
			broken("STOMP-FRAME-001")(t)
		}),
		does("doubt-that-clears", func(t *T) {
			if once["doubt"]++; once["doubt"] == 1 {
				t.Inconclusive("a hiccup")
			}
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{
		"flaky": Inconclusive, "slow": Inconclusive, "stall": Pass, "two-stalls": Inconclusive, "never": Fail, "doubted-repeat": Fail,
		"doubt-that-clears": Pass,
	}
	if diff := cmp.Diff(want, verdicts(res)); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	for _, c := range res.Cases {
		switch c.ID {
		case "stomp/test/slow":
			if c.Timing != "sensitive" || c.Attempts != 3 {
				t.Errorf("a verdict that moves with the deadlines is %q after %d attempts", c.Timing, c.Attempts)
			}
		case "stomp/test/stall":
			if c.Timing != "sensitive" || c.Attempts != 4 || len(c.Notes) != 1 {
				t.Errorf("a verdict that came once and never again is %q after %d attempts, with the notes %v", c.Timing, c.Attempts, c.Notes)
			}
		case "stomp/test/never":
			if c.Timing != "steady" {
				t.Errorf("a verdict that holds at half and double time is %q", c.Timing)
			}
		}
	}
}

func TestFaultOfACaseIsNoVerdict(t *testing.T) {
	res, err := judge(t, Config{},
		does("panics", func(*T) { panic("boom") }),
		does("decides-what-it-does-not-cite", broken("STOMP-ESC-001")),
		does("holds", func(*T) {}),
	)
	var fault *FaultError
	if !errors.As(err, &fault) {
		t.Fatalf("error %v is no fault of assay", err)
	}
	want := map[string]Verdict{"panics": Inconclusive, "decides-what-it-does-not-cite": Inconclusive, "holds": Pass}
	if diff := cmp.Diff(want, verdicts(res)); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	if res.Footer.Exit != ExitInconclusive {
		t.Errorf("exit %d", res.Footer.Exit)
	}
}

func TestCaseThatHangsEndsAtItsDeadline(t *testing.T) {
	res, err := judge(t, Config{}, does("hangs", func(t *T) { <-t.Context().Done() }))
	if err != nil {
		t.Fatal(err)
	}
	if c := res.Cases[0]; c.Verdict != Inconclusive || !strings.Contains(c.Reason, "did not end within") {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}

func TestEveryCaseIsInTheResult(t *testing.T) {
	cases := []Case{does("a", func(*T) {}), does("b", func(*T) {}), does("c", func(*T) {})}
	cases[1].Versions = []string{"1.1", "1.2"}
	res, err := judge(t, Config{Selection: Selection{Only: []string{"stomp/test/a"}}}, cases...)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{"a": Pass, "b@1.1": NotRun, "b@1.2": NotRun, "c": NotRun}
	if diff := cmp.Diff(want, verdicts(res)); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	res, err = judge(t, Config{}, cases...)
	if err != nil {
		t.Fatal(err)
	}
	if v := verdicts(res); v["b@1.1"] != Unsupported || v["b@1.2"] != Pass {
		t.Errorf("a version that the target does not negotiate: %v", v)
	}
}

// A generated experiment explores: it runs on the reference, and elsewhere only by name.
func TestExploringCasesRunByName(t *testing.T) {
	a := does("a", func(*T) {})
	a.Explores = true
	s := scripted(a, does("b", func(*T) {}))
	ref, err := s.Reference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Stop()
	elsewhere, _ := ParseTarget("tcp://" + ref.Address)
	here, _ := ParseTarget("ref")
	for _, c := range []struct {
		cfg  Config
		want Verdict
	}{
		{Config{Target: here}, Pass},
		{Config{Target: elsewhere}, NotRun},
		{Config{Target: elsewhere, Selection: Selection{Only: []string{"stomp/test/*"}}}, Pass},
	} {
		res, err := Run(t.Context(), s, c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		if v := verdicts(res); v["a"] != c.want || v["b"] != Pass {
			t.Errorf("%s %v: %v", c.cfg.Target.Spec, c.cfg.Selection.Only, v)
		}
	}
}

func TestOptionsDecideWhatRuns(t *testing.T) {
	a, b, c := does("a", func(*T) {}), does("b", func(*T) {}), does("c", func(*T) {})
	a.Needs.Options, b.Needs.Options, c.Needs.Transports = []string{"nack"}, []string{"receipts"}, []string{"ws"}
	s := scripted(a, b, c)
	s.Probe = func(context.Context, *T) Capabilities {
		return Capabilities{Missing: map[string]string{"receipts": "stomp/test/x: none came"}}
	}
	ref := s.Reference
	s.Reference = func(ctx context.Context) (*Reference, error) {
		r, err := ref(ctx)
		r.Profile.Unsupported = map[string]string{"nack": "not built"}
		return r, err
	}
	target, _ := ParseTarget("ref")
	res, err := Run(t.Context(), s, Config{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{"a": Unsupported, "b": Blocked, "c": Unsupported}
	if diff := cmp.Diff(want, verdicts(res)); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

func TestTargetThatCannotBeProbedIsFoundOutOnce(t *testing.T) {
	s := scripted(does("a", func(*T) {}), does("b", func(*T) {}), does("c", func(*T) {}))
	probes := 0
	s.Probe = func(_ context.Context, t *T) Capabilities {
		probes++
		t.Inconclusive("no answer to CONNECT")
		return Capabilities{}
	}
	target, _ := ParseTarget("ref")
	res, err := Run(t.Context(), s, Config{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{"a": Inconclusive, "b": Blocked, "c": Blocked}
	if diff := cmp.Diff(want, verdicts(res)); diff != "" || probes != 1 || res.Footer.Exit != ExitInconclusive {
		t.Errorf("%d probes, exit %d, verdicts (-want +got):\n%s", probes, res.Footer.Exit, diff)
	}
}

// A target that one case kills is revived; the case that kills it alone, too, is the one blamed.
func TestKillerIsFoundAndTheRunGoesOn(t *testing.T) {
	dead, revived := false, 0
	cases := []Case{
		does("killer", func(t *T) { dead = true; t.Inconclusive("no answer") }),
		does("victim", func(t *T) {
			if dead {
				t.Inconclusive("no answer")
			}
		}),
	}
	s := scripted(cases...)
	s.Death = "STOMP-DISCONNECT-004"
	s.Alive = func(_ context.Context, t *T) {
		if dead {
			t.Inconclusive("dead")
		}
	}
	target, _ := ParseTarget("ref")
	res, err := Run(t.Context(), s, Config{Target: target, Parallel: 1, Revive: func(context.Context) error {
		revived++
		dead = false
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{"killer": Fail, "victim": Pass}
	if diff := cmp.Diff(want, verdicts(res)); diff != "" || revived == 0 {
		t.Errorf("revived %d times, verdicts (-want +got):\n%s", revived, diff)
	}
}

// Nobody revives this target. A case that was the only one since the target last answered is blamed; where several were, all
// of them are named and none is blamed.
func TestDeathWithoutRevival(t *testing.T) {
	for name, tt := range map[string]struct {
		cfg   Config
		first Verdict // of the case that kills, when it sees the end itself
		lasts int     // dialogues that the target still manages then
		want  map[string]Verdict
		named []string
	}{
		"one selected":          {Config{Selection: Selection{Only: []string{"**/killer"}}}, Inconclusive, 0, map[string]Verdict{"before": NotRun, "killer": Fail, "after": NotRun}, nil},
		"one at a time":         {Config{Parallel: 1}, Inconclusive, 0, map[string]Verdict{"before": Pass, "killer": Fail, "after": Blocked}, nil},
		"seen as another fail":  {Config{Parallel: 1}, Fail, 0, map[string]Verdict{"before": Pass, "killer": Fail, "after": Blocked}, nil},
		"it breathes once more": {Config{Selection: Selection{Only: []string{"**/killer"}}}, Fail, 1, map[string]Verdict{"before": NotRun, "killer": Fail, "after": NotRun}, nil},
		"side by side":          {Config{Parallel: 8}, Inconclusive, 0, map[string]Verdict{"before": Pass, "killer": Inconclusive, "after": Inconclusive}, []string{"stomp/test/killer", "stomp/test/after"}},
	} {
		t.Run(name, func(t *testing.T) {
			var dead atomic.Bool
			killed := make(chan struct{})
			s := scripted(
				does("before", func(*T) {}),
				does("killer", func(t *T) {
					if !dead.Swap(true) {
						close(killed)
					}
					if tt.first == Fail {
						t.Stopped(Break{Law: "STOMP-FRAME-001", Reason: "cut off"})
					}
					t.Inconclusive("no answer")
				}),
				does("after", func(t *T) {
					<-killed
					t.Inconclusive("no answer")
				}),
			)
			s.Death = "STOMP-DISCONNECT-004"
			s.Cases[1].Alone = tt.lasts > 0
			left := tt.lasts
			s.Alive = func(_ context.Context, t *T) {
				if !dead.Load() {
					return
				}
				if left--; left < 0 {
					t.Inconclusive("connection refused")
				}
			}
			tt.cfg.Target, _ = ParseTarget("ref")
			res, err := Run(t.Context(), s, tt.cfg)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, verdicts(res)); diff != "" {
				t.Fatalf("verdicts (-want +got):\n%s", diff)
			}
			for _, c := range res.Cases {
				switch {
				case c.Verdict == Fail && !slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Law == s.Death && strings.Contains(f.Seen, "connection refused") }):
					t.Errorf("%s fails without a word of the death: %+v", c.ID, c.Findings)
				case c.Verdict == Inconclusive || c.Verdict == Blocked:
					for _, name := range tt.named {
						if !strings.Contains(c.Reason, name) {
							t.Errorf("%s: %q does not name %s", c.ID, c.Reason, name)
						}
					}
				}
			}
		})
	}
}

func TestResultFileIsWholeAndReadsBack(t *testing.T) {
	dir := t.TempDir()
	res, err := judge(t, Config{Out: dir}, does("holds", func(*T) {}), does("breaks", func(t *T) {
		t.Dial("a")
		broken("STOMP-FRAME-001")(t)
	}))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadResult(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(verdicts(res), verdicts(back)); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	for name, cut := range map[string][][]byte{
		"no footer":      lines[:len(lines)-1],
		"no header":      lines[1:],
		"a case missing": append(append([][]byte{}, lines[0]), lines[2:]...),
		"after footer":   append(append([][]byte{}, lines...), lines[1]),
	} {
		if _, err := ReadResult(bytes.NewReader(bytes.Join(cut, []byte("\n")))); err == nil {
			t.Errorf("a result with %s was read", name)
		}
	}
	for _, c := range back.Cases {
		if (c.Verdict == Fail) != (c.Replay != "") {
			t.Errorf("%s: verdict %s, replay %q", c.ID, c.Verdict, c.Replay)
		}
		if c.Replay != "" {
			r, err := ReadReplay(filepath.Join(dir, c.Replay))
			if err != nil || r.Case != c.ID || len(r.Wire) == 0 {
				t.Errorf("replay %+v: %v", r, err)
			}
		}
	}
}

func TestInterruptedRunHasAFooter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	target, _ := ParseTarget("ref")
	res, err := Run(ctx, scripted(
		does("a", func(t *T) { cancel(); <-t.Context().Done() }),
		does("b", func(t *T) { <-t.Context().Done() }),
	), Config{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	if res.Footer.Stopped != "interrupted" || res.Footer.Exit != ExitInconclusive || res.Footer.Total != 2 {
		t.Errorf("footer %+v", res.Footer)
	}
}

func TestSettingsThatCannotWork(t *testing.T) {
	for name, cfg := range map[string]Config{
		"parallel":  {Parallel: 1000},
		"selection": {Selection: Selection{Only: []string{"stomp/none/**"}}},
		"version":   {Selection: Selection{Version: "3.0"}},
		"pattern":   {Selection: Selection{Only: []string{"a/[/b"}}},
	} {
		if _, err := judge(t, cfg, does("a", func(*T) {})); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
