package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// base is where the clock of the checks stands: any time in this century will do.
var base = time.UnixMilli(1_750_000_000_123).UTC()

// full is a batch that has something of everything, all of it about one object.
func full(obj string) *store.Batch {
	return &store.Batch{
		Objects: []store.Object{{
			Obj: obj, Kind: "session", State: "live", Opener: "me", OpenID: "open-" + obj, Incarnation: 3, Participants: []string{"me", "you"},
		}},
		Counters: []store.Counter{{Obj: obj, LastAssigned: 2, LastPred: 0}},
		Rows: []store.Row{
			{
				Obj: obj, ObjKind: "session", Class: store.Op, Kind: "open", ID: "out-" + obj, Seq: 1, Incarnation: 3, Cap: []byte{0, 1, 255},
				Body: []byte("hello"), FirstSent: base.Add(-time.Minute),
			},
			{
				Obj: obj, ObjKind: "session", Class: store.Answer, Kind: "reject", ID: "out-" + obj, Seq: 2, Incarnation: 3, Code: "queue_full",
				Msg: "the queue is full", Body: []byte{},
			},
		},
		Entries: []store.Entry{
			{Key: store.Key{Class: store.Op, ID: "in-" + obj}, Obj: obj, Kind: "send", Digest: [16]byte{1, 2, 15: 16}, At: base},
			{Key: store.Key{Class: store.Answer, ID: "in-" + obj}, Obj: obj, Kind: "res", Digest: [16]byte{9}, At: base.Add(time.Millisecond)},
		},
		Inbound: []store.Inbound{
			{
				N: 1, Obj: obj, ObjKind: "session", Class: store.Op, Kind: "send", ID: "in-" + obj, Seq: 1, Incarnation: 3, Cap: []byte{7},
				Body: []byte{0xff, 0xfe, 0},
			},
			{N: 2, Obj: obj, ObjKind: "session", Class: store.Answer, Kind: "err", ID: "in-" + obj, Seq: 2, Incarnation: 3, Code: "app_error", Msg: "é\x00\n"},
		},
		Durable: true,
	}
}

func checkFields(p *probe) {
	w := newTwin(p.load("p").Epoch)
	b := full("o")
	p.apply("p", b)
	w.apply(b)
	p.same("", "load after a batch of everything", w.state(), p.load("p"))
	p.entries(w)
}

func (p *probe) entries(w *twin) {
	for k, want := range w.entries {
		got, ok := p.committed("p", k)
		if !ok {
			p.found("SUBSTRATE-DEDUPE-002", fmt.Sprintf("look up the committed %v", k), "found", "not found")
			continue
		}
		want.At = tidyTime(want.At)
		p.same("SUBSTRATE-DEDUPE-006", fmt.Sprintf("look up the committed %v", k), want, got)
	}
}

func checkFieldsAfterReopen(p *probe) {
	w := newTwin(p.load("p").Epoch)
	b := full("o")
	p.apply("p", b)
	w.apply(b)
	p.again()
	p.same("", "load after a batch of everything and reopening", w.state(), p.load("p"))
	p.entries(w)
}

func checkExtremes(p *probe) {
	const maxSeq = 1<<53 - 1
	w := newTwin(p.load("p").Epoch)
	long := strings.Repeat("a", 128)
	b := &store.Batch{
		Counters: []store.Counter{{Obj: long, LastAssigned: maxSeq, LastPred: maxSeq - 1}, {Obj: "-"}},
		Objects: []store.Object{
			{Obj: long, Incarnation: maxSeq, Ended: base},
			{Obj: "-", Participants: []string{"z", "a", "z"}},
			{Obj: "%_", Ended: time.UnixMilli(0)},
		},
		Rows: []store.Row{
			{Obj: long, Seq: maxSeq, Incarnation: maxSeq, ID: strings.Repeat("x", 64), Body: bytes.Repeat([]byte{0}, 64), Cap: []byte{}, FirstSent: time.UnixMilli(0)},
			{Obj: long, Seq: maxSeq - 1, ID: "X", Msg: strings.Repeat("é", 128)},
			{Obj: "-", Seq: 1, ID: "x"},
		},
		Inbound: []store.Inbound{{N: maxSeq, Obj: long, Seq: maxSeq, ID: "x", Cap: []byte{}, Body: []byte{}}, {N: 1, Obj: "-", ID: "X"}},
		Entries: []store.Entry{
			{Key: store.Key{Class: store.Op, ID: "x"}, Obj: "lower", At: base},
			{Key: store.Key{Class: store.Op, ID: "X"}, Obj: "upper", At: base.Add(time.Hour)},
			{Key: store.Key{Class: store.Op, ID: "x_"}, Obj: "third", At: base},
		},
	}
	p.apply("p", b)
	w.apply(b)
	p.same("", "load the greatest and the least of each field", w.state(), p.load("p"))
	p.entries(w)
}

