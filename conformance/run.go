package conformance

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/spec"
)

// A Config says how to run a suite. Target is required to be parsed; every other zero value works.
type Config struct {
	Target    Target
	Profile   Profile
	Selection Selection
	Parallel  int    // cases at a time; 0: 8, or 4 of clients, each a process of its own
	Seed      uint64 // 0: 1
	Nonce     string // 0: random; makes destination names unique to the run
	Out       string // folder for result.jsonl and replays; empty: nothing is written
	Kind      string // evidence kind; empty: in-process for the reference, real otherwise
	Program   string // version of this program, for the header
	Baseline  *Baseline
	// Listen is where a suite for clients plays the server, as HOST:PORT; empty: DefaultListen. With a
	// port other than 0 cases run one at a time.
	Listen string
	// Adapter, if not nil, is the target: something in this process that answers the requests of spec/adapter.md. Target then
	// only names it.
	Adapter adapter.Adapter
	// Calibrate returns the proof that the instrument works; nil: the law set is named and the
	// reference reported as not run. It is called after the probe has passed.
	Calibrate func(ctx context.Context, laws *spec.Catalogue) Calibration
	// Revive restarts a target that stopped answering; nil: the run ends there.
	Revive func(ctx context.Context) error
	// Progress is told how far the run is, after every case. It must return at once.
	Progress func(Progress)
	// Steps, from a replay, are what a generated experiment repeats instead of generating.
	Steps json.RawMessage
	// Command is put before a case's own flags to tell how to run it again.
	Command string
}

// A Progress is how far a run is.
type Progress struct {
	Done, Total int // of the cases that are run at all
	Counts      Counts
	Last        CaseResult
}

// Scope is the bounded claim of every report (STOMP-INTEROP-003).
const Scope = "A bounded result: these cases, on this target with this profile, at this time. " +
	"It is no certification, and says nothing about other settings, versions, persistence, mutual TLS, proxies or load."

const (
	maxParallel  = 64
	doubtsToLook = 4   // cases in a row without an answer before the target's life is checked
	maxRevivals  = 300 // restarts of one target in one run
	patience     = 10  // times the deadlines before a target that is silent is called dead
)

// errTargetDead is the cause that ends cases in flight when the target no longer answers.
var errTargetDead = errors.New("target no longer answers")

// Run judges a target by a suite and returns the whole result. An error means that there is no
// result: a setting is wrong, a file cannot be written, or Assay itself is at fault (FaultError,
// beside a complete result).
func Run(ctx context.Context, suite *Suite, cfg Config) (*Result, error) {
	laws, err := spec.Load()
	if err != nil {
		return nil, err
	}
	r, err := newRun(suite, cfg, laws)
	if err != nil {
		return nil, err
	}
	if cfg.Target.Reference() {
		ref, err := suite.Reference(ctx)
		if err != nil {
			return nil, fmt.Errorf("start the reference: %w", err)
		}
		defer ref.Stop()
		r.cfg.Target.Address, r.reference = ref.Address, ref
		if suite.Clients && ref.Testee == nil && ref.Adapter == nil {
			return nil, &FaultError{Case: "suite " + suite.Name, Cause: errNoTestee}
		}
		if cfg.Profile.File == "" {
			r.cfg.Profile, r.timing = ref.Profile, ref.Profile.Timing()
		}
	}
	if r.dialer, err = newDialer(r.cfg.Target.carrier(suite), r.cfg.Profile, suite.Subprotocols); err != nil {
		return nil, err
	}
	if cfg.Out != "" {
		if err := os.MkdirAll(cfg.Out, 0o755); err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
		if err := dropReplays(cfg.Out); err != nil {
			return nil, err
		}
		f, err := os.Create(filepath.Join(cfg.Out, "result.jsonl"))
		if err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
		defer f.Close()
		r.writer, r.result.Dir = NewWriter(f), cfg.Out
	}
	return r.all(ctx)
}

