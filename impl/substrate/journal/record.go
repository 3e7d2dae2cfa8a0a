package journal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A file is a header and records. A record is the length of its payload and the CRC-32C of it, both in four octets, the low one first, and
// the payload, a CBOR map.
const (
	magic      = "ASSAYJNL\x01\x00\x00\x00"
	headerSize = len(magic)
	frameSize  = 8
	maxPayload = 64 << 20
)

func header() []byte { return []byte(magic) }

// A record is the part of a batch that a journal keeps.
type record struct {
	Peer     string          `cbor:"1,keyasint"`
	Epoch    []byte          `cbor:"2,keyasint,omitempty"`
	Objects  []store.Object  `cbor:"3,keyasint,omitempty"`
	Counters []store.Counter `cbor:"4,keyasint,omitempty"`
	Rows     []store.Row     `cbor:"5,keyasint,omitempty"`
	Sent     []store.Sent    `cbor:"6,keyasint,omitempty"`
	Drop     []store.Place   `cbor:"7,keyasint,omitempty"`
	Gone     []string        `cbor:"8,keyasint,omitempty"` // objects whose records have expired
}

func recordOf(peer string, b *store.Batch) *record {
	return &record{Peer: peer, Objects: b.Objects, Counters: b.Counters, Rows: b.Rows, Sent: b.Sent, Drop: b.DropRows}
}

func (r *record) empty() bool {
	return len(r.Epoch)+len(r.Objects)+len(r.Counters)+len(r.Rows)+len(r.Sent)+len(r.Drop)+len(r.Gone) == 0
}

// batch returns what Apply was given, or what makes a peer again.
func (r *record) batch() *store.Batch {
	return &store.Batch{Objects: r.Objects, Counters: r.Counters, Rows: r.Rows, Sent: r.Sent, DropRows: r.Drop}
}

// table is a Castagnoli table, which processors have instructions for.
func table() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func modes() (cbor.EncMode, cbor.DecMode, error) {
	enc, err := cbor.EncOptions{Time: cbor.TimeRFC3339Nano}.EncMode()
	if err != nil {
		return nil, nil, err
	}
	dec, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField, MaxArrayElements: 1 << 20, MaxNestedLevels: 8,
	}.DecMode()
	return enc, dec, err
}

// encode returns the record as it stands in the file.
func (r *record) encode() ([]byte, error) {
	enc, _, err := modes()
	if err != nil {
		return nil, err
	}
	payload, err := enc.Marshal(r)
	if err != nil {
		return nil, err
	}
	if len(payload) > maxPayload {
		return nil, fmt.Errorf("a batch of %d octets, the limit is %d", len(payload), maxPayload)
	}
	buf := make([]byte, frameSize, frameSize+len(payload))
	binary.LittleEndian.PutUint32(buf, uint32(len(payload)))
	binary.LittleEndian.PutUint32(buf[4:], crc32.Checksum(payload, table()))
	return append(buf, payload...), nil
}

// A live is what is not dead of one peer.
type live struct {
	epoch    [8]byte
	objects  map[string]store.Object
	counters map[string]store.Counter
	rows     map[store.Place]store.Row
	bodies   int64 // octets of the bodies of rows
}

func newLive(epoch [8]byte) *live {
	return &live{epoch: epoch, objects: map[string]store.Object{}, counters: map[string]store.Counter{}, rows: map[store.Place]store.Row{}}
}

// rowSize is about what a row, a counter or an object takes beside its body.
const rowSize = 160

func (j *Journal) liveSize() (n int64) {
	for _, l := range j.live {
		n += l.bodies + rowSize*int64(1+len(l.objects)+len(l.counters)+len(l.rows))
	}
	return n
}

func (l *live) apply(r *record) {
	for _, o := range r.Objects {
		o.Participants = slices.Clone(o.Participants)
		l.objects[o.Obj] = o
	}
	for _, c := range r.Counters {
		l.counters[c.Obj] = c
	}
	for _, row := range r.Rows {
		l.drop(store.Place{Obj: row.Obj, Seq: row.Seq})
		row.Body, row.Cap = clone(row.Body), clone(row.Cap)
		l.rows[store.Place{Obj: row.Obj, Seq: row.Seq}] = row
		l.bodies += int64(len(row.Body))
	}
	for _, s := range r.Sent {
		if row, ok := l.rows[s.Place]; ok {
			row.FirstSent = s.At
			l.rows[s.Place] = row
		}
	}
	for _, at := range r.Drop {
		l.drop(at)
	}
	for _, obj := range r.Gone {
		delete(l.objects, obj)
	}
}

func (l *live) drop(at store.Place) {
	if row, ok := l.rows[at]; ok {
		l.bodies -= int64(len(row.Body))
		delete(l.rows, at)
	}
}

// records yields what makes l again, in pieces of bounded size.
func (l *live) records(peer string) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		first := &record{
			Peer: peer, Epoch: l.epoch[:], Objects: slices.Collect(maps.Values(l.objects)), Counters: slices.Collect(maps.Values(l.counters)),
		}
		if !yield(first) {
			return
		}
		for _, row := range l.rows {
			if !yield(&record{Peer: peer, Rows: []store.Row{row}}) {
				return
			}
		}
	}
}

// clone keeps nil and empty apart.
func clone(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append([]byte{}, b...)
}
