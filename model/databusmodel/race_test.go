package databusmodel

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

// races is where the traces are kept.
const races = "../../corpus/databus/races"

var update = flag.Bool("update", false, "write the traces of the races anew")

// A raceFile is a shortest way into a race.
type raceFile struct {
	Race  string     `yaml:"race"`
	Title string     `yaml:"title"`
	Rules string     `yaml:"rules"` // v010 or drifted
	Tabs  uint8      `yaml:"tabs"`
	Setup []string   `yaml:"setup,omitempty"` // each followed by all deliveries and flushes
	Steps []raceStep `yaml:"steps"`
	End   string     `yaml:"end"` // the last state, in words
	// Fenced is what becomes of it in the fenced version.
	Fenced string `yaml:"fenced"`
}

type raceStep struct {
	Do      string   `yaml:"do"`
	Effects []string `yaml:"effects,omitempty"`
}

func mustCluster(t testing.TB, cfg Config, b bug) *Cluster {
	t.Helper()
	m, err := newCluster(cfg, b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func exhaust(t *testing.T, m *Cluster, b model.Bounds) model.Result[State, Action, Outcome] {
	t.Helper()
	r, err := model.Exhaust(t.Context(), m, model.ExhaustConfig[State, Action, Outcome]{
		Bounds: b, Invariants: m.Invariants(), EdgeInvariants: m.EdgeInvariants(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fileOf returns the counterexample in words.
func fileOf(cfg Config, c *model.Counterexample[State, Action, Outcome]) raceFile {
	race, _ := raceOf(cfg.Race)
	f := raceFile{Race: race.Law, Title: race.Title, Rules: "v010", Tabs: cfg.Tabs, End: c.States[len(c.States)-1].String()}
	if cfg.Rules == Drifted() {
		f.Rules = "drifted"
	}
	f.Fenced = fencedRaces[slices.IndexFunc(fencedRaces, func(r fencedRace) bool { return r.law == race.Law })].String()
	for _, a := range cfg.Setup {
		f.Setup = append(f.Setup, a.String())
	}
	for _, step := range c.Trace {
		f.Steps = append(f.Steps, raceStep{Do: step.Action.String(), Effects: words(step.Outcome)})
	}
	return f
}

func words(o Outcome) (out []string) {
	for _, e := range o.Effects() {
		out = append(out, e.String())
	}
	return out
}

// TestRacesHappen: each race has a scope, where it happens as soon as the trace that is kept says and no sooner.
func TestRacesHappen(t *testing.T) {
	for _, race := range Races() {
		t.Run(race.Law, func(t *testing.T) {
			cfg := machinetest.Named(t, RaceScopes(), race.Law[len("DATABUS-"):])
			path := filepath.Join(races, race.Law[len("DATABUS-"):]+".yaml")
			if raced {
				// The machine has no goroutines of its own for the detector to watch: the trace is replayed, and not found again.
				replay(t, cfg, readRace(t, path))
				return
			}
			r := exhaust(t, mustCluster(t, cfg, 0), model.Bounds{Workers: 1})
			if r.Counterexample == nil {
				t.Fatalf("the race does not happen: %v", r)
			}
			want := fileOf(cfg, r.Counterexample)
			if *update {
				text, err := yaml.Marshal(want)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			f := readRace(t, path)
			if f.Race != want.Race || f.Title != want.Title || f.Rules != want.Rules || f.Tabs != want.Tabs || f.Fenced != want.Fenced ||
				!slices.Equal(f.Setup, want.Setup) {
				t.Errorf("the trace that is kept is of %+v, want %+v", f, want)
			}
			if len(f.Steps) != len(want.Steps) {
				t.Errorf("the trace that is kept has %d steps, the shortest %d", len(f.Steps), len(want.Steps))
			}
			replay(t, cfg, f)
		})
	}
}

func readRace(t *testing.T, path string) (f raceFile) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalWithOptions(text, &f, yaml.Strict()); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return f
}

// replay takes the steps of the trace, compares what is observed with what is written, and finds the race at the end and not before.
func replay(t *testing.T, cfg Config, f raceFile) {
	t.Helper()
	m := mustCluster(t, cfg, 0)
	s := m.Init()
	for i, step := range f.Steps {
		next, o, a := take(t, m, s, step.Do)
		if got := words(o); !slices.Equal(got, step.Effects) {
			t.Errorf("step %d, %s: %q, want %q", i+1, step.Do, got, step.Effects)
		}
		if happened := breaks(m, s, a, next, o); happened != (i+1 == len(f.Steps)) {
			t.Errorf("step %d of %d, %s: the race has happened: %t", i+1, len(f.Steps), step.Do, happened)
		}
		s = next
	}
	if got := s.String(); got != f.End {
		t.Errorf("the trace ends in %s, want %s", got, f.End)
	}
}

func take(t *testing.T, m *Cluster, s State, action string) (State, Outcome, Action) {
	t.Helper()
	for a := range m.Actions(s) {
		if a.String() != action {
			continue
		}
		for next, o := range m.Step(s, a) {
			return next, o, a
		}
	}
	t.Fatalf("%s is impossible in %v", action, s)
	return s, Outcome{}, Action{}
}

func breaks(m *Cluster, before State, a Action, after State, o Outcome) bool {
	for _, inv := range m.Invariants() {
		if inv.Holds(after) != nil {
			return true
		}
	}
	for _, inv := range m.EdgeInvariants() {
		if inv.Check(before, a, after, o) != nil {
			return true
		}
	}
	return false
}
