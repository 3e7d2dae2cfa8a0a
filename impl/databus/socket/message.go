package socket

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// Subprotocol is what a client asks for and a server agrees to.
const Subprotocol = "databus-1"

// Limits of a message, in octets.
const (
	MaxMessage = 1 << 20
	MaxTopic   = signal.MaxTopic
)

// The ops.
const (
	opSubscribe   = "subscribe"
	opUnsubscribe = "unsubscribe"
	opPublish     = "publish"
	opMessage     = "message"
)

// A message is what goes over a connection.
type message struct {
	Op    string          `json:"op"`
	Topic *string         `json:"topic"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// known reports whether the op is one of the protocol.
func (m *message) known() bool {
	return m.Op == opSubscribe || m.Op == opUnsubscribe || m.Op == opPublish || m.Op == opMessage
}

// carries reports whether the op has data.
func (m *message) carries() bool { return m.Op == opPublish || m.Op == opMessage }

// encode returns a message as one JSON object. It fails with a [*MessageError].
func encode(op, topic string, data json.RawMessage) ([]byte, error) {
	m := message{op, &topic, data}
	if err := m.check(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return nil, &MessageError{op, err.Error()}
	}
	octets := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if len(octets) > MaxMessage {
		return nil, &MessageError{op, fmt.Sprintf("is longer than %d octets (%d)", MaxMessage, len(octets))}
	}
	return octets, nil
}

// decode reads one message. It fails with a [*MessageError]; an op that is not known is for the reader to judge.
func decode(octets []byte) (message, error) {
	if len(octets) > MaxMessage {
		return message{}, &MessageError{"", fmt.Sprintf("is longer than %d octets (%d)", MaxMessage, len(octets))}
	}
	if !utf8.Valid(octets) {
		// Strict clients would end their connection over such data, whoever sent it.
		return message{}, &MessageError{"", "is no UTF-8"}
	}
	var m message
	if err := json.Unmarshal(octets, &m); err != nil {
		return message{}, &MessageError{"", err.Error()}
	}
	if m.Op == "" {
		return message{}, &MessageError{"", "has no op"}
	}
	if !m.known() {
		return m, nil
	}
	if err := m.check(); err != nil {
		return message{}, err
	}
	return m, nil
}

// check returns what is wrong with a message of a known op.
func (m *message) check() error {
	switch {
	case m.Topic == nil:
		return &MessageError{m.Op, "has no topic"}
	case len(*m.Topic) > MaxTopic:
		return &MessageError{m.Op, fmt.Sprintf("a topic of more than %d octets (%d)", MaxTopic, len(*m.Topic))}
	case !utf8.ValidString(*m.Topic):
		return &MessageError{m.Op, "a topic that is no UTF-8"}
	case m.carries() && m.Data == nil:
		return &MessageError{m.Op, "has no data"}
	case !utf8.Valid(m.Data):
		return &MessageError{m.Op, "data that is no UTF-8"}
	}
	return nil
}
