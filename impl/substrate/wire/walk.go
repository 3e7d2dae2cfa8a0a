package wire

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// CheckItem says whether b is exactly one item of the CBOR that the substrate speaks: core deterministic, of unsigned integers, byte
// strings, text, arrays, maps with text for keys, false and true, within MaxFrame, MaxDepth and MaxPairs. It allocates nothing but the
// error, which is a *Error.
func CheckItem(b []byte) error {
	if err := checkItem(b); err != nil {
		return err
	}
	return nil
}

func checkItem(b []byte) *Error {
	if len(b) > MaxFrame {
		return &Error{Rule: Oversize, Limit: MaxFrame, Found: uint64(len(b))}
	}
	w := walk{b: b}
	if err := w.item(0); err != nil {
		return err
	}
	return w.end()
}

// A walk goes over the octets of an item, once and from the left. Its time is linear in the octets: a declared count is held against
// what is left before it is believed (SUBSTRATE-CODEC-004, SUBSTRATE-CODEC-005).
type walk struct {
	b  []byte
	at int
}

func (w *walk) left() uint64 { return uint64(len(w.b) - w.at) }

func (w *walk) fault(r Rule, at int) *Error { return &Error{Rule: r, Offset: at} }

// end reports what follows the item.
func (w *walk) end() *Error {
	if w.at < len(w.b) {
		return w.fault(Trailing, w.at)
	}
	return nil
}

// major returns the major type of the item that comes next, without taking it.
func (w *walk) major() (byte, *Error) {
	if w.left() == 0 {
		return 0, &Error{Rule: Truncated, Offset: w.at, Limit: 0, Found: 1}
	}
	return w.b[w.at] >> 5, nil
}

// head takes the head of an item: its major type and its argument.
func (w *walk) head() (major byte, arg uint64, err *Error) {
	start := w.at
	major, err = w.major()
	if err != nil {
		return 0, 0, err
	}
	info := w.b[start] & 31
	w.at++
	// SUBSTRATE-CODEC-003
	switch {
	case major == 1:
		return 0, 0, w.fault(Negative, start)
	case major == 6:
		return 0, 0, w.fault(Tagged, start)
	case major == 7:
		return major, 0, w.simple(info, start)
	case info < 24:
		return major, uint64(info), nil
	case info == 31:
		return 0, 0, w.fault(Indefinite, start)
	case info > 27:
		return 0, 0, w.fault(Reserved, start)
	}
	width := 1 << (info - 24)
	if w.left() < uint64(width) {
		return 0, 0, &Error{Rule: Truncated, Offset: start, Limit: w.left(), Found: uint64(width)}
	}
	var wide [8]byte
	copy(wide[8-width:], w.b[w.at:w.at+width])
	arg = binary.BigEndian.Uint64(wide[:])
	w.at += width
	if arg < 24 || width > 1 && arg>>(4*width) == 0 {
		return 0, 0, w.fault(NotShortest, start)
	}
	return major, arg, nil
}

// simple says what is wrong with an item of major type 7, if anything is.
func (w *walk) simple(info byte, start int) *Error {
	const no, yes = 20, 21
	switch info {
	case no, yes:
		return nil
	case 25, 26, 27:
		return w.fault(Float, start)
	case 31:
		return w.fault(Indefinite, start)
	}
	return w.fault(Simple, start)
}

// item takes one item that has depth maps and arrays around it.
func (w *walk) item(depth int) *Error {
	start := w.at
	major, arg, err := w.head()
	if err != nil {
		return err
	}
	switch major {
	case majorBytes, majorText:
		s, err := w.take(start, arg)
		if err == nil && major == majorText && !utf8.Valid(s) {
			return w.fault(NotUTF8, start)
		}
		return err
	case majorArray:
		if err := w.enter(start, depth, arg); err != nil {
			return err
		}
		for range arg {
			if err := w.item(depth + 1); err != nil {
				return err
			}
		}
	case majorMap:
		p, err := w.pairs(start, depth, arg)
		if err != nil {
			return err
		}
		for p.left > 0 {
			if _, err := w.key(&p); err != nil {
				return err
			}
			if err := w.item(depth + 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes the n octets of a string that starts at start.
func (w *walk) take(start int, n uint64) ([]byte, *Error) {
	if n > w.left() {
		return nil, &Error{Rule: Truncated, Offset: start, Limit: w.left(), Found: n}
	}
	s := w.b[w.at : w.at+int(n)]
	w.at += int(n)
	return s, nil
}

// enter says whether a map or an array that starts at start, with depth others around it, may hold n items.
func (w *walk) enter(start, depth int, n uint64) *Error {
	if depth >= MaxDepth {
		return &Error{Rule: TooDeep, Offset: start, Limit: MaxDepth, Found: uint64(depth) + 1}
	}
	if n > w.left() {
		return &Error{Rule: Truncated, Offset: start, Limit: w.left(), Found: n}
	}
	return nil
}

// A pairs is a map that is being walked over.
type pairs struct {
	left uint64
	last []byte // the key before, encoded
}

// pairs begins a map of n pairs that starts at start and has depth maps and arrays around it.
func (w *walk) pairs(start, depth int, n uint64) (pairs, *Error) {
	if n > MaxPairs {
		return pairs{}, &Error{Rule: TooManyPairs, Offset: start, Limit: MaxPairs, Found: n}
	}
	return pairs{left: n}, w.enter(start, depth, 2*n)
}

// key takes the next key of p.
func (w *walk) key(p *pairs) ([]byte, *Error) {
	start := w.at
	major, arg, err := w.head()
	if err != nil {
		return nil, err
	}
	if major != majorText {
		return nil, w.fault(KeyType, start)
	}
	key, err := w.take(start, arg)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(key) {
		return nil, w.fault(NotUTF8, start)
	}
	encoded := w.b[start:w.at]
	if p.last != nil {
		switch order := bytes.Compare(encoded, p.last); {
		case order == 0:
			return nil, w.fault(Duplicate, start)
		case order < 0:
			return nil, w.fault(Unsorted, start)
		}
	}
	p.last = encoded
	p.left--
	return key, nil
}
