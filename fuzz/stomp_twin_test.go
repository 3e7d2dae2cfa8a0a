package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// A handshake says who chooses the rules that follow CONNECT and CONNECTED.
type handshake uint8

const (
	asClient handshake = iota // CONNECTED does
	asServer                  // the highest accept-version of CONNECT and STOMP does too
	pinned                    // nothing does
	handshakeKinds
)

// A twin is the reference decoder and the codec machine under the same rules.
type twin struct {
	version   frame.Version
	limits    frame.Limits // zero: the defaults
	handshake handshake
}

func (w twin) decoder(borrow bool) (*frame.Decoder, error) {
	cfg := frame.DecoderConfig{Version: w.version, Limits: w.limits, Borrow: borrow}
	const keep = frame.Version(255)
	switch w.handshake {
	case pinned:
		cfg.Switch = func(*frame.Frame) frame.Version { return keep }
	case asServer:
		cfg.Switch = func(f *frame.Frame) frame.Version {
			name := offered(f.Get)
			if f.Command == frame.CONNECTED {
				name = announced(f.Get)
			}
			if v, ok := frame.ParseVersion(name); ok {
				return v
			}
			return keep
		}
	}
	return frame.NewDecoder(cfg)
}

func (w twin) machine() (stompmodel.Codec, error) {
	cfg := stompmodel.DefaultCodecConfig(modelVersion(w.version))
	if l := w.limits; l != (frame.Limits{}) {
		cfg.Line, cfg.Headers, cfg.Body, cfg.Events = l.Line, l.Headers, l.Body, l.Events
	}
	cfg.Pinned = w.handshake == pinned
	if w.handshake == asServer {
		cfg.OnConnect = func(f stompmodel.Frame) stompmodel.Version { return stompmodel.Version(offered(f.Get)) }
	}
	return stompmodel.NewCodec(cfg)
}

// offered is the version that a server would choose for a CONNECT, and announced the one that CONNECTED opens.
func offered(get func(string) (string, bool)) string {
	list, ok := get("accept-version")
	if !ok {
		return "1.0"
	}
	best := ""
	for _, v := range strings.Split(list, ",") {
		if v == "1.0" || v == "1.1" || v == "1.2" {
			best = max(best, v)
		}
	}
	return best
}

func announced(get func(string) (string, bool)) string {
	if v, ok := get("version"); ok {
		return v
	}
	return "1.0"
}

// An outcome is what a whole stream came to.
type outcome struct {
	events []stompmodel.Event // of the feeds before the failing one
	rule   stompmodel.Rule    // "" if all was taken and the end was clean
	feed   int                // that failed, from 0; the number of feeds for the end
	place  int64              // that the reference names
	octet  int                // at which the machine failed
}

// A half is one reference decoder beside the machine.
type half struct {
	*frame.Decoder
	borrow bool
	buf    []byte
	kept   []*frame.Frame
}

// feed gives the decoder one chunk in a buffer that is used again for the next.
func (h *half) feed(chunk []byte) ([]frame.Event, error) {
	h.buf = append(h.buf[:0], chunk...)
	return h.Feed(h.buf)
}

// take compares what a feed returned. A borrowed frame lives until the next feed, an owned one for good: it is looked at when all is over.
func (h *half) take(want []stompmodel.Event, got []frame.Event) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d events, machine has %d", len(got), len(want))
	}
	for i, e := range got {
		if !h.borrow {
			h.kept = append(h.kept, e.Frame)
		} else if err := sameEvent(want[i], e.Frame); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	// STOMP-FRAME-025
	overwrite(h.buf)
	return nil
}

// run feeds the chunks to the machine and to two reference decoders, one of which borrows, ends the stream, and returns how they differ.
func (w twin) run(chunks [][]byte) (outcome, error) {
	m, err := w.machine()
	if err != nil {
		return outcome{}, err
	}
	var halves [2]half
	for i, borrow := range []bool{false, true} {
		d, err := w.decoder(borrow)
		if err != nil {
			return outcome{}, err
		}
		halves[i] = half{Decoder: d, borrow: borrow}
	}
	s := m.Init()
	var o outcome
	for i, chunk := range chunks {
		o.feed = i
		next, want, fault := m.Feed(s, chunk)
		s = next
		for j := range halves {
			h := &halves[j]
			got, err := h.feed(chunk)
			if err = o.fail(err, fault, got); err == nil && fault == nil {
				err = errors.Join(h.take(want, got), sameState(h.Decoder, s))
			}
			if err != nil {
				return o, fmt.Errorf("feed %d of %d, borrow %v: %w", i+1, len(chunks), h.borrow, err)
			}
		}
		if fault != nil {
			return o, w.spent(halves[:], m, s)
		}
		o.events = append(o.events, want...)
	}
	o.feed = len(chunks)
	s, fault := m.End(s)
	for i := range halves {
		h := &halves[i]
		if err := o.fail(h.End(), fault, nil); err != nil {
			return o, fmt.Errorf("end, borrow %v: %w", h.borrow, err)
		}
		for j, f := range h.kept {
			if err := sameEvent(o.events[j], f); err != nil {
				return o, fmt.Errorf("event %d, when all is over: %w", j+1, err)
			}
		}
	}
	return o, w.spent(halves[:], m, s)
}

