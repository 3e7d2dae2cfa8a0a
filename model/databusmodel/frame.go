package databusmodel

import "fmt"

// A FrameKind is what goes over the channel. DATABUS-CONTROL-001
type FrameKind uint8

// The kinds. The CONTROL frames are told apart by their action.
const (
	FrameNone FrameKind = iota
	FrameSubscribe
	FrameUnsubscribe
	FrameReleased
	FrameRegistry
	FrameEvent
)

func (k FrameKind) String() string {
	return name(k, "none", "SUBSCRIBE", "UNSUBSCRIBE", "ROUTE_RELEASED", "REGISTRY", "EVENT")
}

// A frame is under way from one worker to another.
type frame struct {
	kind  FrameKind
	topic uint8
	gen   uint8 // of ROUTE_RELEASED and, with Rules.CarryGeneration, of CONTROL
}

// A queue is what is under way from one worker to another, oldest first.
type queue struct {
	n      uint8
	frames [maxQueue]frame
}

// put appends a frame. A REGISTRY right behind another is one: a reconcile after both sees what the first would have seen, and heartbeats
// come in between anyway. It returns false if there is no room.
func (q *queue) put(f frame) bool {
	if f.kind == FrameRegistry && q.n > 0 && q.frames[q.n-1].kind == FrameRegistry {
		return true
	}
	if q.n == maxQueue {
		return false
	}
	q.frames[q.n] = f
	q.n++
	return true
}

func (q *queue) take() frame {
	f := q.frames[0]
	copy(q.frames[:], q.frames[1:q.n])
	q.n--
	q.frames[q.n] = frame{}
	return f
}

func (q *queue) append(dst []byte) []byte {
	dst = append(dst, q.n)
	for _, f := range q.frames[:q.n] {
		dst = append(dst, byte(f.kind)|f.topic<<4, f.gen)
	}
	return dst
}

// name returns the word of a small number.
func name[T ~uint8](v T, words ...string) string {
	if int(v) < len(words) {
		return words[v]
	}
	return fmt.Sprint(uint8(v))
}