func checkRowOrder(p *probe) {
	var b store.Batch
	for _, seq := range []uint64{10, 2, 9, 1, 1 << 40} {
		for _, obj := range []string{"b", "a", "B", "a/b", "a.b"} {
			b.Rows = append(b.Rows, store.Row{Obj: obj, Seq: seq, ID: fmt.Sprint(obj, seq)})
		}
	}
	w := newTwin(p.load("p").Epoch)
	p.apply("p", &b)
	w.apply(&b)
	p.same("", "load rows that were written out of order: they come by object, then by seq", w.state(), p.load("p"))
}

func checkRowPut(p *probe) {
	w := newTwin(p.load("p").Epoch)
	for _, b := range []*store.Batch{
		full("o"),
		{Rows: []store.Row{{Obj: "o", Seq: 1, ID: "other", Kind: "send"}}},
		{DropRows: []store.Place{{Obj: "o", Seq: 1}, {Obj: "o", Seq: 99}, {Obj: "no", Seq: 2}}},
	} {
		p.apply("p", b)
		w.apply(b)
		p.same("", "put a row in the place of another, then drop it beside some that are not there", w.state(), p.load("p"))
	}
}

func counted(p *probe) *twin {
	w := newTwin(p.load("p").Epoch)
	for _, b := range []*store.Batch{
		{
			Counters: []store.Counter{{Obj: "o", LastAssigned: 3}},
			Rows:     []store.Row{{Obj: "o", Seq: 1, ID: "1"}, {Obj: "o", Seq: 2, ID: "2"}, {Obj: "o", Seq: 3, ID: "3"}},
		},
		{Counters: []store.Counter{{Obj: "o", LastAssigned: 3, LastPred: 1}}, DropRows: []store.Place{{Obj: "o", Seq: 1}, {Obj: "o", Seq: 2}}},
		{Counters: []store.Counter{{Obj: "gone", LastAssigned: 5, LastPred: 5}}},
	} {
		p.apply("p", b)
		w.apply(b)
	}
	return w
}

func checkCounters(p *probe) {
	w := counted(p)
	p.same("", "load after two of three rows were freed", w.state(), p.load("p"))
	b := &store.Batch{DropRows: []store.Place{{Obj: "o", Seq: 3}}, Objects: []store.Object{{Obj: "o", State: "closed", Ended: base}}}
	p.apply("p", b)
	w.apply(b)
	p.same("", "load after the last row was freed", w.state(), p.load("p"))
	w.expire(base.Add(store.Horizon), 10)
	p.expire("p", base.Add(store.Horizon), 10)
	p.same("SUBSTRATE-OBJ-007", "load after the object's record expired: its counter stays", w.state(), p.load("p"))
}

func checkCountersAfterReopen(p *probe) {
	w := counted(p)
	p.again()
	p.same("", "load after two of three rows were freed and the store was reopened", w.state(), p.load("p"))
}

func checkSent(p *probe) {
	w := newTwin(p.load("p").Epoch)
	for _, b := range []*store.Batch{
		full("o"),
		{Sent: []store.Sent{{Place: store.Place{Obj: "o", Seq: 2}, At: base.Add(time.Second)}}},
		{Sent: []store.Sent{{Place: store.Place{Obj: "o", Seq: 9}, At: base}, {Place: store.Place{Obj: "other", Seq: 2}, At: base}}},
		{Rows: []store.Row{{Obj: "o", Seq: 3, ID: "new"}}, Sent: []store.Sent{{Place: store.Place{Obj: "o", Seq: 3}, At: base.Add(time.Minute)}}},
	} {
		p.apply("p", b)
		w.apply(b)
		p.same("", "say when rows were sent: on one that is there, one that is not, and one of the same batch", w.state(), p.load("p"))
	}
}

