package fuzz

import (
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// FuzzStompDecoder holds the reference decoder to the codec machine: any octets under any version, small limits, any
// handshake and any chunks give the same events and the same failure, in borrowed memory as in owned.
func FuzzStompDecoder(f *testing.F) {
	for _, s := range streamSeeds(f) {
		f.Add(s.stream, cutsOf(s.feeds), shapeOf(s.limits), byte(s.in))
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte, shape uint32, in byte) {
		if len(stream) > largestSeed {
			t.Skip("longer than a seed may be")
		}
		for _, v := range versionSet(in).versions() {
			for h := range handshakeKinds {
				if h != asClient && !negotiates(stream) {
					continue
				}
				w := twin{version: v, handshake: h, limits: limitsFrom(shape)}
				if err := w.everyWay(stream, cutBy(stream, cuts)); err != nil {
					t.Fatalf("%v\nSTOMP %s, handshake %d, limits %+v, cuts %v, stream %q", err, v, h, w.limits, cuts, stream)
				}
			}
		}
	})
}

// everyWay runs the stream octet by octet, in the chunks given and in one chunk.
func (w twin) everyWay(stream []byte, chunks [][]byte) error {
	var single outcome
	for i, cut := range []struct {
		name   string
		chunks [][]byte
	}{
		{"octet by octet", octetwise(stream)},
		{"in the chunks given", chunks},
		{"in one chunk", [][]byte{stream}},
	} {
		o, err := w.run(cut.chunks)
		if err != nil {
			return fmt.Errorf("%s: %w", cut.name, err)
		}
		if i == 0 {
			single = o
		}
		if err := independent(single, o, cut.chunks); err != nil {
			return fmt.Errorf("%s, against octet by octet: %w", cut.name, err)
		}
	}
	return nil
}

// independent checks that the chunks made no difference (STOMP-FRAME-012), but for the count of events (STOMP-LIMIT-006) and for
// the events that the failing feed completed (STOMP-FRAME-017).
func independent(single, o outcome, chunks [][]byte) error {
	if o.rule == stompmodel.RuleEventLimit {
		return identical(single.events[:min(len(o.events), len(single.events))], o.events)
	}
	if o.rule != single.rule || o.place != single.place || o.octet != single.octet {
		return fmt.Errorf("%q at %d and %d, not %q at %d and %d", o.rule, o.place, o.octet, single.rule, single.place, single.octet)
	}
	want := single.events
	if o.rule != "" && o.feed < len(chunks) {
		start := 0
		for _, c := range chunks[:o.feed] {
			start += len(c)
		}
		if o.octet < start || o.octet >= start+len(chunks[o.feed]) {
			return fmt.Errorf("octet %d fails, but feed %d has %d octets from %d", o.octet, o.feed+1, len(chunks[o.feed]), start)
		}
		n := 0
		for n < len(want) && want[n].Offset < start {
			n++
		}
		want = want[:n]
	}
	return identical(want, o.events)
}
