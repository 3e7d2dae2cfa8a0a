package fuzz

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// FuzzSubstrateRoundTrip draws a frame, of values at the ends of their ranges and beyond, and a body. The reference writes it as the machine does, and reads back what it was, with
// the fault that the machine finds; text that is not UTF-8 is refused and leaves no octet.
func FuzzSubstrateRoundTrip(f *testing.F) {
	f.Add([]byte{}, []byte{})
	for seed := range uint64(40) {
		script := randomScript(seed)
		f.Add(script, script[:seed%7])
	}
	f.Fuzz(func(t *testing.T, script, body []byte) {
		frame := drawFrame(drawFrom(&script), body)
		if err := roundTrips(frame); err != nil {
			t.Fatalf("%v: %v", fieldsOfVector(frame), err)
		}
	})
}

func roundTrips(drawn *corpus.WireFrame) error {
	f, err := frameOfVector(drawn)
	if err != nil {
		return err
	}
	const before = "before"
	out, err := wire.Append([]byte(before), f)
	out, kept := bytes.CutPrefix(out, []byte(before))
	readable := true
	for _, s := range []*corpus.Text{drawn.Kind, drawn.Obj, drawn.ObjKind, drawn.ID, drawn.Code, drawn.Msg, drawn.Level} {
		readable = readable && (s == nil || utf8.Valid(*s))
	}
	if !kept || readable != (err == nil) || err != nil && len(out) > 0 {
		return fmt.Errorf("wrote %x, %w; readable: %t", out, err, readable)
	}
	if err != nil {
		return nil
	}
	machine := machineOfVector(drawn)
	if want := machine.Encode(); !bytes.Equal(out, want) {
		return fmt.Errorf("wrote %x, want %x", out, want)
	}
	back, err := wire.Decode(out)
	if err != nil {
		return fmt.Errorf("decode %x: %w", out, err)
	}
	if err := sameWireFrame(fieldsOfVector(drawn), fieldsOfFrame(&back)); err != nil {
		return err
	}
	if theirs, closed := substratemodel.DecodeWire(out); closed != 0 || !bytes.Equal(theirs.Encode(), out) {
		return fmt.Errorf("the machine closes with %d over %x", closed, out)
	}
	var fault *corpus.WireFault
	if is := f.Check(); is != nil {
		fault = &corpus.WireFault{Code: is.Code, Reply: is.Reply, Echo: is.Echo}
	}
	return sameFault(faultOfMachine(machine, false), fault)
}

// drawFrame draws a frame that its kind allows, as a rule, with some fields more, less or otherwise.
func drawFrame(d draws, body []byte) *corpus.WireFrame {
	long := func(n int) string { return strings.Repeat("a", n) }
	kind := one(d,
		"send", "open", "accept", "reject", "close", "ack", "req", "res", "err", "end", "chunk", "resync", "establish", "establish_ok", "establish_fail",
		"propose", "", "\xff",
	)
	number := func() *uint64 {
		n := one[uint64](d, 7, 1, 0, 6, 8, 23, 24, 255, 256, 65535, 65536, 1<<32-1, 1<<32, 1<<53-1, 1<<53, 1<<64-1)
		return &n
	}
	text := func(choices ...string) *corpus.Text {
		s := corpus.Text(one(d, append(choices, "", "\xc3", "é\U0001f600", "a\n")...))
		return &s
	}
	octets := func(sizes ...int) *corpus.Hex {
		b := corpus.Hex(long(one(d, sizes...)))
		return &b
	}
	one64 := uint64(1)
	f := &corpus.WireFrame{V: &one64}
	if s := corpus.Text(kind); true {
		f.Kind = &s
	}
	// What most kinds need is there as a rule, and the rest as an exception.
	need := func() bool { return !d.rarely(12) }
	extra := func() bool { return d.rarely(6) }
	if need() {
		f.Obj = text("money/1", "a", "A", "@", long(128), long(129), "a@b")
	}
	if need() {
		f.ObjKind = text("session", "queue", "stream", "state")
	}
	if need() {
		f.ID = text("M-1", long(64), long(65), "a.b")
	}
	if need() {
		f.Seq = number()
	}
	if need() {
		f.Receipt = octets(16, 1, 0, 64, 65)
	}
	if extra() {
		f.Prev = number()
	}
	if kind == "reject" || kind == "err" || kind == "establish_fail" || extra() {
		f.Code = text("closed", "busy", long(64), long(65), "A-B")
	}
	if kind == "resync" || extra() {
		f.FromSeq = number()
	}
	if extra() {
		f.Base = number()
	}
	if kind == "establish_ok" || extra() {
		f.Label = number()
	}
	if extra() {
		f.Msg = text("why", long(256), long(257), strings.Repeat("é", 128))
	}
	if extra() {
		f.Level = text("stored", long(300))
	}
	if extra() {
		f.Cap = octets(0, 5, 4096, 4097)
	}
	if extra() {
		f.V = number()
	}
	if d.rarely(20) {
		f.V = nil
	}
	if len(body) > 0 || d.rarely(4) {
		b := corpus.Hex(append([]byte{}, body...))
		f.Body = &b
	}
	return f
}
