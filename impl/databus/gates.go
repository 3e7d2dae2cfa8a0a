package databus

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// message is a publication that the transport got. It goes on only if this worker owns the topic at that moment; then it is broadcast once
// and dispatched here (DATABUS-GATE-001, DATABUS-GATE-002).
func (b *Bus) message(topic string, data json.RawMessage) {
	if !b.cluster.IsAssigned(topic) {
		return
	}
	payload, err := signal.EncodePublication(signal.Publication{Topic: topic, Data: data})
	if err != nil {
		b.fail("broadcast", topic, err)
		return
	}
	b.trace.received()
	if err := b.cluster.Broadcast(signal.PublicationType, payload); err != nil {
		b.fail("broadcast", topic, err)
	}
	b.dispatch(topic, data)
}

// event is a frame of the owner of some topic (DATABUS-EVENT-001).
func (b *Bus) event(e signal.Event) {
	if e.EventType != signal.PublicationType {
		return
	}
	p, ok := signal.DecodePublication(e.Payload)
	if !ok {
		return
	}
	if b.cluster.HasSubscriber(p.Topic) {
		b.trace.received()
	}
	b.dispatch(p.Topic, p.Data)
}

// dispatch has the handlers of a topic called if the tab subscribes it (DATABUS-GATE-003). One that is removed before its turn is not
// called (DATABUS-INV-002), one that panics is reported and holds up no other (DATABUS-GATE-007).
func (b *Bus) dispatch(topic string, data json.RawMessage) {
	if !b.cluster.HasSubscriber(topic) {
		return
	}
	since := b.env.Clock.Now()
	for _, s := range b.handlers[topic] {
		b.call(func() {
			b.mu.Lock()
			live := s.live()
			b.mu.Unlock()
			if !live {
				return
			}
			err := handle(s.handler, topic, slices.Clone(data))
			b.mu.Lock()
			defer b.mu.Unlock()
			b.trace.dispatched(b.env.Clock.Now() - since)
			if err != nil {
				b.fail("handle", topic, err)
			}
		})
	}
}

// handle calls a handler and returns what it panicked with, as an error.
func handle(h Handler, topic string, data json.RawMessage) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("a handler panicked: %v", v)
		}
	}()
	h(topic, data)
	return nil
}
