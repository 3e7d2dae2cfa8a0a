package frame

import (
	"io"
	"net"
	"strconv"
)

// largestCopied is the largest body WriteTo copies behind its header lines to hand over one piece; a larger body goes
// to the writer as it is.
const largestCopied = 4 << 10

// Encoder turns frames into octets. It refuses what the version cannot carry, so that everything it writes decodes to
// the same frame (STOMP-FRAME-023). The zero value encodes STOMP 1.0 without capacity limits. It is not safe for
// concurrent use, and must not be copied after the first WriteTo.
type Encoder struct {
	// Version holds the rules.
	Version Version
	// Bounds limits what is written; nil means no limits (STOMP-LIMIT-012).
	Bounds *Bounds

	buf    []byte
	pieces [3][]byte
	bufs   net.Buffers
}

// Append appends the octets of f by the rules of v to dst and returns it; a nil f is one heart-beat, a single LF
// (STOMP-HEARTBEAT-006). On error, which is a *Error, it returns dst unchanged.
func Append(dst []byte, v Version, f *Frame) ([]byte, error) {
	e := Encoder{Version: v}
	return e.Append(dst, f)
}

// Append appends the octets of f to dst and returns it; a nil f is one heart-beat, a single LF. Lines end in LF,
// headers keep their order, and a body without a content-length header gets one as the last header (STOMP-FRAME-021,
// STOMP-BODY-012). On error, which is a *Error, it returns dst unchanged.
func (e *Encoder) Append(dst []byte, f *Frame) ([]byte, error) {
	if f == nil {
		return append(dst, '\n'), nil
	}
	out, err := e.appendHead(dst, f)
	if err != nil {
		return dst, err
	}
	out = append(out, f.Body...)
	return append(out, 0), nil
}

// WriteTo writes the octets of f to w, as Append would make them, and returns the number of octets w took. A body of
// more than 4 KiB is not copied: header lines, body and NUL go to w as net.Buffers, which is one vectored write on a
// network connection and three writes elsewhere. An invalid frame writes nothing and gives a *Error; any other error is
// the writer's.
func (e *Encoder) WriteTo(w io.Writer, f *Frame) (int64, error) {
	if f == nil || len(f.Body) <= largestCopied {
		out, err := e.Append(e.buf[:0], f)
		if err != nil {
			return 0, err
		}
		e.buf = out
		n, err := w.Write(out)
		return int64(n), err
	}
	out, err := e.appendHead(e.buf[:0], f)
	if err != nil {
		return 0, err
	}
	out = append(out, 0)
	e.buf = out
	head := len(out) - 1
	e.pieces = [3][]byte{out[:head], f.Body, out[head:]}
	e.bufs = e.pieces[:]
	n, err := e.bufs.WriteTo(w)
	e.pieces, e.bufs = [3][]byte{}, nil
	return n, err
}

// appendHead appends the command line, the header lines and the blank line. The returned error is a *Error or nil.
func (e *Encoder) appendHead(dst []byte, f *Frame) ([]byte, error) {
	v := e.Version
	if !v.known() {
		return nil, refuse(ConfigRule, "", "Version is not a STOMP version")
	}
	// STOMP-FRAME-022
	if !f.Command.in(v) {
		return nil, refuse(UnknownCommand, "STOMP-FRAME-022", "%s is no command of STOMP %s", f.Command, v)
	}
	if len(f.Body) > 0 {
		// STOMP-BODY-001
		if !f.Command.bodied(v) {
			return nil, refuse(BodyForbidden, "STOMP-BODY-001", "a body on %s in STOMP %s", f.Command, v)
		}
		// STOMP-BODY-015 asks it of 1.0 too, whose grammar would allow it.
		if f.Command == RECEIPT {
			return nil, refuse(BodyForbidden, "STOMP-BODY-015", "a body on RECEIPT")
		}
	}
	dst = append(dst, f.Command.String()...)
	dst = append(dst, '\n')
	verbatim := f.Command.verbatim(v)
	length := -1
	for i := range f.Headers {
		h := &f.Headers[i]
		if length < 0 && len(h.Name) == len(contentLength) && h.Name == contentLength {
			length = i
		}
		seen := survey(h.Name) | survey(h.Value)
		if seen == 0 && h.Name != "" && h.Value != "" {
			dst = append(dst, h.Name...)
			dst = append(dst, ':')
			dst = append(dst, h.Value...)
			dst = append(dst, '\n')
			continue
		}
		if seen&markOdd != 0 || verbatim || h.Name == "" {
			if err := check(h, f.Command, v); err != nil {
				return nil, err
			}
		}
		if verbatim {
			dst = append(dst, h.Name...)
			dst = append(dst, ':')
			dst = append(dst, h.Value...)
		} else {
			dst = appendEscaped(dst, h.Name, v)
			dst = append(dst, ':')
			dst = appendEscaped(dst, h.Value, v)
		}
		dst = append(dst, '\n')
	}
	auto := length < 0 && len(f.Body) > 0
	if e.Bounds != nil {
		if err := e.Bounds.check(f, auto); err != nil {
			return nil, err
		}
	}
	switch {
	case length >= 0:
		if err := checkLength(f.Headers[length].Value, len(f.Body)); err != nil {
			return nil, err
		}
	case auto:
		// STOMP-BODY-012, STOMP-BODY-006, STOMP-BODY-008
		dst = append(dst, contentLength+":"...)
		dst = strconv.AppendInt(dst, int64(len(f.Body)), 10)
		dst = append(dst, '\n')
	}
	return append(dst, '\n'), nil
}
