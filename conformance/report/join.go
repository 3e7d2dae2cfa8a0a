package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// A Matrix is any number of runs, joined: one target per thing that was judged, one row per law that a
// case cites. All its texts are clean: one line, visible, bounded.
type Matrix struct {
	Targets []*Target
	Rows    []*Row
	// Uncited counts the active laws of the protocols concerned that no case of these runs cites.
	Uncited int
	laws    *spec.Catalogue
	dir     string // Options.Dir
	uncited []spec.Law
}

// A Target is everything that the runs say about one target.
type Target struct {
	Header   conformance.Header // of the first run, with what later runs add
	Label    string             // short, unique inside the matrix
	Runs     []Run
	Cases    []Case // every case of the catalogue, ordered by id
	Counts   conformance.Counts
	Exit     int
	Stopped  string   // why a run ended early, if one did
	Missing  []string // parts (--shard) of the run that no result holds, as 2/3
	Baseline *conformance.BaselineDelta
}

// A Run is one result file that a target's cases came from.
type Run struct {
	Started   time.Time
	Millis    float64
	Seed      uint64
	Nonce     string
	Selection []string
	Command   string // makes the run again; empty when nobody knows
	Dir       string // folder of its result file; empty when nobody knows
	Exit      int
	baseline  bool
}

// A Case is one case of one target over all its runs.
type Case struct {
	conformance.CaseResult
	Group string // middle of the id: server/ack
	// Varies holds the different verdicts of runs that disagree, worst first; nil when they agree.
	Varies []conformance.Verdict
	// Excuse is what the baseline says of the deviation, nil when it does not know it.
	Excuse *conformance.Excuse
	raw    string // id before it was cleaned and cut
	replay string // path of its replay file, from the folder in which the report is made; empty when there is none
}

// Join joins results into a matrix. Results belong to one target when protocol, target, kind, profile,
// name and law set are the same and the software is, where both name it; seed and nonce do not matter.
// Of one case's verdicts a case that ran wins over notrun, and of two that differ the worse stays and is
// marked. A nil catalogue leaves laws without text.
//
// Parts of a run (--shard) that no result holds make a target inconclusive.
func Join(laws *spec.Catalogue, results ...*conformance.Result) *Matrix {
	return Options{Laws: laws}.join(results...)
}

func (o Options) join(results ...*conformance.Result) *Matrix {
	m := &Matrix{laws: o.Laws, dir: o.Dir}
	if m.laws == nil {
		m.laws = &spec.Catalogue{}
	}
	for _, r := range results {
		if r == nil {
			continue
		}
		h := tidyHeader(r.Header)
		t := m.find(h)
		if t == nil {
			t = &Target{Header: h}
			m.Targets = append(m.Targets, t)
		}
		t.add(h, r)
	}
	for _, t := range m.Targets {
		t.settle()
		if !o.Part {
			t.lacks(missingParts(t.Runs))
		}
	}
	m.label()
	m.rows()
	return m
}

func (m *Matrix) find(h conformance.Header) *Target {
	for _, t := range m.Targets {
		o := t.Header
		same := o.Suite == h.Suite && o.Target == h.Target && o.Kind == h.Kind && o.Profile == h.Profile &&
			o.Name == h.Name && o.Calibration.Laws == h.Calibration.Laws
		// A run that could not reach its target knows no software.
		if same && (o.Software == h.Software || o.Software == "" || h.Software == "") {
			return t
		}
	}
	return nil
}

func (t *Target) add(h conformance.Header, r *conformance.Result) {
	if t.Header.Software == "" {
		t.Header.Software = h.Software
	}
	for _, v := range h.Versions {
		if !slices.Contains(t.Header.Versions, v) {
			t.Header.Versions = append(t.Header.Versions, v)
		}
	}
	// A joined calibration is only as good as the worst of its runs.
	if len(t.Runs) > 0 && calibrationRank(h) < calibrationRank(t.Header) {
		t.Header.Calibration = h.Calibration
	}
	run := Run{
		Started: h.Started, Millis: finite(r.Footer.Millis), Seed: h.Seed, Nonce: h.Nonce, Selection: h.Selection, Dir: r.Dir,
		Command: runCommand(h, r.Cases), Exit: r.Footer.Exit, baseline: r.Footer.Baseline != nil,
	}
	t.Runs = append(t.Runs, run)
	excuse := excuses(r.Footer.Baseline, r.Cases)
	if t.Stopped == "" {
		t.Stopped = clean(r.Footer.Stopped, maxText)
	}
	t.addBaseline(r.Footer.Baseline)
	// Cases join over runs only: inside one run each line counts, or the run's sum would not come out.
	index := make(map[string]int, len(t.Cases))
	for i, c := range t.Cases {
		index[c.raw] = i
	}
	for _, result := range r.Cases {
		c := Case{CaseResult: tidyCase(result), raw: result.ID, Excuse: excuse(result)}
		c.replay = replayFile(run, h.Target, c.Replay)
		c.Group = caseGroup(c.ID)
		if i, ok := index[c.raw]; ok {
			t.Cases[i] = t.Cases[i].join(c)
			continue
		}
		t.Cases = append(t.Cases, c)
	}
}

