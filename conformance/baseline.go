package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/renameio/v2"
)

// A Baseline lists the known deviations of one target.
type Baseline struct {
	Target  string          `yaml:"target"`
	Entries []BaselineEntry `yaml:"entries"`
}

// A BaselineEntry is one known deviation and how it shows.
type BaselineEntry struct {
	Case        string  `yaml:"case"`        // id with version
	Verdict     Verdict `yaml:"verdict"`     // fail, lax, inconclusive or blocked
	Fingerprint string  `yaml:"fingerprint"` // of how it fails; see CaseResult.Fingerprint
	Reason      string  `yaml:"reason"`
	Link        string  `yaml:"link,omitempty"`    // a law id or an address
	Expires     string  `yaml:"expires,omitempty"` // YYYY-MM-DD, first day on which the entry no longer excuses
}

// A BaselineDelta is how a run differs from its baseline. Its first four lists are red.
type BaselineDelta struct {
	New     []string `json:"new,omitempty"`     // deviates and is not listed
	Changed []string `json:"changed,omitempty"` // deviates in another way than listed
	Fixed   []string `json:"fixed,omitempty"`   // listed, and no longer deviates: the entry is stale
	Expired []string `json:"expired,omitempty"` // listed, and the entry's time is over
	Known   int      `json:"known"`             // deviations that the baseline excuses
	// Excused are the known ones, by case, with the reason that the baseline gives.
	Excused []Excuse `json:"excused,omitempty"`
	// Unjudged counts the cases that were left out of the comparison because the run had ended early. It is not red by
	// itself: the run is.
	Unjudged int `json:"unjudged,omitempty"`
}

// An Excuse is a known deviation that a run showed again.
type Excuse struct {
	Case   string `json:"case"`
	Reason string `json:"reason"`
	Link   string `json:"link,omitempty"`
}

// Deviation reports whether v is something that a baseline speaks of.
func (v Verdict) Deviation() bool {
	return v == Fail || v == Lax || v == Inconclusive || v == Blocked
}

// Fingerprint identifies how a case deviates: the laws broken and the expectations behind them, but
// nothing that differs from run to run. It is empty for a case that does not deviate.
func (c CaseResult) Fingerprint() string {
	if !c.Verdict.Deviation() {
		return ""
	}
	var lines []string
	for _, f := range c.Findings {
		if f.Verdict.Deviation() {
			lines = append(lines, f.Law+"\x00"+string(f.Verdict)+"\x00"+f.Reason)
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(string(c.Verdict) + "\x01" + strings.Join(slices.Compact(lines), "\x01")))
	return hex.EncodeToString(sum[:6])
}

// LoadBaseline reads a baseline file. Unknown keys, repeated cases, a verdict that is no deviation,
// a missing reason and a malformed date are errors.
func LoadBaseline(file string) (*Baseline, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	b, err := ParseBaseline(data)
	if err != nil {
		return nil, fmt.Errorf("baseline %s: %w", file, err)
	}
	return b, nil
}

// ParseBaseline reads a baseline from YAML.
func ParseBaseline(data []byte) (*Baseline, error) {
	var b Baseline
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&b); err != nil && len(bytes.TrimSpace(data)) > 0 {
		return nil, err
	}
	seen := map[string]bool{}
	for i, e := range b.Entries {
		switch {
		case e.Case == "":
			return nil, fmt.Errorf("entry %d names no case", i+1)
		case seen[e.Case]:
			return nil, fmt.Errorf("case %s is listed twice", e.Case)
		case !e.Verdict.Deviation():
			return nil, fmt.Errorf("case %s: verdict %q is not a deviation", e.Case, e.Verdict)
		case strings.TrimSpace(e.Reason) == "":
			return nil, fmt.Errorf("case %s: no reason", e.Case)
		}
		if e.Expires != "" {
			if _, err := time.Parse(time.DateOnly, e.Expires); err != nil {
				return nil, fmt.Errorf("case %s: expires: %w", e.Case, err)
			}
		}
		seen[e.Case] = true
	}
	return &b, nil
}

