package substratemodel

import (
	"maps"
	"strings"
	"testing"
)

// wireExample returns a frame of a kind with what it requires.
func wireExample(kind string) WireFrame {
	env := map[string]Item{"v": Number(1), "kind": Text(kind), "obj": Text("money/1"), "objKind": Text("session"), "id": Text("M-1")}
	row := wireTable(kind)
	switch kind {
	case "err":
		row = wireTable("err, durable")
	case "resync":
		row = wireTable("resync, from")
		delete(env, "id")
	}
	values := map[string]Item{
		"seq": Number(7), "receipt": Octets("r"), "code": Text("app_error"), "fromSeq": Number(9), "base": Number(9), "label": Number(3), "prev": Number(6),
		"cap": Octets("c"), "msg": Text("m"), "level": Text("l"), "id": Text("M-1"),
	}
	for i, name := range wireColumns() {
		if _, has := env[name]; !has && row[i] == 'x' {
			env[name] = values[name]
		}
	}
	if kind == "resync" {
		env["fromSeq"] = Number(9)
	}
	if strings.HasPrefix(kind, "establish") {
		env["objKind"] = Text("stream")
	}
	return WireFrame{Env: env}
}

func wireKinds() []string {
	return []string{
		"open", "close", "send", "req", "accept", "res", "end", "chunk", "reject", "err", "ack", "resync", "establish", "establish_ok", "establish_fail",
	}
}

// with returns f with a field that is another one; a nil value takes it away.
func (f WireFrame) with(name string, value *Item) WireFrame {
	f.Env = maps.Clone(f.Env)
	if delete(f.Env, name); value != nil {
		f.Env[name] = *value
	}
	return f
}

// TestEveryKindHasARow: the rows are as long as there are fields, and each kind is known. SUBSTRATE-WIRE-003, SUBSTRATE-VERB-006
func TestEveryKindHasARow(t *testing.T) {
	columns := wireColumns()
	for _, name := range columns {
		if _, named := wireFieldOf(name); !named {
			t.Errorf("no law names the field %s", name)
		}
	}
	for _, kind := range wireKinds() {
		f := wireExample(kind)
		if got := f.Check(false); got != (WireFault{}) || !wireKind(kind) {
			t.Errorf("%s with what it requires: %+v", kind, got)
		}
		if row := f.wireRow(kind, false); len(row) != len(columns) {
			t.Errorf("the row of %s has %d columns", kind, len(row))
		}
		for name := range f.Env {
			if got := f.with(name, nil).Check(false); got.Code == "" {
				t.Errorf("%s without %s is fine", kind, name)
			}
		}
	}
	for _, kind := range []string{"", "propose", "err, bounce", "resync, from", "SEND"} {
		if wireKind(kind) {
			t.Errorf("%q is a kind", kind)
		}
	}
}

// TestFaults: what is wrong, who is told, and whether the object is named. SUBSTRATE-WIRE-002, SUBSTRATE-WIRE-003, SUBSTRATE-ADDR-001, SUBSTRATE-ADDR-002,
// SUBSTRATE-ADDR-003, SUBSTRATE-VERB-005, SUBSTRATE-VERB-006, SUBSTRATE-BOUNCE-002, SUBSTRATE-BOUNCE-003, SUBSTRATE-SEQ-012, SUBSTRATE-LIMIT-001, SUBSTRATE-FEED-001, SUBSTRATE-FEED-005
func TestFaults(t *testing.T) {
	send, number, text, octets := wireExample("send"), Number, Text, Octets[string]
	is := func(it Item) *Item { return &it }
	body := send
	body.Body, body.HasBody = strings.Repeat("b", maxBody+1), true
	feed := send.with("receipt", nil).with("prev", is(number(0)))
	bounce := wireExample("err").with("seq", nil).with("receipt", nil)
	for what, c := range map[string]struct {
		f    WireFrame
		feed bool
		want WireFault
	}{
		"seq 0":                    {send.with("seq", is(number(0))), false, WireFault{"bad_frame", true, true}},
		"seq beyond the largest":   {send.with("seq", is(number(maxNumber+1))), false, WireFault{"bad_frame", true, true}},
		"prev as large as seq":     {send.with("prev", is(number(7))), false, WireFault{"bad_frame", true, true}},
		"prev below seq":           {send.with("prev", is(number(6))), false, WireFault{}},
		"receipt of nothing":       {send.with("receipt", is(octets(""))), false, WireFault{"bad_frame", true, true}},
		"receipt of 65":            {send.with("receipt", is(octets(strings.Repeat("r", 65)))), false, WireFault{"bad_frame", true, true}},
		"receipt that is text":     {send.with("receipt", is(text("r"))), false, WireFault{"bad_frame", true, true}},
		"id of 65":                 {send.with("id", is(text(strings.Repeat("i", 65)))), false, WireFault{"bad_frame", false, true}},
		"code in capitals":         {wireExample("reject").with("code", is(text("BUSY"))), false, WireFault{"bad_frame", true, true}},
		"msg of 257":               {send.with("msg", is(text(strings.Repeat("m", 257)))), false, WireFault{"bad_frame", true, true}},
		"cap of 4097":              {wireExample("open").with("cap", is(octets(strings.Repeat("c", 4097)))), false, WireFault{"bad_frame", true, true}},
		"cap on a send":            {send.with("cap", is(octets(""))), false, WireFault{"bad_frame", true, true}},
		"version 2":                {send.with("v", is(number(2))), false, WireFault{"bad_frame", true, true}},
		"an unknown kind":          {send.with("kind", is(text("propose"))), false, WireFault{"bad_verb", true, true}},
		"an unknown kind of obj":   {send.with("objKind", is(text("state"))), false, WireFault{"unsupported", true, false}},
		"a stream to send to":      {send.with("objKind", is(text("stream"))), false, WireFault{"unsupported", true, false}},
		"an address in capitals":   {send.with("obj", is(text("A"))), false, WireFault{"bad_address", true, false}},
		"an address with an @":     {send.with("obj", is(text("A@"))), false, WireFault{"routing_not_supported", true, false}},
		"a bad address in an ack":  {wireExample("ack").with("obj", is(text("A"))), false, WireFault{"bad_address", false, false}},
		"an ack with a seq":        {wireExample("ack").with("seq", is(number(1))), false, WireFault{"bad_frame", false, true}},
		"a resync with an id":      {wireExample("resync").with("id", is(text("M"))), false, WireFault{"bad_frame", false, true}},
		"a resync with both":       {wireExample("resync").with("base", is(number(1))), false, WireFault{"bad_frame", false, true}},
		"a bounce":                 {bounce, false, WireFault{}},
		"a bounce without obj":     {bounce.with("obj", nil).with("objKind", nil), false, WireFault{}},
		"half an answer":           {bounce.with("seq", is(number(1))), false, WireFault{"bad_frame", false, true}},
		"a frame of a feed":        {feed, true, WireFault{}},
		"the same without a feed":  {feed, false, WireFault{"bad_frame", true, true}},
		"a body that is too large": {body, false, WireFault{"payload_too_large", true, true}},
	} {
		if got := c.f.Check(c.feed); got != c.want {
			t.Errorf("%s: %+v, want %+v", what, got, c.want)
		}
	}
}

