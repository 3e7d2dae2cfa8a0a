package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Verdict is what the judge of one mutant found: which laws are broken by the testimony of what.
type Verdict struct {
	Caught map[string]string `json:"caught"` // law -> "case ID", "vector NAME" or "way LAW"
}

// A BuildError says that a mutant cannot be judged: its edit does not apply or does not compile.
type BuildError struct {
	Mutant string
	Reason string
}

func (e *BuildError) Error() string { return fmt.Sprintf("mutant %s: %s", e.Mutant, e.Reason) }

// An EscapeError says that a law which a mutant breaks was not seen to be broken.
type EscapeError struct {
	Mutant string
	Law    string
}

func (e *EscapeError) Error() string {
	return fmt.Sprintf("mutant %s: nothing that cites %s noticed", e.Mutant, e.Law)
}

// Catch builds a judge with the mutant's edit laid over the source in root, which is not touched, and
// runs it in dir; patience multiplies the deadlines of its suites, from 1. It returns one catch for each
// law that the mutant breaks; the error joins a BuildError or an EscapeError for each that is missing.
func (m Mutant) Catch(ctx context.Context, root, dir string, patience int) ([]Catch, error) {
	overlay, err := m.overlay(root, dir)
	if err != nil {
		return nil, err
	}
	judges := [][]string{{"./fuzz/mutants/judge", "-patience", strconv.Itoa(patience)}}
	visible, err := sansIO(m.File)
	if err != nil {
		return nil, err
	}
	if visible {
		judges = slices.Insert(judges, 0, []string{"./fuzz/mutants/vectorjudge"})
	}
	open := slices.Clone(m.Breaks)
	caught := map[string]string{}
	for _, judge := range judges {
		v, err := m.judge(ctx, root, dir, overlay, judge[0], append(judge[1:], open...))
		if err != nil {
			return nil, err
		}
		for law, by := range v.Caught {
			caught[law] = by
		}
		if open = slices.DeleteFunc(open, func(law string) bool { return caught[law] != "" }); len(open) == 0 {
			break
		}
	}
	if err := m.byWays(ctx, root, overlay, open, caught); err != nil {
		return nil, err
	}
	var catches []Catch
	for _, law := range m.Breaks {
		if by := caught[law]; by != "" {
			catches = append(catches, Catch{Mutant: m.Name, Hash: m.Hash(), Law: law, By: by})
		} else {
			err = errors.Join(err, &EscapeError{m.Name, law})
		}
	}
	return catches, err
}

// judge builds and runs one judge.
func (m Mutant) judge(ctx context.Context, root, dir, overlay, judge string, args []string) (v Verdict, err error) {
	binary := filepath.Join(dir, "judge")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-ldflags", "-s -w", "-o", binary, judge)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return v, &BuildError{m.Name, fmt.Sprintf("does not build: %s", bytes.TrimSpace(out))}
	}
	var stderr bytes.Buffer
	run := exec.CommandContext(ctx, binary, args...)
	run.Dir, run.Stderr = dir, &stderr
	out, err := run.Output()
	if err != nil {
		return v, &BuildError{m.Name, fmt.Sprintf("judge failed: %v: %s", err, lastLines(stderr.String(), 12))}
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return v, &BuildError{m.Name, fmt.Sprintf("judge printed %q", out)}
	}
	return v, nil
}

// byWays runs the tests of ways that the reference of a protocol has for laws that are open, and notes which of them fail.
func (m Mutant) byWays(ctx context.Context, root, overlay string, open []string, caught map[string]string) error {
	for _, protocol := range Protocols() {
		r, err := referenceOf(protocol)
		if err != nil {
			return err
		}
		asked := slices.DeleteFunc(slices.Clone(open), func(law string) bool { return !strings.HasPrefix(law, strings.ToUpper(protocol)+"-") })
		if r.Ways == "" || len(asked) == 0 {
			continue
		}
		only := fmt.Sprintf("^%s$/^(%s)$", r.Ways, strings.Join(asked, "|"))
		test := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-count", "1", "-run", only, "./fuzz")
		test.Dir = root
		out, err := test.CombinedOutput()
		if err != nil && !bytes.Contains(out, []byte("--- FAIL: "+r.Ways)) {
			return &BuildError{m.Name, fmt.Sprintf("%v: %s", err, lastLines(string(out), 12))}
		}
		for _, law := range asked {
			if bytes.Contains(out, []byte("--- FAIL: "+r.Ways+"/"+law+" ")) {
				caught[law] = "way " + law
			}
		}
	}
	return nil
}

// overlay writes the edited file and the overlay that lays it over the source.
func (m Mutant) overlay(root, dir string) (string, error) {
	source := filepath.Join(root, filepath.FromSlash(m.File))
	data, err := os.ReadFile(source)
	if err != nil {
		return "", &BuildError{m.Name, err.Error()}
	}
	if n := strings.Count(string(data), m.Find); n != 1 {
		return "", &BuildError{m.Name, fmt.Sprintf("the fragment to replace occurs %d times in %s", n, m.File)}
	}
	edited := filepath.Join(dir, "edited.go")
	if err := os.WriteFile(edited, []byte(strings.Replace(string(data), m.Find, m.Replace, 1)), 0o644); err != nil {
		return "", err
	}
	spec, err := json.Marshal(map[string]map[string]string{"Replace": {source: edited}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, spec, 0o644)
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
