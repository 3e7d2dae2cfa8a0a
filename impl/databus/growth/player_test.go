package growth

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// A deed is one thing that was done in a request, as an adapter would tell it.
type deed struct {
	kind, tab, topic, key string
	at                    int64
	text                  string
	octets                []byte
}

// A player carries out a script on buses of one process: one origin, whose clock, storage and channels are its own, and in which frames are
// JSON on their way, as they are beside the original.
type player struct {
	now    int64
	made   int
	pages  []*page
	shelf  *shelf
	flying []flight
	later  []func()
	did    []deed
}

type flight struct {
	to   *port
	text []byte
}

type page struct {
	p      *player
	name   string
	bus    *databus.Bus
	subs   map[string]*databus.Subscription
	server map[string]bool // topics
	to     databus.Receiver
	port   *port
	timers []*timer
}

type port struct {
	page    *page
	receive func(signal.Frame)
	open    bool
}

type timer struct {
	at, every int64
	made      int
	f         func()
}

func newPlayer() *player { return &player{shelf: newShelf()} }

func (p *player) note(d deed) {
	d.at = p.now
	p.did = append(p.did, d)
}

// play carries out one request and returns what was done, until the next one.
func (p *player) play(r *request) ([]deed, error) {
	p.did = p.did[:0]
	if err := p.carryOut(r); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Op, err)
	}
	p.settle()
	return p.did, nil
}

// settle runs what waits for its turn.
func (p *player) settle() {
	for i := 0; i < len(p.later); i++ {
		p.later[i]()
	}
	p.later = p.later[:0]
}

func (p *player) carryOut(r *request) error {
	switch r.Op {
	case "origin":
		p.now = r.Now
		return nil
	case "tab":
		return p.add(r)
	case "server":
		for _, page := range p.pages {
			if page.server[r.Topic] && page.to != nil {
				page.to.Message(r.Topic, r.Data)
			}
		}
		return nil
	case "drain":
		return p.drain()
	case "advance":
		return p.advance(r.MS)
	}
	at := slices.IndexFunc(p.pages, func(page *page) bool { return page.name == r.Tab })
	if at < 0 {
		return fmt.Errorf("no tab %q", r.Tab)
	}
	return p.pages[at].carryOut(r)
}

func (p *page) carryOut(r *request) error {
	switch r.Op {
	case "start":
		p.bus.StartThen(func(err error) { p.p.note(deed{kind: "settled", tab: p.name, text: fmt.Sprint(err)}) })
	case "subscribe":
		s, err := p.bus.Subscribe(r.Topic, func(topic string, data json.RawMessage) {
			p.p.note(deed{kind: "dispatch", tab: p.name, topic: topic, octets: data})
		})
		p.subs[r.Topic] = s
		return err
	case "unsubscribe":
		p.subs[r.Topic].Unsubscribe()
	case "publish":
		p.bus.Publish(r.Topic, r.Data)
	case "pagehide":
		p.bus.PageHide()
	case "pageshow":
		p.bus.PageShow()
	case "visibility":
		p.bus.Visibility(record.Visibility(r.State))
	default:
		return fmt.Errorf("unknown")
	}
	return nil
}

func (p *player) add(r *request) error {
	page := &page{p: p, name: r.Tab, subs: map[string]*databus.Subscription{}, server: map[string]bool{}}
	bus, err := databus.New(databus.Config{
		Transport: page, Rules: cluster.V010(), TabID: r.TabID, WorkerID: r.WorkerID,
		Environment: databus.Environment{
			Storage: cell{page}, Open: page.open, Clock: page, Go: func(f func()) { p.later = append(p.later, f) },
		},
	})
	if err != nil {
		return err
	}
	bus.OnError(func(err error) { p.note(deed{kind: "error", tab: page.name, text: err.Error()}) })
	bus.OnStatus(func(s databus.Status) { p.note(deed{kind: "status", tab: page.name, text: string(s)}) })
	page.bus = bus
	p.pages = append(p.pages, page)
	return nil
}

