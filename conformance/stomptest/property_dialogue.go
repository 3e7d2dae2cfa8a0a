package stomptest

import (
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A dialogue is one run of a sequence of moves over connections and destinations of its own.
type dialogue struct {
	s        *serverT
	campaign *campaign // told what is found; nil: nobody is
	version  string
	judge    *judge
	peers    []*wire // nil while closed
	opened   []int   // connections opened so far, by index
	dests    []string
	played   []move
	number   int
	over     string // why nothing more is played; empty while it goes on
	ended    bool   // the end was reached
	serial   int    // of receipts and bodies
	hasty    bool   // what is owed is missed early
}

// newDialogue opens the connections of the run of that number.
func (s *serverT) newDialogue(number, conns int, redelivers bool) *dialogue {
	s.Rewind()
	d := &dialogue{
		s: s, number: number, version: s.Version(),
		dests: []string{s.Queue(), s.Queue(), s.Topic()}, peers: make([]*wire, conns), opened: make([]int, conns),
	}
	d.judge = newJudge(d.version, conns, d.dests[topicDest], redelivers)
	for c := range conns {
		if !d.dial(c) {
			break
		}
		if o := d.peers[c].Await(is("CONNECTED"), s.Timing().Reply); o.Frame == nil {
			d.stop("connecting was answered with %s", o)
			break
		}
	}
	return d
}

func (d *dialogue) stop(format string, args ...any) {
	if d.over == "" {
		d.over = fmt.Sprintf(format, args...)
	}
}

// dial opens a connection and sends CONNECT; false if it cannot be opened.
func (d *dialogue) dial(c int) bool {
	name := fmt.Sprintf("c%d", c)
	if d.opened[c] > 0 {
		name = fmt.Sprintf("c%d-%d", c, d.opened[c]+1)
	}
	d.opened[c]++
	conn, err := d.s.TryDial(name)
	if err != nil {
		d.stop("connection %s cannot be opened: %v", name, err)
		return false
	}
	d.peers[c] = d.s.peer(name, conn)
	d.peers[c].Send(d.s.ConnectFrame(d.version))
	return true
}

// Close ends the dialogue for its campaign.
func (d *dialogue) Close() { d.campaign.finish(d) }

// close ends what is still open.
func (d *dialogue) close() {
	for c, p := range d.peers {
		if p != nil {
			p.Close()
			d.peers[c] = nil
		}
	}
}

// held reports whether nothing happened so far that the machine does not allow.
func (d *dialogue) held() bool { return d.judge.found == nil }

// going reports whether there is a point in going on.
func (d *dialogue) going() bool {
	return d.over == "" && d.held() && !d.judge.lost && d.s.Context().Err() == nil
}

// open reports whether there is a point in going on with connection c.
func (d *dialogue) open(c int) bool { return d.going() && d.peers[c] != nil }

// Play plays one move and reports whether the target kept to the machine. Once the dialogue is over, moves do
// nothing.
func (d *dialogue) Play(m move) bool {
	if !d.going() {
		return true
	}
	if d.campaign.mute[m.command()] {
		if m.Op == opUnsubscribe {
			return true
		}
		m.Bare = true
	}
	d.played = append(d.played, m)
	d.perform(m)
	if !d.held() {
		return !d.campaign.weigh(d)
	}
	return true
}

func (d *dialogue) perform(m move) {
	switch m.Op {
	case opWatch:
		d.linger()
		return
	case opEnd:
		d.end()
		return
	case opConnect:
		d.connect(m.Conn)
		return
	}
	if d.peers[m.Conn] == nil {
		return
	}
	switch m.Op {
	case opDrop:
		d.drop(m.Conn)
	case opDisconnect:
		if d.write(m.Conn, frameOf("DISCONNECT"), nil, !m.Bare) {
			d.leave(m.Conn)
		}
	case opSubscribe:
		f := frameOf("SUBSCRIBE", "id", fmt.Sprintf("s%d", m.Sub), "destination", d.dests[m.Dest], "ack", m.Mode)
		d.write(m.Conn, f, nil, !m.Bare)
	case opUnsubscribe:
		d.unsubscribe(m)
	case opSend:
		d.serial++
		// No body is found in another run, nor begins another one, so that what is seen has one source.
		f := frameOf("SEND", "destination", d.dests[m.Dest]).Carrying(fmt.Sprintf("%d-m%d.", d.number, d.serial))
		d.write(m.Conn, f.inTx(m.Tx), nil, !m.Bare)
	case opAck, opNack:
		d.acknowledge(m)
	case opBegin, opCommit, opAbort:
		d.write(m.Conn, frameOf(m.command()).inTx(m.Tx), nil, !m.Bare)
	}
	d.drain()
}

func (f *wireFrame) inTx(slot int) *wireFrame {
	if slot > 0 {
		f.With("transaction", fmt.Sprintf("t%d", slot))
	}
	return f
}

// write sends f on connection c, with a receipt that is waited for if asked; false if the dialogue is over.
func (d *dialogue) write(c int, f *wireFrame, hand *handed, receipt bool) bool {
	p := d.peers[c]
	id := ""
	if receipt {
		d.serial++
		id = fmt.Sprintf("r%d", d.serial)
		f.With("receipt", id)
	}
	d.judge.sent(c, f, hand)
	p.Send(f)
	if id == "" {
		return d.going()
	}
	within := d.patience()
	tx := f.Get("transaction") != "" && f.Command != "COMMIT" && f.Command != "ABORT"
	if tx {
		// A target may answer for a transactional frame at COMMIT only.
		if d.campaign.tardy {
			return d.going()
		}
		within = d.s.Timing().Quiet
	}
	if !d.await(c, id, time.Now().Add(within)) && d.open(c) {
		if tx {
			d.campaign.tardy = true
		} else {
			d.late(f.Command)
		}
	}
	return d.going()
}

// patience is how long an answer may take.
func (d *dialogue) patience() time.Duration {
	if d.hasty {
		return d.s.Timing().Reply / 5
	}
	return d.s.Timing().Reply
}

// late ends the dialogue because the RECEIPT of a frame did not come.
func (d *dialogue) late(command string) {
	d.s.Watched(d.patience())
	if d.judge.found = d.judge.unmet(); d.judge.found == nil {
		d.stop("no RECEIPT of %s within %v", command, d.patience())
	}
}

// await reads connection c, and no other, until the receipt of that id came.
func (d *dialogue) await(c int, id string, deadline time.Time) bool {
	s := d.judge.book.session(c)
	for {
		d.take(c)
		if s.receipts[id] == receiptAnswered {
			return true
		}
		if !d.open(c) || !d.read(c, deadline) || time.Now().After(deadline) {
			return s.receipts[id] == receiptAnswered
		}
	}
}

// take judges the frames of connection c that have been read, in order.
func (d *dialogue) take(c int) {
	p := d.peers[c]
	for p != nil && len(p.inbox) > 0 && d.going() {
		f := p.inbox[0]
		p.inbox = p.inbox[1:]
		switch f.Command {
		case "CONNECTED", "MESSAGE", "RECEIPT", "ERROR":
		default:
			d.stop("the target sent %s", f)
			return
		}
		d.judge.received(c, f)
		if f.Command == "ERROR" && d.held() {
			// An ERROR is legal where the specification is silent; other cases judge what it must lead to.
			d.stop("ERROR %q after %s", f.Get("message"), d.lastMove())
		}
	}
}

func (d *dialogue) lastMove() string {
	if len(d.played) == 0 {
		return "CONNECT"
	}
	return d.played[len(d.played)-1].String()
}

// read takes in what comes next on connection c, its end included; false when nothing did until the deadline.
func (d *dialogue) read(c int, deadline time.Time) bool {
	p := d.peers[c]
	if p.pull(deadline) {
		d.take(c)
		return true
	}
	e, _ := p.conn.Ending()
	if e == conformance.Open {
		return false
	}
	if p.pull(time.Now()) {
		// It arrived just before the end.
		d.take(c)
		return true
	}
	d.judge.closed(c)
	d.peers[c] = nil
	p.Close()
	if !d.judge.book.session(c).ended {
		d.stop("connection %s after %s", e, d.lastMove())
	}
	return true
}

// drain takes what has arrived on all connections, without waiting.
func (d *dialogue) drain() { d.collect(time.Now()) }

// collect reads all connections in turn until the deadline.
func (d *dialogue) collect(deadline time.Time) {
	const slice = 3 * time.Millisecond
	// A target that never stops sending does not hold the case.
	enough := deadline.Add(d.s.Timing().Quiet)
	for first := true; first || time.Now().Before(deadline); first = false {
		for c := range d.peers {
			d.take(c)
			for d.open(c) && d.read(c, earlier(deadline, time.Now().Add(slice))) && time.Now().Before(enough) {
				continue
			}
			if !d.going() {
				return
			}
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// linger watches all connections for a part of the quiet window: what is wrong and comes late is caught by one
// of the many runs.
func (d *dialogue) linger() { d.collect(time.Now().Add(d.s.Timing().Quiet / 8)) }

func (d *dialogue) connect(c int) {
	if d.peers[c] != nil || !d.dial(c) {
		return
	}
	d.judge.sent(c, frameOf("CONNECT"), nil)
	session := d.judge.book.session(c)
	for deadline := time.Now().Add(d.s.Timing().Reply); ; {
		d.take(c)
		if session.greeted || !d.open(c) {
			return
		}
		if !d.read(c, deadline) || time.Now().After(deadline) {
			d.stop("CONNECT is not answered")
		}
	}
}

func (d *dialogue) drop(c int) {
	d.drain()
	if d.open(c) {
		d.peers[c].Reset()
		d.peers[c] = nil
		d.judge.dropped(c)
	}
}

// leave closes connection c after its DISCONNECT was answered.
func (d *dialogue) leave(c int) {
	if d.open(c) {
		d.peers[c].Close()
		d.peers[c] = nil
		d.judge.dropped(c)
	}
}

func (d *dialogue) unsubscribe(m move) {
	id := fmt.Sprintf("s%d", m.Sub)
	sub := d.judge.book.session(m.Conn).sub(id)
	if sub == nil || sub.closing {
		return
	}
	f := frameOf("UNSUBSCRIBE", "id", id)
	if m.ByDestination && d.version == "1.0" {
		f = frameOf("UNSUBSCRIBE", "destination", sub.dest)
	}
	d.write(m.Conn, f, nil, true)
}

// acknowledge sends ACK or NACK of one of the deliveries that wait for it on the connection; of none when
// nothing waits.
func (d *dialogue) acknowledge(m move) {
	waiting := d.judge.book.waiting(m.Conn)
	if len(waiting) == 0 {
		d.linger()
		if waiting = d.judge.book.waiting(m.Conn); len(waiting) == 0 || !d.open(m.Conn) {
			return
		}
	}
	h := waiting[m.Pick%len(waiting)]
	f := d.peers[m.Conn].AckFrame(m.command(), h.frame)
	if f.Headers[0].Value == "" {
		// The MESSAGE lacks what an ACK has to repeat, which other cases judge.
		return
	}
	d.write(m.Conn, f.inTx(m.Tx), h, !m.Bare)
}
