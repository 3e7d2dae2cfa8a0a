package frame

import "fmt"

// Event is one thing a feed completed: a frame or, with Frame nil, one heart-beat, which is one EOL in command
// position (STOMP-FRAME-011).
type Event struct{ Frame *Frame }

// DecoderConfig configures a Decoder. The zero value decodes STOMP 1.0 with DefaultLimits into owned frames.
type DecoderConfig struct {
	// Version holds the rules in force at the start. For a stream that begins with the handshake it should be the
	// highest version offered. The zero value is 1.0.
	Version Version
	// Limits bounds frames and feeds. The zero value means DefaultLimits; in any other every field counts as it stands.
	Limits Limits
	// Borrow makes frames valid only until the next Feed, and their strings and bodies views of the chunk or of memory
	// that the decoder uses again. It costs no allocation in the steady state. The caller must not change the chunk
	// while it uses the frames. Otherwise frames belong to the caller for good.
	Borrow bool
	// Switch, if set, is called for every CONNECT, STOMP and CONNECTED frame at its NUL and returns the rules for the
	// octets that follow (STOMP-NEGOTIATE-006). A value that is no version changes nothing. The frame obeys the same
	// lifetime as in an event; Switch must not call the decoder. If nil, CONNECTED switches to its first version header
	// (none means 1.0, an unknown one changes nothing) and the other two change nothing.
	Switch func(*Frame) Version
}

// Validate returns a *Error with rule ConfigRule that names the first field out of range, or nil.
func (c DecoderConfig) Validate() error {
	if !c.Version.known() {
		return &Error{
			Rule: ConfigRule, Offset: -1, Limit: int64(V12), Found: int64(c.Version),
			Detail: "Version is not a STOMP version",
		}
	}
	if c.Limits == (Limits{}) {
		return nil
	}
	return c.Limits.Validate()
}

// phase is what the next octet belongs to, in the order of STOMP-FRAME-001. Header lines may be none (STOMP-FRAME-015).
type phase uint8

const (
	inCommand phase = iota
	inHeaders
	inBody    // up to the first NUL
	inCounted // up to the declared length, then one NUL
)

// Decoder turns chunks of a stream into events. It does no I/O, is not safe for concurrent use and must not be copied.
type Decoder struct {
	limits Limits
	borrow bool
	choose func(*Frame) Version

	phase   phase
	version Version // rules of the line or frame in progress
	next    Version // rules of what follows it
	offset  int64   // stream position of the chunk's first octet

	// The line in progress, if it began in an earlier feed. What was learned of it is kept: no octet is scanned twice.
	line      []byte
	lineColon int
	lineSeen  marks
	lineAt    int64

	// The frame in progress.
	command  Command
	unquick  marks // what a header line must not hold for the quick path
	h0       int   // index of its first header in the bank
	detached int   // how many of its headers no longer refer to the chunk
	lengthAt int   // index of its first content-length header, or -1
	want     int   // declared body length
	carried  bool  // it began in an earlier feed

	lastHeld int // length of the last body that arrived in pieces

	// A borrowed frame that spans feeds fills one bank while the frames of the current feed fill the other.
	banks  [2]bank
	cur    int
	frames arena[Frame]
	events []Event

	spent bool
	fault *Error
}

// NewDecoder returns a decoder in command position, or a *Error that names the field of cfg that is out of range.
func NewDecoder(cfg DecoderConfig) (*Decoder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	d := &Decoder{
		limits:  cfg.Limits,
		borrow:  cfg.Borrow,
		choose:  cfg.Switch,
		version: cfg.Version,
		next:    cfg.Version,
		banks:   [2]bank{newBank(cfg.Borrow), newBank(cfg.Borrow)},
		frames:  arena[Frame]{first: firstFrames, last: lastFrames},
	}
	if d.limits == (Limits{}) {
		d.limits = DefaultLimits()
	}
	if d.borrow {
		d.frames.last = 1 << 10
	}
	return d, nil
}

