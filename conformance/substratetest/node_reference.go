package substratetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// ServeReference is the adapter around the engine of the reference, impl/substrate/engine, over its real stores and under a virtual clock:
// it answers requests from r on w until r ends.
func ServeReference(ctx context.Context, r io.Reader, w io.Writer) error {
	return serveNodes(nodeHooks{})(ctx, r, w)
}

var _ adapter.Adapter = ServeReference

// nodeHooks are where tests make the reference break a law. A nil one changes nothing.
type nodeHooks struct {
	config func(*engine.Config)
	store  func(*refNode, store.Store) store.Store // around the one that refuses
	frame  func(*refNode, *frame) *frame           // of one that comes; nil: it does not
	did    func(*refNode, deeds) deeds             // of what the node did in one request
	op     func(n *refNode, op string)             // before the node is asked for it
	code   func(code string) string                // of a refused call or answer
	stored func(*refNode, *storedRequest)          // of how a store call of an edge ended
	reply  func(op string, v any, err error) (any, error)
}

// serveNodes returns the adapter around nodes of the reference.
func serveNodes(h nodeHooks) adapter.Adapter {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		b := &nodeBridge{hooks: h, nodes: map[string]*refNode{}}
		return errors.Join(adapter.Serve(ctx, r, w, b.handle), b.end())
	}
}

// A nodeBridge carries out the operations of spec/adapter.md on nodes of the reference.
type nodeBridge struct {
	hooks nodeHooks
	nodes map[string]*refNode
	dir   string // of files, made when it is needed
	files int
}

// end ends all nodes.
func (b *nodeBridge) end() error {
	var faults []error
	for _, n := range b.nodes {
		faults = append(faults, n.disk.close())
	}
	if b.dir != "" {
		faults = append(faults, os.RemoveAll(b.dir))
	}
	return errors.Join(faults...)
}

// handle turns a panic of the target into what was thrown.
func (b *nodeBridge) handle(_ context.Context, r *adapter.Request) (value any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &adapter.TargetError{Name: "panic", Message: fmt.Sprint(v)}
		}
	}()
	if r.Op == "hello" {
		return adapter.Hello(r, adapter.Greeting{Protocol: "substrate", Software: "assay substrate", Roles: []string{"peer"}})
	}
	if do, known := nodeOps()[r.Op]; known {
		value, err = do(b, r)
		if h := b.hooks.reply; h != nil {
			value, err = h(r.Op, value, err)
		}
		return value, err
	}
	return nil, &adapter.UnsupportedError{Reason: "no such operation"}
}

// A nodeOp carries out a request.
type nodeOp func(b *nodeBridge, r *adapter.Request) (any, error)

// doing decodes a request and carries it out on what it names.
func doing[Q any](f func(*nodeBridge, Q) (any, error)) nodeOp {
	return func(b *nodeBridge, r *adapter.Request) (any, error) {
		return adapter.Op(r, func(q Q) (any, error) { return f(b, q) })
	}
}

// nodeOps are the operations but for hello.
func nodeOps() map[string]nodeOp {
	ops := map[string]nodeOp{
		"new":        doing((*nodeBridge).create),
		"restart":    doing((*nodeBridge).restart),
		"stop":       doing((*nodeBridge).stop),
		"clock":      doing(func(b *nodeBridge, q nodeClockRequest) (any, error) { return b.at(q.Node, "clock", q.set) }),
		"advance":    doing(func(b *nodeBridge, q advanceRequest) (any, error) { return b.at(q.Node, "advance", q.pass) }),
		"connect":    doing(func(b *nodeBridge, q connRequest) (any, error) { return b.at(q.Node, "connect", q.connect) }),
		"disconnect": doing(func(b *nodeBridge, q connRequest) (any, error) { return b.at(q.Node, "disconnect", q.disconnect) }),
		"frame":      doing(func(b *nodeBridge, q nodeFrameRequest) (any, error) { return b.at(q.Node, "frame", q.receive) }),
		"gate":       doing(func(b *nodeBridge, q gateRequest) (any, error) { return b.at(q.Node, "gate", q.replace) }),
		"refuse":     doing((*nodeBridge).refuse),
		"stored":     doing(func(b *nodeBridge, q storedRequest) (any, error) { return b.at(q.Node, "stored", q.tell) }),
		"feed":       doing(func(b *nodeBridge, q feedRequest) (any, error) { return b.at(q.Node, "feed", q.push) }),
		"follow":     doing(func(b *nodeBridge, q followRequest) (any, error) { return b.at(q.Node, "follow", q.follow) }),
		"followed":   doing((*nodeBridge).followed),
		"inbox":      doing((*nodeBridge).inbox),
		"kept":       doing((*nodeBridge).kept),
		"signals":    doing((*nodeBridge).signals),
		"config":     doing((*nodeBridge).config),
		"storage":    doing((*nodeBridge).storage),
		"greet":      doing((*nodeBridge).greet),
		"backoff":    doing((*nodeBridge).backoff),
		"sink":       doing((*nodeBridge).sink),
		"scope":      doing((*nodeBridge).scope),
	}
	for _, verb := range []string{"open", "send", "req", "close"} {
		ops[verb] = doing(func(b *nodeBridge, q callRequest) (any, error) { return b.call(verb, q) })
	}
	for _, verb := range []string{"accept", "reject", "respond", "end", "fail", "handled"} {
		ops[verb] = doing(func(b *nodeBridge, q answerRequest) (any, error) { return b.answer(verb, q) })
	}
	return ops
}

