package adapter

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// shown is how much of a line a fault quotes, in octets.
const shown = 200

// errLong says that a line is longer than allowed.
var errLong = errors.New("line too long")

// readLine returns the next line without its line feed, at most limit octets of it. A part of a line at the end of
// the stream comes with io.ErrUnexpectedEOF, and the beginning of a line beyond the limit with errLong.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit+1 {
			return append(line, part[:min(len(part), shown)]...), errLong
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull) && len(line) > limit:
			return line, errLong
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, io.ErrUnexpectedEOF
		default:
			return line, err
		}
	}
}

// A reply is one line of an adapter, understood.
type reply struct {
	n   int64
	ok  json.RawMessage            // nil when bad is set
	bad map[string]json.RawMessage // members of the error
}

// parseReply reads a line. The error is a *FaultError without an Op.
func parseReply(line []byte) (reply, error) {
	fault := func(kind Kind, err error, format string, args ...any) (reply, error) {
		return reply{}, &FaultError{Kind: kind, Text: fmt.Sprintf(format, args...), Line: quote(line), Err: err}
	}
	if !utf8.Valid(line) {
		return fault(Garbage, nil, "reply line is not UTF-8")
	}
	members, err := object(line)
	if err != nil {
		return fault(Garbage, err, "reply line is not one JSON object")
	}
	var out reply
	switch raw, ok := members["n"]; {
	case !ok:
		return fault(Shape, nil, "reply has no n")
	case json.Unmarshal(raw, &out.n) != nil || string(raw) == "null":
		return fault(Shape, nil, "n of a reply is not an integer")
	}
	okay, hasOK := members["ok"]
	bad, hasBad := members["error"]
	switch {
	case hasOK == hasBad:
		return fault(Shape, nil, "reply must have exactly one of ok and error")
	case len(members) != 2:
		return fault(Shape, nil, "reply has %d members, wanted n and one of ok and error", len(members))
	case hasOK && !isObject(okay):
		return fault(Shape, nil, "ok of a reply is not an object")
	case hasOK:
		out.ok = okay
		return out, nil
	}
	if out.bad, err = object(bad); err != nil {
		return fault(Shape, err, "error of a reply is not an object")
	}
	for _, key := range []string{"name", "message"} {
		if _, ok := text(out.bad[key]); !ok {
			return fault(Shape, nil, "error of a reply has no text %s", key)
		}
	}
	return out, nil
}

// err turns the error of a reply to op into the type that says who erred.
func (r reply) err(op string) error {
	name, _ := text(r.bad["name"])
	message, _ := text(r.bad["message"])
	switch name {
	case nameUnsupported:
		return &UnsupportedError{Op: op, Reason: message}
	case nameAdapter:
		return &FaultError{Op: op, Kind: Refused, Text: "the adapter could not carry it out", Line: quote([]byte(message))}
	}
	e := &TargetError{Name: name, Message: message, Members: r.bad}
	if raw, ok := r.bad["limit"]; ok {
		var limit int64
		if string(raw) != "null" && json.Unmarshal(raw, &limit) == nil {
			e.Limit = &limit
		}
	}
	return e
}

func object(raw []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("null is no object")
	}
	return m, nil
}

func isObject(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

func text(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// quote shows the beginning of a line.
func quote(line []byte) string {
	if len(line) <= shown {
		return fmt.Sprintf("%q", line)
	}
	return fmt.Sprintf("%q… (%d octets)", line[:shown], len(line))
}
