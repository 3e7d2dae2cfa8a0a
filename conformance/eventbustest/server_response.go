package eventbustest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A webField is one header field of a response, its name as it was sent.
type webField struct{ name, value string }

// A bodyEnd says how far the body of a response has come.
type bodyEnd int

const (
	bodyOpen     bodyEnd = iota // more may come
	bodyWhole                   // the framing says that it is over
	bodyUnframed                // it ends with the connection, and has
	bodyCut                     // the connection ended before the framing said so
	bodyBad                     // the framing is broken
)

// String returns a phrase for a report.
func (e bodyEnd) String() string {
	return [...]string{"open", "ended by its framing", "ended by the end of the connection", "cut off", "broken framing"}[e]
}

// clean reports whether a client takes the response for complete.
func (e bodyEnd) clean() bool { return e == bodyWhole || e == bodyUnframed }

// Bounds of what one response may hold outside of its body, in octets.
const (
	maxWebHead        = 64 << 10
	maxWebChunkHeader = 4 << 10
)

// A webResponse reads one HTTP/1.1 response from octets in any pieces. It knows exactly where its body stands, which a client
// library does not tell.
type webResponse struct {
	status int
	reason string
	fields []webField

	stage   webStage
	pending []byte // octets of the part that is not complete
	left    int64  // of the body or the chunk
	end     bodyEnd
	fault   string // what is wrong with the framing
	extra   int    // octets behind the end
}

type webStage int

const (
	webInHead webStage = iota
	webInLength
	webInUnframed
	webInChunkSize
	webInChunk
	webInChunkEnd
	webInTrailer
	webInNothing
)

// headed reports whether the head is complete.
func (r *webResponse) headed() bool { return r.status != 0 }

// field returns the values of a header field, joined as HTTP allows, and whether there is one.
func (r *webResponse) field(name string) (string, bool) {
	var values []string
	for _, f := range r.fields {
		if strings.EqualFold(f.name, name) {
			values = append(values, f.value)
		}
	}
	return strings.Join(values, ", "), values != nil
}

// feed takes octets in and returns those of the body.
func (r *webResponse) feed(data []byte) []byte {
	r.pending = append(r.pending, data...)
	var body []byte
	for r.fault == "" {
		piece, more := r.step()
		body = append(body, piece...)
		if !more {
			break
		}
	}
	if r.fault != "" {
		r.end, r.pending = bodyBad, nil
	}
	return body
}

// step reads one part of the response; more is false when it needs more octets.
func (r *webResponse) step() (body []byte, more bool) {
	switch r.stage {
	case webInHead:
		return nil, r.readHead()
	case webInLength, webInChunk:
		n := min(r.left, int64(len(r.pending)))
		body, r.pending, r.left = r.pending[:n:n], r.pending[n:], r.left-n
		if r.left > 0 {
			return body, false
		}
		if r.stage == webInChunk {
			r.stage = webInChunkEnd
		} else {
			r.whole()
		}
		return body, true
	case webInUnframed:
		body, r.pending = r.pending, nil
		return body, false
	case webInChunkSize:
		return nil, r.readChunkSize()
	case webInChunkEnd:
		line, ok := r.line(2)
		if ok && line != "" {
			r.fault = fmt.Sprintf("a chunk is followed by %q instead of CR LF", webClip(line, 40))
		}
		r.stage = webInChunkSize
		if !ok {
			r.stage = webInChunkEnd
		}
		return nil, ok
	case webInTrailer:
		line, ok := r.line(maxWebHead)
		if ok && line == "" {
			r.whole()
		}
		return nil, ok
	default:
		r.extra += len(r.pending)
		r.pending = nil
		return nil, false
	}
}

func (r *webResponse) whole() { r.end, r.stage = bodyWhole, webInNothing }

