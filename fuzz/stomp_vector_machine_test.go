package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// Every vector of the codec has its one right outcome on the codec machine too, and on both in every way to cut it.
func TestVectorsOnMachine(t *testing.T) {
	for _, op := range []struct {
		op  corpus.StompOp
		run func(*corpus.StompVector, stompmodel.Version) error
	}{
		{corpus.Decode, machineDecode},
		{corpus.Encode, machineEncode},
		{corpus.DecoderLimits, machineLimits},
	} {
		for _, v := range corpusVectors(t, op.op) {
			t.Run(v.Name, func(t *testing.T) {
				for _, version := range v.Versions {
					if err := op.run(&v, stompmodel.Version(version)); err != nil {
						t.Errorf("in %s: %v\n%s:%d cites %v", version, err, v.File, v.Line, v.Laws)
					}
				}
			})
		}
	}
}

func machineConfig(v *corpus.StompVector, version stompmodel.Version) stompmodel.CodecConfig {
	cfg := stompmodel.DefaultCodecConfig(version)
	if l := v.Limits; l != nil {
		cfg.Line, cfg.Headers, cfg.Body, cfg.Events = l.Line, l.Headers, l.Body, l.Events
	}
	return cfg
}

func machineDecode(v *corpus.StompVector, version stompmodel.Version) error {
	m, err := stompmodel.NewCodec(machineConfig(v, version))
	if err != nil {
		return err
	}
	var (
		s      = m.Init()
		events []stompmodel.Event
		fault  *stompmodel.CodecError
		feed   int
	)
	for _, chunk := range v.Feeds {
		feed++
		var got []stompmodel.Event
		if s, got, fault = m.Feed(s, chunk); fault != nil {
			break
		}
		events = append(events, got...)
	}
	if fault == nil && v.End {
		feed = 0
		s, fault = m.End(s)
	}
	if err := wanted(v.Want.Error, fault, feed); err != nil {
		return err
	}
	if fault == nil || !v.Want.Error.Optional {
		if err := wantedEvents(v.Want.Events, events); err != nil {
			return err
		}
	}
	for _, call := range v.After {
		var fault *stompmodel.CodecError
		if call.End {
			_, fault = m.End(s)
		} else {
			_, _, fault = m.Feed(s, *call.Feed)
		}
		if fault == nil || fault.Rule != stompmodel.RuleSpent {
			return fmt.Errorf("a call afterwards gives %v", fault)
		}
	}
	return nil
}

// wanted compares a failure in feed, 0 for the end, with the one wanted.
func wanted(want *corpus.Error, fault *stompmodel.CodecError, feed int) error {
	switch {
	case fault == nil && (want == nil || want.Optional):
		return nil
	case fault == nil:
		return fmt.Errorf("no error, want %v", want.Rules)
	case want == nil:
		return fault
	case !want.Allows(string(fault.Rule)):
		return fmt.Errorf("%w, want %v", fault, want.Rules)
	case want.Feed != feed:
		return fmt.Errorf("%w in feed %d, want it in %d", fault, feed, want.Feed)
	case want.Offset != nil && *want.Offset != int64(fault.Offset):
		return fmt.Errorf("%w, want it at octet %d", fault, *want.Offset)
	}
	return nil
}