// run is the state of one run.
type run struct {
	*environment
	timing    Timing
	instances []Instance
	selected  []bool
	chosen    int // how many of them
	writer    *Writer
	started   time.Time

	mu       sync.Mutex
	result   Result
	counts   Counts
	total    int // instances that are run at all
	faults   []error
	writeErr error
	doubts   int    // cases in a row that got no answer
	dead     string // why the rest is blocked
	revivals int
	flights  flights
}

func newRun(suite *Suite, cfg Config, laws *spec.Catalogue) (*run, error) {
	if cfg.Parallel == 0 {
		cfg.Parallel = 8
		if suite.Clients {
			cfg.Parallel = 4
		}
	}
	if err := fits(suite, &cfg); err != nil {
		return nil, err
	}
	if cfg.Listen == "" {
		cfg.Listen = DefaultListen
	}
	if cfg.Parallel < 1 || cfg.Parallel > maxParallel {
		return nil, fmt.Errorf("parallel %d, allowed are 1 to %d", cfg.Parallel, maxParallel)
	}
	if cfg.Seed == 0 {
		cfg.Seed = defaultSeed
	}
	if cfg.Nonce == "" {
		cfg.Nonce = rand.Text()[:8]
	}
	cfg.Nonce = lowerNonce(cfg.Nonce)
	if err := cfg.Profile.Validate(); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if err := suite.Understands(cfg.Profile); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	known := func(id string) bool { _, ok := laws.Law(id); return ok }
	if err := ValidateCases(suite.Cases, known); err != nil {
		return nil, &FaultError{Case: "suite " + suite.Name, Cause: err}
	}
	r := &run{
		environment: &environment{suite: suite, cfg: cfg, laws: laws}, started: time.Now(), counts: Counts{}, timing: cfg.Profile.Timing(),
	}
	r.instances = Instances(suite.Cases)
	var err error
	if r.selected, err = cfg.Selection.Select(r.instances); err != nil {
		return nil, err
	}
	for _, yes := range r.selected {
		if yes {
			r.chosen++
		}
	}
	return r, nil
}

// fits reports whether a suite can judge such a target, and settles how many cases run at a time.
func fits(suite *Suite, cfg *Config) error {
	if err := suite.Judges(cfg.Target); err != nil && cfg.Adapter == nil {
		return err
	}
	if cfg.Listen == "" {
		return nil
	}
	if !suite.Clients {
		return fmt.Errorf("listen %s: %s plays the client and listens nowhere", cfg.Listen, suite.Name)
	}
	_, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen %s: %w", cfg.Listen, err)
	}
	if port != "0" {
		cfg.Parallel = 1
	}
	return nil
}

