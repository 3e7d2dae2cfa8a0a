package fuzz

import "github.com/seed-6f28358b/assay/corpus"

// octetwise cuts stream into single octets.
func octetwise(stream []byte) [][]byte {
	out := make([][]byte, len(stream))
	for i := range stream {
		out[i] = stream[i : i+1]
	}
	return out
}

// chunksOf are the feeds of a vector as chunks.
func chunksOf(feeds []corpus.Text) [][]byte {
	out := make([][]byte, len(feeds))
	for i, f := range feeds {
		out[i] = f
	}
	return out
}

// overwrite spoils octets that were lent for one call, which is how a reader is seen that holds on to them.
func overwrite(lent []byte) {
	for i := range lent {
		lent[i] = '#'
	}
}