// line takes one line, without its CR LF, that is at most limit octets long.
func (r *webResponse) line(limit int) (string, bool) {
	i := bytes.IndexByte(r.pending, '\n')
	switch {
	case i < 0 && len(r.pending) > limit || i > limit:
		r.fault = fmt.Sprintf("a line of over %d octets in the framing", limit)
		return "", false
	case i < 0:
		return "", false
	case i == 0 || r.pending[i-1] != '\r':
		r.fault = fmt.Sprintf("a line of the framing ends without CR: %q", webClip(string(r.pending[:i]), 40))
		return "", false
	}
	line := string(r.pending[:i-1])
	r.pending = r.pending[i+1:]
	return line, true
}

func (r *webResponse) readChunkSize() bool {
	line, ok := r.line(maxWebChunkHeader)
	if !ok {
		return false
	}
	size, _, _ := strings.Cut(line, ";")
	n, err := strconv.ParseUint(strings.TrimRight(size, " \t"), 16, 62)
	if err != nil {
		r.fault = fmt.Sprintf("chunk size %q is no hexadecimal number", webClip(line, 40))
		return false
	}
	r.left, r.stage = int64(n), webInChunk
	if n == 0 {
		r.stage = webInTrailer
	}
	return true
}

// readHead reads status line and header fields, and settles how the body is framed.
func (r *webResponse) readHead() bool {
	end := bytes.Index(r.pending, []byte("\r\n\r\n"))
	if end < 0 {
		if len(r.pending) > maxWebHead {
			r.fault = fmt.Sprintf("no end of the head in %d octets", maxWebHead)
		} else if len(r.pending) >= 5 && !bytes.HasPrefix(r.pending, []byte("HTTP/")) {
			r.fault = fmt.Sprintf("the answer is no HTTP: %q", webClip(string(r.pending), 40))
		}
		return false
	}
	lines := strings.Split(string(r.pending[:end]), "\r\n")
	r.pending = r.pending[end+4:]
	version, rest, _ := strings.Cut(lines[0], " ")
	code, reason, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if (version != "HTTP/1.1" && version != "HTTP/1.0") || err != nil || status < 100 || status > 999 {
		r.fault = fmt.Sprintf("status line %q", webClip(lines[0], 80))
		return false
	}
	fields := make([]webField, 0, len(lines)-1)
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			r.fault = fmt.Sprintf("header line %q", webClip(line, 80))
			return false
		}
		fields = append(fields, webField{name, strings.Trim(value, " \t")})
	}
	if status < 200 {
		return true // an interim answer; the real one follows
	}
	r.status, r.reason, r.fields = status, reason, fields
	return r.frame(version)
}

// frame settles how the body is delimited.
func (r *webResponse) frame(version string) bool {
	coding, chunked := r.field("Transfer-Encoding")
	length, sized := r.field("Content-Length")
	switch {
	case r.status == 204 || r.status == 304:
		r.whole()
	case chunked && strings.EqualFold(coding, "chunked") && version == "HTTP/1.1":
		r.stage = webInChunkSize
	case chunked:
		r.fault = fmt.Sprintf("transfer coding %q in %s", webClip(coding, 40), version)
		return false
	case sized:
		n, err := strconv.ParseUint(length, 10, 62)
		if err != nil {
			r.fault = fmt.Sprintf("content length %q", webClip(length, 40))
			return false
		}
		r.left, r.stage = int64(n), webInLength
	default:
		r.stage = webInUnframed
	}
	return true
}

// over tells that the connection has ended. Reset or broken, it ends nothing cleanly.
func (r *webResponse) over(orderly bool) {
	switch {
	case r.end != bodyOpen:
	case r.stage == webInUnframed && orderly:
		r.end = bodyUnframed
	default:
		r.end = bodyCut
	}
}

// state says in words where the body stands, for a report.
func (r *webResponse) state() string {
	switch {
	case r.fault != "":
		return r.fault
	case r.end == bodyCut && !r.headed():
		return "the connection ended before the head was complete"
	case r.end == bodyCut && (r.stage == webInChunkSize || r.stage == webInTrailer):
		return "the connection ended without the last chunk"
	case r.end == bodyCut && (r.stage == webInChunk || r.stage == webInLength):
		return fmt.Sprintf("the connection ended with %d octets missing", r.left)
	case !r.headed():
		return "no answer yet"
	default:
		return r.end.String()
	}
}

func webClip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
