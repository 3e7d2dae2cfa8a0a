package frame

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// commandLine reads heart-beats and the command line of a frame. It returns the index after what it read.
func (d *Decoder) commandLine(chunk []byte, i int) int {
	if chunk[i] == '\n' && len(d.line) == 0 {
		return d.heartbeats(chunk, i)
	}
	lf, colon, seen := scanLine(chunk[i:])
	line, at, next := []byte(nil), d.offset+int64(i), i+lf+1
	if lf >= 0 && lf <= d.limits.Line && len(d.line) == 0 {
		line = chunk[i : i+lf]
	} else if line, _, seen, next = d.spanLine(chunk, i, lf, colon, seen); line == nil {
		return next
	} else {
		at = d.lineAt
		d.line = d.line[:0]
	}
	// STOMP-FRAME-006
	if d.version >= V12 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	c := commandOf(text(line))
	if !c.in(d.version) {
		if len(line) == 0 && seen&markOdd != 0 {
			return d.heartbeat(next)
		}
		return d.badCommand(line, seen, at)
	}
	d.command = c
	d.unquick = markOdd | markBackslash | markColons
	if c.verbatim(d.version) {
		// STOMP-HDR-004, STOMP-ESC-007, STOMP-ESC-010: colons and backslashes are data.
		d.unquick = markOdd
	}
	d.h0 = len(d.banks[d.cur].headers.block)
	d.detached = 0
	d.lengthAt = -1
	d.phase = inHeaders
	return next
}

// heartbeats reads the run of LFs at i: STOMP-FRAME-010, STOMP-FRAME-011.
func (d *Decoder) heartbeats(chunk []byte, i int) int {
	j := i + 1
	for ; len(chunk)-j >= 8; j += 8 {
		if x := binary.LittleEndian.Uint64(chunk[j:]) ^ '\n'*lows; x != 0 {
			j += bits.TrailingZeros64(x) >> 3
			break
		}
	}
	for j < len(chunk) && chunk[j] == '\n' {
		j++
	}
	have, n := len(d.events), j-i
	// STOMP-LIMIT-006
	if room := d.limits.Events - have; n > room {
		return d.tooManyEvents(i + room)
	}
	if cap(d.events)-have < n {
		d.events = append(d.events, make([]Event, n)...)
	} else {
		d.events = d.events[:have+n]
		clear(d.events[have:])
	}
	return j
}

// heartbeat completes the event of a CRLF in command position whose LF is before next.
func (d *Decoder) heartbeat(next int) int {
	if len(d.events) >= d.limits.Events {
		return d.tooManyEvents(next - 1)
	}
	d.events = append(d.events, Event{})
	d.version = d.next
	return next
}

func (d *Decoder) tooManyEvents(i int) int {
	return d.fail(&Error{
		Rule: EventLimit, Offset: d.offset + int64(i), Limit: int64(d.limits.Events), Found: int64(d.limits.Events) + 1,
		Law: "STOMP-LIMIT-006", Detail: "too many events in one feed",
	})
}

// badCommand says what is wrong with a command line that names no command, in the order of STOMP-FRAME-016.
func (d *Decoder) badCommand(line []byte, seen marks, at int64) int {
	if seen&markOdd != 0 && !d.sound(line, at) {
		return -1
	}
	// STOMP-FRAME-013, STOMP-FRAME-002
	law := "STOMP-FRAME-013"
	if commandOf(text(line)) != 0 {
		law = "STOMP-FRAME-002"
	}
	return d.fail(&Error{
		Rule: UnknownCommand, Offset: at, Law: law,
		Detail: fmt.Sprintf("%s is no command of STOMP %s", excerpt(line), d.version),
	})
}

// sound checks the octets of a line with odd ones, its CR before the LF already removed. The order NUL, UTF-8, stray CR
// is that of STOMP-FRAME-009 and STOMP-FRAME-016.
func (d *Decoder) sound(line []byte, at int64) bool {
	if p := bytes.IndexByte(line, 0); p >= 0 {
		d.nulInLine(at + int64(p))
		return false
	}
	// STOMP-FRAME-014 begins with 1.1. STOMP-HDR-003 gives 1.0 US-ASCII, but a receiver may take more.
	if d.version >= V11 && !utf8.Valid(line) {
		p := invalidAt(line)
		d.fail(&Error{
			Rule: UTF8, Offset: at + int64(p), Found: int64(line[p]), Law: "STOMP-FRAME-014",
			Detail: "a line is not UTF-8 at " + excerpt(line[p:min(p+4, len(line))]),
		})
		return false
	}
	// STOMP-FRAME-008; STOMP-FRAME-007 makes CR data before 1.2.
	if d.version >= V12 {
		if p := bytes.IndexByte(line, '\r'); p >= 0 {
			d.fail(&Error{
				Rule: BareCR, Offset: at + int64(p), Found: '\r', Law: "STOMP-FRAME-008",
				Detail: "a carriage return inside a line",
			})
			return false
		}
	}
	return true
}

func (d *Decoder) nulInLine(at int64) int {
	return d.fail(&Error{
		Rule: NULInLine, Offset: at, Law: "STOMP-FRAME-009", Detail: "a NUL in a command or header line",
	})
}

// invalidAt returns the index of the first octet of b that is not part of valid UTF-8.
func invalidAt(b []byte) int {
	i := 0
	for i < len(b) {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return i
}
