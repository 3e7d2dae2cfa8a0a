package eventbustest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// The dialects that cases run under.
var (
	bothDialects = []string{"seed", "later"}
	seedOnly     = []string{"seed"}
	laterOnly    = []string{"later"}
)

// startOfTime is the virtual wall clock of every case until it sets its own: thirteen digits, as today's
// milliseconds have, so that sizes do not change while it advances.
const startOfTime = 1_700_000_000_000

// busT is what a case of a bus works with: the T of the runner, and buses behind the adapter.
type busT struct {
	*conformance.T
	conn  *adapter.Conn
	hello hello

	silence *conformance.Break // what silence of the adapter breaks; nil: nothing
}

// onBus adapts a case written against busT.
func onBus(f func(*busT)) func(context.Context, *conformance.T) {
	return func(_ context.Context, t *conformance.T) {
		b := busOf(t)
		// A bus whose clock cannot be set stamps wall time, of thirteen digits too.
		if _, none := b.hello.Options[Clock]; !none && slices.Contains(b.hello.Roles, "bus") {
			b.Clock(startOfTime)
		}
		f(b)
	}
}

// busOf starts the adapter and greets it.
func busOf(t *conformance.T) *busT {
	b := &busT{T: t, conn: t.Adapter()}
	b.must(b.call("hello", helloRequest{"eventbus"}, &b.hello))
	if b.hello.Protocol != "eventbus" {
		t.Inconclusive("the adapter speaks %q, not eventbus", b.hello.Protocol)
	}
	return b
}

// Hello returns what the adapter says about itself and its target.
func (b *busT) Hello() hello { return b.hello }

// call makes one request. A fault of the adapter ends the case as inconclusive, an operation that it lacks as
// unsupported; what the target threw is returned.
func (b *busT) call(op string, request, reply any) *adapter.TargetError {
	err := b.attempt(op, request, reply)
	if unsupported, ok := errors.AsType[*adapter.UnsupportedError](err); ok {
		b.Unsupported("%v", unsupported)
	}
	thrown, _ := errors.AsType[*adapter.TargetError](err)
	return thrown
}

// attempt is call for what may be unsupported: the error is a *adapter.TargetError or a *adapter.UnsupportedError.
func (b *busT) attempt(op string, request, reply any) error {
	err := b.conn.Call(b.Context(), op, request, reply)
	_, thrown := errors.AsType[*adapter.TargetError](err)
	_, unsupported := errors.AsType[*adapter.UnsupportedError](err)
	switch {
	case err == nil || thrown || unsupported:
		return err
	case b.Context().Err() != nil:
		b.Stop()
	}
	if fault, ok := errors.AsType[*adapter.FaultError](err); ok && fault.Kind == adapter.Silent && b.silence != nil {
		b.silence.Seen = fault.Error()
		b.Stopped(*b.silence)
	}
	b.Inconclusive("%v", err)
	return nil
}

// Answers runs f, in which no reply in time breaks law: the adapter has answered all along, so that it is the target that
// blocks.
func (b *busT) Answers(law, reason string, f func()) {
	b.Step()
	b.silence = &conformance.Break{Law: law, Reason: reason, Expected: "an answer", Timed: true}
	defer func() { b.silence = nil }()
	f()
}

// must ends the case as blocked when the target threw where no case is about that.
func (b *busT) must(thrown *adapter.TargetError) {
	if thrown != nil {
		b.Blocked("prerequisite", "the target threw %s: %s", thrown.Name, thrown.Message)
	}
}

// Clock sets the virtual wall clock that stamps events, in ms since the epoch.
func (b *busT) Clock(now int64) { b.must(b.call("clock", clockRequest{now}, nil)) }

// Diagnostics returns what the target told besides its frames since this was last asked.
func (b *busT) Diagnostics() diagnostics {
	var d diagnostics
	b.must(b.call("diagnostics", nil, &d))
	return d
}

// Sized returns how often the payload of a Counting event was serialised since this was last asked.
func (b *busT) Sized() int {
	var r countReply
	b.must(b.call("sized", nil, &r))
	return r.Count
}

// Check breaks law unless ok; the case goes on. With an empty law what is checked is a prerequisite: the case
// is blocked and ends.
func (b *busT) Check(ok bool, law, reason, expected, seen string) bool {
	b.Step()
	switch {
	case ok:
	case law == "":
		b.Blocked("prerequisite", "%s: expected %s, seen %s", reason, expected, seen)
	default:
		b.Broken(conformance.Break{Law: law, Reason: reason, Expected: expected, Seen: seen})
	}
	return ok
}

// Equal breaks law unless seen is expected, by their printed form.
func (b *busT) Equal(law, reason string, expected, seen any) bool {
	want, got := fmt.Sprint(expected), fmt.Sprint(seen)
	return b.Check(want == got, law, reason, want, got)
}

// Sees breaks law unless the items are those that want tells in the notation of handedItems.String, as in
// "ring_evicted 3..5 replay_complete parked".
func (b *busT) Sees(law, reason string, got handedItems, want string) bool {
	seen := strings.Join(tokens(got.String()), " ")
	return b.Check(seen == strings.Join(tokens(want), " "), law, reason, want, got.String())
}

// Same breaks law unless the JSON texts are the same value.
func (b *busT) Same(law, reason, want string, got json.RawMessage) bool {
	shown := string(got)
	if got == nil {
		shown = "absent"
	}
	return b.Check(got != nil && sameJSON([]byte(want), got), law, reason, want, shown)
}

// Exactly breaks law unless the whole frame is the same JSON value as want.
func (b *busT) Exactly(law, reason string, f *frame, want string) bool {
	if f == nil {
		return b.Check(false, law, reason, want, "no frame")
	}
	return b.Same(law, reason, want, f.Raw)
}

// Data breaks law unless the data of the frame is the same JSON value as want.
func (b *busT) Data(law, reason string, f *frame, want string) bool {
	if f == nil {
		return b.Check(false, law, reason, want, "no frame")
	}
	return b.Same(law, reason, want, f.Data())
}

// Numbers breaks law unless data has these whole numbers, given as name and value in turn.
func (b *busT) Numbers(law, reason string, f *frame, pairs ...any) bool {
	var want, seen []string
	for i := 0; i+1 < len(pairs); i += 2 {
		name := fmt.Sprint(pairs[i])
		want = append(want, fmt.Sprintf("%s %v", name, pairs[i+1]))
		value := "absent"
		if f != nil && f.DataHas(name) {
			value = string(f.DataGet(name))
		}
		seen = append(seen, name+" "+value)
	}
	return b.Check(strings.Join(want, ", ") == strings.Join(seen, ", "), law, reason, strings.Join(want, ", "), strings.Join(seen, ", "))
}

// The returns the only frame of a type among the items; any other number of them breaks law and ends the case.
func (b *busT) The(law, reason string, got handedItems, kind string) *frame {
	found := got.Of(kind)
	if !b.Check(len(found) == 1, law, reason, "one "+kind, fmt.Sprintf("%d: %s", len(found), got)) {
		b.Stop()
	}
	return found[0]
}

// frames parses what a reply holds.
func (b *busT) frames(raw []json.RawMessage) []*frame {
	out := make([]*frame, 0, len(raw))
	for _, r := range raw {
		f, err := parseFrame(r)
		if err != nil {
			b.Inconclusive("%v", err)
		}
		out = append(out, f)
	}
	return out
}
