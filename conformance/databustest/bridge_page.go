package databustest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// A page is one document of the origin with its bus.
type page struct {
	b        *bridge
	name     string
	q        tabRequest
	bus      Bus
	dead     bool
	frozen   bool
	ports    []*port // open
	timers   []*timer
	held     []due // messages of the server that came while it was frozen
	flushes  []func()
	handlers map[[2]string]*handled
	line     *line
	replica  *cells // what it sees of a replicated storage
	seen     int    // changes of the storage that it has seen or made

	failWrites, failPosts int
}

// session is the session storage of a tab.
type session map[string]string

// Get returns the value of a key.
func (s session) Get(key string) (string, bool) {
	value, ok := s[key]
	return value, ok
}

// Set sets the value of a key.
func (s session) Set(key, value string) { s[key] = value }

// open opens a document. A name of a tab that has crashed stands for the same tab again.
func (b *bridge) open(q tabRequest) error {
	if _, err := b.named(q.Tab); err == nil {
		return fmt.Errorf("there is a tab %q already", q.Tab)
	}
	if q.Session != q.Tab || b.sessions[q.Tab] == nil {
		b.sessions[q.Tab] = session{}
		maps.Copy(b.sessions[q.Tab], b.sessions[q.Session])
	}
	p := b.page(q)
	b.pages = append(b.pages, p)
	settings := p.settings()
	if h := b.hooks.settings; h != nil {
		h(&settings)
	}
	bus, err := b.factory(settings)
	if err != nil {
		b.pages = b.pages[:len(b.pages)-1]
		return &adapter.TargetError{Name: "Refused", Message: err.Error()}
	}
	if h := b.hooks.bus; h != nil {
		bus = h(bus, settings)
	}
	p.bus = bus
	return nil
}

// page returns a document without its bus.
func (b *bridge) page(q tabRequest) *page {
	p := &page{b: b, name: q.Tab, q: q, handlers: map[[2]string]*handled{}}
	p.line = &line{p: p, opens: cmp.Or(q.Opens, opensOK)}
	p.replica, p.seen = b.store.all.clone(), len(b.store.log)
	return p
}

// settings are what surrounds the bus of p.
func (p *page) settings() Settings {
	q, b := p.q, p.b
	s := Settings{
		Version: b.q.Version, ClusterKey: q.ClusterKey, Prefix: q.Prefix, TabID: q.TabID, WorkerID: q.WorkerID, Heartbeat: q.Heartbeat,
		TTL: q.TTL, MaxActive: q.MaxActive, Visibility: cmp.Or(q.Visibility, "visible"), AutoStart: q.AutoStart,
		Clock: pageClock{p}, Transport: p.line, Session: b.sessions[q.Tab], Opener: q.Opener,
		Random: func() string { b.ids++; return fmt.Sprintf("%016x", b.ids) },
		Flush:  func(f func()) { p.flushes = append(p.flushes, f) },
		Later:  func(f func()) { b.later = append(b.later, f) },
		Error:  func(err error) { p.note(&deed{Kind: didError, Error: err.Error()}) },
		Status: func(status string) { p.note(&deed{Kind: didStatus, Status: status}) },
	}
	if !q.NoStorage {
		s.Storage = pageStorage{p}
	}
	if !q.NoChannel {
		s.Open = p.openChannel
	}
	if q.Trace {
		s.Window = q.Window
		s.Trace = func(name string, m *Metrics) {
			p.note(&deed{Kind: didTrace, Name: name, Metrics: (*metrics)(m)})
			if q.BadTrace {
				panic("the sink of the trace throws")
			}
		}
	}
	return s
}

// note adds a deed of this page to what was done. Those who are dead do nothing.
func (p *page) note(d *deed) {
	if p.dead {
		return
	}
	d.Tab, d.At = p.name, p.b.now
	p.b.did = append(p.b.did, d)
}

// flush writes what waits to be written at the end of a task.
func (p *page) flush() {
	for len(p.flushes) > 0 && !p.dead {
		f := p.flushes[0]
		p.flushes = p.flushes[1:]
		f()
	}
}

// crash ends the document.
func (p *page) crash() {
	for _, c := range slices.Clone(p.ports) {
		c.end()
	}
	p.die()
}

// die ends whatever p still waits for.
func (p *page) die() {
	p.dead, p.timers, p.ports, p.flushes, p.held = true, nil, nil, nil, nil
	p.b.pages = slices.DeleteFunc(p.b.pages, func(other *page) bool { return other == p })
	p.line.die()
}

func (p *page) inject(q injectRequest) error {
	for _, c := range slices.Clone(p.ports) {
		c.arrive(q.Message)
	}
	return nil
}

// view returns what the page knows.
func (p *page) view() *tabView {
	v := p.bus.View()
	out := &tabView{
		TabID: v.TabID, WorkerID: v.WorkerID, Status: v.Status, Active: v.Active, Local: v.Local, Subscribed: listed(v.Subscribed),
		Assigned: listed(v.Assigned), Transport: listed(p.line.told), Server: listed(p.line.served()), Known: v.Known, Pending: v.Pending,
		Role: v.Role, Frozen: p.frozen,
	}
	if len(p.ports) > 0 {
		out.Channel = p.ports[0].name
	}
	if h := p.b.hooks.view; h != nil {
		h(p, out)
	}
	return out
}

// listed returns texts as a list that is never null.
func listed(texts []string) []string { return append([]string{}, texts...) }

// same returns JSON that is nobody else's.
func same(data json.RawMessage) json.RawMessage { return slices.Clone(data) }
