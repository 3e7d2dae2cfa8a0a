package databus

import (
	"encoding/json"
	"errors"
)

// receiver is what one session of the transport tells the bus.
type receiver struct {
	b       *Bus
	session int
}

// Status takes the status of the transport.
func (r receiver) Status(s Status) {
	r.b.do(func() {
		if r.session == r.b.life.session && r.b.life.started && !r.b.life.suspended && !r.b.life.stopping {
			r.b.setStatus(s)
		}
	})
}

// Message takes a publication of the server.
func (r receiver) Message(topic string, data json.RawMessage) {
	r.b.do(func() {
		if r.session == r.b.life.session {
			r.b.message(topic, data)
		}
	})
}

// setStatus takes a status of the transport. Handlers, subscriptions and assignments stay as they are (DATABUS-RECONNECT-001).
func (b *Bus) setStatus(s Status) {
	l := &b.life
	before := l.status
	l.status = s
	if s != before {
		b.cluster.Status(s)
		for _, listener := range b.listeners {
			if listener.onStatus != nil {
				b.call(func() { guard(func() { listener.onStatus(s) }) })
			}
		}
		b.trace.note("status " + string(s))
	}
	switch s {
	case Connected:
		if !l.ready && l.started && !l.suspended && !l.stopping {
			b.replay()
		}
		return
	case Disconnected, Failed:
		clear(l.flagged)
	}
	l.ready = false
	if s == Failed {
		b.recoverLater()
	}
}

// replay asks a transport that has connected for every topic that this worker owns, and for nothing else (DATABUS-RECONNECT-002); then
// what waited is sent.
func (b *Bus) replay() {
	l := &b.life
	l.ready = true
	clear(l.flagged)
	for _, topic := range b.cluster.Assigned() {
		b.assigned(topic)
	}
	waiting := l.waiting
	l.waiting = nil
	for _, p := range waiting {
		b.published(p.topic, p.data)
	}
}

// recoverLater schedules one opening after an error (DATABUS-RECONNECT-003). Other states schedule none (DATABUS-RECONNECT-004).
func (b *Bus) recoverLater() {
	l := &b.life
	now := b.env.Clock.Now()
	if !l.started || l.stopping || now-l.recovered < RecoveryCooldown {
		return
	}
	l.recovered = now
	l.recovery = busClock{b}.After(RecoveryCooldown, func() {
		l.recovery = nil
		if l.started && !l.stopping && !l.suspended && l.status == Failed {
			b.reopen()
		}
	})
}

// ensure has the transport opened for an operation that waits for it, unless that is due anyway.
func (b *Bus) ensure() {
	if l := &b.life; l.started && !l.stopping && !l.suspended && l.recovery == nil {
		b.reopen()
	}
}

// assigned asks the transport to subscribe a topic, once in each connection (DATABUS-SUBSCRIBE-005). While it is not open, the replay will
// (DATABUS-SUBSCRIBE-004).
func (b *Bus) assigned(topic string) {
	l := &b.life
	switch {
	case !l.ready:
		b.ensure()
	case !l.flagged[topic]:
		l.flagged[topic] = true
		b.transport.Subscribe(topic)
	}
}

// released asks the transport to unsubscribe a topic that it was asked to subscribe.
func (b *Bus) released(topic string) {
	if b.life.flagged[topic] {
		delete(b.life.flagged, topic)
		b.transport.Unsubscribe(topic)
	}
}

// errBacklog is that too much waits for the transport.
var errBacklog = errors.New("too many publications wait for the transport")

// published publishes on the transport, or keeps that until it is open. A suspended tab publishes and keeps nothing (DATABUS-PUBLISH-005).
func (b *Bus) published(topic string, data json.RawMessage) {
	l := &b.life
	switch {
	case l.suspended || l.stopping || !l.started:
	case l.ready:
		if err := b.transport.Publish(topic, data); err != nil {
			b.fail("publish", topic, err)
		}
	case len(l.waiting) >= MaxWaiting:
		b.fail("publish", topic, errBacklog)
	default:
		l.waiting = append(l.waiting, publication{topic, data})
		b.ensure()
	}
}

// dropWaiting reports what waited for an opening that has failed.
func (b *Bus) dropWaiting(err error) {
	for _, p := range b.life.waiting {
		b.fail("publish", p.topic, err)
	}
	b.life.waiting = nil
}
