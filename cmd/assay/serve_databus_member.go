package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/host"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// lookEvery is how often a member looks at its cluster.
const lookEvery = 100 * time.Millisecond

// mostCommand is how long a command may be, in octets: more than a publication may.
const mostCommand = 2 << 20

// A member is a bus that is driven by hand and shows its cluster.
type member struct {
	print  *printer
	screen *screen
	host   *host.Host
	bus    *databus.Bus

	mu            sync.Mutex
	subscriptions map[string]*databus.Subscription

	// What was shown last; of watch alone.
	last  cluster.Snapshot
	names map[string]string // of processes, by worker
	texts map[string]string // topics, by key
}

// shown is a text for people, on one line whatever is in it.
func shown(text string) string {
	const most = 200
	more := ""
	if len(text) > most {
		text, more = strings.ToValidUTF8(text[:most], ""), "..."
	}
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text) + more
	}
	return text + more
}

// fault prints an error on one line: part of it may be what somebody else sent.
func (p *printer) fault(err error) {
	text := err.Error()
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		text = strconv.Quote(text)
	}
	p.line("error: %s", text)
}

func (m *member) subscribe(topic string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.subscriptions[topic] != nil {
		return nil
	}
	s, err := m.bus.Subscribe(topic, func(topic string, data json.RawMessage) { m.print.line("%s < %s", shown(topic), shown(string(data))) })
	if err == nil {
		m.subscriptions[topic] = s
	}
	return err
}

func (m *member) unsubscribe(topic string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.subscriptions[topic]
	if s == nil {
		return fmt.Errorf("%s is not subscribed", shown(topic))
	}
	delete(m.subscriptions, topic)
	s.Unsubscribe()
	return nil
}

// obey reads commands until there are no more, or one says quit. A line that is too long is not kept, and those after it count.
func (m *member) obey(ctx context.Context, in io.Reader, quit func()) {
	lines := bufio.NewReaderSize(in, mostCommand)
	for ctx.Err() == nil {
		line, more, err := lines.ReadLine()
		if err != nil {
			return
		}
		if more {
			m.print.line("error: a command of more than %d octets", mostCommand)
			for more && err == nil {
				_, more, err = lines.ReadLine()
			}
			continue
		}
		m.screen.typed()
		verb, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if verb == "quit" {
			quit()
			return
		}
		if err := m.command(verb, strings.TrimSpace(rest)); err != nil {
			m.print.fault(err)
		}
	}
}

func (m *member) command(verb, rest string) error {
	topic, data, more := strings.Cut(rest, " ")
	switch verb {
	case "":
	case "subscribe", "unsubscribe":
		if topic == "" || more {
			return fmt.Errorf("%s %s: say %s TOPIC, in one word", verb, shown(rest), verb)
		}
		if verb == "subscribe" {
			return m.subscribe(topic)
		}
		return m.unsubscribe(topic)
	case "publish":
		if topic == "" || !more {
			return fmt.Errorf("publish %s: say publish TOPIC JSON", shown(rest))
		}
		m.print.line("%s > %s", shown(topic), shown(data))
		m.bus.Publish(topic, json.RawMessage(data))
	case "status":
		for _, row := range m.rows(m.bus.Snapshot()) {
			m.print.line("%s", row)
		}
	default:
		return fmt.Errorf("%q is none of subscribe, unsubscribe, publish, status, quit", verb)
	}
	return nil
}

// watch shows what changes in the cluster until ctx ends.
func (m *member) watch(ctx context.Context) {
	m.names, m.texts = map[string]string{}, map[string]string{}
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		now := m.bus.Snapshot()
		m.compare(&now)
		m.screen.show(m.rows(now))
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// compare prints what has changed since the last time.
func (m *member) compare(now *cluster.Snapshot) {
	if m.last.Active != now.Active || m.last.Coordinated != now.Coordinated {
		if !now.Coordinated {
			m.print.line("alone: there is no storage, or no channel")
		}
	}
	for _, w := range now.Workers {
		m.names[w.WorkerID] = w.TabID
		before := worker(m.last.Workers, w.WorkerID)
		switch {
		case before == nil:
			m.print.line("%s is here, %s", m.name(now, w.WorkerID), w.Status)
		case before.Status != w.Status:
			m.print.line("%s is %s", m.name(now, w.WorkerID), w.Status)
		}
	}
	m.compareRoutes(now)
	for _, w := range m.last.Workers {
		if worker(now.Workers, w.WorkerID) == nil {
			m.print.line("%s is gone", m.name(now, w.WorkerID))
			if !slices.ContainsFunc(now.Routes, func(r cluster.RouteView) bool { return r.HandoffFrom == w.WorkerID }) {
				delete(m.names, w.WorkerID)
			}
		}
	}
	m.last = *now
}

// compareRoutes prints who has got which topic, and whether this process serves it.
func (m *member) compareRoutes(now *cluster.Snapshot) {
	for key, topic := range now.Known {
		m.texts[key] = topic
	}
	for _, r := range now.Routes {
		before := route(m.last.Routes, r.TopicKey)
		topic, owner := m.topic(r.TopicKey), m.name(now, r.WorkerID)
		if before == nil || before.WorkerID != r.WorkerID || before.Generation != r.Generation {
			if r.HandoffFrom != "" {
				m.print.line("%s goes from %s to %s, generation %d", topic, m.name(now, r.HandoffFrom), owner, r.Generation)
			} else {
				m.print.line("%s is assigned to %s, generation %d", topic, owner, r.Generation)
			}
			before = nil
		}
		if r.Confirmed() && (before == nil || !before.Confirmed()) {
			m.print.line("%s is owned by %s, generation %d", topic, owner, r.Generation)
		}
	}
	for _, r := range m.last.Routes {
		if route(now.Routes, r.TopicKey) == nil {
			m.print.line("%s has no owner", m.topic(r.TopicKey))
		}
	}
	for _, topic := range now.Assigned {
		if !slices.Contains(m.last.Assigned, topic) {
			m.print.line("this process serves %s", shown(topic))
		}
	}
	for _, topic := range m.last.Assigned {
		if !slices.Contains(now.Assigned, topic) {
			m.print.line("this process serves %s no more", shown(topic))
		}
	}
	for key := range m.texts {
		if now.Known[key] == "" && route(now.Routes, key) == nil {
			delete(m.texts, key)
		}
	}
}

func worker(all []record.Worker, id string) *record.Worker {
	for i := range all {
		if all[i].WorkerID == id {
			return &all[i]
		}
	}
	return nil
}

func route(all []cluster.RouteView, key string) *cluster.RouteView {
	for i := range all {
		if all[i].TopicKey == key {
			return &all[i]
		}
	}
	return nil
}

// name returns the name of a process as far as it is known.
func (m *member) name(now *cluster.Snapshot, workerID string) string {
	if w := worker(now.Workers, workerID); w != nil {
		return shown(w.TabID)
	}
	if name, ok := m.names[workerID]; ok {
		return shown(name)
	}
	return shown(workerID)
}

// topic returns the topic of a key, or the key: a process knows only the topics that it has to do with.
func (m *member) topic(key string) string {
	if topic, ok := m.texts[key]; ok {
		return shown(topic)
	}
	return "topic " + key[:8]
}
