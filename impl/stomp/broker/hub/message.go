package hub

import (
	"strconv"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// reserved is how many of the header entries that a peer may have to accept the hub adds to a MESSAGE:
// destination, message-id, subscription, ack, redelivered, delivery-count, dead-letter-source and
// content-length.
const reserved = 8

// overhead is what a message costs beyond its octets, about.
const overhead = 256

// message is a SEND that was accepted. All but count is fixed; topic deliveries share the rest.
type message struct {
	seq     uint64
	id      string
	dest    string
	source  string // where a dead letter comes from
	headers []frame.Header
	body    []byte
	counted bool // the SEND had a content-length
	count   int  // deliveries so far
	size    int
}

// owned reports whether the header of a SEND belongs to the protocol on this hop, so that it must not be
// handed on: what the receiver sees under these names is the hub's word.
func owned(name string) bool {
	switch name {
	case "destination", "content-length", "receipt", "transaction", "subscription", "message-id", "ack",
		"redelivered", "delivery-count", "dead-letter-source":
		return true
	}
	return false
}

// compose copies what a SEND hands on, so that f may be borrowed. Repeated headers are all kept, in
// order, so that the first still wins (STOMP-HDR-009, STOMP-HDR-010).
func compose(f *frame.Frame, dest string) *message {
	m := &message{dest: dest, size: overhead + len(dest) + len(f.Body)}
	n, octets := 0, len(dest)
	for i := range f.Headers {
		if h := &f.Headers[i]; !owned(h.Name) {
			n++
			octets += len(h.Name) + len(h.Value)
		} else if h.Name == "content-length" {
			m.counted = true
		}
	}
	m.size += octets - len(dest) + n*32

	// One allocation holds every string.
	var slab strings.Builder
	slab.Grow(octets)
	slab.WriteString(dest)
	for i := range f.Headers {
		if h := &f.Headers[i]; !owned(h.Name) {
			slab.WriteString(h.Name)
			slab.WriteString(h.Value)
		}
	}
	text := slab.String()
	cut := func(n int) string {
		s := text[:n]
		text = text[n:]
		return s
	}
	m.dest = cut(len(dest))
	if n > 0 {
		m.headers = make([]frame.Header, 0, n)
		for i := range f.Headers {
			// STOMP-SEND-003
			if h := &f.Headers[i]; !owned(h.Name) {
				m.headers = append(m.headers, frame.Header{Name: cut(len(h.Name)), Value: cut(len(h.Value))})
			}
		}
	}
	if len(f.Body) > 0 {
		// STOMP-SEND-004
		m.body = append(make([]byte, 0, len(f.Body)), f.Body...)
	}
	return m
}

// fits reports whether every header of a SEND can be handed on to a receiver with the same limits,
// whatever version it speaks.
func fits(f *frame.Frame, limits frame.Limits) *Problem {
	n := 0
	for i := range f.Headers {
		h := &f.Headers[i]
		if owned(h.Name) && h.Name != "destination" {
			continue
		}
		n++
		if size := len(h.Name) + len(h.Value) + 1; 2*size > limits.Line {
			if size += escapes(h.Name) + escapes(h.Value); size > limits.Line {
				return limit("header line octets", limits.Line, size)
			}
		}
	}
	if n+reserved-1 > max(limits.Headers, reserved) {
		return limit("headers that a MESSAGE can hand on", limits.Headers-reserved, n-1)
	}
	return nil
}

func escapes(s string) int {
	n := 0
	for i := range len(s) {
		switch s[i] {
		case '\r', '\n', ':', '\\':
			n++
		}
	}
	return n
}

// encode appends the MESSAGE for one delivery of m to s. The version of s may not be able to say all the
// headers (1.0 has no escapes): those it cannot say are left out. It reports whether anything was appended.
func (h *Hub) encode(s *Session, sub *subscription, m *message, id, ack string) bool {
	head := append(h.scratch[:0],
		// STOMP-SUBSCRIBE-010
		frame.Header{Name: "destination", Value: m.dest},
		frame.Header{Name: "message-id", Value: id})
	if sub.named {
		// STOMP-SUBSCRIBE-002
		head = append(head, frame.Header{Name: "subscription", Value: sub.id})
	}
	if ack != "" {
		// STOMP-SUBSCRIBE-011
		head = append(head, frame.Header{Name: "ack", Value: ack})
	}
	if m.count > 0 {
		head = append(head,
			frame.Header{Name: "redelivered", Value: "true"},
			frame.Header{Name: "delivery-count", Value: strconv.Itoa(m.count + 1)})
	}
	if m.source != "" {
		head = append(head, frame.Header{Name: "dead-letter-source", Value: m.source})
	}
	fixed := len(head)
	head = append(head, m.headers...)
	if m.counted || len(m.body) > 0 {
		// STOMP-BODY-006, STOMP-BODY-007, STOMP-BODY-008
		head = append(head, frame.Header{Name: "content-length", Value: strconv.Itoa(len(m.body))})
	}
	f := frame.Frame{Command: frame.MESSAGE, Headers: head, Body: m.body}
	err := h.emit(s, &f)
	if err != nil {
		said := append([]frame.Header(nil), head[:fixed]...)
		for _, header := range head[fixed:] {
			one := frame.Frame{Command: frame.MESSAGE, Headers: []frame.Header{header}}
			if header.Name == "content-length" {
				said = append(said, header)
			} else if _, err := frame.Append(nil, s.version, &one); err == nil {
				said = append(said, header)
			}
		}
		f.Headers = said
		err = h.emit(s, &f)
	}
	clear(head)
	h.scratch = head[:0]
	return err == nil
}
