package frame

import (
	"bytes"
	"fmt"
)

const contentLength = "content-length"

// headerLines reads header lines up to and with the blank line. It returns the index after what it read.
func (d *Decoder) headerLines(chunk []byte, i int) int {
	if len(d.line) > 0 {
		lf, colon, seen := scanLine(chunk[i:])
		return d.spanHeader(chunk, i, lf, colon, seen)
	}
	b := &d.banks[d.cur]
	for i < len(chunk) {
		rest := chunk[i:]
		lf, colon, seen := scanLine(rest)
		n := len(b.headers.block)
		if seen&d.unquick != 0 || colon <= 0 || uint(lf) > uint(d.limits.Line) ||
			n-d.h0 >= d.limits.Headers || n == cap(b.headers.block) {
			// One test led here, since none of this is common.
			if lf == 0 {
				return d.endHead(i)
			}
			if uint(lf) > uint(d.limits.Line) {
				return d.spanHeader(chunk, i, lf, colon, seen)
			}
			switch blank, ok := d.header(rest[:lf], colon, seen, d.offset+int64(i), !d.borrow); {
			case !ok:
				return -1
			case blank:
				return d.endHead(i + lf)
			}
			i += lf + 1
			continue
		}
		i += lf + 1
		line := rest[:lf]
		if !d.borrow {
			line = b.keep(line)
		}
		b.headers.block = b.headers.block[:n+1]
		// STOMP-HDR-002, STOMP-HDR-007: the value may be empty, and nothing is trimmed.
		h := &b.headers.block[n]
		h.Name, h.Value = text(line[:colon]), text(line[colon+1:])
		// STOMP-HDR-011: the first one counts. STOMP-HDR-006: letter case matters.
		if colon == len(contentLength) && d.lengthAt < 0 && h.Name == contentLength {
			d.lengthAt = n - d.h0
		}
	}
	return i
}

// spanHeader reads a header line that began in an earlier chunk or goes on in the next.
func (d *Decoder) spanHeader(chunk []byte, i, lf, colon int, seen marks) int {
	line, colon, seen, next := d.spanLine(chunk, i, lf, colon, seen)
	if line == nil {
		return next
	}
	// The line buffer is needed again before the frame is done.
	blank, ok := d.header(line, colon, seen, d.lineAt, true)
	d.line = d.line[:0]
	switch {
	case !ok:
		return -1
	case blank:
		return d.endHead(next - 1)
	}
	return next
}

// add appends a header to the frame in progress.
func (d *Decoder) add(b *bank, h Header) {
	n := len(b.headers.block)
	if n == cap(b.headers.block) {
		d.h0 = b.headers.reserve(1, d.h0)
		n = len(b.headers.block)
	}
	b.headers.block = b.headers.block[:n+1]
	b.headers.block[n] = h
	// STOMP-HDR-011: the first one counts. STOMP-HDR-006: letter case matters.
	if len(h.Name) == len(contentLength) && d.lengthAt < 0 && h.Name == contentLength {
		d.lengthAt = n - d.h0
	}
}