// TestFramesAreMessages: what one message is. SUBSTRATE-WIRE-001, SUBSTRATE-WIRE-004, SUBSTRATE-WIRE-005, SUBSTRATE-WIRE-006, SUBSTRATE-CODEC-001, SUBSTRATE-CODEC-004
func TestFramesAreMessages(t *testing.T) {
	for _, kind := range wireKinds() {
		for _, f := range []WireFrame{wireExample(kind), {Env: wireExample(kind).Env, HasBody: true}, {Env: wireExample(kind).Env, HasBody: true, Body: "\xff"}} {
			b := f.Encode()
			back, closed := DecodeWire(b)
			if closed != 0 || back.HasBody != f.HasBody || back.Body != f.Body || string(back.Encode()) != string(b) {
				t.Errorf("%x comes back as %+v, closed %d", b, back, closed)
			}
		}
	}
	env := Map(Member{"v", Number(1)})
	unknown := func(n int) Item {
		var ms []Member
		for i := range n {
			ms = append(ms, Member{string(rune('A' + i)), Number(0)})
		}
		return Map(ms...)
	}
	for what, c := range map[string]struct {
		b    []byte
		want int
	}{
		"no env":               {Map(Member{"body", Octets("")}).Encode(), CloseBadProtocol},
		"a list":               {List(env).Encode(), CloseBadProtocol},
		"env that is text":     {Map(Member{"env", Text("")}).Encode(), CloseBadProtocol},
		"body that is text":    {Map(Member{"env", env}, Member{"body", Text("")}).Encode(), CloseBadProtocol},
		"another key":          {Map(Member{"env", env}, Member{"meta", env}).Encode(), CloseBadProtocol},
		"eight unknown keys":   {Map(Member{"env", unknown(8)}).Encode(), 0},
		"nine unknown keys":    {Map(Member{"env", unknown(9)}).Encode(), CloseBadProtocol},
		"more than a megabyte": {make([]byte, MaxOctets+1), CloseTooLarge},
	} {
		if _, closed := DecodeWire(c.b); closed != c.want {
			t.Errorf("%s: closed %d, want %d", what, closed, c.want)
		}
	}
}

// TestClasses: SUBSTRATE-FINALITY-001, SUBSTRATE-FINALITY-002
func TestClasses(t *testing.T) {
	for code, want := range map[string]CodeClass{
		"app_error": TerminalOp, "unheard_of": TerminalOp, "": TerminalOp, "closed": TerminalObject, "object_failed": TerminalObject, "no_such_object": TerminalObject,
		"busy": Retryable, "queue_full": Retryable, "rate_limited": Retryable, "store_unavailable": Retryable,
	} {
		if got := ClassOf(code); got != want {
			t.Errorf("%q is %s, want %s", code, got, want)
		}
	}
	// The machine of a pair has the same table, with codes as numbers.
	for c := CodeUnauthorized; c <= CodeStoreUnavailable; c++ {
		want := TerminalOp
		if c.Retryable() {
			want = Retryable
		} else if c.Object() {
			want = TerminalObject
		}
		if got := ClassOf(c.String()); got != want {
			t.Errorf("%v is %s, want %s", c, got, want)
		}
	}
}
