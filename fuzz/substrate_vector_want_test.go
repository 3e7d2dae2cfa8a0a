package fuzz

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
)

func TestEveryWantOfTheSubstrateIsLookedAt(t *testing.T) {
	changed := notice{}
	for _, v := range substrateVectors(t) {
		if v.Octets != nil && len(*v.Octets) > 1<<16 {
			continue
		}
		for _, w := range substrateWrongs(&v) {
			changed.sees(t, v.Name, w.what, RunSubstrateVector(w.vector))
			// The machine knows of no rules.
			if w.what != "rule" {
				changed.sees(t, v.Name, "machine's "+w.what, machineSubstrate(&w.vector))
			}
		}
	}
	changed.all(t, "frame", "field", "body", "fault", "no fault", "rule", "refusal", "octets", "class", "message", "number of messages", "closes", "ready", "connection")
}

// A substrateWrong is a vector with one expectation that does not hold.
type substrateWrong struct {
	what   string
	vector corpus.SubstrateVector
}

func substrateWrongs(v *corpus.SubstrateVector) []substrateWrong {
	var out []substrateWrong
	wrong := func(what string, edit func(*corpus.SubstrateWant)) {
		c := *v
		edit(&c.Want)
		out = append(out, substrateWrong{what, c})
	}
	level, body := corpus.Text("not this"), corpus.Hex("not this")
	w := &v.Want
	switch {
	case v.Op == corpus.DecodeFrame && w.Frame != nil:
		frame := func(what string, edit func(*corpus.WireFrame)) {
			wrong(what, func(w *corpus.SubstrateWant) {
				f := *w.Frame
				edit(&f)
				w.Frame = &f
			})
		}
		frame("field", func(f *corpus.WireFrame) { f.Level = &level })
		frame("body", func(f *corpus.WireFrame) { f.Body = &body })
		wrong("frame", func(w *corpus.SubstrateWant) {
			w.Frame, w.Fault, w.Refused, w.Closes = nil, nil, corpus.Rules{"shape"}, 4004
		})
		wrong("fault", func(w *corpus.SubstrateWant) { w.Fault = &corpus.WireFault{Code: "not_this"} })
		if w.Fault != nil {
			wrong("no fault", func(w *corpus.SubstrateWant) { w.Fault = nil })
			for _, edit := range []func(*corpus.WireFault){
				func(f *corpus.WireFault) { f.Reply = !f.Reply }, func(f *corpus.WireFault) { f.Echo = !f.Echo },
			} {
				wrong("fault", func(w *corpus.SubstrateWant) {
					f := *w.Fault
					edit(&f)
					w.Fault = &f
				})
			}
		}
	case v.Op == corpus.DecodeFrame:
		wrong("rule", func(w *corpus.SubstrateWant) { w.Refused = corpus.Rules{"unlisted"} })
		wrong("closes", func(w *corpus.SubstrateWant) { w.Closes++ })
		wrong("refusal", func(w *corpus.SubstrateWant) { w.Frame, w.Refused, w.Closes = &corpus.WireFrame{}, nil, 0 })
	case v.Op == corpus.EncodeFrame && w.Octets != nil:
		wrong("octets", func(w *corpus.SubstrateWant) { w.Octets = &body })
	case v.Op == corpus.EncodeFrame:
		wrong("rule", func(w *corpus.SubstrateWant) { w.Refused = corpus.Rules{"shape"} })
	case v.Op == corpus.ClassOfCode:
		wrong("class", func(w *corpus.SubstrateWant) { w.Class = "none" })
	default:
		handshakeWrongs(v, wrong)
	}
	return out
}

func handshakeWrongs(v *corpus.SubstrateVector, wrong func(string, func(*corpus.SubstrateWant))) {
	w := &v.Want
	for i := range w.Sends {
		wrong("message", func(w *corpus.SubstrateWant) {
			w.Sends = slices.Clone(w.Sends)
			w.Sends[i] = corpus.Hex("not this")
		})
	}
	wrong("number of messages", func(w *corpus.SubstrateWant) { w.Sends = append(slices.Clone(w.Sends), corpus.Hex{}) })
	wrong("closes", func(w *corpus.SubstrateWant) { w.Closes++ })
	if w.Ready == nil {
		wrong("ready", func(w *corpus.SubstrateWant) { w.Ready = &corpus.Agreed{} })
		return
	}
	wrong("ready", func(w *corpus.SubstrateWant) { w.Ready = nil })
	wrong("connection", func(w *corpus.SubstrateWant) {
		r := *w.Ready
		r.ConnID = corpus.Hex("not this")
		w.Ready = &r
	})
}
