package fuzz

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// A sessionRig is a real client session that takes the actions of the session machine.
type sessionRig struct {
	real *session.Session
	out  []byte
	buf  []byte
	// kept holds what the last receives returned, and what it said then: frames are the caller's for good.
	kept []keptFrame
}

type keptFrame struct {
	real *frame.Frame
	said stompmodel.Frame
}

// newSessionRig returns a session and the machine of the same configuration, with a scope for those who explore it.
func newSessionRig(cfg session.Config, scope []stompmodel.SessionAction) (*sessionRig, *stompmodel.Session, error) {
	real, err := session.New(cfg)
	if err != nil {
		return nil, nil, err
	}
	limits := stompmodel.DefaultSessionLimits()
	if cfg.Limits != (session.Limits{}) {
		limits = stompmodel.SessionLimits(cfg.Limits)
	}
	machine, err := stompmodel.NewSession(stompmodel.SessionConfig{
		MultiVersion: cfg.Profile == session.MultiVersion, Limits: limits, Tolerance: cfg.Tolerance, Scope: scope,
	})
	return &sessionRig{real: real}, machine, err
}

// Do takes an action and returns all that a caller sees of it. What no machine can say ends up in State, where nothing equals it.
func (r *sessionRig) Do(a stompmodel.SessionAction) stompmodel.SessionOutput {
	var o stompmodel.SessionOutput
	var err error
	var op session.Op
	var faults []string
	switch a.Op {
	case stompmodel.SessionSend:
		op = session.OpSend
		o.Octets, err = r.append(func(dst []byte) ([]byte, error) { return r.real.Send(dst, a.Now, realFrame(a.Frame)) })
	case stompmodel.SessionTick:
		op = session.OpTick
		o.Octets, err = r.append(func(dst []byte) ([]byte, error) { return r.real.Tick(dst, a.Now) })
	case stompmodel.SessionReceive:
		op = session.OpReceive
		o.Events, err = r.receive(a)
	case stompmodel.SessionEnd:
		op, err = session.OpEnd, r.real.End()
	case stompmodel.SessionFail:
		r.real.Fail()
	default:
		faults = append(faults, fmt.Sprintf("the rig cannot %s", a.Op))
	}
	if err != nil {
		var e *session.Error
		if !errors.As(err, &e) || e.Op != op {
			faults = append(faults, fmt.Sprintf("error %v of %s, want one of %s", err, a.Op, op))
		} else {
			o.Reason, o.Law = stompmodel.SessionReason(e.Reason.String()), e.Law
			var cause *frame.Error
			if errors.As(e.Cause, &cause) {
				o.Rule = stompmodel.Rule(cause.Rule.String())
			}
		}
	}
	o.State, o.Version = stompmodel.SessionPhase(r.real.State().String()), modelVersion(r.real.Version())
	o.Counts = stompmodel.SessionCounts(r.real.Counts())
	o.Send, o.Receive = r.real.Intervals()
	o.Next = r.real.Next()
	// STOMP-FRAME-025
	for _, k := range r.kept {
		if err := sameModelFrame(k.said, k.real); err != nil {
			faults = append(faults, fmt.Sprintf("a frame that was returned has changed: %v", err))
		}
	}
	if len(faults) > 0 {
		o.State = stompmodel.SessionPhase(strings.Join(append(faults, string(o.State)), "; "))
	}
	return o
}

// append calls something that appends to what is there already.
func (r *sessionRig) append(call func([]byte) ([]byte, error)) (string, error) {
	const before = "before"
	r.out = append(r.out[:0], before...)
	out, err := call(r.out)
	if !strings.HasPrefix(string(out), before) {
		return fmt.Sprintf("what was there before is %q", out), err
	}
	return string(out[len(before):]), err
}

func (r *sessionRig) receive(a stompmodel.SessionAction) ([]stompmodel.SessionEvent, error) {
	r.buf = append(r.buf[:0], a.Chunk...)
	events, err := r.real.Receive(a.Now, r.buf)
	overwrite(r.buf)
	var out []stompmodel.SessionEvent
	for _, e := range events {
		got := stompmodel.SessionEvent{Kind: stompmodel.SessionEventKind(e.Kind.String())}
		if e.Frame != nil {
			got.Frame = modelFrame(e.Frame)
			r.kept = append(r.kept, keptFrame{e.Frame, got.Frame})
		}
		out = append(out, got)
	}
	r.kept = r.kept[max(0, len(r.kept)-4):]
	return out, err
}

// realFrame is f as the implementation takes it; a command that is none becomes one that is none.
func realFrame(f stompmodel.Frame) *frame.Frame {
	out := &frame.Frame{Body: f.Body}
	out.Command, _ = frame.ParseCommand(f.Command)
	for _, h := range f.Headers {
		out.Headers = append(out.Headers, frame.Header(h))
	}
	return out
}

// sameSessionOutput reports whether the session did what the machine says. Of a frame that cannot be encoded any of its faults may be named
// (STOMP-CLIENT-003 knows only that it cannot), but it must be one.
func sameSessionOutput(want, got stompmodel.SessionOutput) bool {
	if want.Reason == stompmodel.Encoding && got.Rule != "" && got.Rule != stompmodel.RuleSpent {
		got.Rule = want.Rule
	}
	return reflect.DeepEqual(emptied(want), emptied(got))
}

// emptied makes no difference between nothing and an empty list.
func emptied(o stompmodel.SessionOutput) stompmodel.SessionOutput {
	var events []stompmodel.SessionEvent
	for _, e := range o.Events {
		if len(e.Frame.Headers) == 0 {
			e.Frame.Headers = nil
		}
		if len(e.Frame.Body) == 0 {
			e.Frame.Body = nil
		}
		events = append(events, e)
	}
	o.Events = events
	return o
}

// A sessionRun is a machine and a real session in the same state, and how they came there.
type sessionRun struct {
	*model.Tandem[stompmodel.SessionState, stompmodel.SessionAction, stompmodel.SessionOutput]
	cfg  session.Config
	rig  *sessionRig
	last stompmodel.SessionOutput
	// rest holds octets that the server has sent and the session has not received.
	rest string
}

func newSessionRun(cfg session.Config) (*sessionRun, error) {
	rig, machine, err := newSessionRig(cfg, nil)
	if err != nil {
		return nil, err
	}
	return &sessionRun{Tandem: model.NewTandem(machine, rig, sameSessionOutput), cfg: cfg, rig: rig}, nil
}

// take makes both take an action, and returns how they differ.
func (r *sessionRun) take(a stompmodel.SessionAction) (err error) {
	if _, r.last, err = r.Take(a); err != nil {
		return fmt.Errorf("%+v: %w", r.cfg, err)
	}
	return nil
}

// later returns the time so long after the last accepted one.
func (r *sessionRun) later(wait int64) int64 {
	now := r.State().Now()
	if wait > 0 && now > math.MaxInt64-wait {
		return math.MaxInt64
	}
	return now + wait
}
