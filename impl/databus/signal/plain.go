package signal

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/seed-6f28358b/assay/impl/databus/plain"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// encodePlain writes a frame whose texts need no escapes, as nearly all are, with the octets that package json would give it. It reports
// false for any other, which may be good all the same.
func encodePlain(f Frame) ([]byte, bool) {
	p := plainFrame{ok: true}
	p.buf.Grow(roomOf(f))
	switch f := f.(type) {
	case Control:
		p.ok = f.Action == Subscribe || f.Action == Unsubscribe || f.Action == Publish
		p.text(`{"type":"CONTROL","action":"`, string(f.Action), 0, maxType)
		p.addressed(f.Topic, f.TopicKey, f.SourceWorkerID, f.TargetWorkerID)
		p.raw(`,"data":`, f.Data)
	case RouteReleased:
		p.ok = f.Generation >= 1
		p.text(`{"type":"`, releasedType, 0, maxType)
		p.addressed(f.Topic, f.TopicKey, f.SourceWorkerID, f.TargetWorkerID)
		p.buf.WriteString(`,"generation":`)
		p.buf.Write(strconv.AppendInt(p.buf.AvailableBuffer(), f.Generation, 10))
	case Event:
		p.text(`{"type":"EVENT","sourceWorkerId":"`, f.SourceWorkerID, 1, record.MaxID)
		p.text(`,"eventType":"`, f.EventType, 0, maxType)
		p.raw(`,"payload":`, f.Payload)
	case Registry:
		p.text(`{"type":"REGISTRY","sourceWorkerId":"`, f.SourceWorkerID, 1, record.MaxID)
	default:
		return nil, false
	}
	p.buf.WriteByte('}')
	return p.buf.Bytes(), p.ok && p.buf.Len() <= MaxFrame
}

// roomOf returns about as many octets as a frame takes.
func roomOf(f Frame) int {
	switch f := f.(type) {
	case Control:
		return 224 + len(f.Topic) + len(f.SourceWorkerID) + len(f.TargetWorkerID) + len(f.Data)
	case Registry:
		return 48 + len(f.SourceWorkerID)
	case Event:
		return 96 + len(f.SourceWorkerID) + len(f.Payload)
	}
	return 256
}

// plainFrame is a frame that is being written.
type plainFrame struct {
	buf bytes.Buffer
	ok  bool
}

// addressed writes the members that the two addressed types share.
func (p *plainFrame) addressed(topic, topicKey, source, target string) {
	p.ok = p.ok && record.IsHash(topicKey)
	p.text(`,"topic":"`, topic, 0, MaxTopic)
	p.text(`,"topicKey":"`, topicKey, 0, record.HashLen)
	p.text(`,"sourceWorkerId":"`, source, 1, record.MaxID)
	p.text(`,"targetWorkerId":"`, target, 1, record.MaxID)
}

// text writes what begins a member, and its value of least to most octets.
func (p *plainFrame) text(begin, value string, least, most int) {
	p.ok = p.ok && len(value) >= least && len(value) <= most
	for i := range len(value) {
		if c := value[i]; c < 0x20 || c > 0x7f || c == '"' || c == '\\' {
			p.ok = false
			return
		}
	}
	p.buf.WriteString(begin)
	p.buf.WriteString(value)
	p.buf.WriteByte('"')
}

// raw writes a member that is JSON already.
func (p *plainFrame) raw(begin string, value json.RawMessage) {
	if len(value) == 0 || !p.ok {
		return
	}
	p.buf.WriteString(begin)
	if plain.End(value, 0) == len(value) {
		p.buf.Write(value)
		return
	}
	p.ok = json.Compact(&p.buf, value) == nil
}
