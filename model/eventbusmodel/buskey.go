package eventbusmodel

import (
	"encoding/binary"
	"math"
)

// AppendKey appends the canonical key of s. An empty slot is short, so that scopes with few subscriptions have short keys.
func (m *Bus) AppendKey(dst []byte, s BusState) []byte {
	k := busKey(dst)
	k.ints(s.published, int64(s.count), s.seeded, int64(len(s.ring)))
	k.flags(s.closed)
	for _, f := range s.ring {
		k.frame(f)
	}
	for _, sub := range s.subs {
		k.flags(sub.opened, sub.attached, sub.ended, sub.evicted, sub.warned, sub.seen.cursor)
		if !sub.opened {
			continue
		}
		k.ints(int64(sub.callback), int64(sub.limit), int64(sub.live), sub.bytes, int64(sub.asks), int64(len(sub.queue)))
		for _, e := range sub.queue {
			k.flags(e.forced)
			k.ints(e.bytes)
			k.frame(e.frame)
		}
		k.ints(sub.seen.after, sub.seen.start, sub.seen.last, int64(len(sub.seen.holes)))
		k.ints(sub.seen.holes...)
		k.ints(int64(sub.seen.resyncs), int64(sub.seen.completes), int64(sub.seen.terminals))
	}
	return k
}

type busKey []byte

func (k *busKey) ints(values ...int64) {
	for _, v := range values {
		*k = binary.AppendVarint(*k, v)
	}
}

func (k *busKey) flags(values ...bool) {
	var bits byte
	for i, v := range values {
		if v {
			bits |= 1 << i
		}
	}
	*k = append(*k, bits)
}

func (k *busKey) texts(values ...string) {
	for _, v := range values {
		k.ints(int64(len(v)))
		*k = append(*k, v...)
	}
}

func (k *busKey) frame(f Frame) {
	k.ints(f.ID, int64(f.V), f.Size)
	k.texts(f.Type)
	if f.ID != 0 {
		k.flags(f.Unserialisable)
		k.texts(f.Data, f.Originator, f.Meta)
		*k = binary.BigEndian.AppendUint64(*k, math.Float64bits(f.Timestamp))
	}
	if !madeByBus(f.Type) {
		return
	}
	c := f.Control
	k.texts(c.Reason, c.Detail, c.Threshold)
	k.ints(c.LastDelivered, c.Earliest, c.DroppedAfter, c.EventBytes, c.QueueSize, c.QueuedBytes, c.MaxQueued, c.MaxQueuedBytes, c.LastEventID,
		c.ReplayedCount, c.LastReplayedEvent)
}
