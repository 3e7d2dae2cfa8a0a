package storetest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// queued writes rows of a queue and of a session in turns, out of order.
func queued(p *probe) *twin {
	w := newTwin(p.load("p").Epoch)
	b := &store.Batch{Objects: []store.Object{{Obj: "q", Kind: "queue", State: "live", Queued: true}, {Obj: "s", Kind: "session", State: "live"}}}
	for _, n := range []uint64{4, 1, 10, 2, 9, 3} {
		obj := "q"
		if n%2 == 1 {
			obj = "s"
		}
		b.Inbound = append(b.Inbound, store.Inbound{N: n, Obj: obj, ID: fmt.Sprint(n), Class: store.Op, Kind: "send", Body: []byte{byte(n)}})
	}
	p.apply("p", b)
	w.apply(b)
	return w
}

func (p *probe) inboxes(doing string, w *twin) {
	p.same("", "load "+doing+": it leaves out what the host takes from queues", w.state(), p.load("p"))
	for _, obj := range []string{"q", "s", "none"} {
		for _, limit := range []int{-1, 0, 1, 2, 100} {
			p.same("", fmt.Sprintf("read the inbox of %s with limit %d %s", obj, limit, doing), w.inbox(obj, limit), p.inbox("p", obj, limit))
		}
		n, err := p.s.Depth("p", obj)
		p.must("count an inbox", err)
		p.same("", fmt.Sprintf("count the inbox of %s %s", obj, doing), len(w.inbox(obj, 0)), n)
	}
}

func checkInbox(p *probe) {
	w := queued(p)
	p.inboxes("after rows were written", w)
	for _, c := range []struct {
		doing string
		b     store.Batch
	}{
		{"after one was taken from the middle", store.Batch{DropInbound: []uint64{4}}},
		{"after it was taken again, with one that never was", store.Batch{DropInbound: []uint64{4, 77}}},
		{"after the queue became one that the host does not take from", store.Batch{Objects: []store.Object{{Obj: "q", Kind: "queue", State: "live"}}}},
		{"after the record of the session ended", store.Batch{Objects: []store.Object{{Obj: "s", Kind: "session", State: "closed", Ended: base}}}},
		{"after all were taken", store.Batch{DropInbound: []uint64{1, 2, 3, 9, 10}}},
	} {
		p.apply("p", &c.b)
		w.apply(&c.b)
		p.inboxes(c.doing, w)
	}
}

func checkInboxAfterReopen(p *probe) {
	w := queued(p)
	p.again()
	p.inboxes("after reopening", w)
	b := &store.Batch{DropInbound: []uint64{4}}
	p.apply("p", b)
	w.apply(b)
	p.again()
	p.inboxes("after one was taken and the store was reopened", w)
}

func checkLastN(p *probe) {
	p.apply("p", &store.Batch{Inbound: []store.Inbound{{N: 7, Obj: "o", ID: "7"}, {N: 5, Obj: "o", ID: "5"}}})
	p.same("", "load the highest N after 7 and 5", uint64(7), p.load("p").LastN)
	p.apply("p", &store.Batch{DropInbound: []uint64{5, 7}})
	p.same("", "load the highest N after its row was taken", uint64(7), p.load("p").LastN)
	p.apply("p", &store.Batch{Inbound: []store.Inbound{{N: 8, Obj: "o", ID: "8"}}, DropInbound: []uint64{8}})
	p.same("", "load the highest N after a row that was put and taken in one batch", uint64(8), p.load("p").LastN)
	if p.reopen != nil {
		p.again()
		p.same("", "load the highest N after reopening", uint64(8), p.load("p").LastN)
	}
}
