package socket

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The octets of the protocol.
func TestMessages(t *testing.T) {
	for _, c := range []struct{ op, topic, data, want string }{
		{opSubscribe, "x", "", `{"op":"subscribe","topic":"x"}`},
		{opUnsubscribe, "", "", `{"op":"unsubscribe","topic":""}`},
		{opPublish, "<é>", ` {"a" : 1}`, `{"op":"publish","topic":"<é>","data":{"a":1}}`},
		{opMessage, "x", "null", `{"op":"message","topic":"x","data":null}`},
	} {
		var data json.RawMessage
		if c.data != "" {
			data = json.RawMessage(c.data)
		}
		octets, err := encode(c.op, c.topic, data)
		if err != nil || string(octets) != c.want {
			t.Errorf("encode: %s, %v, want %s", octets, err, c.want)
		}
		m, err := decode(octets)
		if err != nil || m.Op != c.op || *m.Topic != c.topic {
			t.Errorf("decode(%s) = %+v, %v", octets, m, err)
		}
	}
}

func TestMessagesRefused(t *testing.T) {
	long := strings.Repeat("x", MaxTopic+1)
	for _, text := range []string{
		"", "{", "null", "[]", "7", `{}`, `{"op":7}`, `{"op":"subscribe"}`, `{"op":"subscribe","topic":null}`, `{"op":"subscribe","topic":7}`,
		`{"op":"publish","topic":"x"}`, `{"op":"message","topic":"x"}`, `{"op":"subscribe","topic":"` + long + `"}`,
		`{"op":"subscribe","topic":"x"} {}`, `{"op":"publish","topic":"x","data":}`,
		`{"op":"publish","topic":"x","data":"` + "\xff" + `"}`, `{"op":"subscribe","topic":"` + "\xff" + `"}`, strings.Repeat(" ", MaxMessage+1),
	} {
		var e *MessageError
		if m, err := decode([]byte(text)); !errors.As(err, &e) {
			t.Errorf("decode(%.60q) = %+v, %v", text, m, err)
		}
	}
	for name, c := range map[string]struct{ op, topic, data string }{
		"topic": {opSubscribe, long, ""}, "no UTF-8": {opSubscribe, "\xff", ""}, "data": {opPublish, "x", "{"},
		"data that is no UTF-8": {opPublish, "x", "\"\xff\""},
		"long":                  {opPublish, "x", `"` + strings.Repeat("x", MaxMessage) + `"`},
	} {
		var e *MessageError
		if octets, err := encode(c.op, c.topic, json.RawMessage(c.data)); !errors.As(err, &e) || e.Op != c.op {
			t.Errorf("%s: %.60q, %v", name, octets, err)
		}
	}
	if m, err := decode([]byte(`{"op":"news","topic":7.5}`)); err == nil {
		t.Errorf("%+v", m)
	}
	if m, err := decode([]byte(`{"op":"news"}`)); err != nil || m.known() {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestMessagesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		op := rapid.SampledFrom([]string{opPublish, opMessage}).Draw(t, "op")
		topic := rapid.StringN(0, 20, MaxTopic).Draw(t, "topic")
		data, _ := json.Marshal(rapid.String().Draw(t, "data"))
		octets, err := encode(op, topic, data)
		if err != nil {
			t.Fatal(err)
		}
		m, err := decode(octets)
		if err != nil || m.Op != op || *m.Topic != topic {
			t.Fatalf("%s: %+v, %v", octets, m, err)
		}
		var before, after string
		if json.Unmarshal(data, &before) != nil || json.Unmarshal(m.Data, &after) != nil || before != after {
			t.Fatalf("%s became %s", data, m.Data)
		}
	})
}

// Whatever comes, it is read or refused, and what was read is written the same.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"op":"subscribe","topic":"x"}`, `{"op":"publish","topic":"x","data":[1]}`, `{"op":"message","topic":"","data":null}`, `{"op":"x"}`, "{",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, octets []byte) {
		m, err := decode(octets)
		if err != nil || !m.known() {
			return
		}
		data := m.Data
		if !m.carries() {
			data = nil
		}
		first, err := encode(m.Op, *m.Topic, data)
		if err != nil {
			if len(octets) < MaxMessage/8 {
				t.Fatalf("%s: %v", octets, err)
			}
			return // an escape made it longer
		}
		again, err := decode(first)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := encode(again.Op, *again.Topic, again.Data); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s became %s, %v", first, second, err)
		}
	})
}
