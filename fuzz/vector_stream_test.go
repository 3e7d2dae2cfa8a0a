package fuzz

import "testing"

// Every stream vector has its one right outcome on the reference.
func TestStreamVectors(t *testing.T) {
	for _, v := range streamVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			if err := RunStreamVector(v); err != nil {
				t.Errorf("%v\n%s:%d cites %v", err, v.File, v.Line, v.Laws)
			}
		})
	}
}
