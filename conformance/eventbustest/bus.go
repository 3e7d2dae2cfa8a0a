package eventbustest

import (
	"encoding/json"
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
	hello adapter.Greeting
}

// onBus makes a case of what is written against busT.
var onBus = conformance.With(func(t *conformance.T) *busT {
	b := busOf(t)
	// A bus whose clock cannot be set stamps wall time, of thirteen digits too.
	if _, none := b.hello.Options[Clock]; !none && slices.Contains(b.hello.Roles, "bus") {
		b.Clock(startOfTime)
	}
	return b
})

// busOf starts the adapter and greets it.
func busOf(t *conformance.T) *busT { return &busT{T: t, hello: t.Greet("eventbus", busOptions())} }

// Clock sets the virtual wall clock that stamps events, in ms since the epoch.
func (b *busT) Clock(now int64) { b.MustAsk("clock", clockRequest{now}, nil) }

// Diagnostics returns what the target told besides its frames since this was last asked.
func (b *busT) Diagnostics() diagnostics {
	var d diagnostics
	b.MustAsk("diagnostics", nil, &d)
	return d
}

// Sized returns how often the payload of a Counting event was serialised since this was last asked.
func (b *busT) Sized() int {
	var r countReply
	b.MustAsk("sized", nil, &r)
	return r.Count
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
