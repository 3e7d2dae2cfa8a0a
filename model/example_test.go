package model_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/model"
)

// mailbox is a sender that tries again, a link that loses and repeats, and a
// receiver. It is a machine in which the receiver may forget to look for
// duplicates.
type mailbox struct{ forgets bool }

// box is a state of the mailbox.
type box struct {
	Acked  bool
	Onlink int
	Seen   int
}

func (mailbox) Init() box { return box{} }

func (mailbox) Actions(box) iter.Seq[string] {
	return slices.Values([]string{"send", "lose", "deliver"})
}

func (m mailbox) Step(s box, action string) iter.Seq2[box, string] {
	return func(yield func(box, string) bool) {
		after := s
		switch {
		case action == "send" && !s.Acked && s.Onlink < 2:
			after.Onlink++
			yield(after, "sent")
		case action == "lose" && s.Onlink > 0:
			after.Onlink--
			yield(after, "lost")
		case action == "deliver" && s.Onlink > 0:
			after.Onlink--
			if s.Seen == 0 || m.forgets {
				after.Seen++
			}
			// The ack may be lost as well: the laws allow both.
			if !yield(after, "ack lost") {
				return
			}
			after.Acked = true
			yield(after, "acked")
		}
	}
}

func (mailbox) AppendKey(dst []byte, s box) []byte {
	acked := byte(0)
	if s.Acked {
		acked = 1
	}
	return append(dst, acked, byte(s.Onlink), byte(s.Seen))
}

var once = model.Invariant[box]{
	Law:   "MAIL-ONCE",
	Title: "the message is handed over at most once",
	Holds: func(s box) error {
		if s.Seen > 1 {
			return fmt.Errorf("handed over %d times", s.Seen)
		}
		return nil
	},
}

func ExampleExhaust() {
	cfg := model.ExhaustConfig[box, string, string]{Invariants: []model.Invariant[box]{once}}
	good, err := model.Exhaust(context.Background(), mailbox{}, cfg)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(good.Complete, good.States, good.Edges, good.Depth)

	bad, err := model.Exhaust(context.Background(), mailbox{forgets: true}, cfg)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(bad.Counterexample)
	// Output:
	// true 8 19 4
	// MAIL-ONCE (the message is handed over at most once) is broken after 4 steps: handed over 2 times
	//   start: {Acked:false Onlink:0 Seen:0}
	//   1. send -> sent: {Acked:false Onlink:1 Seen:0}
	//   2. send -> sent: {Acked:false Onlink:2 Seen:0}
	//   3. deliver -> ack lost: {Acked:false Onlink:1 Seen:1}
	//   4. deliver -> ack lost: {Acked:false Onlink:0 Seen:2}
}

func ExampleAccepts() {
	trace := []model.Step[string, string]{
		{Action: "send", Outcome: "sent"},
		{Action: "deliver", Outcome: "acked"},
		{Action: "send", Outcome: "sent"},
	}
	err := model.Accepts[box, string, string](mailbox{}, trace, nil)
	fmt.Println(err)
	var rejected *model.Rejected[box, string, string]
	fmt.Println(errors.As(err, &rejected) && rejected.Index == 2)
	// Output:
	// step 2: send: outcome sent is not allowed; the action is impossible here; states possible before (1): {Acked:true Onlink:0 Seen:1}
	// true
}

// In a test, the property goes to rapid.Check.
func ExampleWalk() {
	property := func(t *rapid.T) {
		model.Walk(t, mailbox{}, model.WalkConfig[box, string, string]{
			Invariants: []model.Invariant[box]{once},
		})
	}
	_ = property
}

// counter is something real that counts messages.
type counter struct{ sent int }

func (c *counter) Do(string) int {
	c.sent++
	return c.sent
}

// counting is the machine that describes it.
type counting struct{}

func (counting) Init() int { return 0 }

func (counting) Actions(int) iter.Seq[string] { return slices.Values([]string{"send"}) }

func (counting) Step(n int, _ string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) { yield(n+1, n+1) }
}

func (counting) AppendKey(dst []byte, n int) []byte { return fmt.Append(dst, n) }

// In a test, the property goes to rapid.Check. Each run needs a new real thing.
func ExampleLockstep() {
	property := func(t *rapid.T) {
		model.Lockstep(t, counting{}, &counter{}, model.LockstepConfig[int, string, int]{})
	}
	_ = property
}

func ExampleWriteMermaid() {
	g, err := model.Unfold(context.Background(), mailbox{}, model.Bounds{Depth: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	labels := model.Labels[box, string, string]{
		State: func(s box) string { return fmt.Sprintf("%d on the link, %d seen", s.Onlink, s.Seen) },
	}
	if err := model.WriteMermaid(os.Stdout, g, labels); err != nil {
		fmt.Println(err)
	}
	// Output:
	// stateDiagram-v2
	// 	classDef bound stroke-dasharray: 4
	// 	classDef marked stroke-width: 3px
	// 	state "0 on the link, 0 seen" as s0
	// 	state "1 on the link, 0 seen" as s1
	// 	[*] --> s0
	// 	s0 --> s1: send -#gt; sent
	// 	class s1 bound
}
