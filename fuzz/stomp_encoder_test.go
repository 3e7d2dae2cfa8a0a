package fuzz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// FuzzStompRoundTrip holds the reference encoder to the slow one of the model, and both to the decoders: a frame is refused by
// both for a fault that it has, or written in the same octets, which decode to the frame itself but for an appended content-length.
func FuzzStompRoundTrip(f *testing.F) {
	for _, s := range frameSeeds(f) {
		f.Add(byte(s.in), byte(s.command), s.headers, s.body, uint32(0))
	}
	// At each bound, and one octet or entry beyond.
	for _, bounds := range []uint32{0x02_02_04, 0x02_02_03, 0x02_01_04, 0x01_02_04, 0x00_01_ff} {
		f.Add(byte(0), byte(frame.SEND), []byte("\x01a\x03bcd"), []byte("xy"), bounds)
	}
	f.Fuzz(func(t *testing.T, in, command byte, headers, body []byte, bounds uint32) {
		if len(headers)+len(body) > largestSeed {
			t.Skip("longer than a seed may be")
		}
		// All commands, the zero one and one beyond.
		m := &frame.Frame{Command: frame.Command(command % 17), Headers: headersFrom(headers), Body: body}
		for _, v := range versionSet(in).versions() {
			if err := roundTrip(v, m, boundsFrom(bounds)); err != nil {
				t.Fatalf("%v\nSTOMP %s, %s %q %q, bounds %+v", err, v, m.Command, m.Headers, m.Body, boundsFrom(bounds))
			}
		}
	})
}

// A frameSeed is a frame of the corpus and the versions that it is there for.
type frameSeed struct {
	in            versionSet
	command       frame.Command
	headers, body []byte
}

// frameSeeds returns the frames to encode of the corpus, and those that its streams hold, each once.
func frameSeeds(t testing.TB) []frameSeed {
	t.Helper()
	var out []frameSeed
	at := map[string]int{}
	add := func(v frame.Version, s frameSeed) {
		key := fmt.Sprintf("%d %q %q", s.command, s.headers, s.body)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, s)
		}
		out[i].in |= setOf(v)
	}
	for _, v := range stompVectors(t, corpus.Encode) {
		if v.Frame == nil || len(v.Frame.Body) > largestSeed {
			continue
		}
		command, _ := frame.ParseCommand(string(v.Frame.Command))
		for _, name := range v.Versions {
			add(versionNamed(t, name), frameSeed{command: command, headers: headersBlob(v.Frame.Headers), body: v.Frame.Body})
		}
	}
	for _, s := range streamSeeds(t) {
		for _, v := range s.in.versions() {
			events, _, err := decodeAll(v, s.stream, pinned)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if e.Frame == nil {
					continue
				}
				var hs corpus.Headers
				for _, h := range e.Frame.Headers {
					hs = append(hs, corpus.Header{Name: corpus.Text(h.Name), Value: corpus.Text(h.Value)})
				}
				add(v, frameSeed{command: e.Frame.Command, headers: headersBlob(hs), body: e.Frame.Body})
			}
		}
	}
	return out
}

// headersBlob writes each name and value behind its length, one octet; what is longer is cut.
func headersBlob(hs corpus.Headers) []byte {
	var out []byte
	for _, h := range hs {
		for _, part := range []corpus.Text{h.Name, h.Value} {
			part = part[:min(len(part), 255)]
			out = append(append(out, byte(len(part))), part...)
		}
	}
	return out
}

// headersFrom reads any octets as headersBlob writes them.
func headersFrom(blob []byte) []frame.Header {
	next := func() string {
		if len(blob) == 0 {
			return ""
		}
		n := min(int(blob[0]), len(blob)-1)
		part := string(blob[1 : 1+n])
		blob = blob[1+n:]
		return part
	}
	var out []frame.Header
	for len(blob) > 0 {
		out = append(out, frame.Header{Name: next(), Value: next()})
	}
	return out
}

// boundsFrom spreads three octets over small bounds; 0 stands for none.
func boundsFrom(n uint32) *frame.Bounds {
	if n == 0 {
		return nil
	}
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], n)
	return &frame.Bounds{Pair: int(b[0]), Headers: int(b[1]) % 8, Body: int(b[2])}
}

func roundTrip(v frame.Version, f *frame.Frame, bounds *frame.Bounds) error {
	slow, refusal := stompmodel.Encode(modelVersion(v), modelFrame(f))
	over := exceeded(f, bounds)
	refused := refusal != nil || len(over) > 0
	before := []byte("before")
	e := frame.Encoder{Version: v, Bounds: bounds}
	out, err := e.Append(before, f)
	var written bytes.Buffer
	n, writeErr := e.WriteTo(&written, f)
	if (err != nil) != refused || (writeErr != nil) != refused {
		return fmt.Errorf("reference: %w and, writing, %w; the model: %v, bounds %v", err, writeErr, refusal, over)
	}
	if refused {
		rules := faults(modelVersion(v), modelFrame(f))
		for _, r := range over {
			rules[r] = true
		}
		return refusedFor(rules, out, before, &written, err, writeErr)
	}
	if !bytes.HasPrefix(out, before) {
		return fmt.Errorf("wrote %q over what stood there", out)
	}
	out = out[len(before):]
	// STOMP-FRAME-021, STOMP-HDR-003, STOMP-ESC-005, STOMP-ESC-006
	if !bytes.Equal(out, slow) {
		return fmt.Errorf("reference wrote %q, the model %q", out, slow)
	}
	if !bytes.Equal(written.Bytes(), out) || n != int64(len(out)) {
		return fmt.Errorf("appended %q, but wrote %q in %d octets", out, written.Bytes(), n)
	}
	if err := decodesTo(v, out, counted(f)); err != nil {
		return err
	}
	return blameless(v, f.Command.Server(), out)
}

