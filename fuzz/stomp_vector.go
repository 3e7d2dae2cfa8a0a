package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// RunStompVector runs one vector on the reference codec or session, under each of its versions, and returns how the
// outcome differs from the right one. Vectors about what a sender emits do not concern a codec and
// give nil.
func RunStompVector(v corpus.StompVector) error {
	return named(v.Name, inEach(v.Versions, func(name string) error {
		version, ok := frame.ParseVersion(name)
		if !ok {
			return fmt.Errorf("unknown version %s", name)
		}
		return runVector(&v, version)
	}))
}

func runVector(v *corpus.StompVector, version frame.Version) error {
	switch v.Op {
	case corpus.Decode:
		for _, borrow := range []bool{false, true} {
			if err := runDecode(v, version, borrow); err != nil {
				return err
			}
		}
		return nil
	case corpus.Encode:
		return runEncode(v, version)
	case corpus.DecoderLimits:
		_, err := frame.NewDecoder(frame.DecoderConfig{Version: version, Limits: limitsOf(v)})
		return rejected(v, err)
	case corpus.ParseHeartbeat:
		pair, err := heartbeat.Parse(string(*v.Value))
		if err == nil && v.Want.Pair != nil && pair != (heartbeat.Pair{Send: v.Want.Pair.Send, Want: v.Want.Pair.Want}) {
			return fmt.Errorf("pair %v, want %v", pair, *v.Want.Pair)
		}
		return rejected(v, err)
	case corpus.FormatHeartbeat:
		if got := (heartbeat.Pair{Send: v.Pair.Send, Want: v.Pair.Want}).String(); got != string(*v.Want.Bytes) {
			return fmt.Errorf("printed %q, want %q", got, *v.Want.Bytes)
		}
		return nil
	case corpus.NegotiateHeartbeat:
		toServer, toClient, err := heartbeat.Negotiate(
			heartbeat.Pair{Send: v.Client.Send, Want: v.Client.Want}, heartbeat.Pair{Send: v.Server.Send, Want: v.Server.Want})
		if err == nil && v.Want.Intervals != nil && (corpus.Pair{Send: toServer, Want: toClient}) != *v.Want.Intervals {
			return fmt.Errorf("intervals %d and %d, want %v", toServer, toClient, *v.Want.Intervals)
		}
		return rejected(v, err)
	case corpus.HeartbeatClock:
		return runClock(v)
	case corpus.RunSession:
		return runSession(v, version)
	default:
		return nil
	}
}

func rejected(v *corpus.StompVector, err error) error {
	if (err != nil) != v.Want.Reject {
		return fmt.Errorf("error %v, want a refusal: %v", err, v.Want.Reject)
	}
	return nil
}

func limitsOf(v *corpus.StompVector) frame.Limits {
	if v.Limits == nil {
		return frame.DefaultLimits()
	}
	return frame.Limits{Line: v.Limits.Line, Headers: v.Limits.Headers, Body: v.Limits.Body, Events: v.Limits.Events}
}

// runDecode feeds the vector through one buffer that is overwritten after each call, which is how a
// decoder is seen that holds on to a chunk.
func runDecode(v *corpus.StompVector, version frame.Version, borrow bool) error {
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: version, Limits: limitsOf(v), Borrow: borrow})
	if err != nil {
		return err
	}
	var (
		got    []*frame.Frame
		buf    []byte
		failed error
		want   = v.Want.Error
	)
	for i, feed := range v.Feeds {
		buf = append(buf[:0], feed...)
		events, err := d.Feed(buf)
		for _, e := range events {
			f := e.Frame
			if f != nil && borrow {
				f = f.Clone()
			}
			got = append(got, f)
		}
		if borrow {
			// A borrowed frame has been cloned, and the rest of the stream must not depend on the chunk.
			clear(events)
		}
		overwrite(buf)
		if err != nil {
			failed = err
			if want == nil || want.End || want.Feed != i+1 {
				return fmt.Errorf("feed %d failed: %w", i+1, err)
			}
			break
		}
	}
	if failed == nil && v.End {
		if failed = d.End(); failed != nil && (want == nil || !want.End) {
			return fmt.Errorf("end failed: %w", failed)
		}
	}
	if err := sameError(want, failed); err != nil {
		return err
	}
	if failed == nil || want == nil || !want.Optional {
		if err := sameEvents(v.Want.Events, got); err != nil {
			return err
		}
	}
	return takesNothing(d, v.After)
}

// takesNothing makes calls on a decoder that has failed or ended, which must all fail.
func takesNothing(d *frame.Decoder, calls []corpus.Call) (err error) {
	for _, call := range calls {
		if call.End {
			err = d.End()
		} else {
			_, err = d.Feed(*call.Feed)
		}
		if err == nil {
			return errors.New("a decoder that has failed or ended took more")
		}
		if line, headers, body := d.Pending(); line+headers+body != 0 {
			return fmt.Errorf("a decoder that has failed holds %d, %d and %d", line, headers, body)
		}
	}
	return nil
}

