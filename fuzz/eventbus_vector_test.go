package fuzz

import "testing"

// Every stream vector has its one right outcome on the reference.
func TestEventbusVectors(t *testing.T) {
	for _, v := range eventbusVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			if err := RunEventbusVector(v); err != nil {
				t.Errorf("%v\n%s:%d cites %v", err, v.File, v.Line, v.Laws)
			}
		})
	}
}
