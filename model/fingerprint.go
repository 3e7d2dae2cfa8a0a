package model

import (
	"encoding/binary"
	"math/bits"
)

// Odd constants without structure: the digits of the golden ratio and of the square roots
// of 3, 5 and 7.
const (
	mixA = 0x9e3779b97f4a7c15
	mixB = 0xbb67ae8584caa73b
	mixC = 0x3c6ef372fe94f82b
	mixD = 0xa54ff53a5f1d36f1
)

// fingerprint maps a key to 64 bits, never 0, the same in every run: bounded
// explorations must count the same states each time, so a hash with a random
// seed will not do.
func fingerprint(key []byte) uint64 {
	h := mixA ^ uint64(len(key))*mixB
	n := len(key)
	for i := 0; i+16 < n; i += 16 {
		h = mix(h, binary.LittleEndian.Uint64(key[i:]), binary.LittleEndian.Uint64(key[i+8:]))
	}
	// The last 16 bytes are read whole, over some that were read before: the length,
	// which is already in h, says where they overlap.
	switch {
	case n >= 16:
		h = mix(h, binary.LittleEndian.Uint64(key[n-16:]), binary.LittleEndian.Uint64(key[n-8:]))
	case n >= 8:
		h = mix(h, binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[n-8:]))
	case n >= 4:
		h = mix(h, uint64(binary.LittleEndian.Uint32(key)), uint64(binary.LittleEndian.Uint32(key[n-4:])))
	case n > 0:
		h = mix(h, uint64(key[0])|uint64(key[n/2])<<8, uint64(key[n-1]))
	}
	h = fold(h^mixD, mixB)
	if h == 0 {
		return mixA
	}
	return h
}

// mix takes 16 bytes into the hash. The rotated h on the outside keeps what
// came before alive even when the product is 0.
func mix(h, lo, hi uint64) uint64 {
	return fold(lo^h, hi^mixC) ^ bits.RotateLeft64(h, 23)
}

// fold multiplies to 128 bits and folds the halves, so that every input bit
// reaches every output bit.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
