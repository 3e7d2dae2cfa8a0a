package wire_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// A row of the table of kinds, written down again: what must be there and what must not.
type matrixRow struct {
	required, forbidden string
	answered            bool
}

// SUBSTRATE-WIRE-003 in words.
var matrix = map[string]matrixRow{
	wire.Open:          {"v kind obj objKind id seq receipt", "", true},
	wire.Close:         {"v kind obj objKind id seq receipt", "cap", true},
	wire.Send:          {"v kind obj objKind id seq receipt", "cap", true},
	wire.Req:           {"v kind obj objKind id seq receipt", "cap", true},
	wire.Accept:        {"v kind obj objKind id seq receipt", "cap", true},
	wire.Res:           {"v kind obj objKind id seq receipt", "cap", true},
	wire.End:           {"v kind obj objKind id seq receipt", "cap", true},
	wire.Chunk:         {"v kind obj objKind id seq receipt", "cap", true},
	wire.Reject:        {"v kind obj objKind id seq receipt code", "cap", true},
	wire.Err:           {"v kind obj objKind id seq receipt code", "cap", false},
	wire.Ack:           {"v kind obj objKind id receipt", "seq prev cap", false},
	wire.Resync:        {"v kind obj objKind fromSeq", "id cap base", false},
	wire.Establish:     {"v kind obj objKind id", "", true},
	wire.EstablishOK:   {"v kind obj objKind id label", "cap", false},
	wire.EstablishFail: {"v kind obj objKind id code", "cap", false},
}

func named(t *testing.T, words string) wire.Fields {
	t.Helper()
	var fs wire.Fields
	for _, word := range strings.Fields(words) {
		at := slices.IndexFunc(fieldsOf(wire.AllFields), func(f wire.Fields) bool { return f.String() == word })
		if at < 0 {
			t.Fatalf("there is no field %s", word)
		}
		fs |= 1 << at
	}
	return fs
}

// SUBSTRATE-WIRE-003, SUBSTRATE-VERB-006: every kind with every set of fields, 15 x 32768 frames.
func TestPresenceMatrix(t *testing.T) {
	for _, kind := range kinds {
		row := matrix[kind]
		need, no := named(t, row.required), named(t, row.forbidden)
		for has := wire.Fields(0); has <= wire.AllFields; has++ {
			f := filled(kind, has)
			required, forbidden := need, no
			if kind == wire.Err && has&wire.FieldKind != 0 && has&(wire.FieldSeq|wire.FieldReceipt) == 0 {
				required = named(t, "v kind id code")
			}
			if kind == wire.Resync && has&wire.FieldFromSeq == 0 && has&wire.FieldBase != 0 {
				required, forbidden = named(t, "v kind obj objKind base"), named(t, "id cap")
			}
			valid := has&required == required && has&forbidden == 0 && (has&wire.FieldPrev == 0 || has&wire.FieldSeq != 0)
			fault := f.Check()
			if valid != (fault == nil) {
				t.Fatalf("%s with %s: %v", kind, has, fault)
			}
			if fault == nil {
				continue
			}
			// A stream without a kind that may speak of one is refused for that before.
			code := wire.BadFrame
			if has&wire.FieldKind == 0 && has&wire.FieldObjKind != 0 && f.ObjKind == wire.Stream {
				code = wire.Unsupported
			}
			reply := has&wire.FieldID != 0 && (row.answered || has&wire.FieldKind == 0)
			echo := has&wire.FieldObj != 0 && has&wire.FieldObjKind != 0 && f.ObjKind != wire.Stream
			if fault.Code != code || fault.Reply != reply || fault.Echo != echo {
				t.Fatalf("%s with %s: %s, reply %t, echo %t, want %s, %t, %t", kind, has, fault, fault.Reply, fault.Echo, code, reply, echo)
			}
		}
		want := need
		if kind == wire.Resync {
			want &^= wire.FieldFromSeq
		}
		if wire.Required(kind) != want {
			t.Errorf("%s requires %s, not %s", kind, wire.Required(kind), want)
		}
	}
}

