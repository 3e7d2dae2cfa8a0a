package storetest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// checkTwin applies random batches to a store and to a plain model of it, peer by peer, and compares what they say; in between it
// reopens the store if that can be done.
func checkTwin(p *probe) {
	round := 0
	rapid.Check(p.tb, func(t *rapid.T) {
		// Every run has peers of its own in one store: opening a store may cost more than the run.
		round++
		peers := []string{fmt.Sprint("a", round), fmt.Sprint("b", round)}
		twins := map[string]*twin{}
		for _, peer := range peers {
			s, err := p.s.Load(peer)
			need(t, "load", err)
			twins[peer] = newTwin(s.Epoch)
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			peer := rapid.SampledFrom(peers).Draw(t, "peer")
			step(t, p, peer, twins[peer])
		}
		if p.reopen != nil && rapid.IntRange(0, 9).Draw(t, "reopen") == 0 {
			need(t, "close", p.s.Close())
			p.s = p.reopen(p.s)
		}
		for _, peer := range peers {
			compareAll(t, p.s, peer, twins[peer])
		}
	})
	if p.tb.Failed() {
		// rapid has said what and how.
		panic(stop{})
	}
}

func need(t *rapid.T, doing string, err error) {
	if err != nil {
		t.Fatalf("SUBSTRATE-STORE-001: %s\n  expected: no error\n  seen: %v", doing, err)
	}
}

func alike(t *rapid.T, law, doing string, want, got any) {
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: %s\n  seen: - is expected, + is seen\n%s", law, doing, diff)
	}
}

func step(t *rapid.T, p *probe, peer string, w *twin) {
	switch rapid.IntRange(0, 9).Draw(t, "do") {
	case 0:
		before := base.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "before")) * time.Millisecond)
		n, err := p.s.Expire(peer, before, 1000)
		need(t, "expire", err)
		alike(t, "SUBSTRATE-DEDUPE-003", "expire: how many", w.expire(before, 1000), n)
	case 1:
		takeFrom(t, p.s, peer, drawObj(t), rapid.IntRange(-1, 3).Draw(t, "limit"), w)
	case 2:
		compareAll(t, p.s, peer, w)
	default:
		b := drawBatch(t, w)
		need(t, "apply", p.s.Apply(peer, b))
		w.apply(b)
	}
}

func takeFrom(t *rapid.T, s store.Store, peer, obj string, limit int, w *twin) {
	got, err := s.Inbox(peer, obj, limit)
	need(t, "read an inbox", err)
	if len(got) == 0 {
		got = nil
	}
	alike(t, "SUBSTRATE-OBJ-008", fmt.Sprintf("read the inbox of %q with limit %d", obj, limit), w.inbox(obj, limit), got)
}

func compareAll(t *rapid.T, s store.Store, peer string, w *twin) {
	got, err := s.Load(peer)
	need(t, "load", err)
	alike(t, "SUBSTRATE-STORE-001", "load", w.state(), tidy(got))
	for _, obj := range objs {
		takeFrom(t, s, peer, obj, 0, w)
		n, err := s.Depth(peer, obj)
		need(t, "count an inbox", err)
		alike(t, "SUBSTRATE-OBJ-008", "count the inbox of "+obj, len(w.inbox(obj, 0)), n)
	}
	for _, class := range []store.Class{store.Op, store.Answer} {
		for _, id := range ids {
			k := store.Key{Class: class, ID: id}
			want, wantOK := w.entries[k]
			e, ok, err := s.Committed(peer, k)
			need(t, "look up", err)
			alike(t, "SUBSTRATE-DEDUPE-002", fmt.Sprintf("look up %v: found", k), wantOK, ok)
			if ok {
				want.At, e.At = tidyTime(want.At), tidyTime(e.At)
				alike(t, "SUBSTRATE-DEDUPE-003", fmt.Sprintf("look up %v", k), want, e)
			}
		}
	}
}

var (
	objs = []string{"o", "o/", "p", "q"}
	ids  = []string{"i", "I", "j", "k"}
)

