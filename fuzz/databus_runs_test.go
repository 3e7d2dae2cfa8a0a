package fuzz

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/databusmodel"
)

// databusRun bounds the steps of a drafted walk. Each moves the clock of the reference by a millisecond, which must not add up to a second.
const databusRun = 150

var databusSeed = flag.Uint64("databus-seed", 0, "the one seed, if not 0, with which the tabs of a data bus and their machine run")

// A databusTally counts the steps that were compared, and how the walks ended.
type databusTally struct {
	steps, walks, done, order, role, newest, rests int
}

func (n *databusTally) end(err error) {
	n.walks++
	switch {
	case errors.Is(err, errTopicOrder):
		n.order++
	case errors.Is(err, errRoleWritten):
		n.role++
	case errors.Is(err, errNewestGeneration):
		n.newest++
	default:
		n.done++
	}
}

func (n *databusTally) String() string {
	return fmt.Sprintf(
		"%d steps compared in %d walks, %.1f each: %d to their end, %d apart by the order of topics, %d by a role, %d by a generation; %d brought to rest",
		n.steps, n.walks, float64(n.steps)/float64(max(n.walks, 1)), n.done, n.order, n.role, n.newest, n.rests,
	)
}

// runDatabus takes one drafted walk of at most so many steps, and brings the tabs to rest after it.
func runDatabus(d draws, limit int, n *databusTally) error {
	version, cfg := draftDatabus(d)
	return runDatabusIn(d, limit, version, cfg, n)
}

func runDatabusIn(d draws, limit int, version databusVersion, cfg databusmodel.Config, n *databusTally) error {
	w, ok, err := beginDatabus(cfg, version.reference)
	if err != nil || !ok {
		return fmt.Errorf("%s, %+v: begins %t: %w", version.name, cfg, ok, err)
	}
	for range limit {
		actions := w.possible()
		if len(actions) == 0 {
			break
		}
		var stepped bool
		if stepped, err = w.take(one(d, actions...)); err != nil {
			break
		}
		if stepped {
			n.steps++
		}
	}
	n.end(err)
	if err == nil || apart(err) {
		n.rests++
		err = w.r.atRest(version.serves())
	}
	if err != nil {
		return fmt.Errorf("%s, %+v, %q: %w", version.name, cfg, w.way, err)
	}
	return nil
}

// serves reports whether under this version every topic that is wanted is served once the faults end.
func (v *databusVersion) serves() bool { return v.reference == cluster.Fenced() }

// TestDatabusRuns takes as many steps as are asked for: half of them through the scopes of the machine, half in drafted ones.
func TestDatabusRuns(t *testing.T) {
	var scopes, drafted databusTally
	start := time.Now()
	machines := databusMachines(t)
	seed := uint64(1)
	for ; scopes.steps+drafted.steps < *steps; seed++ {
		if *databusSeed != 0 {
			seed = *databusSeed
		}
		if err := runDatabus(draws{rand.New(rand.NewPCG(seed, 11)).IntN}, databusRun, &drafted); err != nil {
			t.Fatalf("again with -run TestDatabusRuns -databus-seed %d: %v", seed, err)
		}
		for scopes.steps < drafted.steps {
			m := machines[scopes.walks%len(machines)]
			at := uint64(scopes.walks)
			w, _, err := enterDatabus(m.machine, m.reference)
			if err != nil {
				t.Fatal(err)
			}
			err = walkDatabus(w, rand.New(rand.NewPCG(at, 1)))
			if err != nil && !apart(err) {
				t.Fatalf("%s, walk %d, %q: %v", m.name, at, w.way, err)
			}
			scopes.steps += len(w.way)
			scopes.end(err)
		}
		if *databusSeed != 0 {
			break
		}
	}
	rate := float64(scopes.steps+drafted.steps) / time.Since(start).Seconds()
	t.Logf("scopes: %v; drafted: %v; %.0f steps a second", &scopes, &drafted, rate)
}

// A databusMachine is one scope under one version.
type databusMachine struct {
	name      string
	machine   *databusmodel.Cluster
	reference cluster.Rules
}

// databusMachines returns every scope of the machine that the tabs of the rig can take.
func databusMachines(t *testing.T) []databusMachine {
	t.Helper()
	rules := map[databusmodel.Rules]cluster.Rules{}
	for _, v := range databusVersions() {
		rules[v.machine] = v.reference
	}
	var out []databusMachine
	for _, scopes := range [][]model.Scope[databusmodel.Config]{
		databusmodel.RaceScopes(), databusmodel.V010Scopes(), databusmodel.FencedScopes(),
	} {
		for _, scope := range scopes {
			m, err := databusmodel.New(scope.Config)
			if err != nil {
				t.Fatal(err)
			}
			cfg := m.Config()
			if _, ok := setupOf(&cfg); ok {
				out = append(out, databusMachine{scope.Name, m, rules[cfg.Rules]})
			}
		}
	}
	return out
}

// raceScript returns the octets with which FuzzDatabusScript takes the way of a race, under the rules that have it or the fenced ones.
func raceScript(f *testing.F, file raceFile, fenced bool) []byte {
	f.Helper()
	races := databusmodel.RaceScopes()
	at := slices.IndexFunc(races, func(s model.Scope[databusmodel.Config]) bool { return s.Config.Race == file.Race })
	script := []byte{byte(1 + at), 0}
	if fenced {
		script[1] = 1
	}
	version, cfg := raceScope(races[at], fenced)
	w, ok, err := beginDatabus(cfg, version.reference)
	if err != nil || !ok {
		f.Fatal(ok, err)
	}
	for _, step := range file.Steps {
		actions := w.possible()
		i := slices.IndexFunc(actions, func(a databusmodel.Action) bool { return a.String() == step.Do })
		if i < 0 {
			break // the fences have led away from it
		}
		if len(actions) > 1 {
			script = append(script, byte(i)) // one choice draws no octet
		}
		if _, err := w.take(actions[i]); err != nil {
			f.Fatal(file.Race, err)
		}
	}
	return script
}

// raceScope returns the scope of a race under its own rules, or under the fenced ones.
func raceScope(s model.Scope[databusmodel.Config], fenced bool) (databusVersion, databusmodel.Config) {
	cfg := s.Config
	if fenced {
		cfg.Rules = databusmodel.Fenced()
	}
	versions := databusVersions()
	at := slices.IndexFunc(versions, func(v databusVersion) bool { return v.machine == cfg.Rules })
	return versions[at], cfg
}

// FuzzDatabusScript has two or three tabs and their machine do what the octets of a script say, in a scope that the script drafts or in that
// of a race. They agree in every effect and every state, what holds in every step holds, and once the faults end the tabs come to rest as
// the version promises.
func FuzzDatabusScript(f *testing.F) {
	for _, file := range raceFiles(f) {
		f.Add(raceScript(f, file, false))
		f.Add(raceScript(f, file, true))
	}
	for i := range uint64(60) {
		f.Add(append([]byte{0}, randomScript(7000+i)...))
	}
	races := databusmodel.RaceScopes()
	f.Fuzz(func(t *testing.T, script []byte) {
		d, limit := drawFrom(&script), min(len(script), databusRun)
		var n databusTally
		version, cfg := databusVersion{}, databusmodel.Config{}
		if at := d.draw(1 + len(races)); at == 0 {
			version, cfg = draftDatabus(d)
		} else {
			version, cfg = raceScope(races[at-1], d.rarely(2))
		}
		if err := runDatabusIn(d, limit, version, cfg, &n); err != nil {
			t.Fatal(err)
		}
	})
}
