package stompmodel

// A phase is the place in the grammar where the next octet falls.
type phase uint8

const (
	inCommand phase = iota
	inHeaders
	inBody    // ends at the first NUL
	inCounted // ends after a known number of octets
	atNUL     // a counted body is complete
	over      // failed, or ended
)

// octets is a string that grows at its end without changing its older self, so that a state stays valid after a step from it.
type octets struct {
	before *octets
	n      int
	b      byte
}

func (o *octets) len() int {
	if o == nil {
		return 0
	}
	return o.n
}

func (o *octets) add(b byte) *octets { return &octets{before: o, n: o.len() + 1, b: b} }

func (o *octets) bytes() []byte {
	out := make([]byte, o.len())
	for ; o != nil; o = o.before {
		out[o.n-1] = o.b
	}
	return out
}

// A CodecState is a decoder between two octets. It is a value: stepping from it leaves it as it was, so one state may have many futures.
type CodecState struct {
	phase   phase
	version Version
	offset  int
	feed    int
	events  int // completed in this feed

	line    *octets
	command string
	headers []Header
	body    *octets
	length  int // octets still to come of a counted body
}

// Version returns the version whose rules read the next octet.
func (s CodecState) Version() Version { return s.version }

// Offset returns the number of octets consumed.
func (s CodecState) Offset() int { return s.offset }

// Idle reports whether the state is in command position with nothing read of a command line: where a stream may end.
func (s CodecState) Idle() bool { return s.phase == inCommand && s.line == nil }

// Spent reports whether the decoder failed or ended.
func (s CodecState) Spent() bool { return s.phase == over }

// Retained returns the number of line octets, header entries and body octets that the state holds; all are 0 after an error (STOMP-FRAME-018).
func (s CodecState) Retained() (line, headers, body int) {
	return s.line.len(), len(s.headers), s.body.len()
}

func (s CodecState) fault(r Rule) *CodecError {
	return &CodecError{Rule: r, Offset: s.offset, Start: s.offset - s.line.len()}
}

// A Codec is the decoding machine for one configuration. It has no state of its own: all of it is in [CodecState].
type Codec struct{ cfg CodecConfig }

// NewCodec returns the machine for cfg, or the error of cfg.Validate.
func NewCodec(cfg CodecConfig) (Codec, error) {
	if err := cfg.Validate(); err != nil {
		return Codec{}, err
	}
	return Codec{cfg: cfg}, nil
}

// Init returns the state before the first octet.
func (c Codec) Init() CodecState { return CodecState{version: c.cfg.Version, feed: -1} }

// BeginFeed marks the boundary before a chunk: it restarts the count of events (STOMP-LIMIT-006).
func (c Codec) BeginFeed(s CodecState) CodecState {
	s.feed++
	s.events = 0
	return s
}

// Step reads one octet. It returns the state after it, the event that the octet completed (or nil), and the rule that it broke (or nil); after an
// error the state is spent.
func (c Codec) Step(s CodecState, b byte) (CodecState, *Event, *CodecError) {
	if s.phase == over {
		return s, nil, s.fault(RuleSpent)
	}
	next, event, rule := c.step(s, b)
	if rule != "" {
		// STOMP-FRAME-018: a failed decoder holds nothing.
		return CodecState{phase: over, version: s.version, offset: s.offset, feed: s.feed}, nil, s.fault(rule)
	}
	if event != nil {
		event.Feed, event.Offset = s.feed, s.offset
	}
	next.offset++
	return next, event, nil
}

func (c Codec) step(s CodecState, b byte) (CodecState, *Event, Rule) {
	// STOMP-FRAME-001: command line, header lines, blank line, body, NUL, in this order.
	switch s.phase {
	case inCommand, inHeaders:
		return c.inLine(s, b)
	case inBody:
		// STOMP-BODY-005: the first NUL ends the frame.
		if b == 0 {
			return c.finish(s)
		}
		// STOMP-LIMIT-004: the first octet beyond the limit fails on arrival.
		if s.body.len() == c.cfg.Body {
			return s, nil, RuleBodyLimit
		}
		s.body = s.body.add(b)
		return s, nil, ""
	case inCounted:
		// STOMP-BODY-003: whatever the octet is.
		s.body = s.body.add(b)
		s.length--
		if s.length == 0 {
			s.phase = atNUL
		}
		return s, nil, ""
	default:
		// STOMP-BODY-004, STOMP-BODY-011
		if b != 0 {
			return s, nil, RuleTerminator
		}
		return c.finish(s)
	}
}