func (p *player) drain() error {
	for i := 0; i < len(p.flying); i++ {
		f := p.flying[i]
		if !f.to.open {
			continue
		}
		frame, err := signal.Decode(f.text)
		if err != nil {
			return err
		}
		f.to.receive(frame)
		p.settle()
	}
	p.flying = p.flying[:0]
	return nil
}

// advance lets time pass; frames arrive as soon as they are posted.
func (p *player) advance(ms int64) error {
	end := p.now + ms
	for {
		if err := p.drain(); err != nil {
			return err
		}
		var due *timer
		for _, page := range p.pages {
			for _, t := range page.timers {
				if t.at <= end && (due == nil || t.at < due.at || t.at == due.at && t.made < due.made) {
					due = t
				}
			}
		}
		if due == nil {
			p.now = end
			return nil
		}
		p.now = max(p.now, due.at)
		due.at = p.now + due.every
		due.f()
		p.settle()
	}
}

// Now, After and Every are the clock of a page.
func (p *page) Now() int64 { return p.p.now }

func (p *page) After(ms int64, f func()) (stop func()) {
	var stopIt func()
	stopIt = p.timer(ms, func() { stopIt(); f() })
	return stopIt
}

func (p *page) Every(ms int64, f func()) (stop func()) { return p.timer(ms, f) }

func (p *page) timer(ms int64, f func()) (stop func()) {
	p.p.made++
	t := &timer{p.p.now + ms, ms, p.p.made, f}
	p.timers = append(p.timers, t)
	return func() { p.timers = slices.DeleteFunc(p.timers, func(other *timer) bool { return other == t }) }
}

// Start, Stop, Subscribe, Unsubscribe and Publish are the transport of a page.
func (p *page) Start(_ context.Context, to databus.Receiver) error {
	p.to = to
	clear(p.server)
	p.p.note(deed{kind: "tstart", tab: p.name})
	return nil
}

func (p *page) Stop(context.Context) error {
	p.to = nil
	clear(p.server)
	p.p.note(deed{kind: "tstop", tab: p.name})
	return nil
}

func (p *page) Subscribe(topic string) {
	p.server[topic] = true
	p.p.note(deed{kind: "tsub", tab: p.name, topic: topic})
}

func (p *page) Unsubscribe(topic string) {
	delete(p.server, topic)
	p.p.note(deed{kind: "tunsub", tab: p.name, topic: topic})
}

func (p *page) Publish(topic string, data json.RawMessage) error {
	p.p.note(deed{kind: "tpub", tab: p.name, topic: topic, octets: data})
	return nil
}

func (p *page) open(_ string, receive func(signal.Frame)) (cluster.Channel, error) {
	p.port = &port{p, receive, true}
	return p.port, nil
}

// Post sends a frame to the other pages.
func (c *port) Post(f signal.Frame) error {
	text, err := signal.Encode(f)
	if err != nil {
		return err
	}
	p := c.page.p
	for _, other := range p.pages {
		if other != c.page && other.port != nil && other.port.open {
			p.flying = append(p.flying, flight{other.port, text})
		}
	}
	p.note(deed{kind: "post", tab: c.page.name, octets: text})
	return nil
}

// Close closes the channel.
func (c *port) Close() { c.open = false }

// A cell is the storage as one page has it.
type cell struct{ page *page }

func (c cell) Get(key string) (string, bool, error) { return c.page.p.shelf.Get(key) }

func (c cell) Keys() ([]string, error) { return c.page.p.shelf.Keys() }

func (c cell) Set(key, value string) error {
	c.page.p.note(deed{kind: "write", tab: c.page.name, key: key, text: value})
	return c.page.p.shelf.Set(key, value)
}

func (c cell) Remove(key string) error {
	c.page.p.note(deed{kind: "remove", tab: c.page.name, key: key})
	return c.page.p.shelf.Remove(key)
}
