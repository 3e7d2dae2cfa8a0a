package databustest

import (
	"encoding/json"
	"errors"
	"slices"
)

// A line is the transport of one tab, and the server behind it.
type line struct {
	p         *page
	opens     string
	to        Receiver
	waiting   func(error) // ends the opening that waits; nil: none does
	connected bool
	told      []string // topics that it was asked to subscribe and not to leave, in this connection
}

var errOpen = errors.New("the connection is refused")

// Open opens the transport as the case says.
func (l *line) Open(to Receiver, done func(error)) {
	if l.p.dead {
		l.p.b.later = append(l.p.b.later, func() { done(errGone) })
		return
	}
	l.p.note(&deed{Kind: didTStart})
	l.to, l.told, l.connected = to, nil, false
	l.waiting = done
	switch l.opens {
	case opensFail:
		l.p.b.later = append(l.p.b.later, func() { l.finish(errOpen) })
	case opensManual:
	default:
		l.p.b.later = append(l.p.b.later, func() { l.finish(nil) })
	}
}

// finish ends the opening that waits.
func (l *line) finish(err error) {
	if done := l.waiting; done != nil {
		l.waiting = nil
		l.connected = err == nil
		done(err)
	}
}

func (l *line) opened(fail bool) error {
	switch {
	case l.waiting == nil:
		return errors.New("no opening waits")
	case fail:
		l.finish(errOpen)
	default:
		l.finish(nil)
	}
	return nil
}

// die ends the opening of a document that is gone.
func (l *line) die() {
	l.connected = false
	if l.waiting != nil {
		l.finish(errGone)
	}
}

// Close closes the transport.
func (l *line) Close() {
	l.p.note(&deed{Kind: didTStop})
	l.connected, l.told = false, nil
}

// Subscribe has the server send a topic.
func (l *line) Subscribe(topic string) {
	if l.hears(didTSub, topic) {
		l.p.note(&deed{Kind: didTSub, Topic: topic})
		if !slices.Contains(l.told, topic) {
			l.told = append(l.told, topic)
		}
	}
}

// Unsubscribe ends that.
func (l *line) Unsubscribe(topic string) {
	if l.hears(didTUnsub, topic) {
		l.p.note(&deed{Kind: didTUnsub, Topic: topic})
		l.told = slices.DeleteFunc(l.told, func(other string) bool { return other == topic })
	}
}

// Publish takes a publication, which nobody gets unless the case has the server send it.
func (l *line) Publish(topic string, data json.RawMessage) {
	if l.hears(didTPub, topic) {
		l.p.note(&deed{Kind: didTPub, Topic: topic, Data: same(data)})
	}
}

func (l *line) hears(op, topic string) bool {
	h := l.p.b.hooks.told
	return h == nil || h(l.p, op, topic)
}

// say has the transport tell how its connection is. One that is lost takes what was subscribed with it.
func (l *line) say(status string) {
	switch status {
	case "connected":
		l.connected = true
	case "disconnected", "error":
		l.connected, l.told = false, nil
	}
	if l.to.Status != nil {
		l.to.Status(status)
	}
}

// served are the topics that the server sends.
func (l *line) served() []string {
	if !l.connected {
		return nil
	}
	return l.told
}

func (l *line) sends(topic string) bool { return slices.Contains(l.served(), topic) }

// emit hands in a publication of the server, to a frozen tab when it thaws.
func (l *line) emit(topic string, data json.RawMessage) {
	do := func() {
		if h := l.p.b.hooks.message; h != nil && !h(l.p, topic, data) {
			return
		}
		if l.to.Message != nil {
			l.to.Message(topic, same(data))
		}
	}
	if !l.p.frozen {
		do()
		return
	}
	l.p.b.made++
	l.p.held = append(l.p.held, due{l.p.b.now, l.p.b.made, do})
}