func calibrationRank(h conformance.Header) int {
	return slices.Index([]string{"red", "notrun", "green", "self"}, h.Calibration.Reference)
}

func (t *Target) addBaseline(d *conformance.BaselineDelta) {
	if d == nil {
		return
	}
	if t.Baseline == nil {
		t.Baseline = &conformance.BaselineDelta{}
	}
	merge := func(into *[]string, from []string) {
		for _, id := range from {
			if id = clean(id, 300); !slices.Contains(*into, id) {
				*into = append(*into, id)
			}
		}
		slices.Sort(*into)
	}
	merge(&t.Baseline.New, d.New)
	merge(&t.Baseline.Changed, d.Changed)
	merge(&t.Baseline.Fixed, d.Fixed)
	merge(&t.Baseline.Expired, d.Expired)
	t.Baseline.Known += d.Known
	t.Baseline.Unjudged += d.Unjudged
	for _, e := range d.Excused {
		t.Baseline.Excused = append(t.Baseline.Excused, tidyExcuse(e))
	}
}

// join returns what two runs of one case say together.
func (c Case) join(d Case) Case {
	switch {
	case d.Verdict == conformance.NotRun:
		return c
	case c.Verdict == conformance.NotRun:
		return d
	}
	seen := append(slices.Clone(c.Varies), c.Verdict, d.Verdict)
	out := c
	if c.Verdict.Worse(d.Verdict) != c.Verdict {
		out = d
	}
	slices.SortFunc(seen, func(a, b conformance.Verdict) int {
		return cmp.Compare(slices.Index(conformance.Verdicts(), a), slices.Index(conformance.Verdicts(), b))
	})
	if out.Varies = slices.Compact(seen); len(out.Varies) == 1 {
		out.Varies = nil
	}
	// What one run's baseline does not excuse is not excused.
	if c.Verdict.Deviation() && c.Excuse == nil || d.Verdict.Deviation() && d.Excuse == nil {
		out.Excuse = nil
	}
	return out
}

// settle computes what follows from a target's cases.
func (t *Target) settle() {
	slices.SortStableFunc(t.Cases, func(a, b Case) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.ID, b.ID))
	})
	slices.Sort(t.Header.Versions)
	t.Counts = conformance.Counts{}
	for _, c := range t.Cases {
		t.Counts[c.Verdict]++
	}
	if len(t.Runs) == 1 {
		t.Exit = t.Runs[0].Exit
		return
	}
	if t.Baseline == nil {
		if t.Exit = t.Counts.Exit(); t.Exit == conformance.ExitHeld && t.Stopped != "" {
			t.Exit = conformance.ExitInconclusive
		}
		return
	}
	// With a baseline the counts cannot tell what was excused; the runs can.
	order := []int{conformance.ExitHeld, conformance.ExitBaseline, conformance.ExitInconclusive, conformance.ExitBroken}
	for _, r := range t.Runs {
		exit := r.Exit
		if !r.baseline && exit == conformance.ExitHeld && t.Stopped != "" {
			exit = conformance.ExitInconclusive
		}
		if slices.Index(order, exit) > slices.Index(order, t.Exit) {
			t.Exit = exit
		}
	}
}

// label gives each target a name that no other target of the matrix has.
func (m *Matrix) label() {
	uses := map[string]int{}
	for _, t := range m.Targets {
		uses[t.Header.Name]++
	}
	taken := map[string]bool{}
	for _, t := range m.Targets {
		t.Label = short(t.Header.Name, 60)
		if uses[t.Header.Name] > 1 {
			switch {
			case t.Header.Software != "" && !strings.Contains(t.Label, t.Header.Software):
				t.Label += " (" + short(t.Header.Software, 60) + ")"
			default:
				t.Label += " (" + short(t.Header.Target, 60) + ")"
			}
		}
		for base, n := t.Label, 2; taken[t.Label]; n++ {
			t.Label = fmt.Sprintf("%s #%d", base, n)
		}
		taken[t.Label] = true
	}
}

// caseGroup returns the part of a case id between protocol and name.
func caseGroup(id string) string {
	parts := strings.Split(id, "/")
	if len(parts) < 3 {
		return "general"
	}
	return strings.Join(parts[1:len(parts)-1], "/")
}
