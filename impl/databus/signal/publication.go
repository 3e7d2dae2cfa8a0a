package signal

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/databus/plain"
)

// PublicationType is the type of the events that carry a publication, the only ones that reach handlers (DATABUS-EVENT-001).
const PublicationType = "DATABUS_PUBLICATION"

// A Publication is the payload of such an event (DATABUS-GATE-002).
type Publication struct {
	Topic string          `json:"topic"`
	Data  json.RawMessage `json:"data"`
}

// EncodePublication returns p as a payload. It fails if its data is no JSON.
func EncodePublication(p Publication) (json.RawMessage, error) {
	var plainly plainFrame
	plainly.ok = len(p.Data) > 0
	plainly.buf.Grow(32 + len(p.Topic) + len(p.Data))
	plainly.text(`{"topic":"`, p.Topic, 0, MaxTopic)
	if plainly.raw(`,"data":`, p.Data); plainly.ok {
		plainly.buf.WriteByte('}')
		return plainly.buf.Bytes(), nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// DecodePublication reads a payload. It reports false if that is no publication.
func DecodePublication(payload json.RawMessage) (Publication, bool) {
	if p, ok := publicationPlain(payload); ok {
		return p, true
	}
	return publicationAny(payload)
}

func publicationAny(payload json.RawMessage) (Publication, bool) {
	var members map[string]json.RawMessage
	var p Publication
	if json.Unmarshal(payload, &members) != nil || json.Unmarshal(members["topic"], &p.Topic) != nil || members["data"] == nil {
		return Publication{}, false
	}
	p.Data = members["data"]
	return p, true
}

// publicationPlain reads a payload as this package and a browser write it.
func publicationPlain(payload json.RawMessage) (p Publication, ok bool) {
	const first, second = `{"topic":"`, `,"data":`
	if !bytes.HasPrefix(payload, []byte(first)) {
		return p, false
	}
	end := plain.End(payload, len(first)-1)
	if end < 0 || bytes.IndexByte(payload[:end], '\\') >= 0 || !utf8.Valid(payload[:end]) || !bytes.HasPrefix(payload[end:], []byte(second)) {
		return p, false
	}
	data := end + len(second)
	if plain.End(payload, data) != len(payload)-1 || payload[len(payload)-1] != '}' {
		return p, false
	}
	return Publication{string(payload[len(first) : end-1]), slices.Clone(payload[data : len(payload)-1])}, true
}