func checkPartsInOrder(p *probe) {
	w := newTwin(p.load("p").Epoch)
	b := full("o")
	b.DropRows = []store.Place{{Obj: "o", Seq: 1}}
	b.DropInbound = []uint64{2}
	b.Sent = []store.Sent{{Place: store.Place{Obj: "o", Seq: 2}, At: base}}
	b.Objects = append(b.Objects, store.Object{Obj: "o", State: "closed"})
	b.Counters = append(b.Counters, store.Counter{Obj: "o", LastAssigned: 9})
	b.Rows = append(b.Rows, store.Row{Obj: "o", Seq: 2, ID: "second"})
	p.apply("p", b)
	w.apply(b)
	p.same("", "load after one batch that puts, sends and drops the same", w.state(), p.load("p"))
}

func checkCopiesOfBatch(p *probe) {
	w := newTwin(p.load("p").Epoch)
	b := full("o")
	w.apply(b)
	p.apply("p", b)
	waiting := w.inbox("o", 0)
	for i := range b.Rows {
		overwrite(b.Rows[i].Body)
		overwrite(b.Rows[i].Cap)
	}
	for i := range b.Inbound {
		overwrite(b.Inbound[i].Body)
		overwrite(b.Inbound[i].Cap)
	}
	b.Objects[0].Participants[0] = "changed"
	b.Reset()
	b.Rows = append(b.Rows, store.Row{Obj: "o", Seq: 50})
	p.same("", "load after the caller has used its batch for something else", w.state(), p.load("p"))
	p.same("", "read the inbox after the caller has used its batch for something else", waiting, p.inbox("p", "o", 0))
}

func overwrite(b []byte) {
	for i := range b {
		b[i] = 0x55
	}
}

func checkCopiesOfState(p *probe) {
	w := newTwin(p.load("p").Epoch)
	b := full("o")
	w.apply(b)
	p.apply("p", b)
	first, err := p.s.Load("p")
	p.must("load", err)
	for i := range first.Rows {
		overwrite(first.Rows[i].Body)
		overwrite(first.Rows[i].Cap)
		first.Rows[i].ID = "changed"
	}
	for i := range first.Inbound {
		overwrite(first.Inbound[i].Body)
	}
	for i := range first.Objects {
		for j := range first.Objects[i].Participants {
			first.Objects[i].Participants[j] = "changed"
		}
	}
	slices.Reverse(first.Rows)
	p.same("", "load after the caller has written to an earlier state", w.state(), p.load("p"))
	for _, r := range p.inbox("p", "o", 0) {
		overwrite(r.Body)
		overwrite(r.Cap)
	}
	p.same("", "read the inbox after the caller has written to an earlier result", w.inbox("o", 0), p.inbox("p", "o", 0))
}

func checkLarge(p *probe) {
	w := newTwin(p.load("p").Epoch)
	var b store.Batch
	body := bytes.Repeat([]byte{1, 2, 3, 0xff}, 983040/4)
	for i := range uint64(2) {
		b.Rows = append(b.Rows, store.Row{Obj: "o", Seq: i + 1, ID: fmt.Sprint(i), Body: body})
		b.Inbound = append(b.Inbound, store.Inbound{N: i + 1, Obj: "o", ID: fmt.Sprint(i), Body: body})
	}
	for i := range uint64(1024) {
		b.Rows = append(b.Rows, store.Row{Obj: "many", Seq: i + 1, ID: fmt.Sprint("m", i)})
		b.Entries = append(b.Entries, store.Entry{Key: store.Key{Class: store.Op, ID: fmt.Sprint("m", i)}, At: base})
		b.Inbound = append(b.Inbound, store.Inbound{N: i + 3, Obj: fmt.Sprint("many", i%256), ID: fmt.Sprint("m", i)})
	}
	p.apply("p", &b)
	w.apply(&b)
	if !equalStates(w.state(), p.load("p")) {
		p.found("", "load after one batch with bodies of 983040 octets and 1024 rows of each part", "the same rows", "others")
	}
	p.entries(w)
}