// Compare tells how cases differ from b on the given day. Cases that did not run, or that the
// target does not support in this run, say nothing about their entries. Nor does, in a run that ended early, a case that
// was not decided: whatever it would have shown, what it shows is that the run had ended.
func (b *Baseline) Compare(cases []CaseResult, today time.Time, endedEarly bool) *BaselineDelta {
	entries := map[string]BaselineEntry{}
	for _, e := range b.Entries {
		entries[e.Case] = e
	}
	d := &BaselineDelta{}
	day := today.UTC().Format(time.DateOnly)
	seen := map[string]bool{}
	for _, c := range cases {
		e, listed := entries[c.ID]
		seen[c.ID] = true
		if c.Verdict == NotRun {
			continue
		}
		if endedEarly && (c.Verdict == Inconclusive || c.Verdict == Blocked) {
			d.Unjudged++
			continue
		}
		switch deviates := c.Verdict.Deviation(); {
		case !listed && deviates:
			d.New = append(d.New, c.ID)
		case !listed:
		case !deviates:
			d.Fixed = append(d.Fixed, c.ID)
		case e.Expires != "" && day >= e.Expires:
			d.Expired = append(d.Expired, c.ID)
		case e.Verdict != c.Verdict || (e.Fingerprint != "" && e.Fingerprint != c.Fingerprint()):
			d.Changed = append(d.Changed, c.ID)
		default:
			d.Known++
			d.Excused = append(d.Excused, Excuse{Case: c.ID, Reason: e.Reason, Link: e.Link})
		}
	}
	slices.SortFunc(d.Excused, func(a, b Excuse) int { return strings.Compare(a.Case, b.Case) })
	for _, e := range b.Entries {
		if !seen[e.Case] {
			d.Fixed = append(d.Fixed, e.Case)
		}
	}
	for _, list := range [][]string{d.New, d.Changed, d.Fixed, d.Expired} {
		slices.Sort(list)
	}
	return d
}

// Exit returns the exit status for a run judged against a baseline.
func (d *BaselineDelta) Exit() int {
	switch {
	case len(d.New)+len(d.Changed) > 0:
		return ExitBroken
	case len(d.Fixed)+len(d.Expired) > 0:
		return ExitBaseline
	default:
		return ExitHeld
	}
}

// Update returns a baseline that excuses exactly what cases show: reasons, links and dates of
// entries that still deviate are kept, stale entries are dropped, new ones get the finding's own
// words as their reason. Entries of cases that did not run stay.
func (b *Baseline) Update(target string, cases []CaseResult) *Baseline {
	old := map[string]BaselineEntry{}
	for _, e := range b.Entries {
		old[e.Case] = e
	}
	out := &Baseline{Target: target}
	for _, c := range cases {
		e, listed := old[c.ID]
		switch {
		case c.Verdict == NotRun && listed:
			out.Entries = append(out.Entries, e)
		case c.Verdict.Deviation():
			if !listed {
				e = BaselineEntry{Case: c.ID, Reason: c.Reason}
				for _, f := range c.Findings {
					if f.Verdict == c.Verdict {
						e.Link = f.Law
						break
					}
				}
				if e.Reason == "" {
					e.Reason = "observed"
				}
			}
			e.Verdict, e.Fingerprint = c.Verdict, c.Fingerprint()
			out.Entries = append(out.Entries, e)
		}
	}
	slices.SortFunc(out.Entries, func(a, b BaselineEntry) int { return strings.Compare(a.Case, b.Case) })
	return out
}

// Write stores b in a file, whole or not at all.
func (b *Baseline) Write(file string) error {
	data, err := yaml.MarshalWithOptions(b, yaml.IndentSequence(false))
	if err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	if err := renameio.WriteFile(file, data, 0o644); err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	return nil
}
