package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// ReplayVersion is the version of the replay format.
const ReplayVersion = 1

// A Replay is one file that reproduces a finding, whichever engine found it.
type Replay struct {
	Type     string    `json:"type"`     // "replay"
	Format   int       `json:"format"`   // ReplayVersion
	Engine   string    `json:"engine"`   // "suite", "property", "fuzz", "explorer" or "watch"
	Suite    string    `json:"protocol"` // its name
	Case     string    `json:"case"`     // case id with version, or the property's name
	Laws     []string  `json:"laws"`
	Verdict  Verdict   `json:"verdict"`
	Reason   string    `json:"reason"`
	Findings []Finding `json:"findings,omitempty"`
	Target   string    `json:"target"`
	Software string    `json:"software,omitempty"`
	Profile  string    `json:"profile,omitempty"`
	Seed     uint64    `json:"seed"`
	Nonce    string    `json:"nonce"`
	// Steps are engine-specific: the actions of a property or campaign. A suite case needs none.
	Steps json.RawMessage `json:"steps,omitempty"`
	// Wire is what was sent and what the target said, exact up to the transcript's bounds.
	Wire []Record `json:"wire"`
}

// ReadReplay reads a replay file.
func ReadReplay(file string) (*Replay, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	var r Replay
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s is no replay file: %w", file, err)
	}
	if r.Type != "replay" || r.Format != ReplayVersion {
		return nil, fmt.Errorf("%s is no replay file: type %q format %d, this program reads replays of format %d", file, r.Type, r.Format, ReplayVersion)
	}
	return &r, nil
}

// dropReplays removes the replays that an earlier run left in a folder of results: none of them speaks of this run. A
// file that is no replay stays.
func dropReplays(dir string) error {
	entries, err := os.ReadDir(filepath.Join(dir, "replays"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replay: %w", err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, "replays", e.Name())
		if _, err := ReadReplay(name); err != nil {
			continue
		}
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	return nil
}

// writeReplay stores the replay of a result and returns its name relative to the result file.
func (r *run) writeReplay(res CaseResult) (string, error) {
	laws := []string{}
	for _, f := range res.Findings {
		if f.Verdict == res.Verdict && !slices.Contains(laws, f.Law) {
			laws = append(laws, f.Law)
		}
	}
	replay := Replay{
		Type: "replay", Format: ReplayVersion, Engine: "suite", Suite: r.suite.Name, Case: res.ID, Laws: laws,
		Verdict: res.Verdict, Reason: res.Reason, Findings: res.Findings, Target: r.cfg.Target.Spec,
		Software: r.caps.Software, Profile: r.cfg.Profile.File, Seed: r.cfg.Seed, Nonce: r.cfg.Nonce,
		Steps: res.steps, Wire: res.Transcript,
	}
	if res.steps != nil {
		replay.Engine = "property"
	}
	data, err := json.MarshalIndent(replay, "", "  ")
	if err != nil {
		return "", fmt.Errorf("replay: %w", err)
	}
	name := filepath.Join("replays", strings.NewReplacer("/", "_", "@", "_").Replace(res.ID)+".json")
	file := filepath.Join(r.cfg.Out, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("replay: %w", err)
	}
	if err := renameio.WriteFile(file, append(data, '\n'), 0o644); err != nil {
		return "", fmt.Errorf("replay: %w", err)
	}
	return name, nil
}