func sameError(want *corpus.Error, got error) error {
	if want == nil {
		return nil
	}
	if got == nil {
		if want.Optional {
			return nil
		}
		return fmt.Errorf("no error, want %v", want.Rules)
	}
	var e *frame.Error
	if !errors.As(got, &e) {
		return fmt.Errorf("error %w is not typed", got)
	}
	if !want.Allows(e.Rule.String()) {
		return fmt.Errorf("error %w, want %v", got, want.Rules)
	}
	return nil
}

func sameEvents(want corpus.Events, got []*frame.Frame) error {
	if len(want) != len(got) {
		return fmt.Errorf("%d events, want %d", len(got), len(want))
	}
	for i, w := range want {
		if err := sameFrame(w.Frame, got[i]); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	return nil
}

func sameFrame(want *corpus.Frame, got *frame.Frame) error {
	if want == nil || got == nil {
		if want != nil || got != nil {
			return errors.New("a frame where a heart-beat belongs, or the other way round")
		}
		return nil
	}
	if got.Command.String() != string(want.Command) {
		return fmt.Errorf("command %s, want %s", got.Command, want.Command)
	}
	if len(got.Headers) != len(want.Headers) {
		return fmt.Errorf("%d headers, want %d", len(got.Headers), len(want.Headers))
	}
	for i, h := range want.Headers {
		if got.Headers[i].Name != string(h.Name) || got.Headers[i].Value != string(h.Value) {
			return fmt.Errorf("header %d is %q, want %q", i+1, got.Headers[i], h)
		}
	}
	if !bytes.Equal(got.Body, want.Body) {
		return fmt.Errorf("body of %d octets differs from the %d wanted", len(got.Body), len(want.Body))
	}
	for _, h := range want.Get {
		if v, ok := got.Get(string(h.Name)); !ok || v != string(h.Value) {
			return fmt.Errorf("look-up of %q gives %q, want %q", h.Name, v, h.Value)
		}
	}
	for _, name := range want.Absent {
		if v, ok := got.Get(string(name)); ok {
			return fmt.Errorf("look-up of %q gives %q, want nothing", name, v)
		}
	}
	return nil
}

// corpusFrame is a frame of the corpus as the implementation takes it; a command that is none becomes one that is none.
func corpusFrame(f *corpus.Frame) *frame.Frame {
	out := &frame.Frame{Body: slices.Clone(f.Body)}
	out.Command, _ = frame.ParseCommand(string(f.Command))
	for _, h := range f.Headers {
		out.Headers = append(out.Headers, frame.Header{Name: string(h.Name), Value: string(h.Value)})
	}
	return out
}

func runEncode(v *corpus.StompVector, version frame.Version) error {
	e := frame.Encoder{Version: version}
	if v.Bounds != nil {
		e.Bounds = &frame.Bounds{Pair: v.Bounds.Pair, Headers: v.Bounds.Headers, Body: v.Bounds.Body}
	}
	var f *frame.Frame
	if v.Frame != nil {
		f = corpusFrame(v.Frame)
	}
	prefix := []byte("before")
	out, err := e.Append(prefix, f)
	if err != nil {
		if v.Want.Error == nil {
			return err
		}
		if !bytes.Equal(out, prefix) {
			return errors.New("a refused frame left octets")
		}
		return sameError(v.Want.Error, err)
	}
	if v.Want.Error != nil && !v.Want.Error.Optional {
		return fmt.Errorf("encoded, want %v", v.Want.Error.Rules)
	}
	out = out[len(prefix):]
	if v.Want.Bytes != nil && !bytes.Equal(out, *v.Want.Bytes) {
		return fmt.Errorf("wrote %q, want %q", out, *v.Want.Bytes)
	}
	var written bytes.Buffer
	if _, err := e.WriteTo(&written, f); err != nil || !bytes.Equal(written.Bytes(), out) {
		return fmt.Errorf("WriteTo and Append differ: %v", err)
	}
	return nil
}

func runClock(v *corpus.StompVector) error {
	c, err := heartbeat.New(v.Clock.Send, v.Clock.Receive, v.Clock.Tolerance, v.Clock.Now)
	if err != nil || v.Want.Reject {
		return rejected(v, err)
	}
	for i, s := range v.Steps {
		var due, dead bool
		switch {
		case s.Sent != nil:
			err = c.Sent(*s.Sent)
		case s.Received != nil:
			err = c.Received(*s.Received)
		case s.Poll != nil:
			due, dead, err = c.Poll(*s.Poll)
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		if (s.Due != nil && *s.Due != due) || (s.Dead != nil && *s.Dead != dead) {
			return fmt.Errorf("step %d: due %v, dead %v", i+1, due, dead)
		}
	}
	return nil
}
