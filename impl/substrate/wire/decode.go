package wire

import (
	"errors"

	"github.com/fxamacker/cbor/v2"
)

// Decode reads one message. The frame shares no memory with b. Whether the frame is one that its kind allows is for [Frame.Check] to say:
// a field with a value of another type is there in Has, and a fault of the frame, not of the message.
//
// On error, which is a *Error, the octets are no frame, and the connection that they came on ends with [Error.CloseCode]
// (SUBSTRATE-WIRE-006). The time is linear in b, and at most 2 x len(b) + 64 KiB are allocated (SUBSTRATE-CODEC-004).
func Decode(b []byte) (Frame, error) {
	l, fault := survey(b)
	if fault != nil {
		return Frame{}, fault
	}
	var in incoming
	if err := readable().Unmarshal(b, &in); err != nil {
		// The library reports the first value of another type, after it has read the others.
		var other *cbor.UnmarshalTypeError
		if len(l.odd) == 0 || !errors.As(err, &other) {
			return Frame{}, &Error{Rule: Library, Cause: err}
		}
	}
	e := &in.Env
	f := Frame{
		V: e.V, Kind: e.Kind, Obj: e.Obj, ObjKind: e.ObjKind, ID: e.ID,
		Seq: e.Seq, Prev: e.Prev, FromSeq: e.FromSeq, Base: e.Base, Label: e.Label,
		Receipt: e.Receipt, Cap: e.Cap, Code: e.Code, Msg: e.Msg, Level: e.Level,
		Has: l.has, Body: in.Body, odd: l.odd,
	}
	for _, o := range f.odd {
		f.clear(o.field)
	}
	return f, nil
}

// clear zeroes a field: the library may have found a way to read a value of another type, or half a way.
func (f *Frame) clear(field Fields) {
	switch n, s, o := f.at(field); {
	case n != nil:
		*n = 0
	case s != nil:
		*s = ""
	default:
		*o = nil
	}
}

// A layout is what a survey of a message found out about its envelope.
type layout struct {
	has Fields
	odd []oddValue
}

// survey walks over a message and says what is in it, or why it is no frame.
func survey(b []byte) (layout, *Error) {
	// SUBSTRATE-CODEC-004: before anything is looked at.
	if len(b) > MaxFrame {
		return layout{}, &Error{Rule: Oversize, Limit: MaxFrame, Found: uint64(len(b))}
	}
	var (
		l   layout
		w   = walk{b: b}
		env bool
	)
	top, err := w.mapOf(0)
	if err != nil {
		return layout{}, err
	}
	for top.left > 0 {
		start := w.at
		key, err := w.key(&top)
		if err != nil {
			return layout{}, err
		}
		switch string(key) {
		case "env":
			env = true
			l, err = w.envelope()
		case "body":
			err = w.body()
		default:
			// SUBSTRATE-WIRE-001
			err = w.fault(Shape, start)
		}
		if err != nil {
			return layout{}, err
		}
	}
	if !env {
		return layout{}, w.fault(Shape, 0)
	}
	return l, w.end()
}

// mapOf takes the head of a map that has depth maps around it.
func (w *walk) mapOf(depth int) (pairs, *Error) {
	start := w.at
	major, arg, err := w.head()
	if err != nil {
		return pairs{}, err
	}
	if major != majorMap {
		return pairs{}, w.fault(Shape, start)
	}
	return w.pairs(start, depth, arg)
}

func (w *walk) body() *Error {
	start := w.at
	major, err := w.major()
	if err != nil {
		return err
	}
	if err := w.item(1); err != nil {
		return err
	}
	// SUBSTRATE-WIRE-004
	if major != majorBytes {
		return w.fault(Shape, start)
	}
	return nil
}

func (w *walk) envelope() (layout, *Error) {
	var l layout
	p, err := w.mapOf(1)
	if err != nil {
		return l, err
	}
	for unknown := uint64(0); p.left > 0; {
		at := w.at
		key, err := w.key(&p)
		if err != nil {
			return l, err
		}
		field := fieldOf(key)
		if field == 0 {
			// SUBSTRATE-WIRE-005
			if unknown++; unknown > MaxUnknown {
				return l, &Error{Rule: TooManyUnknown, Offset: at, Limit: MaxUnknown, Found: unknown}
			}
		}
		start := w.at
		major, err := w.major()
		if err != nil {
			return l, err
		}
		if err := w.item(2); err != nil {
			return l, err
		}
		l.has |= field
		if field != 0 && major != field.row().major {
			l.odd = append(l.odd, oddValue{field: field, raw: append([]byte(nil), w.b[start:w.at]...)})
		}
	}
	return l, nil
}
