package frame

import (
	"strings"
	"unsafe"
)

// The blocks that strings, bodies and header lists are cut from double from the first size to the last, so that a
// decoder for one small frame stays small and a busy one allocates once in a dozen frames. A string kept by the caller
// keeps its whole block alive: the last size is what one small frame can pin. The runtime cuts three blocks of lastText
// from 64 KiB, where a block of 32 KiB takes a span of its own, and 512 headers would just miss a size class.
const (
	firstText    = 1 << 10
	lastText     = 21760
	firstHeaders = 32
	lastHeaders  = 511
	firstFrames  = 4
	lastFrames   = 64
	// A body of more octets than this gets an allocation of its own, and so does its frame: otherwise one small frame
	// would pin the large bodies of its neighbours.
	largestShared = 4 << 10
)

// arena hands out pieces of blocks of T. A full block is left to whoever holds pieces of it.
type arena[T any] struct {
	block       []T // len is what is handed out
	first, last int // sizes of blocks; last is not exceeded except by a single larger request
}

// reserve makes room for n more in the current block, if need be with a new block that starts with a copy of the
// elements from keep on, and returns where these now start.
func (a *arena[T]) reserve(n, keep int) int {
	if cap(a.block)-len(a.block) >= n {
		return keep
	}
	size := max(a.first, min(2*cap(a.block), a.last))
	kept := a.block[keep:]
	if need := len(kept) + n; need > size {
		size = max(need, min(2*need, a.last))
	}
	block := make([]T, len(kept), size)
	copy(block, kept)
	a.block = block
	return 0
}

// take hands out n elements, not cleared.
func (a *arena[T]) take(n int) []T {
	if cap(a.block)-len(a.block) < n {
		a.reserve(n, len(a.block))
	}
	at := len(a.block)
	a.block = a.block[:at+n]
	return a.block[at : at+n : at+n]
}

// rewind makes the whole block available again. What was handed out from it becomes invalid.
func (a *arena[T]) rewind() { a.block = a.block[:0] }

// octets is an arena of octets whose blocks are not cleared first, which for blocks this large is a good part of the cost.
type octets struct {
	block []byte // len is what is handed out
	last  int    // largest block, as in arena
}

// take hands out n octets. What they hold is unspecified.
func (o *octets) take(n int) []byte {
	if cap(o.block)-len(o.block) < n {
		size := max(firstText, min(2*cap(o.block), o.last))
		o.block = uncleared(max(size, n))
	}
	at := len(o.block)
	o.block = o.block[:at+n]
	return o.block[at : at+n : at+n]
}

// rewind makes the whole block available again. What was handed out from it becomes invalid.
func (o *octets) rewind() { o.block = o.block[:0] }

// uncleared returns an empty slice of capacity n, at least 1, whose octets are unspecified. Unlike make it does not
// clear them, which costs as much as filling them.
func uncleared(n int) []byte {
	var s strings.Builder
	s.Grow(n)
	s.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(s.String()), n)[:0]
}

// bank is the memory behind the frames of one feed: text that could not stay in the chunk, header lists, and the body
// that arrived in pieces.
type bank struct {
	text    octets
	headers arena[Header]
	body    []byte
}

func newBank(borrow bool) bank {
	b := bank{
		text:    octets{last: lastText},
		headers: arena[Header]{first: firstHeaders, last: lastHeaders},
	}
	if borrow {
		// Nobody keeps pieces of a borrowed block, so it may grow to what one feed needs.
		b.text.last, b.headers.last = 1<<20, 1<<17
	}
	return b
}

func (b *bank) rewind() {
	b.text.rewind()
	b.headers.rewind()
	b.body = b.body[:0]
}

// keep copies p into the bank.
func (b *bank) keep(p []byte) []byte {
	q := b.text.take(len(p))
	copy(q, p)
	return q
}
