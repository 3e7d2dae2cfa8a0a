package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-6f28358b/assay/spec"
)

// T is what a case reports through and reaches its target by. Every wait has a deadline, every
// octet is in the transcript, and names are unique to the case and the run. A T belongs to the
// case's goroutine.
type T struct {
	env     *environment
	inst    Instance
	timing  Timing
	attempt int
	serial  uint64 // among all that the run makes
	ctx     context.Context
	record  *Transcript
	rand    *rand.Rand

	mu       sync.Mutex
	step     int
	verdict  Verdict
	reason   string
	findings []Finding
	notes    []Note
	conns    []*Conn
	names    int
	window   time.Duration
	steps    json.RawMessage
	testee   *Testee
	cleanups []func() // the case's goroutine's
	adapted  *adapted

	listeners []*Listener
}

// environment is what all cases of a run share. But for the count it does not change while cases run.
type environment struct {
	made      atomic.Uint64 // how many Ts; attempts may repeat their number, names must not
	suite     *Suite
	cfg       Config // nothing is left to a default; on the reference with its address and, unless another is given, its profile
	dialer    *dialer
	laws      *spec.Catalogue
	caps      Capabilities
	reference *Reference
}

// Capabilities are what the probe found out about a target.
type Capabilities struct {
	Versions []string // protocol versions it negotiated
	Software string   // what it says it is
	// Missing are options that a case may need and that the target was found not to manage, with
	// the case that says so and the reason. They block; only a profile can excuse.
	Missing map[string]string
	// Absent are options that the target was found to do without, as the specification allows, with
	// the reason. They make a case unsupported.
	Absent   map[string]string
	Settings map[string]string // what the probe had to choose, such as the host header
	RTT      time.Duration     // round trip of one request
}

// maxFindings bounds the findings kept of one case.
const maxFindings = 40

func newT(ctx context.Context, env *environment, inst Instance, timing Timing, attempt int) *T {
	return &T{
		env: env, inst: inst, timing: timing, attempt: attempt, serial: env.made.Add(1), ctx: ctx, record: newTranscript(),
		rand:    rand.New(rand.NewPCG(env.cfg.Seed, hash64(inst.ID()))),
		verdict: Pass,
	}
}

func hash64(s string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return h
}

// Context returns the case's context; it ends at the case's deadline.
func (t *T) Context() context.Context { return t.ctx }

// Version returns the protocol version of the instance, empty if the case picks its own.
func (t *T) Version() string { return t.inst.Version }

// Target returns the target.
func (t *T) Target() Target { return t.env.cfg.Target }

// Profile returns the target's profile.
func (t *T) Profile() Profile { return t.env.cfg.Profile }

// Capabilities returns what the probe found; empty inside the probe.
func (t *T) Capabilities() Capabilities { return t.env.caps }

// Timing returns the deadlines of this attempt, already scaled.
func (t *T) Timing() Timing { return t.timing }

// Deadline returns how long the case may take in all.
func (t *T) Deadline() time.Duration {
	if t.inst.Case.Explores {
		return ExploreFactor * t.timing.Case
	}
	return t.timing.Case
}

// Rand returns the case's source of randomness, seeded by the run's seed and the case's id.
func (t *T) Rand() *rand.Rand { return t.rand }

// Unique returns a name that no other case, run or attempt uses: lower-case letters, digits and
// hyphens, starting with prefix.
func (t *T) Unique(prefix string) string {
	t.names++
	return fmt.Sprintf("%s-%s-%s-%d-%d", prefix, t.env.cfg.Nonce, strconv.FormatUint(hash64(t.inst.ID())>>24, 36), t.serial, t.names)
}

// Dial opens a recorded connection. A connection that cannot be opened ends the case as
// inconclusive: that is not something a law speaks of.
func (t *T) Dial(name string) *Conn {
	c, err := t.TryDial(name)
	if err != nil {
		t.Inconclusive("connection %s cannot be opened: %v", name, err)
	}
	return c
}