// fail records a failure, on which both must agree.
func (o *outcome) fail(err error, fault *stompmodel.CodecError, got []frame.Event) error {
	if err == nil && fault == nil {
		return nil
	}
	if (err == nil) != (fault == nil) {
		return fmt.Errorf("reference: %v, machine: %v", err, fault)
	}
	var e *frame.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("error %w is not typed", err)
	}
	if e.Rule.String() != string(fault.Rule) {
		return fmt.Errorf("reference: %w, machine: %w", err, fault)
	}
	// STOMP-FRAME-017
	if len(got) != 0 {
		return fmt.Errorf("%d events came with %w", len(got), err)
	}
	// The reference may name the first octet of the line at fault, the machine names the one that made it fail.
	if e.Offset < 0 || e.Offset > int64(fault.Offset) {
		return fmt.Errorf("reference: %w, beyond the octet of the machine: %w", err, fault)
	}
	if o.rule != "" && o.place != e.Offset {
		return fmt.Errorf("the place of %w is %d in memory of its own", err, o.place)
	}
	o.rule, o.place, o.octet = fault.Rule, e.Offset, fault.Offset
	return nil
}

// spent checks that nothing is held and nothing more is taken: STOMP-FRAME-018, STOMP-FRAME-019.
func (w twin) spent(halves []half, m stompmodel.Codec, s stompmodel.CodecState) error {
	for _, chunk := range []string{"", "\n", "SEND\ndestination:/q\n\nx\x00"} {
		if _, _, fault := m.Feed(s, []byte(chunk)); fault == nil || fault.Rule != stompmodel.RuleSpent {
			return fmt.Errorf("spent machine took %q: %v", chunk, fault)
		}
		for i := range halves {
			if events, err := halves[i].feed([]byte(chunk)); len(events) != 0 || !isSpent(err) {
				return fmt.Errorf("spent decoder took %q: %d events, %w", chunk, len(events), err)
			}
		}
	}
	if _, fault := m.End(s); fault == nil || fault.Rule != stompmodel.RuleSpent {
		return fmt.Errorf("spent machine ended: %v", fault)
	}
	for i := range halves {
		if err := halves[i].End(); !isSpent(err) {
			return fmt.Errorf("spent decoder ended: %w", err)
		}
		if line, headers, body := halves[i].Pending(); line+headers+body != 0 {
			return fmt.Errorf("spent decoder holds %d, %d and %d", line, headers, body)
		}
	}
	return nil
}

func isSpent(err error) bool {
	var e *frame.Error
	return errors.As(err, &e) && e.Rule == frame.Spent
}

// sameState compares what is held and the rules that come next.
func sameState(d *frame.Decoder, s stompmodel.CodecState) error {
	line, headers, body := d.Pending()
	if l, h, b := s.Retained(); l != line || h != headers || b != body {
		return fmt.Errorf("decoder holds %d, %d and %d, machine %d, %d and %d", line, headers, body, l, h, b)
	}
	if modelVersion(d.Version()) != s.Version() && !s.Spent() {
		return fmt.Errorf("decoder goes on in %s, machine in %s", d.Version(), s.Version())
	}
	return nil
}

func sameEvent(want stompmodel.Event, got *frame.Frame) error {
	if want.Heartbeat != (got == nil) {
		return fmt.Errorf("frame %v where the machine has %+v", got, want)
	}
	if got == nil {
		return nil
	}
	return sameModelFrame(want.Frame, got)
}

func sameModelFrame(want stompmodel.Frame, got *frame.Frame) error {
	if got.Command.String() != want.Command {
		return fmt.Errorf("command %s, want %s", got.Command, want.Command)
	}
	if len(got.Headers) != len(want.Headers) {
		return fmt.Errorf("headers %q, want %q", got.Headers, want.Headers)
	}
	for i, h := range want.Headers {
		if got.Headers[i] != frame.Header(h) {
			return fmt.Errorf("header %d is %q, want %q", i+1, got.Headers[i], h)
		}
		// STOMP-HDR-009, STOMP-HDR-010
		first, _ := want.Get(h.Name)
		if v, ok := got.Get(h.Name); !ok || v != first {
			return fmt.Errorf("look-up of %q gives %q, %v, want %q", h.Name, v, ok, first)
		}
	}
	if !bytes.Equal(got.Body, want.Body) {
		return fmt.Errorf("body %q, want %q", got.Body, want.Body)
	}
	return nil
}

func identical(a, b []stompmodel.Event) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d events and %d", len(a), len(b))
	}
	for i := range a {
		same := a[i].Heartbeat == b[i].Heartbeat && a[i].Frame.Command == b[i].Frame.Command &&
			len(a[i].Frame.Headers) == len(b[i].Frame.Headers) && bytes.Equal(a[i].Frame.Body, b[i].Frame.Body)
		for j := 0; same && j < len(a[i].Frame.Headers); j++ {
			same = a[i].Frame.Headers[j] == b[i].Frame.Headers[j]
		}
		if !same {
			return fmt.Errorf("event %d is %+v and %+v", i+1, a[i], b[i])
		}
	}
	return nil
}