// blameless has a judge look at what the encoder wrote. What is in a header is up to the caller.
func blameless(v frame.Version, server bool, out []byte) error {
	found, err := judgeStream(modelVersion(v), server, out)
	for _, f := range found {
		if f.Verdict == "fail" && f.Law != "STOMP-HDR-014" && f.Law != "STOMP-HEARTBEAT-001" {
			return fmt.Errorf("%q breaks %s", out, f.Law)
		}
	}
	return err
}

// refusedFor checks that a refusal has a typed reason that the frame gives, and left no octet.
func refusedFor(rules map[stompmodel.Rule]bool, out, before []byte, written *bytes.Buffer, errs ...error) error {
	if !bytes.Equal(out, before) || written.Len() != 0 {
		return fmt.Errorf("refused, but wrote %q and %q", out, written)
	}
	for _, err := range errs {
		var typed *frame.Error
		if !errors.As(err, &typed) || !rules[stompmodel.Rule(typed.Rule.String())] {
			return fmt.Errorf("refused for %w, but the faults are %v", err, rules)
		}
	}
	return nil
}

// rulePair is the rule of STOMP-LIMIT-009, which the model, having no capacity limits, does not know.
const rulePair stompmodel.Rule = "pair-limit"

// exceeded returns the bounds that the frame is over: STOMP-LIMIT-009, STOMP-LIMIT-010, STOMP-LIMIT-011.
func exceeded(f *frame.Frame, b *frame.Bounds) []stompmodel.Rule {
	if b == nil {
		return nil
	}
	var out []stompmodel.Rule
	for _, h := range f.Headers {
		if len(h.Name)+len(h.Value) > b.Pair {
			out = append(out, rulePair)
		}
	}
	if len(counted(f).Headers) > b.Headers {
		out = append(out, stompmodel.RuleHeaderLimit)
	}
	if len(f.Body) > b.Body {
		out = append(out, stompmodel.RuleBodyLimit)
	}
	return out
}

// counted returns f with the content-length that an encoder appends: STOMP-BODY-012.
func counted(f *frame.Frame) *frame.Frame {
	if _, ok := f.Get("content-length"); ok || len(f.Body) == 0 {
		return f
	}
	c := f.Clone()
	c.Headers = append(c.Headers, frame.Header{Name: "content-length", Value: fmt.Sprint(len(f.Body))})
	return c
}

// faults returns the rules of everything that is wrong with f, found by giving the model one piece of it at a time: which of
// several faults an encoder names is left to it.
func faults(v stompmodel.Version, f stompmodel.Frame) map[stompmodel.Rule]bool {
	out := map[stompmodel.Rule]bool{}
	try := func(f stompmodel.Frame) {
		if _, err := stompmodel.Encode(v, f); err != nil {
			out[err.Rule] = true
		}
	}
	bare := stompmodel.Frame{Command: f.Command}
	if try(bare); len(out) > 0 {
		return out
	}
	try(stompmodel.Frame{Command: f.Command, Body: f.Body})
	if n, ok := f.Get("content-length"); ok {
		try(stompmodel.Frame{Command: "SEND", Headers: []stompmodel.Header{{Name: "content-length", Value: n}}, Body: f.Body})
	}
	part := func(name, value string) {
		try(stompmodel.Frame{Command: f.Command, Headers: []stompmodel.Header{{Name: name, Value: value}}})
	}
	for _, h := range f.Headers {
		if h.Name == "" {
			part("", "x")
		}
		if h.Value == "" {
			part("x", "")
		}
		part(plain(h.Name)+"x", plain(h.Value)+"x")
		for _, c := range []byte(h.Name) {
			if c <= 0x7f {
				part(string(rune(c))+"x", "x")
			}
		}
		for _, c := range []byte(h.Value) {
			if c <= 0x7f {
				part("x", string(rune(c))+"x")
			}
		}
	}
	// STOMP-HDR-003 has no rule of its own in the reference, which names the kind of fault.
	if out[stompmodel.RuleHeader10] {
		out[stompmodel.RuleHeaderShape], out[stompmodel.RuleUnrepresentable] = true, true
	}
	return out
}

// plain replaces the octets of US-ASCII, so that only what the others are is at fault.
func plain(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c <= 0x7f {
			out[i] = 'x'
		}
	}
	return string(out)
}

// decodesTo checks that out is one frame, want, to the reference and to the machine: STOMP-FRAME-023.
func decodesTo(v frame.Version, out []byte, want *frame.Frame) error {
	w := twin{version: v, handshake: pinned, limits: frame.Limits{Line: 1 << 20, Headers: 1 << 20, Body: 1 << 20, Events: 1}}
	o, err := w.run([][]byte{out})
	switch {
	case err != nil:
		return fmt.Errorf("decoding %q: %w", out, err)
	case o.rule != "":
		return fmt.Errorf("decoding %q: octet %d breaks %s", out, o.octet, o.rule)
	case len(o.events) != 1 || o.events[0].Heartbeat:
		return fmt.Errorf("decoding %q: events %+v", out, o.events)
	}
	if err := sameModelFrame(o.events[0].Frame, want); err != nil {
		return fmt.Errorf("decoding %q against what was written: %w", out, err)
	}
	return nil
}
