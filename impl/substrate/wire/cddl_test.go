package wire_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/impl/substrate/wire/cddltest"
)

func grammar(t *testing.T) *cddltest.Grammar {
	t.Helper()
	source, err := os.ReadFile("../../../spec/substrate.cddl")
	if err != nil {
		t.Fatal(err)
	}
	g, err := cddltest.Parse(string(source))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// agree demands that grammar and code say the same of a frame. What the grammar cannot say is that a prev is only next to a seq, and
// below it.
func agree(t *testing.T, g *cddltest.Grammar, what string, f *wire.Frame) {
	t.Helper()
	if f.Has&wire.FieldPrev != 0 && (f.Has&wire.FieldSeq == 0 || f.Prev >= f.Seq) {
		return
	}
	err, fault := g.Match("frame", encode(t, f)), f.Check()
	if (err == nil) != (fault == nil) {
		t.Errorf("%s: the grammar says %v, the code %v", what, err, fault)
	}
}

// SUBSTRATE-WIRE-002, SUBSTRATE-WIRE-003: the grammar and the code allow the same fields in each kind, whatever one or two of them are
// added to or taken from those that it requires, and the same values.
func TestGrammarAgrees(t *testing.T) {
	g := grammar(t)
	for _, kind := range append(kinds, "propose", "", "resync-from") {
		agree(t, g, kind+" with everything", filled(kind, wire.AllFields&^wire.FieldPrev))
		bases := []wire.Fields{wire.Required(kind)}
		switch kind {
		case wire.Err:
			bases = append(bases, wire.BounceFields)
		case wire.Resync:
			bases = []wire.Fields{wire.Required(kind) | wire.FieldFromSeq, wire.Required(kind) | wire.FieldBase}
		}
		for _, base := range bases {
			agree(t, g, kind, filled(kind, base))
			for _, a := range fieldsOf(wire.AllFields) {
				agree(t, g, kind+" but for "+a.String(), filled(kind, base^a))
				for _, b := range fieldsOf(wire.AllFields) {
					if a < b {
						agree(t, g, kind+" but for "+(a|b).String(), filled(kind, base^a^b))
					}
				}
			}
		}
	}
	text := func(n int) string { return strings.Repeat("a", n) }
	all := wire.AllFields &^ (wire.FieldPrev | wire.FieldBase)
	for field, values := range map[wire.Fields][]func(*wire.Frame){
		wire.FieldV:       numbers(func(f *wire.Frame) *uint64 { return &f.V }),
		wire.FieldSeq:     numbers(func(f *wire.Frame) *uint64 { return &f.Seq }),
		wire.FieldFromSeq: numbers(func(f *wire.Frame) *uint64 { return &f.FromSeq }),
		wire.FieldLabel:   numbers(func(f *wire.Frame) *uint64 { return &f.Label }),
		wire.FieldObj:     texts(func(f *wire.Frame) *string { return &f.Obj }, text(127), text(128), text(129), "@", "A", "a/._-9", "a\n"),
		wire.FieldObjKind: texts(func(f *wire.Frame) *string { return &f.ObjKind }, wire.Session, wire.Queue, wire.Stream, "state"),
		wire.FieldID:      texts(func(f *wire.Frame) *string { return &f.ID }, text(63), text(64), text(65), "A_-9", "a.b", "a\n"),
		wire.FieldCode:    texts(func(f *wire.Frame) *string { return &f.Code }, text(63), text(64), text(65), "A", "a_9", "a-b", "a\n"),
		wire.FieldMsg:     texts(func(f *wire.Frame) *string { return &f.Msg }, text(255), text(256), text(257), strings.Repeat("é", 128), "\n"),
		wire.FieldLevel:   texts(func(f *wire.Frame) *string { return &f.Level }, text(1000)),
		wire.FieldReceipt: blobs(func(f *wire.Frame) *[]byte { return &f.Receipt }, 0, 1, 64, 65),
		wire.FieldCap:     blobs(func(f *wire.Frame) *[]byte { return &f.Cap }, 0, 4096, 4097),
		0:                 blobs(func(f *wire.Frame) *[]byte { return &f.Body }, 0, wire.MaxBody, wire.MaxBody+1),
	} {
		for i, set := range values {
			for _, kind := range []string{wire.Open, wire.Establish} {
				f := filled(kind, all)
				set(f)
				agree(t, g, kind+" "+field.String()+" "+string(rune('0'+i)), f)
			}
		}
	}
}

func numbers(of func(*wire.Frame) *uint64) []func(*wire.Frame) {
	var all []func(*wire.Frame)
	for _, n := range []uint64{0, 1, 2, wire.MaxSeq - 1, wire.MaxSeq, wire.MaxSeq + 1, 1<<64 - 1} {
		all = append(all, func(f *wire.Frame) { *of(f) = n })
	}
	return all
}

func texts(of func(*wire.Frame) *string, values ...string) []func(*wire.Frame) {
	var all []func(*wire.Frame)
	for _, s := range append(values, "", "a") {
		all = append(all, func(f *wire.Frame) { *of(f) = s })
	}
	return all
}

func blobs(of func(*wire.Frame) *[]byte, sizes ...int) []func(*wire.Frame) {
	var all []func(*wire.Frame)
	for _, n := range sizes {
		all = append(all, func(f *wire.Frame) { *of(f) = make([]byte, n) })
	}
	return all
}

// SUBSTRATE-WIRE-001, SUBSTRATE-WIRE-002: of values of another type, and of messages of another shape, the grammar says the same too.
func TestGrammarAgreesOnTypes(t *testing.T) {
	g := grammar(t)
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds {
		for _, field := range fieldsOf(wire.AllFields &^ wire.FieldPrev) {
			for _, value := range []any{uint64(5), []byte("a"), "a", true, []any{}, map[string]any{}} {
				var message map[string]map[string]any
				has := wire.Required(kind)
				if kind == wire.Resync {
					has |= wire.FieldBase
				}
				if err := cbor.Unmarshal(encode(t, filled(kind, has)), &message); err != nil {
					t.Fatal(err)
				}
				message["env"][field.String()] = value
				b, err := mode.Marshal(message)
				if err != nil {
					t.Fatal(err)
				}
				f := decode(t, b)
				if err, fault := g.Match("frame", b), f.Check(); (err == nil) != (fault == nil) {
					t.Errorf("%s with %s of %#v: the grammar says %v, the code %v", kind, field, value, err, fault)
				}
			}
		}
	}
	for _, c := range negatives {
		if c.rule == wire.Shape && g.Match("frame", octets(t, c.hex)) == nil {
			t.Errorf("%s: the grammar takes it", c.name)
		}
	}
}

// SUBSTRATE-FEED-001, SUBSTRATE-FEED-005: grammar and code allow the same fields in each frame that comes from a feed.
func TestGrammarAgreesOnFeeds(t *testing.T) {
	g := grammar(t)
	for _, kind := range kinds {
		base := wire.Required(kind)
		if base&wire.FieldSeq == 0 {
			continue
		}
		base = base&^wire.FieldReceipt | wire.FieldPrev
		for _, a := range fieldsOf(wire.AllFields) {
			f := filled(kind, base^a)
			if f.Bounced() {
				continue
			}
			f.Prev = min(f.Prev, max(f.Seq, 1)-1)
			if f.Has&wire.FieldReceipt != 0 {
				// It is no frame of a feed, and the other rules are for it.
				continue
			}
			if err, fault := g.Match("fed", encode(t, f)), f.CheckFeed(); (err == nil) != (fault == nil) {
				t.Errorf("%s but for %v: the grammar says %v, the code %v", kind, a, err, fault)
			}
		}
	}
}
