package fuzz

import "github.com/seed-6f28358b/assay/corpus"

// Streams up to these lengths are cut in every way, and in every two places.
const (
	cutEverywhere = 9
	cutTwice      = 40
)

// A cutter cuts streams in many ways, and counts those that it cut in every way, in two places, and in one.
type cutter struct{ everywhere, twice, once int }

// cut returns the ways to cut a stream.
func (c *cutter) cut(stream []byte) [][][]byte {
	var places [][]int
	switch n := len(stream); {
	case n <= cutEverywhere:
		places = everyCut(n)
		c.everywhere++
	case n <= cutTwice:
		places = pairsOfCuts(n)
		c.twice++
	default:
		for i := range stream {
			places = append(places, []int{i})
		}
		c.once++
	}
	out := make([][][]byte, len(places))
	for i, p := range places {
		out[i] = cutAt(stream, p)
	}
	return out
}

// everyCut returns every set of places to cut n octets.
func everyCut(n int) [][]int {
	out := [][]int{nil}
	for i := 1; i < n; i++ {
		for _, before := range out {
			out = append(out, append(before[:len(before):len(before)], i))
		}
	}
	return out
}

// pairsOfCuts returns every pair of places to cut n octets; an empty chunk lies between equal ones.
func pairsOfCuts(n int) [][]int {
	var out [][]int
	for i := 0; i <= n; i++ {
		for j := i; j <= n; j++ {
			out = append(out, []int{i, j})
		}
	}
	return out
}

func cutAt(stream []byte, cuts []int) [][]byte {
	var out [][]byte
	from := 0
	for _, c := range cuts {
		out = append(out, stream[from:c])
		from = c
	}
	return append(out, stream[from:])
}

// cutBy cuts stream into pieces as long as the octets of cuts say, the rest in one.
func cutBy(stream, cuts []byte) [][]byte {
	var out [][]byte
	for _, c := range cuts {
		if len(stream) == 0 {
			break
		}
		n := min(int(c), len(stream))
		out = append(out, stream[:n])
		stream = stream[n:]
	}
	return append(out, stream)
}

// cutsOf is the reverse of cutBy, as far as the feeds are short enough.
func cutsOf(feeds []corpus.Text) []byte {
	var out []byte
	for _, f := range feeds {
		out = append(out, byte(min(len(f), 255)))
	}
	return out
}