// TryDial is Dial for cases that expect to be refused.
func (t *T) TryDial(name string) (*Conn, error) {
	ctx, cancel := context.WithTimeout(t.ctx, t.timing.Reply)
	defer cancel()
	s, err := t.env.dialer.dial(ctx)
	if err != nil {
		t.record.event(name, "not connected: "+err.Error())
		return nil, err
	}
	c := newConn(name, s, t.record, t.timing.Reply)
	t.mu.Lock()
	t.conns = append(t.conns, c)
	t.mu.Unlock()
	return c, nil
}

// Step counts one check and returns its number.
func (t *T) Step() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.step++
	return t.step
}

// A Break describes an expectation that did not hold.
type Break struct {
	Law      string // the law that is broken
	Reason   string // what should hold, and why
	Expected string
	Seen     string
	Timed    bool // rests on a deadline
}

// Broken records that law did not hold and gives it the verdict that its level calls for: fail for
// a MUST, lax for a SHOULD, info for a MAY; for a REFERENCE law fail on the reference and info on
// anybody else's software. A law that does not apply to the session's version is at most info. The
// case goes on.
func (t *T) Broken(b Break) { t.add(b, t.levelVerdict(b.Law)) }

// Loose records that a MUST was met loosely where the specification leaves room.
func (t *T) Loose(b Break) {
	if v := t.levelVerdict(b.Law); v != Fail {
		t.add(b, v)
		return
	}
	t.add(b, Lax)
}

// Chose records a choice that the specification leaves open.
func (t *T) Chose(law, reason, seen string) {
	t.add(Break{Law: law, Reason: reason, Seen: seen}, Info)
}

// Stop ends the case; what was recorded so far decides it.
func (t *T) Stop() { runtime.Goexit() }

// Stopped records a break and ends the case.
func (t *T) Stopped(b Break) {
	t.Broken(b)
	t.Stop()
}

func (t *T) levelVerdict(id string) Verdict {
	law, ok := t.env.laws.Law(id)
	if !ok {
		panic("case cites unknown law " + id)
	}
	if t.inst.Version != "" && len(law.Versions) > 0 && !slices.Contains(law.Versions, t.inst.Version) {
		return Info
	}
	switch law.Level {
	case spec.Must:
		return Fail
	case spec.Should:
		return Lax
	case spec.Reference:
		if t.env.cfg.Target.Reference() {
			return Fail
		}
		return Info
	default:
		return Info
	}
}

func (t *T) add(b Break, v Verdict) {
	law, _ := t.env.laws.Law(b.Law)
	if !slices.Contains(t.inst.Case.Laws, b.Law) {
		panic("case decides " + b.Law + " without citing it")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.findings) < maxFindings {
		t.findings = append(t.findings, Finding{
			Law: b.Law, Level: string(law.Level), Verdict: v, Step: t.step, Reason: b.Reason,
			Expected: clip(b.Expected), Seen: clip(b.Seen), Timed: b.Timed,
		})
	}
	if t.verdict.Worse(v) != t.verdict {
		t.verdict, t.reason = v, b.Reason
	}
}

func clip(s string) string {
	const limit = 600
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// Inconclusive ends the case because Assay cannot decide it.
func (t *T) Inconclusive(format string, args ...any) { t.end(Inconclusive, format, args...) }

// Unsupported ends the case because the target does not have what it is about.
func (t *T) Unsupported(format string, args ...any) { t.end(Unsupported, format, args...) }

// Blocked ends the case because the prerequisite did not hold.
func (t *T) Blocked(prerequisite, format string, args ...any) {
	t.end(Blocked, prerequisite+": "+format, args...)
}

func (t *T) end(v Verdict, format string, args ...any) {
	t.worse(v, format, args...)
	runtime.Goexit()
}

// worse lowers the verdict, if v is worse than what it is.
func (t *T) worse(v Verdict, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.verdict.Worse(v) != t.verdict {
		t.verdict, t.reason = v, clip(fmt.Sprintf(format, args...))
	}
}

// Note records something observed that no verdict rests on.
func (t *T) Note(key, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.notes) < maxFindings {
		t.notes = append(t.notes, Note{key, clip(fmt.Sprintf(format, args...))})
	}
}

