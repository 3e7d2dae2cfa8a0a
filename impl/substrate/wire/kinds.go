package wire

// What the kinds require, in sets of fields (SUBSTRATE-WIRE-003).
const (
	addressed = FieldV | FieldKind | FieldObj | FieldObjKind
	keyed     = addressed | FieldID
	sequenced = keyed | FieldSeq | FieldReceipt

	// BounceFields is what an err has that bounces an op: it answers an id, and is no op itself (SUBSTRATE-BOUNCE-003).
	BounceFields = FieldV | FieldKind | FieldID | FieldCode
)

// Required returns the fields that a frame of the kind must have, for an err those of one that is an answer; BounceFields are those of
// one that is not. A resync must have one of FieldFromSeq and FieldBase besides. A kind that there is none of requires nothing.
func Required(kind string) Fields {
	switch kind {
	case Open, Close, Send, Req, Accept, Res, End, Chunk:
		return sequenced
	case Reject, Err:
		return sequenced | FieldCode
	case Ack:
		return keyed | FieldReceipt
	case Resync:
		return addressed
	case Establish:
		return keyed
	case EstablishOK:
		return keyed | FieldLabel
	case EstablishFail:
		return keyed | FieldCode
	}
	return 0
}

// KnownKind reports whether there is such a kind of frame (SUBSTRATE-VERB-006).
func KnownKind(kind string) bool { return Required(kind) != 0 }

// KnownObjKind reports whether a frame of the kind may speak of an object of objKind. A stream is one to establish and its answers only.
func KnownObjKind(kind, objKind string) bool {
	return objKind == Session || objKind == Queue || objKind == Stream && establishing(kind)
}

func establishing(kind string) bool {
	return kind == Establish || kind == EstablishOK || kind == EstablishFail
}

// answerable reports whether a fault in a frame of the kind is answered with an err: an err is not (SUBSTRATE-BOUNCE-002), and neither is
// a frame that only controls (SUBSTRATE-BOUNCE-003).
func answerable(kind string) bool {
	switch kind {
	case Ack, Err, Resync, EstablishOK, EstablishFail:
		return false
	}
	return true
}

// Bounced reports whether f is an err that is no op: it has neither a seq nor a receipt.
func (f *Frame) Bounced() bool { return f.Kind == Err && f.Has&(FieldSeq|FieldReceipt) == 0 }

// required returns what f must have, given what it is.
func (f *Frame) required(feed bool) Fields {
	if f.Bounced() {
		return BounceFields
	}
	need := Required(f.Kind)
	// SUBSTRATE-FEED-001, SUBSTRATE-FEED-005: a feed has the seq of its stream, says what came before, and is not acked.
	if feed && need&FieldSeq != 0 && f.Has&FieldReceipt == 0 {
		return need&^FieldReceipt | FieldPrev
	}
	return need
}

// forbidden returns what f must not have, given what it is. What no law forbids may be there and means nothing.
func (f *Frame) forbidden() Fields {
	var no Fields
	if f.Kind != Open && f.Kind != Establish {
		no |= FieldCap
	}
	if f.Kind == Ack {
		no |= FieldSeq
	}
	// SUBSTRATE-VERB-005
	if f.Kind == Resync {
		no |= FieldID
		if f.Has&FieldBase != 0 {
			no |= FieldFromSeq
		}
	}
	if f.Has&FieldSeq == 0 {
		no |= FieldPrev
	}
	return no
}
