package mutants

import (
	"context"
	"errors"
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/renameio/v2"

	"github.com/seed-6f28358b/assay/conformance"
)

var (
	all    = flag.Bool("all", false, "build and judge every mutant, and rewrite the record")
	single = flag.String("mutant", "", "build and judge only mutants whose name contains this; the record stays")
	fresh  = flag.Bool("fresh", false, "build and judge only mutants that the record does not have, and add them to it")
	part   = flag.String("part", "", "I/N: build and judge every N-th mutant from the I-th on; the record stays")
)

const root = "../.."

// Each mutant must be noticed by a case or a vector that cites the law which it breaks.
func TestEveryMutantIsCaught(t *testing.T) {
	if !*all && !*fresh && *single == "" && *part == "" {
		t.Skip("building every mutant takes minutes: run make mutants")
	}
	eachProtocol(t, catchAll)
}

// eachProtocol runs a test for the mutants of each protocol.
func eachProtocol(t *testing.T, run func(t *testing.T, protocol string, list []Mutant)) {
	for _, protocol := range Protocols() {
		t.Run(protocol, func(t *testing.T) {
			list, err := Load(protocol)
			if err != nil {
				t.Fatal(err)
			}
			run(t, protocol, list)
		})
	}
}

func catchAll(t *testing.T, protocol string, list []Mutant) {
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu      sync.Mutex
		catches []Catch
		wg      sync.WaitGroup
		slots   = make(chan struct{}, 2)
	)
	for _, m := range chosen(t, protocol, list) {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			got, err := catch(t, m, here, 1)
			if err != nil {
				// On a machine that does something else too, what is broken may be slow as well, which is a doubt and no verdict.
				t.Logf("judged again with more patience: %v", err)
				got, err = catch(t, m, here, 4)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			for _, c := range got {
				t.Logf("%s: %s by %s", c.Mutant, c.Law, c.By)
			}
			catches = append(catches, got...)
		})
	}
	wg.Wait()
	if *fresh {
		known, err := Caught(protocol)
		if err != nil {
			t.Fatal(err)
		}
		catches = append(catches, slices.DeleteFunc(known, func(c Catch) bool {
			return slices.ContainsFunc(catches, func(n Catch) bool { return n.Mutant == c.Mutant && n.Law == c.Law })
		})...)
	} else if *single != "" || *part != "" || t.Failed() {
		return
	}
	slices.SortFunc(catches, func(a, b Catch) int {
		return strings.Compare(a.Mutant+a.Law, b.Mutant+b.Law)
	})
	data, err := yaml.Marshal(catches)
	if err != nil {
		t.Fatal(err)
	}
	if err := renameio.WriteFile(filepath.Join(root, "corpus", protocol, "mutants", recordFile), data, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d mutants, %d laws seen broken", len(list), len(catches))
}

// catch judges a mutant within five minutes.
func catch(t *testing.T, m Mutant, root string, patience int) ([]Catch, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	return m.Catch(ctx, root, t.TempDir(), patience)
}

// chosen returns the mutants that the flags ask for.
func chosen(t *testing.T, protocol string, list []Mutant) []Mutant {
	first, step := 1, 1
	if *part != "" {
		var err error
		if first, step, err = conformance.ParseShard(*part); err != nil {
			t.Fatal(err)
		}
	}
	caught, err := Caught(protocol)
	if err != nil {
		t.Fatal(err)
	}
	var out []Mutant
	for i := first - 1; i < len(list); i += step {
		if strings.Contains(list[i].Name, *single) && !(*fresh && len(list[i].missing(caught)) == 0) {
			out = append(out, list[i])
		}
	}
	return out
}

// The judge finds nothing broken in the reference as it is: what it says of a mutant is the edit's doing.
func TestReferenceIsNoMutant(t *testing.T) {
	if !*all && *part == "" {
		t.Skip("judging the reference by every law takes a minute: run make mutants")
	}
	eachProtocol(t, judgeAsItIs)
}

func judgeAsItIs(t *testing.T, protocol string, list []Mutant) {
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	r, err := referenceOf(protocol)
	if err != nil {
		t.Fatal(err)
	}
	file := r.AsItIs
	clause := "package " + path.Base(path.Dir(file))
	same := Mutant{Name: "reference", File: file, Find: clause, Replace: clause + " // as it is"}
	for _, m := range list {
		for _, law := range m.Breaks {
			if !slices.Contains(same.Breaks, law) {
				same.Breaks = append(same.Breaks, law)
			}
		}
	}
	caught, err := catch(t, same, here, 1)
	if build := (*BuildError)(nil); errors.As(err, &build) {
		t.Fatal(build)
	}
	for _, c := range caught {
		t.Errorf("%s is said to break %s: %s", c.Mutant, c.Law, c.By)
	}
}

// The record must speak of the mutants as they are now, all of them.
func TestRecordIsCurrent(t *testing.T) {
	eachProtocol(t, func(t *testing.T, protocol string, list []Mutant) {
		caught, err := Caught(protocol)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			for _, law := range m.missing(caught) {
				t.Errorf("mutant %s: no record that a break of %s was noticed: run make mutants", m.Name, law)
			}
		}
	})
}

// Every mutant's fragment occurs exactly once in the source as it is.
func TestMutantsApply(t *testing.T) {
	eachProtocol(t, func(t *testing.T, _ string, list []Mutant) {
		for _, m := range list {
			if _, err := m.overlay(root, t.TempDir()); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestLoadRefuses(t *testing.T) {
	const good = "- name: a\n  file: f.go\n  find: x\n  replace: y\n  breaks: [STOMP-FRAME-001]\n"
	for name, text := range map[string]string{
		"an unknown key":  strings.Replace(good, "find", "fnd", 1),
		"a repeated name": good + good,
		"no change":       strings.Replace(good, "replace: y", "replace: x", 1),
		"no law":          strings.Replace(good, "[STOMP-FRAME-001]", "[]", 1),
		"an unknown law":  strings.Replace(good, "FRAME-001", "FRAME-999", 1),
	} {
		if _, err := load(fstest.MapFS{"m/a.yaml": {Data: []byte(text)}}, "m"); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if list, err := load(fstest.MapFS{"m/a.yaml": {Data: []byte(good)}}, "m"); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestEditThatDoesNotApplyIsNoCatch(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte("package p // x x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, find := range []string{"x", "z"} {
		_, err := Mutant{Name: "m", File: "f.go", Find: find, Replace: "y", Breaks: []string{"STOMP-FRAME-001"}}.Catch(t.Context(), dir, t.TempDir(), 1)
		var build *BuildError
		if !errors.As(err, &build) {
			t.Errorf("find %q: %v", find, err)
		}
	}
}