// A refNode is one engine with its store, its clock and what it did.
type refNode struct {
	b      *nodeBridge
	name   string
	q      newNodeRequest
	now    time.Time
	eng    *engine.Engine
	disk   *refDisk
	gate   engine.Interceptor
	seen   *refSeen
	did    []*deed
	calls  map[string]string          // names by id
	given  map[string]engine.Delivery // by name
	handed int
	lives  int           // processes, the present one included
	wall   time.Duration // by which the wall clock was set ahead of the time that has passed
}

// node returns one that was made.
func (b *nodeBridge) node(name string) (*refNode, error) {
	n := b.nodes[name]
	if n == nil {
		return nil, fmt.Errorf("no node %q", name)
	}
	return n, nil
}

// at does something with a node, writes what follows, and replies what it did.
func (b *nodeBridge) at(name, op string, do func(*refNode) error) (any, error) {
	n, err := b.node(name)
	if err != nil {
		return nil, err
	}
	n.asked(op)
	if err := do(n); err != nil {
		return nil, n.refused(err)
	}
	n.commit()
	return didReply{Did: n.took()}, nil
}

// asked lets a hook know of an operation.
func (n *refNode) asked(op string) {
	if h := n.b.hooks.op; h != nil {
		h(n, op)
	}
}

// commit writes what the engine was told, and takes what follows. What the store said of it shows in what the engine does.
func (n *refNode) commit() {
	_ = n.eng.Commit(n.now, nil)
	n.take()
}

// took hands out what the node did.
func (n *refNode) took() []*deed {
	out := append(deeds{}, n.did...)
	n.did = nil
	if h := n.b.hooks.did; h != nil {
		out = append(deeds{}, h(n, out)...)
	}
	return out
}

// ms returns how much time has passed since the node was made, in virtual ms.
func (n *refNode) ms() int64 { return n.now.UnixMilli() - startOfTime - n.wall.Milliseconds() }

func (n *refNode) note(d *deed) {
	d.At = n.ms()
	n.did = append(n.did, d)
}

// refused words an error of the engine as the page asks for it.
func (n *refNode) refused(err error) error {
	n.did = nil
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return n.coded(e.Code, err)
	}
	if e, ok := errors.AsType[*wire.AddressError](err); ok {
		return n.coded(e.Code, err)
	}
	return err
}

// mostAtOnce is how often something may fall due at one moment before that counts as endless.
const mostAtOnce = 1000

// pass lets time go by: what is due is done at its time.
func (q advanceRequest) pass(n *refNode) error {
	if q.MS < 0 {
		return fmt.Errorf("time does not pass by %d ms", q.MS)
	}
	end := n.now.Add(time.Duration(q.MS) * time.Millisecond)
	for restless := 0; ; restless++ {
		due, some := n.eng.Next()
		if !some || due.After(end) {
			n.now = end
			return nil
		}
		// What is due is done at the first whole millisecond at which it is.
		if whole := time.UnixMilli(due.UnixMilli()).UTC(); whole.Before(due) {
			due = whole.Add(time.Millisecond)
		}
		if due.After(end) {
			n.now = end
			return nil
		}
		if due.After(n.now) {
			n.now, restless = due, 0
		}
		if restless > mostAtOnce {
			return fmt.Errorf("more than %d times something is due at %d ms", mostAtOnce, n.ms())
		}
		n.eng.Tick(n.now)
		n.commit()
	}
}

// set sets the wall clock. Nothing is due by that.
func (q nodeClockRequest) set(n *refNode) error {
	to := time.UnixMilli(q.Now).UTC()
	n.wall += to.Sub(n.now)
	n.now = to
	return nil
}

func (q connRequest) connect(n *refNode) error {
	c := engine.Conn{ID: q.Conn}
	if copy(c.Epoch[:], q.Epoch) != len(c.Epoch) || len(q.Epoch) != len(c.Epoch) {
		return fmt.Errorf("an epoch of %d octets", len(q.Epoch))
	}
	n.eng.Connected(n.now, c)
	return nil
}

func (q connRequest) disconnect(n *refNode) error {
	n.eng.Disconnected(n.now, q.Conn)
	return nil
}

func (q nodeFrameRequest) receive(n *refNode) error {
	raw := q.Octets
	if h := n.b.hooks.frame; h != nil {
		f := decode(raw)
		if f.env != nil {
			if f = h(n, f); f == nil {
				return nil
			}
			raw = f.octets()
		}
	}
	n.eng.Receive(n.now, q.Conn, raw)
	return nil
}
