package sse

import (
	"bytes"
	"slices"
	"time"
	"unicode/utf8"
)

// Message is one event of a stream, as the event stream standard dispatches it.
type Message struct {
	// ID is the last event id: of this event, or of the last one before it that had an id line.
	ID string
	// Type is the event line, or "message" if there was none or an empty one.
	Type string
	// Data is the data lines joined with LF. From a [Parser] it is only valid until the next call of Next or Feed.
	Data []byte
}

// Parser turns the octets of an event stream into messages, by the rules of the WHATWG standard, whatever the chunks in
// which they come (EVENTBUS-WHATWG-004). It does no I/O. The zero value is a parser with the default limits; it must not be copied.
type Parser struct {
	limits Limits

	chunk  []byte // what was fed and not read, from at on
	at     int
	lf     int   // first LF of chunk at or after at, or len(chunk), once it was looked for
	offset int64 // stream position of chunk[0]
	cr     bool  // the last line ended with CR: a LF that follows belongs to it
	begun  bool  // a line has ended
	err    *LimitError

	line  []byte // the line in progress, if it began in an earlier chunk
	clean []byte // a line that was not UTF-8
	lies  bool   // the line that was read last lies in the chunk, not in memory that the next one is written to
	block int    // octets of the event in progress

	// The event in progress. One data line that lies in the chunk stays there as view.
	data    []byte
	view    []byte
	hasData bool
	kind    string
	id      string

	last  string // id of the last event, its data or not
	retry time.Duration
	asked bool
	kinds map[string]string
}

// NewParser returns a parser. lastEventID is what the events have until an id line says otherwise: empty for a first
// connection, and the last event id for one that goes on after it.
func NewParser(limits Limits, lastEventID string) (*Parser, error) {
	if err := limits.Validate(); err != nil {
		return nil, err
	}
	return &Parser{limits: limits, id: lastEventID, last: lastEventID}, nil
}

// Feed gives the parser the next octets of the stream. It keeps a reference to chunk until Next has returned false.
// Nothing is lost if Next was not called until then: what it did not read is kept, at the cost of a copy.
func (p *Parser) Feed(chunk []byte) {
	if p.err != nil {
		return
	}
	p.offset += int64(p.at)
	if rest := p.chunk[p.at:]; len(rest) > 0 {
		chunk = append(slices.Clip(slices.Clone(rest)), chunk...)
	}
	p.chunk, p.at, p.lf = chunk, 0, -1
}

// Next returns the next message of what was fed. It returns false if the octets do not complete one, or after a limit
// was passed: see [Parser.Err]. An event that was not completed when the stream ends is not one (EVENTBUS-WHATWG-016).
func (p *Parser) Next() (Message, bool) {
	if p.limits.MaxLine == 0 || p.limits.MaxEvent == 0 {
		p.limits = p.limits.defaults()
	}
	for p.err == nil {
		line, ok := p.nextLine()
		if !ok {
			break
		}
		if len(line) > 0 {
			p.field(line)
			continue
		}
		if m, ok := p.dispatch(); ok {
			return m, true
		}
	}
	p.detach()
	return Message{}, false
}

// Err returns the *LimitError that ended the parsing, or nil.
func (p *Parser) Err() error {
	if p.err == nil {
		return nil
	}
	return p.err
}

// LastEventID returns what a reconnecting reader sends: the id of the last event that a blank line ended, with data or
// without.
func (p *Parser) LastEventID() string { return p.last }

// Retry returns the reconnection time that the stream asked for last, at most [MaxRetry], and whether it did.
func (p *Parser) Retry() (time.Duration, bool) { return p.retry, p.asked }

// Buffered returns how many octets of an unfinished line or event the parser holds, without what was not read of the
// last chunk.
func (p *Parser) Buffered() int {
	if !p.hasData {
		return len(p.line)
	}
	return len(p.line) + len(p.data)
}

