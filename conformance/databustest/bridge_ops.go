package databustest

import (
	"encoding/json"
	"fmt"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// ops are the operations but for hello.
func ops() map[string]operation {
	only := func(f func(*page) error) operation {
		return in(func(q tabOnlyRequest) string { return q.Tab }, func(p *page, _ tabOnlyRequest) error { return f(p) })
	}
	call := func(f func(Bus, func(error))) operation {
		return in(func(q callRequest) string { return q.Tab }, func(p *page, q callRequest) error { return p.call(q.Call, f) })
	}
	handler := func(f func(*page, handlerRequest) error) operation {
		return in(func(q handlerRequest) string { return q.Tab }, f)
	}
	data := func(f func(*page, dataRequest) error) operation {
		return in(func(q dataRequest) string { return q.Tab }, f)
	}
	return map[string]operation{
		"origin":      world((*bridge).begin),
		"tab":         world((*bridge).open),
		"start":       call(Bus.Start),
		"stop":        call(Bus.Stop),
		"ready":       call(Bus.Ready),
		"subscribe":   handler((*page).subscribe),
		"unsubscribe": handler((*page).unsubscribe),
		"publish":     data(func(p *page, q dataRequest) error { p.bus.Publish(q.Topic, q.Data); return nil }),
		"emit":        data(func(p *page, q dataRequest) error { p.line.emit(q.Topic, q.Data); return nil }),
		"server":      world((*bridge).publish),
		"pagehide":    only(func(p *page) error { p.bus.PageHide(); return nil }),
		"pageshow":    only(func(p *page) error { p.bus.PageShow(); return nil }),
		"visibility": in(func(q visibilityRequest) string { return q.Tab },
			func(p *page, q visibilityRequest) error { p.bus.Visibility(q.State); return nil }),
		"crash":    only(func(p *page) error { p.crash(); return nil }),
		"freeze":   only(func(p *page) error { p.frozen = true; return nil }),
		"thaw":     only((*page).thaw),
		"flush":    only(func(p *page) error { p.flush(); return nil }),
		"sync":     in(func(q syncRequest) string { return q.Tab }, func(p *page, q syncRequest) error { p.sync(q.Count); return nil }),
		"status":   in(func(q statusRequest) string { return q.Tab }, func(p *page, q statusRequest) error { p.line.say(q.Status); return nil }),
		"opens":    in(func(q opensRequest) string { return q.Tab }, func(p *page, q opensRequest) error { p.line.opens = q.Opens; return nil }),
		"opened":   in(func(q openedRequest) string { return q.Tab }, func(p *page, q openedRequest) error { return p.line.opened(q.Fail) }),
		"fail":     in(func(q failRequest) string { return q.Tab }, (*page).fail),
		"deliver":  world((*bridge).deliver),
		"drop":     world((*bridge).drop),
		"inject":   in(func(q injectRequest) string { return q.Tab }, (*page).inject),
		"put":      world(func(b *bridge, q putRequest) error { b.store.write(nil, q.Key, q.Value); return nil }),
		"advance":  world((*bridge).advance),
		"drain":    world(func(b *bridge, q drainRequest) error { return b.drain(q.Max) }),
		"batch":    in(func(q batchRequest) string { return q.Tab }, (*page).batch),
		"wire":     asking(func(b *bridge) any { return b.wire() }),
		"snapshot": asking(func(b *bridge) any { return b.snapshot() }),
	}
}

// begin makes an origin, and ends the one that there was with all its tabs.
func (b *bridge) begin(q originRequest) error {
	if err := b.end(); err != nil {
		return err
	}
	*b = bridge{hooks: b.hooks, software: b.software, factory: b.factory, extras: b.extras, sessions: map[string]session{}}
	b.origin(q)
	return nil
}

func (b *bridge) origin(q originRequest) {
	b.q, b.now, b.store = q, q.Now, newStore(q.Storage == storageReplicated)
}

func (p *page) call(name string, f func(Bus, func(error))) error {
	f(p.bus, func(err error) {
		d := &deed{Kind: didSettled, Call: name}
		if err != nil {
			d.Error = err.Error()
		}
		p.note(d)
	})
	return nil
}

// A handled is one handler of the application by its name, which may be registered several times.
type handled struct {
	live []func() // what takes it back
	last func()   // what took it back last
}

func (p *page) subscribe(q handlerRequest) error {
	cancel, err := p.bus.Subscribe(q.Topic, func(topic string, data json.RawMessage) {
		p.note(&deed{Kind: didDispatch, Topic: topic, Data: data, Handler: q.Handler})
		p.b.now += q.Takes
		if q.Throws {
			panic("the handler " + q.Handler + " throws")
		}
	})
	if err != nil {
		return &adapter.TargetError{Name: "Refused", Message: err.Error()}
	}
	key := [2]string{q.Topic, q.Handler}
	if p.handlers[key] == nil {
		p.handlers[key] = &handled{}
	}
	h := p.handlers[key]
	h.live = append(h.live, cancel)
	return nil
}

// unsubscribe takes a handler back, once more if it was taken back already.
func (p *page) unsubscribe(q handlerRequest) error {
	h := p.handlers[[2]string{q.Topic, q.Handler}]
	if h == nil {
		return fmt.Errorf("no handler %q of %q was ever registered", q.Handler, q.Topic)
	}
	if n := len(h.live); n > 0 {
		h.last, h.live = h.live[n-1], h.live[:n-1]
	}
	h.last()
	return nil
}

func (p *page) batch(q batchRequest) error {
	for _, item := range q.Ops {
		var err error
		switch item.Op {
		case "subscribe":
			err = p.subscribe(handlerRequest{Tab: q.Tab, Topic: item.Topic, Handler: item.Handler})
		case "unsubscribe":
			err = p.unsubscribe(handlerRequest{Tab: q.Tab, Topic: item.Topic, Handler: item.Handler})
		case "publish":
			p.bus.Publish(item.Topic, item.Data)
		default:
			return &adapter.UnsupportedError{Reason: "a batch of " + item.Op}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bridge) publish(q dataRequest) error {
	for _, p := range b.pages {
		if p.line.sends(q.Topic) {
			p.line.emit(q.Topic, q.Data)
			if err := b.settle(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *page) fail(q failRequest) error {
	if q.Writes != nil {
		p.failWrites = *q.Writes
	}
	if q.Posts != nil {
		p.failPosts = *q.Posts
	}
	return nil
}

// snapshot changes nothing.
func (b *bridge) snapshot() snapshotReply {
	s := snapshotReply{Now: b.now, Storage: b.store.all.held(), Tabs: map[string]*tabView{}}
	for _, p := range b.pages {
		s.Tabs[p.name] = p.view()
	}
	return s
}
