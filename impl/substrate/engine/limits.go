package engine

import "strconv"

// Limits bound what an engine holds. A zero field means its default, which is the one of the laws.
type Limits struct {
	// Outbox is how many unfreed rows an object may have before open, send and req are refused, and how many of them may be answers before
	// those of the peer are. Default 1024 (SUBSTRATE-LIMIT-002, SUBSTRATE-LIMIT-008).
	Outbox int
	// Inbox is how many committed ops of an object may wait for the application. Default 1024 (SUBSTRATE-LIMIT-002).
	Inbox int
	// Objects is how many may be opening or live. Default 256 (SUBSTRATE-LIMIT-003).
	Objects int
	// Window is how far ahead of the frontier a frame is buffered, and how many are for one object. Default 64 (SUBSTRATE-SEQ-004).
	Window int
	// GapBytes bounds the bodies that are buffered for one object. Default 1 MiB (SUBSTRATE-SEQ-004).
	GapBytes int
	// PeerGapBytes bounds the bodies that are buffered for all objects. Default 16 MiB (SUBSTRATE-SEQ-004).
	PeerGapBytes int
	// Tombstones is how many bounced ops are remembered. Default 4096 (SUBSTRATE-TOMBSTONE-004).
	Tombstones int
	// Chain is how many ops of an object may wait behind the one that is being stored. Default 64 (SUBSTRATE-RELAY-008).
	Chain int
	// Names is how many names of objects are remembered, dead ones included: beyond it an open of a new name is asked to come later.
	// Default 262144.
	Names int
	// Refusals is how many refused opens may await their ack: beyond it an open is asked to come later. Default 1024.
	Refusals int
}

// DefaultLimits returns the limits that zero fields stand for.
func DefaultLimits() Limits {
	return Limits{
		Outbox: 1024, Inbox: 1024, Objects: 256, Window: 64, GapBytes: 1 << 20, PeerGapBytes: 16 << 20,
		Tombstones: 4096, Chain: 64, Names: 1 << 18, Refusals: 1024,
	}
}

type limitField struct {
	name     string
	field    *int
	standard int
}

func (l *Limits) fields() []limitField {
	d := DefaultLimits()
	return []limitField{
		{"Outbox", &l.Outbox, d.Outbox},
		{"Inbox", &l.Inbox, d.Inbox},
		{"Objects", &l.Objects, d.Objects},
		{"Window", &l.Window, d.Window},
		{"GapBytes", &l.GapBytes, d.GapBytes},
		{"PeerGapBytes", &l.PeerGapBytes, d.PeerGapBytes},
		{"Tombstones", &l.Tombstones, d.Tombstones},
		{"Chain", &l.Chain, d.Chain},
		{"Names", &l.Names, d.Names},
		{"Refusals", &l.Refusals, d.Refusals},
	}
}

// Validate returns a [*ConfigError] that names a negative field, or nil.
func (l Limits) Validate() error {
	for _, f := range l.fields() {
		if *f.field < 0 {
			return &ConfigError{"Limits." + f.name, "is " + strconv.Itoa(*f.field) + ", which is negative"}
		}
	}
	return nil
}

func (l Limits) normal() Limits {
	for _, f := range l.fields() {
		if *f.field == 0 {
			*f.field = f.standard
		}
	}
	return l
}