// nextLine cuts one line from the chunk. The line is valid until the next call.
func (p *Parser) nextLine() ([]byte, bool) {
	if p.cr && p.at < len(p.chunk) {
		// EVENTBUS-WHATWG-003: CRLF is one end of a line, also when a chunk ends between its halves.
		p.cr = false
		if p.chunk[p.at] == '\n' {
			p.at++
		}
	}
	end := p.lineEnd()
	part := p.chunk[p.at:end]
	if over := p.over(part); over != nil {
		p.fail(over)
		return nil, false
	}
	if end == len(p.chunk) {
		p.line = append(p.line, part...)
		p.at = end
		return nil, false
	}
	p.cr = p.chunk[end] == '\r'
	p.at = end + 1
	line := part
	if p.lies = len(p.line) == 0; !p.lies {
		line = append(p.line, part...)
		if p.line = line[:0]; cap(line) > keep {
			p.line = nil
		}
	}
	if !p.begun {
		// EVENTBUS-WHATWG-002
		p.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, true
}

// lineEnd returns the index of the first line end at or after at, or len(chunk). The place of the next LF is remembered,
// lest a chunk of lines that end with CR be searched for a LF once a line.
func (p *Parser) lineEnd() int {
	if p.lf < p.at {
		p.lf = len(p.chunk)
		if i := bytes.IndexByte(p.chunk[p.at:], '\n'); i >= 0 {
			p.lf = p.at + i
		}
	}
	if i := bytes.IndexByte(p.chunk[p.at:p.lf], '\r'); i >= 0 {
		return p.at + i
	}
	return p.lf
}

// over returns an error if the line in progress and part of it that is new are more than is allowed.
func (p *Parser) over(part []byte) *LimitError {
	have := len(p.line)
	limit, what, allowed := p.limits.MaxLine, "line", p.limits.MaxLine
	if left := p.limits.MaxEvent - p.block; left < limit && !p.comment(part) {
		limit, what, allowed = left, "event", p.limits.MaxEvent
	}
	if have+len(part) <= limit {
		return nil
	}
	at := p.offset + int64(p.at) + int64(limit-have)
	return &LimitError{What: what, Limit: int64(allowed), Offset: at}
}

// comment reports whether the line in progress is one; part is what is new of it.
func (p *Parser) comment(part []byte) bool {
	if len(p.line) > 0 {
		return p.line[0] == ':'
	}
	return len(part) > 0 && part[0] == ':'
}

func (p *Parser) fail(e *LimitError) {
	*p = Parser{err: e, limits: p.limits, last: p.last, retry: p.retry, asked: p.asked}
}

// keep is the largest buffer that is kept for the next event.
const keep = 64 << 10

// field takes one line that is not blank.
func (p *Parser) field(line []byte) {
	// EVENTBUS-WHATWG-005
	if line[0] == ':' {
		return
	}
	if p.block += len(line) + 1; p.block > p.limits.MaxEvent {
		p.fail(&LimitError{What: "event", Limit: int64(p.limits.MaxEvent), Offset: p.offset + int64(p.at) - 1})
		return
	}
	// EVENTBUS-WHATWG-001
	if !utf8.Valid(line) {
		p.clean = appendValid(p.clean[:0], line)
		line, p.lies = p.clean, false
	}
	// EVENTBUS-WHATWG-006, EVENTBUS-WHATWG-007
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	// EVENTBUS-WHATWG-008
	switch string(name) {
	case "data":
		p.appendData(value)
	case "event":
		// EVENTBUS-WHATWG-014
		p.kind = p.intern(value)
	case "id":
		// EVENTBUS-WHATWG-017, EVENTBUS-WHATWG-018, EVENTBUS-WHATWG-019
		if bytes.IndexByte(value, 0) < 0 {
			p.id = string(value)
		}
	case "retry":
		p.setRetry(value)
	}
}

// appendData adds a data line: EVENTBUS-SSE-012, EVENTBUS-WHATWG-011.
func (p *Parser) appendData(value []byte) {
	if !p.hasData {
		p.hasData = true
		p.data = p.data[:0]
		if p.lies && len(value) > 0 {
			p.view = value
			return
		}
		p.data = append(p.data, value...)
		return
	}
	p.own()
	p.data = append(append(p.data, '\n'), value...)
}

// own copies a data line that lies in the chunk.
func (p *Parser) own() {
	if p.view != nil {
		p.data = append(p.data[:0], p.view...)
		p.view = nil
	}
}

// detach drops the chunk, which was read.
func (p *Parser) detach() {
	p.own()
	p.offset += int64(p.at)
	p.chunk, p.at, p.lf = nil, 0, -1
	if cap(p.clean) > keep {
		p.clean = nil
	}
}

// dispatch ends an event at a blank line: EVENTBUS-WHATWG-009.
func (p *Parser) dispatch() (Message, bool) {
	// EVENTBUS-WHATWG-020, EVENTBUS-WHATWG-021
	p.last = p.id
	p.block = 0
	// EVENTBUS-WHATWG-015
	kind := p.kind
	p.kind = ""
	if !p.hasData {
		// EVENTBUS-SSE-011, EVENTBUS-WHATWG-012; a data line without a value is one: EVENTBUS-WHATWG-013.
		return Message{}, false
	}
	p.hasData = false
	m := Message{ID: p.id, Type: kind, Data: p.data}
	if m.Type == "" {
		m.Type = "message"
	}
	if p.view != nil {
		m.Data, p.view = p.view, nil
	}
	m.Data = m.Data[:len(m.Data):len(m.Data)]
	if cap(p.data) > keep {
		p.data = nil
	}
	return m, true
}

// intern returns b as a string, the same one for the same octets as long as there are few: streams have few types.
func (p *Parser) intern(b []byte) string {
	const most, longest = 64, 64
	if s, ok := p.kinds[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(s) > longest || len(p.kinds) >= most {
		return s
	}
	if p.kinds == nil {
		p.kinds = make(map[string]string)
	}
	p.kinds[s] = s
	return s
}

// MaxRetry is the longest reconnection time that a parser reports; a larger number of milliseconds means this.
const MaxRetry = time.Duration(1<<63-1) / time.Millisecond * time.Millisecond

// setRetry takes a retry line: digits of ASCII only, and at least one (EVENTBUS-WHATWG-023, EVENTBUS-WHATWG-024).
func (p *Parser) setRetry(value []byte) {
	if len(value) == 0 {
		return
	}
	var ms int64
	const most = int64(MaxRetry / time.Millisecond)
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
		if ms = ms*10 + int64(c-'0'); ms > most {
			ms = most
		}
	}
	p.retry, p.asked = time.Duration(ms)*time.Millisecond, true
}