// SUBSTRATE-FEED-001, SUBSTRATE-FEED-005: what comes in a feed has no receipt and says what was before it.
func TestFeedFrames(t *testing.T) {
	for _, kind := range kinds {
		for has := wire.Fields(0); has <= wire.AllFields; has++ {
			f := filled(kind, has)
			want := f.Check() == nil
			if need := wire.Required(kind); need&wire.FieldSeq != 0 && has&(wire.FieldReceipt|wire.FieldPrev|wire.FieldSeq) == wire.FieldPrev|wire.FieldSeq {
				f.Has |= wire.FieldReceipt
				f.Receipt = []byte{1}
				want = f.Check() == nil
				f.Has &^= wire.FieldReceipt
				f.Receipt = nil
			}
			if fault := f.CheckFeed(); want != (fault == nil) {
				t.Fatalf("%s with %s: %v", kind, has, fault)
			}
		}
	}
}

// SUBSTRATE-WIRE-002, SUBSTRATE-SEQ-012: the edges of each field.
func TestRanges(t *testing.T) {
	text := func(n int) string { return strings.Repeat("a", n) }
	open := func(change func(*wire.Frame)) *wire.Frame {
		f := filled(wire.Open, wire.AllFields&^(wire.FieldPrev|wire.FieldBase))
		change(f)
		return f
	}
	for _, c := range []struct {
		what  string
		fine  bool
		frame *wire.Frame
	}{
		{"v 0", false, open(func(f *wire.Frame) { f.V = 0 })},
		{"v 1", true, open(func(f *wire.Frame) { f.V = 1 })},
		{"v 2", false, open(func(f *wire.Frame) { f.V = 2 })},
		{"id of 0", false, open(func(f *wire.Frame) { f.ID = "" })},
		{"id of 1", true, open(func(f *wire.Frame) { f.ID = "a" })},
		{"id of 64", true, open(func(f *wire.Frame) { f.ID = text(64) })},
		{"id of 65", false, open(func(f *wire.Frame) { f.ID = text(65) })},
		{"id of every kind of character", true, open(func(f *wire.Frame) { f.ID = "azAZ09_-" })},
		{"id with a dot", false, open(func(f *wire.Frame) { f.ID = "a.b" })},
		{"id with a newline", false, open(func(f *wire.Frame) { f.ID = "a\n" })},
		{"receipt of 0", false, open(func(f *wire.Frame) { f.Receipt = []byte{} })},
		{"receipt of 64", true, open(func(f *wire.Frame) { f.Receipt = make([]byte, 64) })},
		{"receipt of 65", false, open(func(f *wire.Frame) { f.Receipt = make([]byte, 65) })},
		{"cap of 0", true, open(func(f *wire.Frame) { f.Cap = []byte{} })},
		{"cap of 4096", true, open(func(f *wire.Frame) { f.Cap = make([]byte, 4096) })},
		{"cap of 4097", false, open(func(f *wire.Frame) { f.Cap = make([]byte, 4097) })},
		{"code of 0", false, open(func(f *wire.Frame) { f.Code = "" })},
		{"code of 64", true, open(func(f *wire.Frame) { f.Code = text(64) })},
		{"code of 65", false, open(func(f *wire.Frame) { f.Code = text(65) })},
		{"code in upper case", false, open(func(f *wire.Frame) { f.Code = "Closed" })},
		{"code with a dash", false, open(func(f *wire.Frame) { f.Code = "a-b" })},
		{"code with a digit", true, open(func(f *wire.Frame) { f.Code = "a_9" })},
		{"msg of 0", true, open(func(f *wire.Frame) { f.Msg = "" })},
		{"msg of 256", true, open(func(f *wire.Frame) { f.Msg = text(256) })},
		{"msg of 257", false, open(func(f *wire.Frame) { f.Msg = text(257) })},
		{"msg of 129 characters of two octets", false, open(func(f *wire.Frame) { f.Msg = strings.Repeat("é", 129) })},
		{"level of 0", true, open(func(f *wire.Frame) { f.Level = "" })},
		{"seq 0", false, open(func(f *wire.Frame) { f.Seq = 0 })},
		{"seq 1", true, open(func(f *wire.Frame) { f.Seq = 1 })},
		{"the largest seq", true, open(func(f *wire.Frame) { f.Seq = 1<<53 - 1 })},
		{"a seq beyond it", false, open(func(f *wire.Frame) { f.Seq = 1 << 53 })},
		{"seq 2^64-1", false, open(func(f *wire.Frame) { f.Seq = 1<<64 - 1 })},
		{"prev 0", true, open(func(f *wire.Frame) { f.Has |= wire.FieldPrev })},
		{"prev just below seq", true, open(func(f *wire.Frame) { f.Has |= wire.FieldPrev; f.Prev = f.Seq - 1 })},
		{"prev that is seq", false, open(func(f *wire.Frame) { f.Has |= wire.FieldPrev; f.Prev = f.Seq })},
		{"fromSeq 0", false, open(func(f *wire.Frame) { f.FromSeq = 0 })},
		{"fromSeq 1", true, open(func(f *wire.Frame) { f.FromSeq = 1 })},
		{"the largest fromSeq", true, open(func(f *wire.Frame) { f.FromSeq = 1<<53 - 1 })},
		{"a fromSeq beyond it", false, open(func(f *wire.Frame) { f.FromSeq = 1 << 53 })},
		{"base 0", false, open(func(f *wire.Frame) { f.Has |= wire.FieldBase; f.Base = 0 })},
		{"base 1", true, open(func(f *wire.Frame) { f.Has |= wire.FieldBase; f.Base = 1 })},
		{"the largest base", true, open(func(f *wire.Frame) { f.Has |= wire.FieldBase; f.Base = 1<<53 - 1 })},
		{"a base beyond it", false, open(func(f *wire.Frame) { f.Has |= wire.FieldBase; f.Base = 1 << 53 })},
		{"label 0", true, open(func(f *wire.Frame) { f.Label = 0 })},
		{"label 2^64-1", true, open(func(f *wire.Frame) { f.Label = 1<<64 - 1 })},
		{"body of the largest size", true, open(func(f *wire.Frame) { f.Body = make([]byte, wire.MaxBody) })},
		{"seq forbidden in an ack", false, filled(wire.Ack, wire.Required(wire.Ack)|wire.FieldSeq)},
		{"establish of a session", false, func() *wire.Frame {
			f := filled(wire.Establish, wire.Required(wire.Establish))
			f.ObjKind = wire.Session
			return f
		}()},
	} {
		fault := c.frame.Check()
		if c.fine != (fault == nil) || !c.fine && fault.Code != wire.BadFrame {
			t.Errorf("%s: %v", c.what, fault)
		}
	}
}

