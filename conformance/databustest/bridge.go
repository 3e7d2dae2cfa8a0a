package databustest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// hooks are where tests make a bus break a law, between the bus and what surrounds it. A nil one changes nothing.
type hooks struct {
	settings func(*Settings)                                              // before a bus is made
	bus      func(Bus, Settings) Bus                                      // around one that was
	op       func(b *bridge, op string)                                   // before it is carried out
	write    func(p *page, key string, value *string) (*string, bool)     // value nil: a removal; false: it is not done, and nobody knows
	read     func(p *page, key, value string, ok bool) (string, bool)     // what a tab reads
	post     func(p *page, message json.RawMessage) []json.RawMessage     // what goes out instead; none: nothing
	receive  func(p *page, message json.RawMessage) []json.RawMessage     // what comes in instead
	told     func(p *page, op, topic string) bool                         // tsub, tunsub or tpub; false: the transport does not hear of it
	message  func(p *page, topic string, data json.RawMessage) bool       // of the server; false: it does not come
	timer    func(p *page, ms int64, repeats bool) int64                  // after how many ms it is due instead
	did      func(b *bridge, ds deeds) deeds                              // of one request
	view     func(p *page, v *tabView)                                    // of a snapshot
	reply    func(op string, value any, err error) (instead any, _ error) // of any request
}

// serve returns the adapter around the buses of a factory.
func serve(software string, f Factory, x *extras, h hooks) adapter.Adapter {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		b := &bridge{hooks: h, software: software, factory: f, extras: x, sessions: map[string]session{}}
		return errors.Join(adapter.Serve(ctx, r, w, b.handle), b.end())
	}
}

// A bridge carries out the operations of spec/adapter.md on one origin. Nothing in it happens but what a request asks for.
type bridge struct {
	hooks    hooks
	software string
	factory  Factory
	extras   *extras // nil: there is none

	q        originRequest
	now      int64
	made     int     // timers and messages, by which what is due at one moment is ordered
	pages    []*page // that live, in the order in which they came
	sessions map[string]session
	ids      int
	store    store
	flying   []*frame // the oldest first
	frames   int
	later    []func()
	did      deeds
}

// end ends all tabs, so that nobody waits for anything any more.
func (b *bridge) end() error {
	for _, p := range slices.Clone(b.pages) {
		p.die()
	}
	return b.settle()
}

// handle turns a panic of the target into what was thrown.
func (b *bridge) handle(_ context.Context, r *adapter.Request) (value any, err error) {
	defer func() {
		if v := recover(); v != nil {
			value, err = nil, &adapter.TargetError{Name: "panic", Message: fmt.Sprint(v)}
		}
	}()
	if r.Op == "hello" {
		return adapter.Hello(r, b.greeting())
	}
	do, known := b.operations()[r.Op]
	if !known {
		return nil, &adapter.UnsupportedError{Reason: "no such operation"}
	}
	if h := b.hooks.op; h != nil {
		h(b, r.Op)
	}
	value, err = do(b, r)
	if h := b.hooks.reply; h != nil {
		value, err = h(r.Op, value, err)
	}
	return value, err
}

// operations are those that can be asked for now.
func (b *bridge) operations() map[string]operation {
	all := ops()
	if b.store.all == nil {
		for name := range all {
			if name != "origin" {
				all[name] = func(*bridge, *adapter.Request) (any, error) { return nil, errors.New("there is no origin yet") }
			}
		}
	}
	if b.extras != nil {
		maps.Copy(all, b.extras.operations())
	}
	return all
}

// greeting finds out the versions that the factory has.
func (b *bridge) greeting() adapter.Greeting {
	g := adapter.Greeting{Protocol: "databus", Software: b.software, Roles: []string{"databus", "runtime", "storage-writer"}, Options: map[string]string{}}
	if b.extras == nil {
		g.Options[Backend] = "no worker is behind the transport of a bus in Go"
	}
	for _, version := range both() {
		scratch := &bridge{factory: b.factory, sessions: map[string]session{}}
		scratch.origin(originRequest{Version: version, Now: start})
		if _, err := b.factory(scratch.page(tabRequest{Tab: "a", TabID: "a", WorkerID: "a"}).settings()); !errors.Is(err, ErrVersion) {
			g.Versions = append(g.Versions, version)
		}
	}
	return g
}

// An operation carries out a request.
type operation func(b *bridge, r *adapter.Request) (any, error)

// world decodes a request and carries it out, settles, and replies what was done.
func world[Q any](f func(*bridge, Q) error) operation {
	return func(b *bridge, r *adapter.Request) (any, error) {
		return adapter.Op(r, func(q Q) (any, error) {
			if err := f(b, q); err != nil {
				b.did = nil
				return nil, err
			}
			if err := b.settle(); err != nil {
				return nil, err
			}
			return didReply{Did: b.took()}, nil
		})
	}
}

// in is world for a request about one tab.
func in[Q any](name func(Q) string, f func(*page, Q) error) operation {
	return world(func(b *bridge, q Q) error {
		p, err := b.named(name(q))
		if err != nil {
			return err
		}
		return f(p, q)
	})
}

// asking decodes a request that changes nothing.
func asking(f func(*bridge) any) operation {
	return func(b *bridge, r *adapter.Request) (any, error) {
		return adapter.Op(r, func(struct{}) (any, error) { return f(b), nil })
	}
}

// replying decodes a request to which only the reply is of interest.
func replying[Q, R any](f func(Q) (R, error)) operation {
	return func(_ *bridge, r *adapter.Request) (any, error) {
		return adapter.Op(r, func(q Q) (any, error) { return f(q) })
	}
}

// took hands out what was done.
func (b *bridge) took() deeds {
	out := append(deeds{}, b.did...)
	b.did = nil
	if h := b.hooks.did; h != nil {
		out = append(deeds{}, h(b, out)...)
	}
	return out
}

// mostAtOnce is how often something may follow at one moment before that counts as endless.
const mostAtOnce = 100_000

// errRestless is a target that finds no rest.
func errRestless(what string) error {
	return &adapter.TargetError{Name: "Restless", Message: fmt.Sprintf("%s do not end: more than %d at one moment", what, mostAtOnce)}
}

// settle runs what follows at once: what a task wrote is flushed, then what waits for its turn runs as the next task.
func (b *bridge) settle() error {
	for range mostAtOnce {
		if b.q.Flush != flushManual {
			for _, p := range slices.Clone(b.pages) {
				p.flush()
			}
		}
		if len(b.later) == 0 {
			return nil
		}
		f := b.later[0]
		b.later = b.later[1:]
		f()
	}
	return errRestless("the tasks that follow one task")
}

// named returns a living tab.
func (b *bridge) named(name string) (*page, error) {
	for _, p := range b.pages {
		if p.name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no tab %q", name)
}
