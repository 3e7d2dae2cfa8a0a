package substratetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A link is one connection of a party. What came and was not asked for yet is kept.
type link struct {
	s    *subT
	p    *party
	name string
	conn *conformance.Conn
	sock *socket

	shake greeting
	ready bool
	since time.Time // before it was
	acks  bool      // what the target sends is acked as soon as it is read

	queue []*frame // not asked for yet
	all   []*frame // all that came
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Post sends a frame.
func (l *link) Post(f *frame) {
	l.s.Event(l.name, "> "+f.String())
	l.Binary(f.octets())
}

// Posts sends frames in one packet.
func (l *link) Posts(frames ...*frame) {
	var octets []byte
	for _, f := range frames {
		l.s.Event(l.name, "> "+f.String())
		octets = append(octets, wrap(opBinary, true, f.octets())...)
	}
	l.sock.write(octets)
}

// Binary sends a binary message.
func (l *link) Binary(payload []byte) { l.sock.write(wrap(opBinary, true, payload)) }

// Acks acks something that the target has sent.
func (l *link) Acks(f *frame) { l.Post(ackOf(f)) }

// ackOf returns the ack of an op.
func ackOf(f *frame) *frame {
	return frameOf("kind", "ack", "obj", f.obj(), "objKind", f.objKind(), "id", f.id(), "receipt", f.receipt())
}

// pull waits for what comes until deadline and reports whether anything did.
func (l *link) pull(deadline time.Time) bool {
	ok := l.sock.pull(deadline)
	if !l.ready {
		return ok
	}
	for _, m := range l.sock.in {
		f := decode(m.payload)
		if f.at = m.at; m.op != opBinary {
			f.fault("SUBSTRATE-WIRE-001", "it is a text message")
		}
		l.s.Event(l.name, "< "+f.String())
		l.queue = append(l.queue, f)
		l.all = append(l.all, f)
		if l.acks && f.env != nil && f.durable() {
			l.Acks(f)
		}
	}
	l.sock.in = nil
	return ok
}

// open reports whether the target has not ended the connection, as far as is known.
func (l *link) open() bool {
	ending, _ := l.conn.Ending()
	return ending == conformance.Open && l.sock.code == 0 && l.sock.why == ""
}

// await returns the first frame that matches and takes it out of the queue; nil if none comes in time.
func (l *link) await(match func(*frame) bool, within time.Duration) *frame {
	deadline := time.Now().Add(within)
	for {
		for i, f := range l.queue {
			if match(f) {
				l.queue = append(l.queue[:i:i], l.queue[i+1:]...)
				return f
			}
		}
		if !l.open() || !l.pull(deadline) {
			// What came together with the end counts.
			if n := len(l.queue); n > 0 && match(l.queue[n-1]) {
				continue
			}
			return nil
		}
	}
}

// Expect wants a frame; one that does not come breaks the law, or blocks when there is none.
func (l *link) Expect(law, reason, expected string, match func(*frame) bool) *frame {
	l.s.Step()
	f := l.await(match, l.s.Timing().Reply)
	if f == nil {
		l.missed(law, reason, expected)
	}
	return f
}

// missed ends the case over something that did not come.
func (l *link) missed(law, reason, expected string) {
	ending, _ := l.conn.Ending()
	l.s.Missed(conformance.Break{Law: law, Reason: reason, Expected: expected, Seen: l.heard(), Timed: l.open()}, ending)
}

// heard tells what came that nobody has asked for, and how the connection ended.
func (l *link) heard() string {
	var said []string
	for _, f := range l.queue[max(0, len(l.queue)-3):] {
		said = append(said, f.String())
	}
	ending, _ := l.conn.Ending()
	switch {
	case l.sock.why != "":
		said = append(said, l.sock.why)
	case l.sock.code != 0:
		said = append(said, fmt.Sprintf("a close with %d", l.sock.code))
	case ending != conformance.Open:
		said = append(said, "the connection "+ending.String()+" without a close frame")
	case len(said) == 0:
		said = []string{"nothing"}
	}
	return strings.Join(said, "; ")
}

// isAck matches the ack of an op, whatever its receipt.
func isAck(id string) func(*frame) bool {
	return func(f *frame) bool { return f.kind() == "ack" && f.id() == id }
}

// isBounce matches an err that is no op and names an id.
func isBounce(id string) func(*frame) bool {
	return func(f *frame) bool { return f.bounce() && f.id() == id }
}

// isAnswer matches an answer to an op.
func isAnswer(id string) func(*frame) bool {
	return func(f *frame) bool {
		switch f.kind() {
		case "accept", "reject", "res", "end", "err":
			return f.id() == id && !f.bounce()
		}
		return false
	}
}

// about matches whatever names an id.
func about(id string) func(*frame) bool { return func(f *frame) bool { return f.id() == id } }

// Acked wants the ack of an op, with its receipt.
func (l *link) Acked(law, reason string, of *frame) *frame {
	return l.Expect(law, reason, "an ack of "+of.id()+" with receipt "+brief(of.receipt()), func(f *frame) bool {
		return isAck(of.id())(f) && bytes.Equal(f.receipt(), of.receipt())
	})
}

// Answered wants the answer to an op, which has to be of a kind.
func (l *link) Answered(law, reason string, to *frame, kind string) *frame {
	f := l.Expect(law, reason, kind+" for "+to.id(), func(f *frame) bool { return isAnswer(to.id())(f) || isBounce(to.id())(f) })
	if f.kind() != kind || f.bounce() {
		if law == "" {
			l.s.Blocked("prerequisite", "%s: expected %s, seen %s", reason, kind, f)
		}
		l.s.Stopped(conformance.Break{Law: law, Reason: reason, Expected: kind + " for " + to.id(), Seen: f.String()})
	}
	return f
}

// Bounced wants an op bounced with a code; it must not be acked.
func (l *link) Bounced(law, reason string, op *frame, code string) *frame {
	expected := "one err " + code + " without seq and receipt for " + op.id()
	f := l.Expect(law, reason, expected, about(op.id()))
	if !f.bounce() || f.code() != code {
		l.s.Stopped(conformance.Break{Law: law, Reason: reason, Expected: expected, Seen: f.String()})
	}
	return f
}

// Fence waits until the target has dealt with all that was sent: it sends what is always refused. That it is not breaks no law here.
func (l *link) Fence() {
	id := l.s.Unique("fence")
	l.Post(frameOf("kind", "fence", "obj", "fence", "objKind", "session", "id", id))
	l.await(isBounce(id), l.s.Timing().Reply)
}

// Never wants that nothing comes that matches, neither so far nor until the target has dealt with what was sent and the quiet window is
// over. What comes breaks the law.
func (l *link) Never(law, reason string, match func(*frame) bool) bool {
	l.Fence()
	f := l.await(match, l.s.Timing().Quiet)
	l.s.Watched(l.s.Timing().Quiet)
	seen := "nothing"
	if f != nil {
		if l.resent(f) {
			l.s.Inconclusive("%s: so much time has gone by that the target sends again what is not acked: %s", reason, f)
		}
		seen = f.String()
	}
	return l.s.Check(f == nil, law, reason, "nothing of the kind", seen)
}

// resendAfter is when an op that is not acked is sent again (SUBSTRATE-OUTBOX-005).
const resendAfter = 10 * time.Second

// resent reports whether a frame may be a copy of one that has come before, because of the time that has gone by.
func (l *link) resent(f *frame) bool {
	for _, before := range l.all {
		if before != f && f.env != nil && f.durable() && same(before, f) && f.at.Sub(l.since) >= resendAfter {
			return true
		}
	}
	return false
}

// Up wants that the connection is still served.
func (l *link) Up(law, reason string) {
	id := l.s.Unique("up")
	l.Post(frameOf("kind", "fence", "obj", "fence", "objKind", "session", "id", id))
	l.Expect(law, reason, "the connection is served", isBounce(id))
}

// Ends wants that the target ends the connection with one of the codes.
func (l *link) Ends(law, reason string, codes ...int) {
	l.EndsWithin(law, reason, l.s.Timing().Close, codes...)
}

// EndsWithin is Ends with a patience of the caller's.
func (l *link) EndsWithin(law, reason string, within time.Duration, codes ...int) {
	l.s.Step()
	for deadline := time.Now().Add(within); l.open() && l.pull(deadline); {
	}
	for _, code := range codes {
		if l.sock.code == code {
			return
		}
	}
	l.missed(law, reason, fmt.Sprintf("the connection is closed with %v", codes))
}

// Cut ends the connection from this side, abruptly.
func (l *link) Cut() { l.conn.Reset() }
