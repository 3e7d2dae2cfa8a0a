package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// A sequencer is where the incoming direction of an object stands. It is not kept (SUBSTRATE-SEQ-010).
type sequencer struct {
	next     uint64 // the seq that is expected; 0: whatever fresh op comes
	gap      []early
	gapBytes int
	since    time.Time // when the first frame came that waits for the present gap to fill
	resyncs  int       // sent for the present gap
	last     time.Time // when the last of them was sent
}

// A verdict says what the sequencer makes of a fresh frame.
type verdict uint8

const (
	inSequence verdict = iota + 1
	below              // the frontier
	ahead              // within the window
	beyond             // the window
)

// judge says where a fresh frame is (SUBSTRATE-SEQ-002, SUBSTRATE-SEQ-004, SUBSTRATE-SEQ-005, SUBSTRATE-SEQ-009, SUBSTRATE-SEQ-010).
func (s *sequencer) judge(f *wire.Frame, window int) verdict {
	prev := f.Seq - 1
	if f.Has&wire.FieldPrev != 0 {
		prev = f.Prev
	}
	switch {
	case s.next == 0:
		return inSequence
	case f.Seq < s.next:
		return below
	case prev < s.next:
		return inSequence
	case f.Seq > s.next+uint64(window):
		return beyond
	}
	return ahead
}