func wantedEvents(want corpus.Events, got []stompmodel.Event) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d events, want %d", len(got), len(want))
	}
	for i, w := range want {
		if (w.Frame == nil) != got[i].Heartbeat {
			return fmt.Errorf("event %d is %+v", i+1, got[i])
		}
		if w.Frame == nil {
			continue
		}
		f := got[i].Frame
		if f.Command != string(w.Frame.Command) || len(f.Headers) != len(w.Frame.Headers) || !bytes.Equal(f.Body, w.Frame.Body) {
			return fmt.Errorf("event %d is %+v, want %+v", i+1, f, w.Frame)
		}
		for j, h := range w.Frame.Headers {
			if f.Headers[j].Name != string(h.Name) || f.Headers[j].Value != string(h.Value) {
				return fmt.Errorf("event %d: header %q, want %q", i+1, f.Headers[j], h)
			}
		}
		for _, h := range w.Frame.Get {
			if v, ok := f.Get(string(h.Name)); !ok || v != string(h.Value) {
				return fmt.Errorf("event %d: look-up of %q gives %q, %v", i+1, h.Name, v, ok)
			}
		}
		for _, name := range w.Frame.Absent {
			if v, ok := f.Get(string(name)); ok {
				return fmt.Errorf("event %d: look-up of %q gives %q, want nothing", i+1, name, v)
			}
		}
	}
	return nil
}

// machineEncode runs an encode vector. The model has neither heart-beats to write nor capacity limits (STOMP-LIMIT-012), so vectors with
// those are the reference's alone.
func machineEncode(v *corpus.StompVector, version stompmodel.Version) error {
	if v.Beat || v.Bounds != nil {
		return nil
	}
	f := stompmodel.Frame{Command: string(v.Frame.Command), Body: v.Frame.Body}
	for _, h := range v.Frame.Headers {
		f.Headers = append(f.Headers, stompmodel.Header{Name: string(h.Name), Value: string(h.Value)})
	}
	out, refusal := stompmodel.Encode(version, f)
	want := v.Want.Error
	switch {
	case refusal != nil && want == nil:
		return refusal
	case refusal != nil && !want.Allows(string(refusal.Rule)):
		return fmt.Errorf("%w, want %v", refusal, want.Rules)
	case refusal != nil && len(out) != 0:
		return errors.New("a refused frame left octets")
	case refusal != nil:
		return nil
	case want != nil && !want.Optional:
		return fmt.Errorf("encoded, want %v", want.Rules)
	case v.Want.Bytes != nil && !bytes.Equal(out, *v.Want.Bytes):
		return fmt.Errorf("wrote %q, want %q", out, *v.Want.Bytes)
	}
	return nil
}

func machineLimits(v *corpus.StompVector, version stompmodel.Version) error {
	if _, err := stompmodel.NewCodec(machineConfig(v, version)); (err != nil) != v.Want.Reject {
		return fmt.Errorf("error %w, want a refusal: %v", err, v.Want.Reject)
	}
	return nil
}

// Streams up to these lengths are cut in every way, and in every two places.
const (
	cutEverywhere = 9
	cutTwice      = 40
)

// STOMP-FRAME-012: a short stream comes to the same in every way to cut it, on the reference and on the machine.
func TestVectorsInEveryChunking(t *testing.T) {
	seen := map[string]bool{}
	everywhere, twice := 0, 0
	for _, v := range corpusVectors(t, corpus.Decode) {
		stream := v.Stream()
		for _, name := range v.Versions {
			key := fmt.Sprintf("%s %q %v", name, stream, v.Limits)
			if seen[key] || len(stream) > cutTwice {
				continue
			}
			seen[key] = true
			w := twin{version: versionNamed(t, name), limits: limitsOf(&v)}
			single, err := w.run(octetwise(stream))
			if err != nil {
				t.Fatalf("%s in %s, octet by octet: %v", v.Name, name, err)
			}
			cuts := pairsOfCuts(len(stream))
			if len(stream) <= cutEverywhere {
				cuts = everyCut(len(stream))
				everywhere++
			} else {
				twice++
			}
			for _, cut := range cuts {
				chunks := cutAt(stream, cut)
				o, err := w.run(chunks)
				if err == nil {
					err = independent(single, o, chunks)
				}
				if err != nil {
					t.Fatalf("%s in %s, cut at %v: %v", v.Name, name, cut, err)
				}
			}
		}
	}
	if everywhere == 0 || twice == 0 {
		t.Errorf("%d streams were cut everywhere, %d twice", everywhere, twice)
	}
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