// header handles any header line, its LF removed, in the order of STOMP-FRAME-016. It reports whether the line was the
// blank one and whether it was legal; copied says that the line may not be referred to afterwards.
func (d *Decoder) header(line []byte, colon int, seen marks, at int64, copied bool) (blank, ok bool) {
	if seen&markOdd != 0 {
		// STOMP-FRAME-006
		if d.version >= V12 && line[len(line)-1] == '\r' {
			line = line[:len(line)-1]
			if len(line) == 0 {
				return true, true
			}
		}
		if !d.sound(line, at) {
			return false, false
		}
	}
	b := &d.banks[d.cur]
	// STOMP-LIMIT-003
	if n := len(b.headers.block) - d.h0; n >= d.limits.Headers {
		d.fail(&Error{
			Rule: HeaderLimit, Offset: at, Limit: int64(d.limits.Headers), Found: int64(n) + 1,
			Law: "STOMP-LIMIT-003", Detail: "too many header lines in one frame",
		})
		return false, false
	}
	// STOMP-HDR-001
	if colon <= 0 {
		what := "has no colon"
		if colon == 0 {
			what = "has an empty name"
		}
		d.fail(&Error{
			Rule: HeaderShape, Offset: at, Law: "STOMP-HDR-001",
			Detail: fmt.Sprintf("header line %s %s", excerpt(line), what),
		})
		return false, false
	}
	escaped := d.unquick&markBackslash != 0
	// STOMP-HDR-005; STOMP-HDR-004 and STOMP-ESC-007 allow it in 1.0 and on CONNECT and CONNECTED.
	if escaped && seen&markColons != 0 {
		if p := bytes.IndexByte(line[colon+1:], ':'); p >= 0 {
			d.fail(&Error{
				Rule: RawColon, Offset: at + int64(colon+1+p), Found: ':', Law: "STOMP-HDR-005",
				Detail: fmt.Sprintf("a second colon in header line %s", excerpt(line)),
			})
			return false, false
		}
	}
	if escaped && seen&markBackslash != 0 {
		h, ok := d.unescapeLine(b, line, colon, at)
		if ok {
			d.add(b, h)
		}
		return false, ok
	}
	if copied {
		line = b.keep(line)
	}
	d.add(b, Header{Name: text(line[:colon]), Value: text(line[colon+1:])})
	return false, true
}

// unescapeLine decodes the name, then the value, of a line that was already split: STOMP-ESC-012.
func (d *Decoder) unescapeLine(b *bank, line []byte, colon int, at int64) (Header, bool) {
	dst := b.text.take(len(line))
	n, bad := unescape(dst, line[:colon], d.version)
	if bad >= 0 {
		return Header{}, d.badEscape(line[:colon], bad, at)
	}
	value := line[colon+1:]
	m, bad := unescape(dst[n:], value, d.version)
	if bad >= 0 {
		return Header{}, d.badEscape(value, bad, at+int64(colon+1))
	}
	return Header{Name: text(dst[:n]), Value: text(dst[n : n+m])}, true
}

func (d *Decoder) badEscape(part []byte, bad int, at int64) bool {
	e := &Error{
		Rule: Escape, Offset: at + int64(bad), Law: "STOMP-ESC-004", Detail: "a backslash at the end of a name or value",
	}
	if bad+1 < len(part) {
		// STOMP-ESC-002 leaves CR without an escape in 1.1.
		e.Law, e.Found = "STOMP-ESC-003", int64(part[bad+1])
		e.Detail = fmt.Sprintf("%s is no escape of STOMP %s", excerpt(part[bad:bad+2]), d.version)
	}
	d.fail(e)
	return false
}

// spanLine takes the part of a line that is in the chunk from i on, up to the LF at i+lf or, with lf negative, the end,
// and joins it to the part that came before. It returns the line once its LF is there, and nil before that or on error;
// next is the index after what it read.
func (d *Decoder) spanLine(chunk []byte, i, lf, colon int, seen marks) (line []byte, c int, s marks, next int) {
	part := chunk[i:]
	if lf >= 0 {
		part = part[:lf]
	}
	have := len(d.line)
	room := d.limits.Line - have
	// STOMP-FRAME-009: the NUL is looked at before the length.
	if seen&markOdd != 0 {
		if p := bytes.IndexByte(part, 0); p >= 0 && p <= room {
			return nil, 0, 0, d.nulInLine(d.offset + int64(i+p))
		}
	}
	// STOMP-LIMIT-001, STOMP-LIMIT-002
	if len(part) > room {
		return nil, 0, 0, d.fail(&Error{
			Rule: LineLimit, Offset: d.offset + int64(i+room), Limit: int64(d.limits.Line), Found: int64(d.limits.Line) + 1,
			Law: "STOMP-LIMIT-002", Detail: "a command or header line is too long",
		})
	}
	if have == 0 {
		d.lineAt, d.lineColon, d.lineSeen = d.offset+int64(i), -1, 0
	}
	if colon >= 0 {
		if d.lineColon < 0 {
			d.lineColon = have + colon
		} else {
			d.lineSeen |= markColons
		}
	}
	d.lineSeen |= seen
	d.line = append(d.line, part...)
	if lf < 0 {
		return nil, 0, 0, len(chunk)
	}
	return d.line, d.lineColon, d.lineSeen, i + lf + 1
}
