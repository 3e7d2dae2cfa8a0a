package stomptest

import (
	"fmt"
	"time"
)

// end waits for what is owed, then drops all connections and reads what is left in the queues: nothing that was
// settled may be there, nor anything of a transaction that was not committed.
func (d *dialogue) end() {
	d.demand()
	if !d.going() {
		return
	}
	for c := range d.peers {
		d.drain()
		d.leave(c)
	}
	if !d.going() {
		return
	}
	d.connect(0)
	d.judge.fresh = true
	for i, q := range d.dests[:topicDest] {
		if d.open(0) && d.sentTo(q) {
			d.write(0, frameOf("SUBSCRIBE", "id", fmt.Sprintf("rest-%d", i), "destination", q, "ack", "auto"), nil, false)
		}
	}
	if d.open(0) {
		// Nobody wants this one: its RECEIPT says that the target has come so far.
		d.write(0, frameOf("SEND", "destination", d.dests[topicDest]).Carrying("last"), nil, true)
	}
	d.demand()
	d.ended = d.going()
}

func (d *dialogue) sentTo(dest string) bool {
	for _, p := range d.judge.book.posts {
		if p.dest == dest {
			return true
		}
	}
	return false
}

// demand waits until the target may owe nothing any more, then a moment longer. What is still owed after the
// reply deadline is a departure.
func (d *dialogue) demand() {
	for deadline := time.Now().Add(d.patience()); ; {
		d.linger()
		if !d.going() {
			return
		}
		owed := d.judge.unmet()
		if owed == nil {
			return
		}
		if time.Now().After(deadline) {
			d.s.Watched(d.patience())
			d.judge.found = owed
			return
		}
	}
}

// redelivers finds out, by an experiment of its own, whether the target makes an unsettled message available
// again both when its consumer's connection is lost and at UNSUBSCRIBE. Only then can a message that does not
// come back be missed: the laws leave redelivery to the server (STOMP-SUBSCRIBE-008).
func (s *serverT) redelivers() bool {
	d := s.newDialogue(0, 2, false)
	defer d.close()
	if d.over != "" || !s.has(Acks) {
		return false
	}
	await := func(c int) bool {
		return d.over == "" && d.peers[c] != nil && d.peers[c].Await(is("MESSAGE"), s.Timing().Reply/2).Frame != nil
	}
	send := func(c int, f *wireFrame) bool {
		if d.peers[c] == nil {
			return false
		}
		d.serial++
		id := fmt.Sprintf("r%d", d.serial)
		d.peers[c].Send(f.With("receipt", id))
		return d.peers[c].Await(is("RECEIPT", "receipt-id", id), s.Timing().Reply).Frame != nil
	}
	subscribe := func(c int, id string) bool {
		return send(c, frameOf("SUBSCRIBE", "id", id, "destination", d.dests[0], "ack", "client"))
	}
	if !subscribe(0, "a") || !send(1, frameOf("SEND", "destination", d.dests[0]).Carrying("m")) || !await(0) {
		return false
	}
	d.peers[0].Reset()
	d.peers[0] = nil
	if !subscribe(1, "b") || !await(1) || !send(1, frameOf("UNSUBSCRIBE", "id", "b")) || !subscribe(1, "c") {
		return false
	}
	return await(1)
}
