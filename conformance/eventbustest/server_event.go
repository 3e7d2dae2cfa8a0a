package eventbustest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A webBlock is what a body holds between two empty lines, as it was sent.
type webBlock struct {
	lines []string // without their ends
	raw   []byte   // with them, and with the empty line
}

// A webEvent is a block with at least one data line, and the envelope in it.
type webEvent struct {
	webBlock
	idLines    []string // values of the field, in order
	eventLines []string
	dataLines  []string
	others     []string // names of other fields, comments as ":"
	at         time.Time

	envelope map[string]json.RawMessage
	fault    string // why the data is no envelope
}

// Bounds of what is kept of a body, in octets: of a line that has no end yet, of a block, for each line of which perLine is counted
// besides, and of all blocks.
const (
	maxWebLine  = 32 << 20
	maxWebBlock = 64 << 20
	maxWebBody  = 128 << 20
	perLine     = 64
)

// A blockReader splits a body into blocks, in any pieces. It takes LF, CR LF and CR for line ends, as readers of event streams
// do, and keeps the octets, so that what a server may use can be judged.
type blockReader struct {
	line     []byte
	block    webBlock
	afterCR  bool
	total    int64 // octets of the body
	size     int   // of the block
	comments []webComment
	first    []byte // the first octets of the body
	fault    string
}

// A webComment is a block without data.
type webComment struct {
	text string
	at   time.Time
}

// webOpening is how many octets of a body are kept from its start.
const webOpening = 64

// feed takes octets in and returns the events that are complete.
func (r *blockReader) feed(body []byte, at time.Time) []*webEvent {
	if n := webOpening - len(r.first); n > 0 {
		r.first = append(r.first, body[:min(n, len(body))]...)
	}
	if r.total += int64(len(body)); r.total > maxWebBody && r.fault == "" {
		r.fault = fmt.Sprintf("a body of over %d octets", maxWebBody)
	}
	var out []*webEvent
	for len(body) > 0 && r.fault == "" {
		i := bytes.IndexAny(body, "\r\n")
		if r.afterCR {
			r.afterCR = false
			if body[0] == '\n' {
				body = body[1:]
				if n := len(r.block.raw); n > 0 {
					r.block.raw = append(r.block.raw, '\n')
				}
				continue
			}
		}
		if i < 0 {
			r.line = append(r.line, body...)
			if len(r.line) > maxWebLine {
				r.fault = fmt.Sprintf("a line of over %d octets", maxWebLine)
			}
			break
		}
		r.line = append(r.line, body[:i]...)
		r.afterCR = body[i] == '\r'
		r.block.raw = append(append(r.block.raw, r.line...), body[i])
		body = body[i+1:]
		if r.size += len(r.line) + perLine; r.size > maxWebBlock {
			r.fault = fmt.Sprintf("a block of over %d octets", maxWebBlock)
			break
		}
		if len(r.line) > 0 {
			r.block.lines = append(r.block.lines, string(r.line))
			r.line = r.line[:0]
			continue
		}
		if e := r.dispatch(at); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// rest returns the octets of a block that has no end yet.
func (r *blockReader) rest() []byte { return append(slices.Clone(r.block.raw), r.line...) }

func (r *blockReader) dispatch(at time.Time) *webEvent {
	e := &webEvent{webBlock: r.block, at: at}
	r.block, r.size = webBlock{}, 0
	for _, line := range e.lines {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.idLines = append(e.idLines, value)
		case "event":
			e.eventLines = append(e.eventLines, value)
		case "data":
			e.dataLines = append(e.dataLines, value)
		case "":
			e.others = append(e.others, ":")
		default:
			e.others = append(e.others, name)
		}
	}
	if e.dataLines == nil {
		if len(e.lines) > 0 && len(r.comments) < maxWebComments {
			r.comments = append(r.comments, webComment{strings.Join(e.lines, "\n"), at})
		}
		return nil
	}
	e.open()
	return e
}

// maxWebComments bounds the blocks without data that are kept.
const maxWebComments = 10_000

// open reads the envelope.
func (e *webEvent) open() {
	if err := json.Unmarshal([]byte(e.data()), &e.envelope); err != nil {
		e.fault = "the data is no JSON object: " + err.Error()
	} else if e.envelope == nil {
		e.fault = "the data is null"
	}
}

// data returns the data lines joined.
func (e *webEvent) data() string { return strings.Join(e.dataLines, "\n") }

// id returns the id by which a client resumes: that of the id line; 0 if there is none or it is no number.
func (e *webEvent) id() int64 {
	if len(e.idLines) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(e.idLines[len(e.idLines)-1], 10, 64)
	return n
}

// kind returns the type: that of the envelope or, without one, of the event line.
func (e *webEvent) kind() string {
	var s string
	if json.Unmarshal(e.envelope["type"], &s) == nil && s != "" {
		return s
	}
	if len(e.eventLines) > 0 {
		return e.eventLines[len(e.eventLines)-1]
	}
	return "message"
}

// synthetic reports whether the event is one that the bus makes for one subscriber.
func (e *webEvent) synthetic() bool { return len(e.idLines) == 0 && e.envelope["id"] == nil }

// members returns the data member of the envelope as an object; nil if it is none.
func (e *webEvent) members() map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(e.envelope["data"], &m) != nil {
		return nil
	}
	return m
}

// number returns a numeric member of data, and whether it is one.
func (e *webEvent) number(name string) (float64, bool) {
	raw, ok := e.members()[name]
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	return n, err == nil
}

// text returns a member of data that is a string, else what stands there.
func (e *webEvent) text(name string) string {
	raw, ok := e.members()[name]
	if !ok {
		return "absent"
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// timestamp returns _meta.serverTimestamp as it was written; empty if it is no number.
func (e *webEvent) timestamp() string {
	var meta map[string]json.RawMessage
	if json.Unmarshal(e.envelope["_meta"], &meta) != nil {
		return ""
	}
	raw := string(meta["serverTimestamp"])
	if _, err := strconv.ParseFloat(raw, 64); err != nil {
		return ""
	}
	return raw
}

// holds reports whether the data contains a word of letters, digits and hyphens.
func (e *webEvent) holds(word string) bool { return strings.Contains(e.data(), word) }

// String shows the event in a report: id, type and what a synthetic event says.
func (e *webEvent) String() string {
	if e.synthetic() {
		return webClip(e.kind()+" "+string(e.envelope["data"]), 300)
	}
	return fmt.Sprintf("%s %d", e.kind(), e.id())
}

// compact returns the envelope in compact form with the data of its members as they stand, for comparing two deliveries.
func (e *webEvent) compact() string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(e.data())) != nil {
		return e.data()
	}
	return b.String()
}

// webNames returns the names of an object's members, sorted and joined.
func webNames(m map[string]json.RawMessage) string {
	if m == nil {
		return "no object"
	}
	list := make([]string, 0, len(m))
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