func drawObj(t *rapid.T) string { return rapid.SampledFrom(objs).Draw(t, "obj") }

func drawBytes(t *rapid.T, name string) []byte {
	switch rapid.IntRange(0, 3).Draw(t, name+" is") {
	case 0:
		return nil
	case 1:
		return []byte{}
	}
	return rapid.SliceOfN(rapid.Byte(), 1, 8).Draw(t, name)
}

func drawTime(t *rapid.T, name string) time.Time {
	return base.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, name)) * time.Millisecond)
}

func drawBatch(t *rapid.T, w *twin) *store.Batch {
	b := &store.Batch{Durable: rapid.Bool().Draw(t, "durable")}
	count := func(name string) int { return max(0, rapid.IntRange(-2, 2).Draw(t, name)) }
	class := func() store.Class { return store.Class(rapid.IntRange(1, 2).Draw(t, "class")) }
	small := func(name string) uint64 { return uint64(rapid.IntRange(1, 4).Draw(t, name)) }
	for range count("objects") {
		o := store.Object{
			Obj: drawObj(t), Kind: rapid.SampledFrom([]string{"session", "queue"}).Draw(t, "kind"), State: rapid.SampledFrom([]string{"opening", "live", "closed"}).Draw(t, "state"),
			OpenID: rapid.SampledFrom(ids).Draw(t, "open"), Incarnation: small("incarnation"), Queued: rapid.Bool().Draw(t, "queued"),
			Participants: rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y"}), 0, 2).Draw(t, "participants"),
		}
		if o.State == "closed" {
			o.Ended = drawTime(t, "ended")
		}
		b.Objects = append(b.Objects, o)
	}
	for range count("counters") {
		b.Counters = append(b.Counters, store.Counter{Obj: drawObj(t), LastAssigned: small("assigned"), LastPred: small("pred")})
	}
	for range count("rows") {
		r := store.Row{
			Obj: drawObj(t), Seq: small("seq"), Class: class(), ObjKind: "session", Kind: "req", ID: rapid.SampledFrom(ids).Draw(t, "id"),
			Incarnation: small("incarnation"), Code: rapid.SampledFrom([]string{"", "busy"}).Draw(t, "code"), Msg: rapid.StringN(0, 5, 20).Draw(t, "msg"),
			Cap: drawBytes(t, "cap"), Body: drawBytes(t, "body"),
		}
		if rapid.Bool().Draw(t, "was sent") {
			r.FirstSent = drawTime(t, "first sent")
		}
		b.Rows = append(b.Rows, r)
	}
	for range count("sent") {
		b.Sent = append(b.Sent, store.Sent{Place: store.Place{Obj: drawObj(t), Seq: small("seq")}, At: drawTime(t, "sent")})
	}
	for range count("drop rows") {
		b.DropRows = append(b.DropRows, store.Place{Obj: drawObj(t), Seq: small("seq")})
	}
	for range count("entries") {
		b.Entries = append(b.Entries, store.Entry{
			Key: store.Key{Class: class(), ID: rapid.SampledFrom(ids).Draw(t, "id")}, Obj: drawObj(t), Kind: "send",
			Digest: [16]byte{rapid.Byte().Draw(t, "digest")}, At: drawTime(t, "at"),
		})
	}
	next := w.lastN
	for range count("inbound") {
		next += small("step")
		b.Inbound = append(b.Inbound, store.Inbound{
			N: next, Obj: drawObj(t), ObjKind: "queue", Class: class(), Kind: "send", ID: rapid.SampledFrom(ids).Draw(t, "id"), Seq: small("seq"),
			Incarnation: small("incarnation"), Code: "", Msg: "", Cap: drawBytes(t, "cap"), Body: drawBytes(t, "body"),
		})
	}
	for range count("drop inbound") {
		there := append(slices.Sorted(maps.Keys(w.inbound)), 0, next, next+1)
		b.DropInbound = append(b.DropInbound, rapid.SampledFrom(there).Draw(t, "n"))
	}
	return b
}