// Feed consumes the whole chunk and returns the events it completed, in stream order. Where the stream is cut into
// chunks makes no difference to the events (STOMP-FRAME-012), except that Limits.Events counts per feed.
//
// The slice is valid until the next Feed; the frames in it are the caller's unless the decoder borrows. After the feed
// the decoder reads the chunk no more (STOMP-FRAME-025), though borrowed frames do.
//
// An error is a *Error and spends the decoder: the events completed earlier in the same feed are lost
// (STOMP-FRAME-017), everything held is released, and every later call fails (STOMP-FRAME-018).
func (d *Decoder) Feed(chunk []byte) ([]Event, error) {
	if d.spent {
		return nil, d.refusal("feed")
	}
	d.events = d.events[:0]
	if d.borrow {
		d.frames.rewind()
		if !d.carried {
			d.banks[d.cur].rewind()
		}
	}
	for i := 0; i < len(chunk); {
		switch d.phase {
		case inCommand:
			i = d.commandLine(chunk, i)
		case inHeaders:
			i = d.headerLines(chunk, i)
		case inBody:
			i = d.body(chunk, i)
		case inCounted:
			i = d.counted(chunk, i)
		}
		if i < 0 {
			d.release()
			return nil, d.fault
		}
	}
	if d.carried = d.phase != inCommand; d.carried && d.borrow {
		if b := &d.banks[d.cur]; len(b.headers.block)-d.h0 > d.detached {
			d.detach(b)
		}
	}
	d.offset += int64(len(chunk))
	return d.events, nil
}

// End says that the stream is over. It succeeds once, and only between frames (STOMP-FRAME-019); otherwise the stream
// was cut short (STOMP-FRAME-020) and the error is a *Error. Either way the decoder is spent.
func (d *Decoder) End() error {
	if d.spent {
		return d.refusal("end")
	}
	where := ""
	switch {
	case d.phase == inHeaders:
		where = "a header block"
	case d.phase == inBody:
		where = "a body without its NUL"
	case d.phase == inCounted:
		where = "a counted body or before its NUL"
	case len(d.line) > 0:
		where = "a command line"
	}
	if where != "" {
		d.fault = &Error{
			Rule: Truncated, Offset: d.offset, Law: "STOMP-FRAME-020", Detail: "the stream ends inside " + where,
		}
	}
	d.release()
	if d.fault != nil {
		return d.fault
	}
	return nil
}

// SetVersion sets the rules for the octets that follow, from the next line in command position on: a frame of which
// some octets were already fed keeps its rules. A value that is no version changes nothing.
func (d *Decoder) SetVersion(v Version) {
	if !v.known() {
		return
	}
	d.next = v
	if d.phase == inCommand && len(d.line) == 0 {
		d.version = v
	}
}

// Version returns the rules for the octets that follow the frame or line in progress.
func (d *Decoder) Version() Version { return d.next }

// Pending returns how much of an unfinished frame the decoder holds: octets of an unfinished line, header lines and
// body octets. All are 0 in command position and after an error.
func (d *Decoder) Pending() (line, headers, body int) {
	if d.phase != inCommand {
		b := &d.banks[d.cur]
		headers, body = len(b.headers.block)-d.h0, len(b.body)
	}
	return len(d.line), headers, body
}

// detach copies what the headers of the frame in progress still refer to in the chunk.
func (d *Decoder) detach(b *bank) {
	hs := b.headers.block[d.h0:]
	// STOMP-FRAME-025
	for i := d.detached; i < len(hs); i++ {
		hs[i].Name = text(b.keep([]byte(hs[i].Name)))
		hs[i].Value = text(b.keep([]byte(hs[i].Value)))
	}
	d.detached = len(hs)
}

// fail records the error that ends the stream and returns the mark for it.
func (d *Decoder) fail(e *Error) int {
	d.fault = e
	return -1
}

// release drops everything held: STOMP-FRAME-018, STOMP-FRAME-019.
func (d *Decoder) release() {
	d.spent = true
	d.phase = inCommand
	d.line, d.events = nil, nil
	d.banks = [2]bank{}
	d.frames = arena[Frame]{}
}

// refusal is the answer to every call on a spent decoder.
func (d *Decoder) refusal(call string) *Error {
	e := &Error{Rule: Spent, Offset: d.offset, Law: "STOMP-FRAME-019"}
	if d.fault == nil {
		e.Detail = fmt.Sprintf("%s after the end", call)
		return e
	}
	e.Law, e.Cause, e.Offset = "STOMP-FRAME-018", d.fault, d.fault.Offset
	e.Detail = fmt.Sprintf("%s after an error", call)
	return e
}