func lowerNonce(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

func (r *run) all(ctx context.Context) (*Result, error) {
	probe, alive := r.probe(ctx)
	r.header(ctx, alive)
	for i := range r.instances {
		if r.idle(i, alive) == "" {
			r.total++
		}
	}
	var parallel, alone []Instance
	for i, in := range r.instances {
		verdict, reason := r.unmet(in)
		idle := r.idle(i, alive)
		switch {
		case idle != "":
			r.record(blank(in, NotRun, idle))
		case !alive && probe != nil:
			first := blank(in, Inconclusive, probe.Reason)
			first.Transcript = probe.Transcript
			r.record(first)
			probe = nil
		case !alive:
			r.record(blank(in, Blocked, r.suite.Name+"/probe: "+r.dead))
		case reason != "":
			r.record(blank(in, verdict, reason))
		case in.Case.Alone:
			alone = append(alone, in)
		default:
			parallel = append(parallel, in)
		}
	}
	r.confirm(ctx, r.inParallel(ctx, parallel))
	// Those that load the target or measure time come last, and each is settled at once: what one of them does
	// to the target must not be laid at the next one's door.
	for _, in := range alone {
		res, ok := r.first(ctx, in)
		if !ok {
			r.settle(ctx, in, res)
			continue
		}
		r.record(res)
	}
	return r.finish(ctx)
}

// probe finds out what the target can do. alive is false when it cannot be judged.
func (r *run) probe(ctx context.Context) (failed *CaseResult, alive bool) {
	in := Instance{Case: &Case{ID: r.suite.Name + "/probe", Title: "find out what the target can do"}}
	in.Case.Run = func(ctx context.Context, t *T) { r.caps = r.suite.Probe(ctx, t) }
	res, fault := r.perform(ctx, in, r.timing, 1)
	if fault != nil {
		r.faults = append(r.faults, fault)
	}
	if fault != nil || res.Verdict != Pass {
		if h := hint(r.cfg.Target, res.Reason); h != "" {
			res.Reason += "; " + h
		}
		r.dead = res.Reason
		return &res, false
	}
	r.timing = r.timing.Measured(r.caps.RTT)
	return nil, true
}

func (r *run) header(ctx context.Context, alive bool) {
	kind := r.cfg.Kind
	if kind == "" {
		kind = "real"
		if r.cfg.Target.Reference() {
			kind = "in-process"
		}
	}
	name := r.cfg.Profile.Title
	if name == "" {
		name = r.cfg.Target.Spec
	}
	h := Header{
		Assay: r.cfg.Program, Suite: r.suite.Name, Title: r.suite.Title, Target: r.cfg.Target.Spec, Name: name, Kind: kind,
		Profile: r.cfg.Profile.Name, Software: r.caps.Software, Versions: r.caps.Versions,
		Started: r.started.UTC(), Seed: r.cfg.Seed, Nonce: r.cfg.Nonce, Timing: r.timing,
		Selection: r.cfg.Selection.Strings(), Command: r.cfg.commandLine(r.cfg.Selection), Scope: Scope,
		Calibration: Calibration{Laws: r.laws.Hash(), Platform: platform(), Reference: "notrun"},
	}
	switch {
	case r.cfg.Target.Reference():
		h.Calibration.Reference = "self"
		h.Calibration.Binary = BinaryHash()
	case alive && r.cfg.Calibrate != nil:
		h.Calibration = r.cfg.Calibrate(ctx, r.laws)
	}
	r.result.Header = h
	r.result.Header.Type, r.result.Header.Schema = "header", SchemaVersion
	if r.writer != nil {
		r.writeErr = r.writer.Header(h)
	}
}

// idle returns why an instance is not run at all; empty if it is, or is judged without running.
func (r *run) idle(i int, alive bool) string {
	in := r.instances[i]
	switch {
	case !r.selected[i]:
		return "not selected"
	case in.Case.Explores && !r.cfg.Target.Reference() && len(r.cfg.Selection.Only) == 0:
		return "explores: runs on this target when --only names it"
	case alive && in.Case.Needs.Reference && !r.cfg.Target.Reference():
		return "about the interface of the reference, which this target is not"
	default:
		return ""
	}
}

func blank(in Instance, v Verdict, reason string) CaseResult {
	return CaseResult{
		Type: "case", ID: in.ID(), Title: in.Case.Title, Verdict: v, Laws: in.Case.Laws, Version: in.Version, Reason: reason,
	}
}

// suspect is a case whose first verdict has to be confirmed.
type suspect struct {
	in    Instance
	first CaseResult
}

func (r *run) inParallel(ctx context.Context, instances []Instance) []suspect {
	var (
		wg       sync.WaitGroup
		mu       sync.Mutex
		suspects []suspect
		queue    = make(chan Instance)
	)
	for range min(r.cfg.Parallel, len(instances)) {
		wg.Go(func() {
			for in := range queue {
				if res, ok := r.first(ctx, in); !ok {
					mu.Lock()
					suspects = append(suspects, suspect{in, res})
					mu.Unlock()
				} else {
					r.record(res)
				}
			}
		})
	}
	for _, in := range instances {
		queue <- in
	}
	close(queue)
	wg.Wait()
	return suspects
}

// first runs an instance for the first time; ok is false when its verdict must be confirmed.
func (r *run) first(ctx context.Context, in Instance) (CaseResult, bool) {
	if dead := r.whyDead(); dead != "" {
		return blank(in, Blocked, dead), true
	}
	if (in.Case.Alone || r.oneByOne()) && !r.checkLife(ctx) && r.whyDead() != "" {
		return blank(in, Blocked, r.whyDead()), true
	}
	res, fault := r.attempt(ctx, in, r.timing, 1)
	r.look(ctx, res, fault)
	if r.mayBlame(in) && fault == nil && suspicious(res) && r.killer(ctx, in, &res) {
		return res, true
	}
	return res, fault != nil || !suspicious(res)
}

// mayBlame reports whether the end of the target, right after an instance ran and when nobody revives it, is that instance's doing.
func (r *run) mayBlame(in Instance) bool {
	return r.cfg.Revive == nil && (in.Case.Alone || r.oneByOne())
}

// oneByOne reports whether no two cases run at the same time, so that what happens to the target is the doing of one of them.
func (r *run) oneByOne() bool { return r.cfg.Parallel == 1 || r.chosen == 1 }

// suspicious reports whether a verdict needs a second look before it is said of somebody's software.
func suspicious(res CaseResult) bool {
	return res.Verdict == Fail || res.Verdict == Lax || res.Verdict == Inconclusive || res.Verdict == Blocked
}

// attempt runs an instance once.
func (r *run) attempt(ctx context.Context, in Instance, timing Timing, n int) (CaseResult, *FaultError) {
	began := r.flights.begin(in.ID())
	res, fault := r.perform(ctx, in, timing, n)
	r.flights.end(began, fault == nil && res.Verdict == Pass)
	return res, fault
}

func (r *run) perform(ctx context.Context, in Instance, timing Timing, n int) (CaseResult, *FaultError) {
	cctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return newT(cctx, r.environment, in, timing, n).run(cancel)
}

// record counts and writes one final result.
func (r *run) record(res CaseResult) {
	res.Command = r.cfg.commandLine(Selection{Only: []string{res.ID}})
	r.mu.Lock()
	if r.cfg.Out != "" && (res.Verdict == Fail || res.Verdict == Lax) {
		name, err := r.writeReplay(res)
		if err != nil && r.writeErr == nil {
			r.writeErr = err
		}
		res.Replay = name
	}
	r.counts[res.Verdict]++
	r.result.Cases = append(r.result.Cases, res)
	if r.writer != nil && r.writeErr == nil {
		r.writeErr = r.writer.Case(res)
	}
	p := Progress{Done: len(r.result.Cases) - r.counts[NotRun], Total: r.total, Last: res, Counts: Counts{}}
	for v, n := range r.counts {
		p.Counts[v] = n
	}
	r.mu.Unlock()
	if r.cfg.Progress != nil && res.Verdict != NotRun {
		r.cfg.Progress(p)
	}
}

func (r *run) finish(ctx context.Context) (*Result, error) {
	f := Footer{
		Type: "footer", Finished: time.Now().UTC(), Millis: float64(time.Since(r.started).Microseconds()) / 1000,
		Counts: r.counts, Total: len(r.result.Cases), Exit: r.counts.Exit(), Stopped: r.dead,
	}
	if ctx.Err() != nil {
		f.Stopped, f.Exit = "interrupted", ExitInconclusive
	}
	if r.cfg.Baseline != nil {
		f.Baseline = r.cfg.Baseline.Compare(r.result.Cases, time.Now(), f.Stopped != "")
		f.Exit = f.Baseline.Exit()
		// Of what a run could not judge to its end it cannot say that nothing differs.
		if f.Stopped != "" && f.Exit != ExitBroken {
			f.Exit = ExitInconclusive
		}
	}
	if len(r.faults) > 0 && f.Exit == ExitHeld {
		f.Exit = ExitInconclusive
	}
	r.result.Footer = f
	if r.writer != nil && r.writeErr == nil {
		r.writeErr = r.writer.Footer(f)
	}
	if r.writeErr != nil {
		return nil, fmt.Errorf("result: %w", r.writeErr)
	}
	return &r.result, errors.Join(r.faults...)
}
