package model

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// The counts of a bounded exploration depend on these values.
func TestFingerprintsNeverChange(t *testing.T) {
	key := []byte("an example of a key that is longer than two rounds")
	seen := map[uint64]int{}
	var sum uint64
	for n := range len(key) + 1 {
		fp := fingerprint(key[:n])
		if other, ok := seen[fp]; ok || fp == 0 {
			t.Errorf("lengths %d and %d have the fingerprint %x", n, other, fp)
		}
		seen[fp] = n
		sum = bits.RotateLeft64(sum, 5) ^ fp
	}
	if want := uint64(0x1eb829e31e878ff5); sum != want {
		t.Errorf("want the sum %#x, got %#x", want, sum)
	}
}

// Keys of explored states differ in few bits of few bytes; each such bit must
// move half of the fingerprint's.
func TestFingerprintsSpreadEveryBit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 40; n++ {
		for range 4 {
			key := make([]byte, n)
			for i := range key {
				key[i] = byte(r.UintN(4))
			}
			before := fingerprint(key)
			for bit := range 8 * n {
				key[bit/8] ^= 1 << (bit % 8)
				if moved := bits.OnesCount64(before ^ fingerprint(key)); moved < 10 || moved > 54 {
					t.Errorf("length %d, bit %d: %d bits of the fingerprint move", n, bit, moved)
				}
				key[bit/8] ^= 1 << (bit % 8)
			}
		}
	}
}

func TestFingerprintsOfSmallNumbersDiffer(t *testing.T) {
	for _, width := range []int{2, 3, 4, 8, 9, 16, 17, 24} {
		seen := make(map[uint64]bool, 1<<16)
		key := make([]byte, width)
		for i := range 1 << 16 {
			binary.LittleEndian.PutUint16(key[width-2:], uint16(i))
			seen[fingerprint(key)] = true
		}
		if len(seen) != 1<<16 {
			t.Errorf("width %d: %d fingerprints for %d keys", width, len(seen), 1<<16)
		}
	}
}