// Event puts something that happened into the transcript, under the name of a connection.
func (t *T) Event(conn, text string) { t.record.event(conn, text) }

// Watched records that an absence was established over the window d (STOMP-INTEROP-002).
func (t *T) Watched(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.window = max(t.window, d)
}

// Replaying returns the steps that a generated experiment has to repeat instead of generating its own;
// nil when it is not a replay.
func (t *T) Replaying() json.RawMessage { return t.env.cfg.Steps }

// Steps attaches the steps of a generated experiment to the case's replay.
func (t *T) Steps(steps any) {
	data, err := json.Marshal(steps)
	if err != nil {
		panic(fmt.Sprintf("steps of %s: %v", t.inst.ID(), err))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = data
}

// Rewind forgets the transcript so far. A generated experiment calls it before each of its runs, so that
// the evidence is the wire of the run that it reports.
func (t *T) Rewind() { t.record.rewind() }

// A FaultError is a fault of Assay itself, never a verdict on a target.
type FaultError struct {
	Case  string
	Cause any
	Stack string
}

func (e *FaultError) Error() string {
	return fmt.Sprintf("fault in assay, case %s: %v", e.Case, e.Cause)
}

var errCaseDeadline = errors.New("case deadline")

// run executes the instance once and returns its result. A fault of the case itself is returned
// apart and makes the result inconclusive.
func (t *T) run(cancel context.CancelCauseFunc) (CaseResult, *FaultError) {
	var fault *FaultError
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				stack := make([]byte, 8<<10)
				fault = &FaultError{Case: t.inst.ID(), Cause: v, Stack: string(stack[:runtime.Stack(stack, false)])}
			}
		}()
		defer t.cleanUp()
		t.inst.Case.Run(t.ctx, t)
	}()
	timer := time.AfterFunc(t.Deadline(), func() { cancel(errCaseDeadline) })
	defer timer.Stop()
	<-done
	t.mu.Lock()
	conns := t.conns
	t.mu.Unlock()
	for _, c := range conns {
		c.Close()
	}
	if t.testee != nil {
		t.testee.end()
	}
	if t.adapted != nil {
		if err := t.adapted.end(); err != nil {
			// A line too many throws doubt on every reply before it.
			t.worse(Inconclusive, "the adapter is at fault: %v", err)
			t.Note("adapter", "%v", err)
		}
	}
	for _, l := range t.listeners {
		l.end()
	}
	return t.result(fault), fault
}

func (t *T) result(fault *FaultError) CaseResult {
	r := CaseResult{
		Type: "case", ID: t.inst.ID(), Title: t.inst.Case.Title, Verdict: t.verdict, Laws: t.inst.Case.Laws,
		Version: t.inst.Version, Reason: t.reason, Findings: t.findings, Notes: t.notes, Attempts: t.attempt,
		Millis: t.record.since(), WindowMS: t.window.Milliseconds(), Transcript: t.record.Records(), steps: t.steps,
	}
	switch {
	case fault != nil:
		r.Verdict, r.Reason = Inconclusive, fault.Error()
	case context.Cause(t.ctx) == errCaseDeadline && r.Verdict != Fail:
		r.Verdict = r.Verdict.Worse(Inconclusive)
		r.Reason = fmt.Sprintf("case did not end within %v", t.Deadline())
	case t.ctx.Err() != nil && r.Verdict != Fail:
		r.Verdict, r.Reason = NotRun, "the run was interrupted"
	}
	return r
}
