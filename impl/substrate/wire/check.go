package wire

import "fmt"

// A Fault is what is wrong with a frame that was decoded. It is no error of the connection.
type Fault struct {
	// Code is that of the err that answers the frame.
	Code string
	// Reply says whether an err answers it. It does not if the frame has no id to answer to, is an err itself, or only controls; then the
	// frame is dropped and nobody is told.
	Reply bool
	// Echo says whether the err may name the object: both address and kind of the object are there and valid, for an err too
	// (SUBSTRATE-ADDR-003).
	Echo bool
	// Field is what the fault was found at; none for a body.
	Field Fields
	// Law is the id of the law that the frame broke.
	Law string
}

// String returns a one line description.
func (f *Fault) String() string {
	at := f.Field.String()
	if f.Field == 0 {
		at = "body"
	}
	answer := "dropped"
	if f.Reply {
		answer = "answered"
	}
	return fmt.Sprintf("%s at %s, %s [%s]", f.Code, at, answer, f.Law)
}

// Check returns what is wrong with the frame, or nil: first with its kind and the kind of its object, then with its address, then with its
// other fields and at last with the size of its body (SUBSTRATE-WIRE-003, SUBSTRATE-VERB-006). It knows neither objects nor connections.
// Whoever has negotiated another version than Version compares V before (SUBSTRATE-WIRE-006).
func (f *Frame) Check() *Fault { return f.check(false) }

// CheckFeed is Check for a connection on which feeds come: a sequenced frame without a receipt is one of a feed if it has a prev
// (SUBSTRATE-FEED-001, SUBSTRATE-FEED-005).
func (f *Frame) CheckFeed() *Fault { return f.check(true) }

func (f *Frame) check(feed bool) *Fault {
	// SUBSTRATE-VERB-006
	if f.has(FieldKind) && !KnownKind(f.Kind) {
		return f.fault(BadVerb, FieldKind, "SUBSTRATE-VERB-006")
	}
	if f.has(FieldObjKind) && !KnownObjKind(f.Kind, f.ObjKind) {
		return f.fault(Unsupported, FieldObjKind, "SUBSTRATE-VERB-006")
	}
	// SUBSTRATE-ADDR-002, SUBSTRATE-ADDR-003
	if f.has(FieldObj) {
		if code := addressFault(f.Obj); code != "" {
			return f.fault(code, FieldObj, "SUBSTRATE-ADDR-001")
		}
	}
	// SUBSTRATE-WIRE-003
	if missing := f.required(feed) &^ f.Has; missing != 0 {
		return f.fault(BadFrame, missing, "SUBSTRATE-WIRE-003")
	}
	if f.Kind == Resync && f.Has&(FieldFromSeq|FieldBase) == 0 {
		return f.fault(BadFrame, FieldFromSeq|FieldBase, "SUBSTRATE-WIRE-003")
	}
	if !f.has(FieldKind) {
		return f.fault(BadFrame, FieldKind, "SUBSTRATE-WIRE-003")
	}
	if extra := f.forbidden() & f.Has; extra != 0 {
		return f.fault(BadFrame, extra, "SUBSTRATE-WIRE-003")
	}
	if establishing(f.Kind) && f.ObjKind != Stream {
		return f.fault(BadFrame, FieldObjKind, "SUBSTRATE-WIRE-003")
	}
	// SUBSTRATE-WIRE-002
	if wrong := f.oddFields() | f.outOfRange(); wrong != 0 {
		return f.fault(BadFrame, wrong, "SUBSTRATE-WIRE-002")
	}
	// SUBSTRATE-LIMIT-001
	if len(f.Body) > MaxBody {
		return f.fault(PayloadTooLarge, 0, "SUBSTRATE-LIMIT-001")
	}
	return nil
}

// outOfRange returns the fields whose values are out of range. The address has been looked at already.
func (f *Frame) outOfRange() Fields {
	var wrong Fields
	for _, c := range [...]struct {
		field Fields
		fine  bool
	}{
		{FieldV, f.V == Version},
		{FieldID, ValidID(f.ID)},
		// SUBSTRATE-SEQ-012
		{FieldSeq, f.Seq >= 1 && f.Seq <= MaxSeq},
		{FieldPrev, f.Prev < f.Seq},
		{FieldFromSeq, f.FromSeq >= 1 && f.FromSeq <= MaxSeq},
		{FieldBase, f.Base >= 1 && f.Base <= MaxSeq},
		{FieldReceipt, len(f.Receipt) >= 1 && len(f.Receipt) <= MaxReceipt},
		{FieldCap, len(f.Cap) <= MaxCap},
		{FieldCode, ValidCode(f.Code)},
		{FieldMsg, len(f.Msg) <= MaxMsg},
	} {
		if f.Has&c.field != 0 && !c.fine {
			wrong |= c.field
		}
	}
	return wrong
}

func (f *Frame) fault(code string, at Fields, law string) *Fault {
	return &Fault{
		Code:  code,
		Reply: f.has(FieldID) && ValidID(f.ID) && answerable(f.Kind),
		Echo:  f.has(FieldObj|FieldObjKind) && addressFault(f.Obj) == "" && KnownObjKind(Err, f.ObjKind),
		Field: at, Law: law,
	}
}