// SUBSTRATE-WIRE-002: a field with a value of another type is a fault of the frame, not of the message, and encodes to what it was.
func TestValuesOfAnotherType(t *testing.T) {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	values := []any{uint64(1), []byte("a"), []byte{}, "a", "", []any{uint64(1), uint64(2)}, map[string]any{"a": uint64(1)}, true, false}
	const numbers, binary = wire.FieldV | wire.FieldSeq | wire.FieldPrev | wire.FieldFromSeq | wire.FieldBase | wire.FieldLabel, wire.FieldReceipt | wire.FieldCap
	own := func(field wire.Fields, value any) bool {
		switch value.(type) {
		case uint64:
			return field&numbers != 0
		case []byte:
			return field&binary != 0
		case string:
			return field&(numbers|binary) == 0
		}
		return false
	}
	for _, field := range fieldsOf(wire.AllFields) {
		for _, value := range values {
			if own(field, value) {
				continue
			}
			kind := wire.Open
			if field == wire.FieldFromSeq || field == wire.FieldBase {
				kind = wire.Resync
			}
			has := wire.Required(kind) | field
			if field == wire.FieldPrev {
				has |= wire.FieldSeq
			}
			var message map[string]map[string]any
			if err := cbor.Unmarshal(encode(t, filled(kind, has)), &message); err != nil {
				t.Fatal(err)
			}
			message["env"][field.String()] = value
			b, err := mode.Marshal(message)
			if err != nil {
				t.Fatal(err)
			}
			f := decode(t, b)
			fault := f.Check()
			if fault == nil || fault.Code != wire.BadFrame || fault.Field&field == 0 && field != wire.FieldKind {
				t.Errorf("%s of %#v: %v", field, value, fault)
			} else if want := field != wire.FieldID && kind == wire.Open; fault.Reply != want {
				t.Errorf("%s of %#v: reply is %t", field, value, fault.Reply)
			}
			if f.Has != has {
				t.Errorf("%s of %#v: the frame has %s, not %s", field, value, f.Has, has)
			}
			zero := decode(t, encode(t, filled(kind, has&^field)))
			if f.V != zero.V || f.ID != zero.ID || f.Obj != zero.Obj || f.Kind != zero.Kind || f.Seq != zero.Seq || len(f.Receipt) != len(zero.Receipt) ||
				f.Cap != nil || f.Prev != 0 || f.Code != "" || f.Label != 0 {
				t.Errorf("%s of %#v leaves %+v", field, value, f)
			}
			if again := encode(t, &f); string(again) != string(b) {
				t.Errorf("%s of %#v: encodes to %x, came as %x", field, value, again, b)
			}
		}
	}
}

