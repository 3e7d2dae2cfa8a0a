package frame

import (
	"fmt"
	"math"
	"unicode/utf8"
	"unsafe"
)

// check says whether the version can carry the header on a frame with command c.
func check(h *Header, c Command, v Version) error {
	// STOMP-HDR-013
	if h.Name == "" {
		return refuse(HeaderShape, "STOMP-HDR-013", "a header with an empty name")
	}
	// STOMP-HDR-003
	if v == V10 && h.Value == "" {
		return refuse(HeaderShape, "STOMP-HDR-003", "header %.40q has an empty value in STOMP 1.0", h.Name)
	}
	// STOMP-ESC-011, STOMP-ESC-008
	law := "STOMP-ESC-011"
	handshake := c == CONNECT || c == CONNECTED
	if handshake {
		law = "STOMP-ESC-008"
	}
	verbatim := c.verbatim(v)
	for part, s := range [2]string{h.Name, h.Value} {
		for i := range len(s) {
			switch b := s[i]; {
			case b == 0:
				return refuse(NULInLine, "STOMP-HDR-013", "a NUL in header %.40q", h.Name)
			case verbatim && (b == '\n' || b == '\r' && handshake || b == ':' && part == 0):
				err := refuse(Unrepresentable, law, "octet %q in header %.40q of %s in STOMP %s", b, h.Name, c, v)
				err.Found = int64(b)
				return err
			case v == V10 && b >= 0x80:
				err := refuse(Unrepresentable, "STOMP-HDR-003", "octet %#x in header %.40q in STOMP 1.0", b, h.Name)
				err.Found = int64(b)
				return err
			}
		}
		// STOMP-FRAME-014
		if !utf8.ValidString(s) {
			return refuse(UTF8, "STOMP-FRAME-014", "header %.40q is not UTF-8", h.Name)
		}
	}
	return nil
}

// checkLength compares the caller's first content-length with the body: STOMP-BODY-013.
func checkLength(value string, body int) error {
	n, ok := parseLength(value)
	switch {
	case !ok:
		return refuse(ContentLength, "STOMP-BODY-013", "content-length %.40q is not a number", value)
	case n > math.MaxInt32 || n != int64(body):
		err := refuse(ContentLength, "STOMP-BODY-013", "content-length %.40q on a body of %d octets", value, body)
		err.Limit, err.Found = n, int64(body)
		return err
	}
	return nil
}

// check compares the frame, with or without an automatic content-length, with the bounds.
func (b *Bounds) check(f *Frame, auto bool) error {
	// STOMP-LIMIT-009
	for i := range f.Headers {
		h := &f.Headers[i]
		if n := len(h.Name) + len(h.Value); n > b.Pair {
			return exceed(PairLimit, "STOMP-LIMIT-009", b.Pair, n, "name and value of a header are too long")
		}
	}
	// STOMP-LIMIT-010
	n := len(f.Headers)
	if auto {
		n++
	}
	if n > b.Headers {
		return exceed(HeaderLimit, "STOMP-LIMIT-010", b.Headers, n, "too many header lines in one frame")
	}
	// STOMP-LIMIT-011
	if len(f.Body) > b.Body {
		return exceed(BodyLimit, "STOMP-LIMIT-011", b.Body, len(f.Body), "the body is too long")
	}
	return nil
}

func refuse(r Rule, law, format string, args ...any) *Error {
	return &Error{Rule: r, Offset: -1, Law: law, Detail: "cannot encode: " + fmt.Sprintf(format, args...)}
}

func exceed(r Rule, law string, limit, found int, what string) *Error {
	err := refuse(r, law, "%s", what)
	err.Limit, err.Found = int64(limit), int64(found)
	return err
}

// survey reports which octets of s need a closer look: markOdd for those below 0x10 or above 0x7f, markColons for colons
// and backslashes. It may report markColons for octets above 0x7f too.
func survey(s string) marks {
	var low, esc uint64
	if len(s) < 8 {
		for i := range len(s) {
			switch c := s[i]; {
			case c < 0x10 || c >= 0x80:
				low = highs
			case c == ':' || c == '\\':
				esc = highs
			}
		}
	} else {
		b := unsafe.Slice(unsafe.StringData(s), len(s))
		for i := 0; ; i += 8 {
			// The last eight octets may overlap the eight before.
			x := eight(b, min(i, len(b)-8))
			low |= x | (x - 0x10*lows)
			esc |= ((x ^ ':'*lows) - lows) | ((x ^ '\\'*lows) - lows)
			if i+8 >= len(b) {
				break
			}
		}
	}
	var m marks
	if low&highs != 0 {
		m = markOdd
	}
	if esc&highs != 0 {
		m |= markColons
	}
	return m
}
