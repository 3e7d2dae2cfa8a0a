package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// connected begins a connection (SUBSTRATE-RECONNECT-002).
func (e *Engine) connected(now time.Time, c Conn) {
	if e.up() {
		// SUBSTRATE-RECONNECT-004
		e.endConn(now, CloseSuperseded)
	}
	// SUBSTRATE-SEQ-011
	if e.met && c.Epoch != e.remoteEpoch {
		for _, o := range e.objects {
			if o.seq.next != 0 {
				e.touch(o).seq.next = 0
			}
		}
	}
	e.conn, e.remoteEpoch, e.met = c.ID, c.Epoch, true
	// SUBSTRATE-OBSERVE-010
	e.mark(mark{kind: count, name: observe.ConnectionsReady, n: 1})
	for _, o := range e.heads() {
		e.transmit(now, o)
	}
	e.resumeFeeds(now)
}

// heads returns the objects whose outbox is not empty, in the order in which their heads are sent on a new connection: first those that
// have been sent, the first of them first; then the others, as they were enqueued (SUBSTRATE-RECONNECT-003).
func (e *Engine) heads() []*object {
	all := make([]*object, 0, len(e.busy))
	for o := range e.busy {
		if len(o.rows) > 0 {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b *object) int {
		if a.transmitted() != b.transmitted() {
			if a.transmitted() {
				return -1
			}
			return 1
		}
		return cmp.Or(a.head.firstSent.Compare(b.head.firstSent), cmp.Compare(a.rows[0].n, b.rows[0].n))
	})
	return all
}

// endConn ends the live connection with a close code.
func (e *Engine) endConn(now time.Time, code uint16) {
	e.emit(EndConn{Conn: e.conn, Code: code})
	e.disconnected(now)
}

// disconnected forgets the live connection and everything that was about it.
func (e *Engine) disconnected(time.Time) {
	// SUBSTRATE-OBSERVE-010
	e.mark(mark{kind: count, name: observe.ConnectionsEnded, n: 1})
	e.conn = ""
	for o := range e.busy {
		h := &e.touch(o).head
		h.mode, h.resends, h.due = resting, 0, time.Time{}
		h.copies = 0
	}
	for _, o := range e.objects {
		e.leave(o)
	}
}

// leave forgets what the peer has sent for an object on the connection that ends.
func (e *Engine) leave(o *object) {
	// SUBSTRATE-SEQ-013
	if len(o.seq.gap) > 0 {
		e.clearGap(o)
	}
	if len(o.owed) > 0 {
		e.touch(o).owed = nil
	}
	if o.feed.lost {
		e.touch(o).feed.lost = false
	}
	// SUBSTRATE-RELAY-008: nothing that waits could be acked any more.
	if e.cfg.Relay != nil {
		e.leaveChain(o)
	}
}
