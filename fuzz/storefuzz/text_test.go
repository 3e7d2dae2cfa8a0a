package storefuzz

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// storeText writes down what a store has for a peer: its outbox and its objects, and the rest.
func storeText(k *keeper, peer string) (durable, volatile string, err error) {
	state, err := k.s.Load(peer)
	if err != nil {
		return "", "", err
	}
	// SUBSTRATE-SEQ-011
	if state.Epoch != k.epoch {
		return "", "", fmt.Errorf("epoch %x, and before it was %x", state.Epoch, k.epoch)
	}
	var b, v strings.Builder
	for _, o := range state.Objects {
		fmt.Fprintf(&b, "object %q %s %s %q %q %d %q %t %s\n", o.Obj, o.Kind, o.State, o.Opener, o.OpenID, o.Incarnation, o.Participants, o.Queued, timeText(o.Ended))
	}
	for _, c := range state.Counters {
		fmt.Fprintf(&b, "counter %q %d %d\n", c.Obj, c.LastAssigned, c.LastPred)
	}
	for _, r := range state.Rows {
		fmt.Fprintf(&b, "row %q %s %d %s %q %d %d %q %q %s %s %s\n", r.Obj, r.ObjKind, r.Class, r.Kind, r.ID, r.Seq, r.Incarnation, r.Code, r.Msg,
			octetText(r.Cap), octetText(r.Body), timeText(r.FirstSent))
	}
	fmt.Fprintf(&v, "last %d\n%s", state.LastN, inboundText(state.Inbound))
	for _, obj := range storeObjs() {
		rows, err := k.s.Inbox(peer, obj, 0)
		if err != nil {
			return "", "", err
		}
		depth, err := k.s.Depth(peer, obj)
		if err != nil {
			return "", "", err
		}
		fmt.Fprintf(&v, "inbox of %q: %d\n%s", obj, depth, inboundText(rows))
	}
	for _, class := range []store.Class{store.Op, store.Answer} {
		for _, id := range storeIDs() {
			e, ok, err := k.s.Committed(peer, store.Key{Class: class, ID: id})
			if err != nil {
				return "", "", err
			}
			fmt.Fprintf(&v, "entry %d %q: %t %q %s %x %s\n", class, id, ok, e.Obj, e.Kind, e.Digest, timeText(e.At))
		}
	}
	return b.String(), v.String(), nil
}

func inboundText(rows []store.Inbound) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "inbound %d %q %s %d %s %q %d %d %q %q %s %s\n", r.N, r.Obj, r.ObjKind, r.Class, r.Kind, r.ID, r.Seq, r.Incarnation, r.Code, r.Msg,
			octetText(r.Cap), octetText(r.Body))
	}
	return b.String()
}

// octetText keeps none apart from no octets (SUBSTRATE-WIRE-004).
func octetText(b []byte) string {
	if b == nil {
		return "none"
	}
	return fmt.Sprintf("%x.", b)
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return fmt.Sprint(t.UnixMilli())
}
