package substratemodel

import "strings"

// A WireFault is what is wrong with a frame, and what is done about it. The zero value is none.
type WireFault struct {
	Code  string // of the err that answers the frame
	Reply bool   // there is one
	Echo  bool   // it may name the object
}

// Maxima. SUBSTRATE-WIRE-002, SUBSTRATE-SEQ-012, SUBSTRATE-LIMIT-001
const (
	maxBody   = 983040
	maxNumber = 9007199254740991
)

// A wireField is the type of a field and its range, which may depend on the frame.
type wireField struct {
	typ ItemType
	in  func(Item, WireFrame) bool
}

// wireFieldOf returns what there is to know of the field with a name, if the laws name it. SUBSTRATE-WIRE-002
func wireFieldOf(name string) (field wireField, named bool) {
	anything := func(Item, WireFrame) bool { return true }
	count := func(it Item, _ WireFrame) bool { return it.Number >= 1 && it.Number <= maxNumber }
	octets := func(least, most int) func(Item, WireFrame) bool {
		return func(it Item, _ WireFrame) bool { return len(it.Octets) >= least && len(it.Octets) <= most }
	}
	token := func(valid func(string) bool) func(Item, WireFrame) bool {
		return func(it Item, _ WireFrame) bool { return valid(it.Octets) }
	}
	switch name {
	case "v":
		return wireField{ItemUint, func(it Item, _ WireFrame) bool { return it.Number == 1 }}, true
	case "seq", "fromSeq", "base":
		return wireField{ItemUint, count}, true
	case "prev":
		return wireField{ItemUint, func(it Item, f WireFrame) bool { return it.Number < f.Env["seq"].Number }}, true
	case "label":
		return wireField{ItemUint, anything}, true
	case "kind", "obj", "objKind", "level":
		return wireField{ItemText, anything}, true
	case "id":
		return wireField{ItemText, token(wireID)}, true
	case "code":
		return wireField{ItemText, token(wireCode)}, true
	case "msg":
		return wireField{ItemText, octets(0, 256)}, true
	case "receipt":
		return wireField{ItemBytes, octets(1, 64)}, true
	case "cap":
		return wireField{ItemBytes, octets(0, 4096)}, true
	}
	return wireField{}, false
}

// wireColumns returns the fields of wireTable, in the order of its columns: what an operation has, then the rest.
func wireColumns() [15]string {
	return [...]string{"v", "kind", "obj", "objKind", "id", "seq", "receipt", "prev", "code", "cap", "fromSeq", "base", "label", "msg", "level"}
}

// wireTable says of each kind which fields it must have (x), may have (.) and must not have (-). An err and a resync are one of two things. What no law forbids may be
// there. SUBSTRATE-WIRE-003, SUBSTRATE-VERB-005
func wireTable(name string) string {
	switch name {
	case "open":
		return "xxxxxxx........"
	case "close", "send", "req", "accept", "res", "end", "chunk":
		return "xxxxxxx..-....."
	case "reject", "err, durable":
		return "xxxxxxx.x-....."
	case "err, bounce":
		return "xx..x---x-....."
	case "ack":
		return "xxxxx-x-.-....."
	case "resync, from":
		return "xxxx-....-x-..."
	case "resync, base":
		return "xxxx-....--x..."
	case "establish":
		return "xxxxx.........."
	case "establish_ok":
		return "xxxxx....-..x.."
	case "establish_fail":
		return "xxxxx...x-....."
	}
	return ""
}

// wireRow is the row of the table that a frame is held to: what it is follows from what it has. SUBSTRATE-WIRE-003, SUBSTRATE-FEED-005
func (f WireFrame) wireRow(kind string, feed bool) string {
	_, hasSeq := f.Env["seq"]
	_, hasReceipt := f.Env["receipt"]
	_, hasPrev := f.Env["prev"]
	_, hasBase := f.Env["base"]
	switch {
	case kind == "err" && !hasSeq && !hasReceipt:
		return wireTable("err, bounce")
	case kind == "err":
		kind = "err, durable"
	case kind == "resync" && hasBase:
		return wireTable("resync, base")
	case kind == "resync":
		return wireTable("resync, from")
	}
	row := wireTable(kind)
	if feed && hasPrev && !hasReceipt && strings.HasPrefix(row, "xxxxxxx") {
		// A frame of a feed: SUBSTRATE-FEED-001.
		row = row[:6] + "." + row[7:]
	}
	return row
}

func wireKind(kind string) bool {
	return wireTable(kind) != "" && !strings.Contains(kind, ",") || kind == "err" || kind == "resync"
}

// text returns the value of a field that is there and is text.
func (f WireFrame) text(name string) (string, bool) {
	it, has := f.Env[name]
	if !has || it.Type != ItemText {
		return "", false
	}
	return it.Octets, true
}

// Check says what is wrong with the frame, in the order kind, address, fields, body. On a connection with feeds a frame may be one of those.
// SUBSTRATE-WIRE-003, SUBSTRATE-VERB-006, SUBSTRATE-ADDR-002, SUBSTRATE-ADDR-003
func (f WireFrame) Check(feed bool) WireFault {
	code := f.faultCode(feed)
	if code == "" {
		return WireFault{}
	}
	kind, _ := f.text("kind")
	id, _ := f.text("id")
	obj, _ := f.text("obj")
	objKind, _ := f.text("objKind")
	// SUBSTRATE-BOUNCE-002, SUBSTRATE-BOUNCE-003
	control := kind == "ack" || kind == "err" || kind == "resync" || kind == "establish_ok" || kind == "establish_fail"
	return WireFault{
		Code: code, Reply: wireID(id) && !control,
		Echo: wireAddress(obj) == "" && (objKind == "session" || objKind == "queue"),
	}
}

func (f WireFrame) faultCode(feed bool) string {
	kind, hasKind := f.text("kind")
	if hasKind && !wireKind(kind) {
		return "bad_verb"
	}
	stream := strings.HasPrefix(kind, "establish")
	objKind, hasObjKind := f.text("objKind")
	if hasObjKind && objKind != "session" && objKind != "queue" && (objKind != "stream" || !stream) {
		return "unsupported"
	}
	if obj, has := f.text("obj"); has {
		if code := wireAddress(obj); code != "" {
			return code
		}
	}
	if !hasKind || stream && objKind != "stream" {
		return "bad_frame"
	}
	row := f.wireRow(kind, feed)
	for i, name := range wireColumns() {
		_, has := f.Env[name]
		if row[i] == 'x' && !has || row[i] == '-' && has {
			return "bad_frame"
		}
	}
	if _, has := f.Env["prev"]; has {
		if _, beside := f.Env["seq"]; !beside {
			return "bad_frame"
		}
	}
	for name, value := range f.Env {
		if want, _ := wireFieldOf(name); value.Type != want.typ || !want.in(value, f) {
			return "bad_frame"
		}
	}
	if len(f.Body) > maxBody {
		return "payload_too_large"
	}
	return ""
}
