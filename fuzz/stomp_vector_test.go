package fuzz

import (
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
)

// Every vector has its one right outcome on the reference.
func TestStompVectors(t *testing.T) {
	vectors, err := corpus.StompVectors()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			if err := RunStompVector(v); err != nil {
				t.Errorf("%v\n%s:%d cites %v", err, v.File, v.Line, v.Laws)
			}
		})
	}
}