// SUBSTRATE-VERB-006, SUBSTRATE-ADDR-002, SUBSTRATE-ADDR-003, SUBSTRATE-WIRE-003: what is looked at first wins.
func TestOrderOfChecks(t *testing.T) {
	bad := func(kind, obj, objKind string) *wire.Frame {
		f := filled(wire.Send, wire.Required(wire.Send))
		f.Kind, f.Obj, f.ObjKind, f.Seq = kind, obj, objKind, 0
		f.Body = make([]byte, wire.MaxBody+1)
		return f
	}
	for _, c := range []struct {
		frame *wire.Frame
		want  string
		echo  bool
	}{
		{bad("propose", "A@", "state"), wire.BadVerb, false},
		{bad("", "a", wire.Queue), wire.BadVerb, true},
		{bad(strings.Repeat("k", 64<<10), "A", wire.Queue), wire.BadVerb, false},
		{bad("OPEN", "a", "state"), wire.BadVerb, false},
		{bad(wire.Send, "A@", "state"), wire.Unsupported, false},
		{bad(wire.Send, "a", wire.Stream), wire.Unsupported, false},
		{bad(wire.Send, "a", ""), wire.Unsupported, false},
		{bad(wire.Send, "A@b", wire.Queue), wire.RoutingNotSupported, false},
		{bad(wire.Send, strings.Repeat("@", 200), wire.Queue), wire.RoutingNotSupported, false},
		{bad(wire.Send, "A", wire.Queue), wire.BadAddress, false},
		{bad(wire.Send, "", wire.Queue), wire.BadAddress, false},
		{bad(wire.Send, "a", wire.Queue), wire.BadFrame, true},
	} {
		fault := c.frame.Check()
		if codeOf(fault) != c.want || !fault.Reply || fault.Echo != c.echo {
			t.Errorf("%.20s %.20q %s: %v, echo %t", c.frame.Kind, c.frame.Obj, c.frame.ObjKind, fault, fault.Echo)
		}
		// SUBSTRATE-BOUNCE-002, SUBSTRATE-BOUNCE-003
		for _, silent := range []string{wire.Err, wire.Ack, wire.Resync, wire.EstablishOK, wire.EstablishFail} {
			f := *c.frame
			if f.Kind == wire.Send {
				f.Kind = silent
				if fault := f.Check(); fault == nil || fault.Reply {
					t.Errorf("%s %.20q: %v", silent, f.Obj, fault)
				}
			}
		}
		// SUBSTRATE-WIRE-003: there is nobody to answer to.
		f := *c.frame
		f.ID = "a b"
		if fault := f.Check(); codeOf(fault) != c.want || fault.Reply {
			t.Errorf("without a valid id: %v", fault)
		}
	}
	f := send(make([]byte, wire.MaxBody+1))
	if got, want := f.Check().String(), "payload_too_large at body, answered [SUBSTRATE-LIMIT-001]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f.ID = ""
	if got, want := f.Check().String(), "bad_frame at id, dropped [SUBSTRATE-WIRE-002]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
