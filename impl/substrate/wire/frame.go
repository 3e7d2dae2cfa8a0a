package wire

// The kinds of frames (SUBSTRATE-VERB-006).
const (
	Open          = "open"
	Accept        = "accept"
	Reject        = "reject"
	Close         = "close"
	Send          = "send"
	Ack           = "ack"
	Req           = "req"
	Res           = "res"
	Err           = "err"
	End           = "end"
	Chunk         = "chunk"
	Resync        = "resync"
	Establish     = "establish"
	EstablishOK   = "establish_ok"
	EstablishFail = "establish_fail"
)

// The kinds of objects. Stream is one on establish and on the answers to it only.
const (
	Session = "session"
	Queue   = "queue"
	Stream  = "stream"
)

// A Frame is one message of the link: an envelope and a body (SUBSTRATE-WIRE-001).
//
// Has says which fields of the envelope are there. A field that is not there is zero; one that is there may be zero too, and the two are
// not the same frame.
type Frame struct {
	V       uint64 // version of the protocol, 1
	Kind    string // as on the wire, unknown ones included
	Obj     string // address
	ObjKind string // as on the wire, unknown ones included
	ID      string // of the op, or of the op that is answered

	Seq     uint64
	Prev    uint64
	FromSeq uint64
	Base    uint64
	Label   uint64

	Receipt []byte
	Cap     []byte
	Code    string
	Msg     string
	Level   string

	Has  Fields
	Body []byte // nil: there is none; empty and not nil: one of no octets (SUBSTRATE-WIRE-004)

	// odd are the fields that are there with a value of another type, which no other field of Frame can hold. They are kept so that what
	// was decoded encodes to what it was.
	odd []oddValue
}

// An oddValue is a field with a value of another type than its own, encoded.
type oddValue struct {
	field Fields
	raw   []byte
}

// has reports whether every field of fs is there, and of its own type.
func (f *Frame) has(fs Fields) bool { return f.Has&fs == fs && f.oddFields()&fs == 0 }

// oddFields returns the fields that are there with a value of another type.
func (f *Frame) oddFields() Fields {
	var fs Fields
	for _, o := range f.odd {
		fs |= o.field
	}
	return fs
}

// at returns where the value of a field is, in the one of the three that is not nil.
func (f *Frame) at(field Fields) (number *uint64, text *string, octets *[]byte) {
	switch field {
	case FieldV:
		return &f.V, nil, nil
	case FieldID:
		return nil, &f.ID, nil
	case FieldCap:
		return nil, nil, &f.Cap
	case FieldMsg:
		return nil, &f.Msg, nil
	case FieldObj:
		return nil, &f.Obj, nil
	case FieldSeq:
		return &f.Seq, nil, nil
	case FieldBase:
		return &f.Base, nil, nil
	case FieldCode:
		return nil, &f.Code, nil
	case FieldKind:
		return nil, &f.Kind, nil
	case FieldPrev:
		return &f.Prev, nil, nil
	case FieldLabel:
		return &f.Label, nil, nil
	case FieldLevel:
		return nil, &f.Level, nil
	case FieldFromSeq:
		return &f.FromSeq, nil, nil
	case FieldObjKind:
		return nil, &f.ObjKind, nil
	}
	return nil, nil, &f.Receipt
}
