package frame

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
)

// endHead handles the blank line whose LF is at i: from here on come body octets.
func (d *Decoder) endHead(i int) int {
	d.phase = inBody
	if d.lengthAt < 0 {
		return i + 1
	}
	v := d.banks[d.cur].headers.block[d.h0+d.lengthAt].Value
	if d.version == V10 {
		// STOMP-HDR-008, STOMP-BODY-010: 1.0 pads values.
		v = strings.Trim(v, " ")
	}
	n, ok := parseLength(v)
	if !ok {
		return d.fail(&Error{
			Rule: ContentLength, Offset: d.offset + int64(i), Law: "STOMP-BODY-010",
			Detail: fmt.Sprintf("content-length %s is not a number", excerpt([]byte(v))),
		})
	}
	// STOMP-LIMIT-005
	if n > int64(d.limits.Body) {
		return d.fail(&Error{
			Rule: BodyLimit, Offset: d.offset + int64(i), Limit: int64(d.limits.Body), Found: n,
			Law: "STOMP-LIMIT-005", Detail: "the declared body is too long",
		})
	}
	d.phase = inCounted
	d.want = int(n)
	return i + 1
}

// parseLength reads one or more ASCII digits: STOMP-BODY-010. A number beyond int64 comes back as the largest int64.
func parseLength(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	n := int64(0)
	for i := range len(s) {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		if n > (math.MaxInt64-int64(c))/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// body reads octets up to the first NUL: STOMP-BODY-005.
func (d *Decoder) body(chunk []byte, i int) int {
	rest := chunk[i:]
	room := d.limits.Body - len(d.banks[d.cur].body)
	over := len(rest) > room
	if over {
		rest = rest[:room+1]
	}
	n := bytes.IndexByte(rest, 0)
	if n >= 0 {
		return d.finish(rest[:n], i+n)
	}
	// STOMP-LIMIT-004: one octet beyond the limit may only be the NUL.
	if over {
		return d.fail(&Error{
			Rule: BodyLimit, Offset: d.offset + int64(i+room), Limit: int64(d.limits.Body), Found: int64(d.limits.Body) + 1,
			Law: "STOMP-LIMIT-004", Detail: "the body is too long",
		})
	}
	d.hold(rest)
	return len(chunk)
}

// counted reads the declared number of octets blindly, then one NUL: STOMP-BODY-003, STOMP-BODY-004, STOMP-BODY-011.
func (d *Decoder) counted(chunk []byte, i int) int {
	rest := chunk[i:]
	need := d.want - len(d.banks[d.cur].body)
	if len(rest) <= need {
		d.hold(rest)
		return len(chunk)
	}
	if c := rest[need]; c != 0 {
		return d.fail(&Error{
			Rule: Terminator, Offset: d.offset + int64(i+need), Limit: int64(d.want), Found: int64(c),
			Law: "STOMP-BODY-004", Detail: fmt.Sprintf("the octet after %d counted body octets is not NUL", d.want),
		})
	}
	return d.finish(rest[:need], i+need)
}

// hold keeps a piece of a body that goes on in the next chunk. Memory grows with what arrived, not with what was
// declared: to at most fourfold, or 64 KiB, or the length of the body before.
func (d *Decoder) hold(piece []byte) {
	b := &d.banks[d.cur]
	if need := len(b.body) + len(piece); cap(b.body) < need {
		size := max(2*need, 1<<10)
		switch {
		case d.phase == inCounted:
			size = min(d.want, max(4*need, 64<<10))
		case len(b.body) == 0 && len(piece) > largestShared && d.lastHeld >= need:
			// Large bodies of unknown length tend to resemble the one before.
			size = d.lastHeld
		}
		b.body = append(uncleared(size), b.body...)
	}
	b.body = append(b.body, piece...)
}

// finish completes the frame whose last body octets are piece and whose NUL is at i.
func (d *Decoder) finish(piece []byte, i int) int {
	b := &d.banks[d.cur]
	n := len(b.body) + len(piece)
	// STOMP-BODY-001: the octets were counted against the body limit, now the command decides. No octets are no body,
	// declared or not: STOMP-BODY-009.
	if n > 0 && !d.command.bodied(d.version) {
		return d.fail(&Error{
			Rule: BodyForbidden, Offset: d.offset + int64(i), Found: int64(n), Law: "STOMP-BODY-001",
			Detail: fmt.Sprintf("%d body octets on %s in STOMP %s", n, d.command, d.version),
		})
	}
	// STOMP-LIMIT-006
	if len(d.events) >= d.limits.Events {
		return d.tooManyEvents(i)
	}
	var f *Frame
	if d.borrow || n <= largestShared {
		f = &d.frames.take(1)[0]
	} else {
		f = new(Frame)
	}
	*f = Frame{Command: d.command, Body: d.take(piece)}
	if hs := b.headers.block[d.h0:]; len(hs) > 0 {
		f.Headers = hs[:len(hs):len(hs)]
	}
	d.events = append(d.events, Event{f})
	if d.command.negotiates() {
		d.negotiate(f)
	}
	d.version = d.next
	d.phase = inCommand
	if d.carried {
		d.carried = false
		if d.borrow {
			d.cur ^= 1
			d.banks[d.cur].rewind()
		}
	}
	return i + 1
}

// take returns the body of the frame that ends with piece, octet for octet (STOMP-BODY-014), and nil for no octets.
func (d *Decoder) take(piece []byte) []byte {
	b := &d.banks[d.cur]
	if len(b.body) == 0 {
		switch n := len(piece); {
		case n == 0:
			return nil
		case d.borrow:
			return piece[:n:n]
		case n <= largestShared:
			return b.keep(piece)
		}
		return slices.Clip(append([]byte(nil), piece...))
	}
	if len(piece) > 0 {
		d.hold(piece)
	}
	body := b.body[:len(b.body):len(b.body)]
	d.lastHeld = len(body)
	switch {
	case d.borrow:
		return body
	case len(body) <= largestShared:
		body = b.keep(body)
		b.body = b.body[:0]
	case 2*len(body) >= cap(b.body):
		b.body = nil
	default:
		body = slices.Clip(append([]byte(nil), body...))
		b.body = nil
	}
	return body
}

// negotiate sets the rules for what follows the frame: STOMP-NEGOTIATE-006.
func (d *Decoder) negotiate(f *Frame) {
	if d.choose != nil {
		d.SetVersion(d.choose(f))
		return
	}
	if f.Command != CONNECTED {
		return
	}
	value, ok := f.Get("version")
	if !ok {
		d.next = V10
		return
	}
	if v, ok := ParseVersion(value); ok {
		d.next = v
	}
}
