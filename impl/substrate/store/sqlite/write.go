package sqlite

import (
	"encoding/json"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// write puts a batch into a transaction, part by part, in the order that the batch prescribes (SUBSTRATE-DEDUPE-007).
func (s *Store) write(t transaction, peer string, b *store.Batch) error {
	for i := range b.Objects {
		o := &b.Objects[i]
		participants, err := json.Marshal(append([]string{}, o.Participants...))
		if err != nil {
			return err
		}
		_, err = t.stmt(putObject).Exec(peer, o.Obj, o.Kind, o.State, o.Opener, o.OpenID, int64(o.Incarnation), string(participants), o.Queued, millis(o.Ended))
		if err != nil {
			return err
		}
	}
	for _, c := range b.Counters {
		if _, err := t.stmt(putCounter).Exec(peer, c.Obj, int64(c.LastAssigned), int64(c.LastPred)); err != nil {
			return err
		}
	}
	for i := range b.Rows {
		r := &b.Rows[i]
		_, err := t.stmt(putRow).Exec(peer, r.Obj, int64(r.Seq), r.ObjKind, int64(r.Class), r.Kind, r.ID, int64(r.Incarnation), r.Code, r.Msg,
			millis(r.FirstSent), octets(r.Cap), octets(r.Body))
		if err != nil {
			return err
		}
	}
	for _, sent := range b.Sent {
		if _, err := t.stmt(setSent).Exec(millis(sent.At), peer, sent.Obj, int64(sent.Seq)); err != nil {
			return err
		}
	}
	for _, at := range b.DropRows {
		if _, err := t.stmt(dropRow).Exec(peer, at.Obj, int64(at.Seq)); err != nil {
			return err
		}
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		if _, err := t.stmt(putEntry).Exec(peer, int64(e.Class), e.ID, e.Obj, e.Kind, e.Digest[:], e.At.UnixMilli()); err != nil {
			return err
		}
	}
	return s.writeInbound(t, peer, b)
}

func (s *Store) writeInbound(t transaction, peer string, b *store.Batch) error {
	last := uint64(0)
	for i := range b.Inbound {
		r := &b.Inbound[i]
		_, err := t.stmt(putInbound).Exec(peer, int64(r.N), r.Obj, r.ObjKind, int64(r.Class), r.Kind, r.ID, int64(r.Seq), int64(r.Incarnation), r.Code,
			r.Msg, octets(r.Cap), octets(r.Body))
		if err != nil {
			return err
		}
		last = max(last, r.N)
	}
	if last > 0 {
		if _, err := t.stmt(raiseN).Exec(peer, int64(last)); err != nil {
			return err
		}
	}
	for _, n := range b.DropInbound {
		if _, err := t.stmt(dropInbound).Exec(peer, int64(n)); err != nil {
			return err
		}
	}
	return nil
}

// millis is what is kept of a time: NULL for none.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// octets keeps none (NULL) apart from no octets (SUBSTRATE-WIRE-004).
func octets(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
