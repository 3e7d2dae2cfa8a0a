package databus

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestQueue: what is pushed is popped in order, once, however the two come, and the room that it takes stays within what is in it.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var got, want, held []int
		for i, push := range rapid.SliceOfN(rapid.IntRange(-3, 5), 0, 200).Draw(t, "pushes less pops") {
			for n := range push {
				held = append(held, 10*i+n)
				q.push(func() { got = append(got, 10*i+n) })
			}
			for ; push < 0 && len(held) > 0; push++ {
				want = append(want, held[0])
				held = held[1:]
				q.pop()()
			}
			if q.len() != len(held) || !slices.Equal(got, want) {
				t.Fatalf("%d left, want %d; popped %v, want %v", q.len(), len(held), got, want)
			}
			if len(q.all) > 2*len(held)+128 {
				t.Fatalf("%d places for %d", len(q.all), len(held))
			}
		}
	})
}
