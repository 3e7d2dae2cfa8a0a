package stomptest

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxKeptRaw bounds the raw octets kept of a received frame.
const maxKeptRaw = 4 << 10

// A reader cuts what a target sends into frames. It is tolerant: whatever is malformed becomes a
// fault of the frame, so that a case can go on and judge it by the right law.
type reader struct {
	version string // rules of the session; "1.2" until CONNECTED says otherwise
	buf     []byte
	eols    int // EOLs seen between frames
	cr      int // CRs seen between frames
	scanned int // octets of buf known to hold no complete frame
}

// feed takes octets in and returns the frames that they complete.
func (r *reader) feed(p []byte, at time.Time) []*wireFrame {
	if len(r.buf) == 0 {
		r.buf = nil // let go of what earlier frames were cut from
	}
	r.buf = append(r.buf, p...)
	var out []*wireFrame
	for {
		for len(r.buf) > 0 && (r.buf[0] == '\n' || r.buf[0] == '\r') {
			if r.buf[0] == '\n' {
				r.eols++
			} else {
				r.cr++
			}
			r.buf = r.buf[1:]
			r.scanned = 0
		}
		f, n := r.frame()
		if f == nil {
			return out
		}
		f.At = at
		f.Raw = append([]byte(nil), r.buf[:min(n, maxKeptRaw)]...)
		r.buf = r.buf[n:]
		r.scanned = 0
		out = append(out, f)
		if f.Command == "CONNECTED" {
			r.version = f.Get("version")
			if r.version == "" {
				r.version = "1.0"
			}
		}
	}
}

// partial reports whether octets of an unfinished frame are held.
func (r *reader) partial() bool { return len(r.buf) > 0 }

// frame parses one frame at the start of the buffer; nil when it is incomplete.
func (r *reader) frame() (*wireFrame, int) {
	head, bodyAt := r.head()
	if bodyAt < 0 {
		return nil, 0
	}
	f := &wireFrame{}
	lines := strings.Split(string(head), "\n")
	// Before 1.2 a CR is data (STOMP-FRAME-007). A target whose command line ends with one means it as part of the
	// line end, though, and is read as it means.
	crlf := r.version == "1.2"
	if !crlf && (strings.HasSuffix(lines[0], "\r") || r.buf[bodyAt-2] == '\r') {
		crlf = strings.HasSuffix(lines[0], "\r")
		f.fault("STOMP-FRAME-007", "lines end with CR LF in a "+r.version+" session")
	}
	for i, line := range lines {
		if crlf {
			line = strings.TrimSuffix(line, "\r")
		}
		if i == 0 {
			f.Command = line
			continue
		}
		r.header(f, line)
	}
	return r.body(f, bodyAt)
}

// head returns the octets before the blank line and the offset behind it; -1 when incomplete.
func (r *reader) head() (head []byte, bodyAt int) {
	for i := max(0, r.scanned-2); ; i++ {
		k := bytes.IndexByte(r.buf[min(i, len(r.buf)):], '\n')
		if k < 0 {
			r.scanned = len(r.buf)
			return nil, -1
		}
		i += k
		switch {
		case i+1 < len(r.buf) && r.buf[i+1] == '\n':
			return r.buf[:i], i + 2
		case i+2 < len(r.buf) && r.buf[i+1] == '\r' && r.buf[i+2] == '\n':
			return r.buf[:i], i + 3
		}
	}
}

func (r *reader) header(f *wireFrame, line string) {
	name, value, ok := strings.Cut(line, ":")
	if !ok || name == "" {
		f.fault("STOMP-HDR-001", "header line "+strconv.Quote(line)+" has no name or no colon")
		return
	}
	if !utf8.ValidString(line) && r.version != "1.0" {
		f.fault("STOMP-FRAME-014", "header "+strconv.Quote(name)+" is not UTF-8")
	}
	verbatim := f.Command == "CONNECTED" || f.Command == "CONNECT"
	if !verbatim && r.version != "1.0" {
		if strings.Contains(value, ":") {
			f.fault("STOMP-HDR-005", "header "+strconv.Quote(name)+" has a raw colon in its value")
		}
		var okName, okValue bool
		name, okName = unescape(name, r.version)
		value, okValue = unescape(value, r.version)
		if !okName || !okValue {
			f.fault("STOMP-ESC-003", "header line "+strconv.Quote(line)+" holds an escape that "+r.version+" does not define")
		}
	}
	f.Headers = append(f.Headers, header{name, value})
}

func (r *reader) body(f *wireFrame, at int) (*wireFrame, int) {
	rest := r.buf[at:]
	if v, ok := f.Lookup("content-length"); ok {
		n, err := strconv.Atoi(strings.TrimSpace(v))
		if err == nil && n >= 0 {
			if len(rest) < n+1 {
				return nil, 0
			}
			if rest[n] == 0 {
				f.Body = append([]byte(nil), rest[:n]...)
				return f, at + n + 1
			}
			f.fault("STOMP-BODY-008", "octet "+strconv.Itoa(n)+" behind the blank line is not NUL although content-length says "+v)
		} else {
			f.fault("STOMP-BODY-010", "content-length "+strconv.Quote(v)+" is not a number")
		}
	}
	end := bytes.IndexByte(rest, 0)
	if end < 0 {
		return nil, 0
	}
	f.Body = append([]byte(nil), rest[:end]...)
	return f, at + end + 1
}

func (f *wireFrame) fault(law, text string) { f.Faults = append(f.Faults, fault{law, text}) }
