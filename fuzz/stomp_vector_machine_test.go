package fuzz

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

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

func machineFrame(f *corpus.Frame) stompmodel.Frame {
	out := stompmodel.Frame{Command: string(f.Command), Body: f.Body}
	for _, h := range f.Headers {
		out.Headers = append(out.Headers, stompmodel.Header{Name: string(h.Name), Value: string(h.Value)})
	}
	return out
}

// machineEncode runs an encode vector. The model has neither heart-beats to write nor capacity limits (STOMP-LIMIT-012), so vectors with
// those are the reference's alone.
func machineEncode(v *corpus.StompVector, version stompmodel.Version) error {
	if v.Beat || v.Bounds != nil {
		return nil
	}
	out, refusal := stompmodel.Encode(version, machineFrame(v.Frame))
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