func (c Codec) inLine(s CodecState, b byte) (CodecState, *Event, Rule) {
	if b != '\n' {
		// STOMP-FRAME-009: before any line-length check.
		if b == 0 {
			return s, nil, RuleNulInLine
		}
		// STOMP-LIMIT-001, STOMP-LIMIT-002: wire octets, a CR counted, failing at the first octet beyond.
		if s.line.len() == c.cfg.Line {
			return s, nil, RuleLineLimit
		}
		s.line = s.line.add(b)
		return s, nil, ""
	}
	line, rule := checkLine(s.version, s.line.bytes())
	if rule != "" {
		return s, nil, rule
	}
	s.line = nil
	switch {
	case s.phase == inCommand && line == "":
		// STOMP-FRAME-011: one heart-beat per EOL, STOMP-FRAME-010: which changes nothing else.
		return c.emit(s, &Event{Heartbeat: true})
	case s.phase == inCommand:
		// STOMP-FRAME-013: exactly a known name, refused at its EOL.
		if !s.version.Command(line) {
			return s, nil, RuleUnknownCommand
		}
		s.command, s.phase = line, inHeaders
		return s, nil, ""
	case line == "":
		// STOMP-FRAME-015: with or without a header before it.
		return c.blankLine(s)
	}
	// STOMP-FRAME-016: the count before the shape. STOMP-LIMIT-003: every line counts, repeats too.
	if len(s.headers) == c.cfg.Headers {
		return s, nil, RuleHeaderLimit
	}
	h, rule := readHeader(s.version, s.command, line)
	if rule != "" {
		return s, nil, rule
	}
	// STOMP-HDR-010: every entry is kept, in order. The copy keeps the older state intact.
	s.headers = append(s.headers[:len(s.headers):len(s.headers)], h)
	return s, nil, ""
}

// blankLine reads the body's length, if it is declared.
func (c Codec) blankLine(s CodecState) (CodecState, *Event, Rule) {
	// STOMP-HDR-011: the first entry alone. STOMP-BODY-009: on any command.
	text, ok := Frame{Headers: s.headers}.Get("content-length")
	if !ok {
		s.phase = inBody
		return s, nil, ""
	}
	n, ok := readLength(s.version, text)
	if !ok {
		return s, nil, RuleContentLength
	}
	// STOMP-LIMIT-005: before any body octet.
	if n > c.cfg.Body {
		return s, nil, RuleBodyLimit
	}
	s.phase, s.length = inCounted, n
	if n == 0 {
		s.phase = atNUL
	}
	return s, nil, ""
}

// finish ends a frame at its NUL.
func (c Codec) finish(s CodecState) (CodecState, *Event, Rule) {
	// STOMP-BODY-001: reported at the NUL, after the body limit.
	if s.body.len() > 0 && !s.version.MayHaveBody(s.command) {
		return s, nil, RuleBodyForbidden
	}
	f := Frame{Command: s.command, Headers: s.headers, Body: s.body.bytes()}
	s.phase, s.command, s.headers, s.body = inCommand, "", nil, nil
	s, event, rule := c.emit(s, &Event{Frame: f})
	if rule == "" && !c.cfg.Pinned {
		s.version = c.versionAfter(s.version, f)
	}
	return s, event, rule
}

// versionAfter returns the version that reads the octets after f.
func (c Codec) versionAfter(v Version, f Frame) Version {
	next := v
	switch f.Command {
	case "CONNECTED":
		// STOMP-NEGOTIATE-006; a CONNECTED without version opens a 1.0 session (STOMP-CONNECT-010).
		text, ok := f.Get("version")
		next = Version(text)
		if !ok {
			next = V10
		}
	case "CONNECT", "STOMP":
		if c.cfg.OnConnect != nil {
			next = c.cfg.OnConnect(f)
		}
	}
	if !next.Known() {
		return v
	}
	return next
}

func (c Codec) emit(s CodecState, e *Event) (CodecState, *Event, Rule) {
	// STOMP-LIMIT-006
	if s.events == c.cfg.Events {
		return s, nil, RuleEventLimit
	}
	s.events++
	return s, e, ""
}
