package wire

import (
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"time"
)

// crockford is the alphabet of ids, in the order of their values.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// IDs mints the ids of one producer: ULIDs, each greater than the one before it (SUBSTRATE-WIRE-007). It may be used from several
// goroutines at once.
type IDs struct {
	now  func() time.Time
	rand io.Reader

	mu   sync.Mutex
	last [16]byte // 48 bits of milliseconds and 80 random ones; all zero before the first
}

// NewIDs returns a source of ids with the time from now and the rest from random; a nil random means crypto/rand.
func NewIDs(now func() time.Time, random io.Reader) *IDs {
	if random == nil {
		random = rand.Reader
	}
	return &IDs{now: now, rand: random}
}

// Next mints an id of 26 characters. Within a millisecond, and as long as the clock is behind the id before, ids are counted up from
// it. Next panics if the source of randomness fails: ids of producers that are told apart by chance must not be guessed.
func (s *IDs) Next() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ms := uint64(min(max(s.now().UnixMilli(), 0), 1<<48-1))
	if before := millis(s.last); ms > before || s.last == [16]byte{} {
		s.draw(ms)
	} else if !s.count() {
		s.draw(before + 1)
	}
	return text(s.last)
}

// draw makes the last id one of a new millisecond.
func (s *IDs) draw(ms uint64) {
	for i := range 6 {
		s.last[i] = byte(ms >> (40 - 8*i))
	}
	if _, err := io.ReadFull(s.rand, s.last[6:]); err != nil {
		panic(fmt.Errorf("mint an id: read 10 random octets: %w", err))
	}
}

// count adds one to the random bits of the last id. It reports false when there is no greater one in that millisecond.
func (s *IDs) count() bool {
	for i := 15; i >= 6; i-- {
		if s.last[i]++; s.last[i] != 0 {
			return true
		}
	}
	return false
}

func millis(id [16]byte) uint64 {
	var ms uint64
	for _, b := range id[:6] {
		ms = ms<<8 | uint64(b)
	}
	return ms
}

// text writes the 128 bits of an id, five to a character, behind two zero bits.
func text(id [16]byte) string {
	var out [26]byte
	var acc uint32
	bits, at := 2, 0
	for _, b := range id {
		acc = acc<<8 | uint32(b)
		for bits += 8; bits >= 5; bits -= 5 {
			out[at] = crockford[acc>>(bits-5)&31]
			at++
		}
	}
	return string(out[:])
}
