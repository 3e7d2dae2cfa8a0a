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
	"strings"
)

// A Verdict is what the judge of one mutant found: which laws are broken by the testimony of what.
type Verdict struct {
	Caught map[string]string `json:"caught"` // law -> "case ID" or "vector NAME"
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

// sansIO are the parts of the reference that vectors can see into.
var sansIO = []string{
	"impl/stomp/frame/", "impl/stomp/heartbeat/", "impl/stomp/session/", "impl/eventbus/sse/", "impl/eventbus/reducer/",
}

// Catch builds a judge with the mutant's edit laid over the source in root, which is not touched, and
// runs it in dir. It returns one catch for each law that the mutant breaks; the error joins a
// BuildError or an EscapeError for each that is missing.
func (m Mutant) Catch(ctx context.Context, root, dir string) ([]Catch, error) {
	overlay, err := m.overlay(root, dir)
	if err != nil {
		return nil, err
	}
	judges := []string{"./fuzz/mutants/judge"}
	if slices.ContainsFunc(sansIO, func(part string) bool { return strings.HasPrefix(m.File, part) }) {
		judges = []string{"./fuzz/mutants/vectorjudge", "./fuzz/mutants/judge"}
	}
	open := slices.Clone(m.Breaks)
	caught := map[string]string{}
	for _, judge := range judges {
		v, err := m.judge(ctx, root, dir, overlay, judge, open)
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
func (m Mutant) judge(ctx context.Context, root, dir, overlay, judge string, laws []string) (v Verdict, err error) {
	binary := filepath.Join(dir, "judge")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-ldflags", "-s -w", "-o", binary, judge)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return v, &BuildError{m.Name, fmt.Sprintf("does not build: %s", bytes.TrimSpace(out))}
	}
	var stderr bytes.Buffer
	run := exec.CommandContext(ctx, binary, laws...)
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
