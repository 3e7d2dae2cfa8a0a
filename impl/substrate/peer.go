package substrate

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A Peer is the other side, as this one sees it: the objects that the two share and all that is queued for it. It outlives connections:
// whatever is called while there is none waits for one (SUBSTRATE-RECONNECT-002, SUBSTRATE-RECONNECT-005). Its methods may be called by
// several goroutines at once.
type Peer struct {
	cfg    *Config
	remote string
	store  store.Store // nil at an edge
	owns   func() error
	dials  bool // this side dials

	in      chan func(time.Time) // what the loop is to do
	closing chan struct{}        // closed when Close has begun
	stop    chan struct{}        // closed when the loop is to end
	stopped chan struct{}        // closed when the loop has ended
	done    chan struct{}        // closed when all has ended
	err     error                // of done

	life    context.Context // of handlers
	endLife context.CancelFunc
	cut     context.Context // ends all that Close has lost patience with
	endCut  context.CancelFunc

	workers  sync.WaitGroup // of handlers, store calls and feeds: what the loop starts
	carriers sync.WaitGroup

	lanes  lanes
	events chan Event
	inbox  sync.Mutex // held by who takes from an inbox

	mu       sync.Mutex // guards what follows
	objects  map[string]*Object
	arrivals map[string]chan struct{} // closed when something comes to an inbox
	ready    chan struct{}            // closed while there is a connection
	conn     *carrier
	closed   bool
	parked   bool               // nothing is dialled
	resume   chan struct{}      // closed while not parked
	dialling context.CancelFunc // ends the present connection and attempts

	dialers sync.WaitGroup

	loop
}

// newPeer makes the engine of a peer. When it fails what was opened is closed.
func newPeer(cfg *Config, remote string, st store.Store, owns func() error, dials bool) (*Peer, error) {
	ec := engine.Config{
		Local: cfg.ID, Remote: remote, Store: st, Authorize: cfg.Authorize, Observe: cfg.Observe, Limits: cfg.Limits,
		Jitter:  func(d time.Duration) time.Duration { return d + rand.N(d/10+1) }, // SUBSTRATE-OUTBOX-005
		Feeds:   cfg.Feeds,
		Journal: cfg.Journal != nil,
	}
	if cfg.Relay != nil {
		ec.Relay = &engine.Relay{Remembers: cfg.Relay.Sink.Remembers()}
	}
	eng, err := engine.New(time.Now(), ec)
	if err != nil {
		_ = owns()
		return nil, err
	}
	p := &Peer{
		cfg: cfg, remote: remote, store: st, owns: owns, dials: dials,
		in: make(chan func(time.Time), mailbox), closing: make(chan struct{}), stop: make(chan struct{}), stopped: make(chan struct{}),
		done: make(chan struct{}), events: make(chan Event, eventBacklog),
		objects: map[string]*Object{}, arrivals: map[string]chan struct{}{}, ready: make(chan struct{}), resume: make(chan struct{}),
	}
	close(p.resume)
	p.loop.init(eng)
	p.restore()
	p.life, p.endLife = context.WithCancel(context.Background())
	p.cut, p.endCut = context.WithCancel(context.Background())
	if cfg.Handler.Event != nil {
		p.workers.Go(p.tell)
	}
	go p.run()
	return p, nil
}

// restore takes note of the objects that were there before.
func (p *Peer) restore() {
	for _, o := range p.eng.Snapshot().Objects {
		switch {
		case o.Record == nil || !o.Record.Ended.IsZero():
			continue
		case o.Record.Queued:
			p.queues[o.Obj] = true
		}
		p.opened(o.Obj, o.Record.OpenID)
	}
}

// ID returns the id of the other side.
func (p *Peer) ID() string { return p.remote }

// Done is closed when the peer has been closed or released and all of it has ended.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Ready waits until there is a connection.
func (p *Peer) Ready(ctx context.Context) error {
	p.mu.Lock()
	ready := p.ready
	p.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-p.closing:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Connected returns the id of the connection, which is the same on both sides, or false if there is none.
func (p *Peer) Connected() (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil {
		return "", false
	}
	return p.conn.conn.ID(), true
}

// A Status is where a peer stands.
type Status struct {
	Conn    string // empty: no connection
	Objects []ObjectStatus
}

// An ObjectStatus is where an object stands.
type ObjectStatus struct {
	Obj    string
	Kind   string // session or queue; empty if this side has never opened or accepted it
	State  string // idle, opening, live, rejected or closed
	Opener string // peer id
	Outbox int    // ops of this side that are not freed
	Inbox  int    // ops of the peer that are not handled, without those in the inbox of a queue
}

// Status returns where the peer stands, with its objects by name. It costs a copy of all of them.
func (p *Peer) Status(ctx context.Context) (Status, error) {
	result := make(chan Status, 1)
	err := p.post(ctx, func(time.Time) {
		snap := p.eng.Snapshot()
		s := Status{Conn: snap.Conn}
		for _, o := range snap.Objects {
			x := ObjectStatus{Obj: o.Obj, State: "idle", Outbox: len(o.Rows), Inbox: len(o.Inbox)}
			if o.Record != nil {
				x.Kind, x.State, x.Opener = o.Record.Kind, o.Record.State, o.Record.Opener
			}
			s.Objects = append(s.Objects, x)
		}
		result <- s
	})
	if err != nil {
		return Status{}, err
	}
	select {
	case s := <-result:
		return s, nil
	case <-p.stopped:
		return Status{}, ErrClosed
	}
}

// Close ends the connection and the handlers and waits for both. What is queued stays in the store. When ctx ends first, the connection is
// cut; handlers that do not return are left to end by themselves, and the rest with them.
func (p *Peer) Close(ctx context.Context) error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	p.mu.Unlock()
	if first {
		close(p.closing)
		p.endLife()
		go p.shutdown()
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		p.endCut()
		return context.Cause(ctx)
	}
}

// shutdown ends everything, in the order in which one thing needs the other.
func (p *Peer) shutdown() {
	p.end(closeGoingAway)
	p.carriers.Wait()
	p.hangUp()
	p.dialers.Wait()
	quiet := make(chan struct{})
	p.in <- func(time.Time) {
		p.quiet = true
		close(quiet)
	}
	<-quiet
	p.workers.Wait()
	close(p.stop)
	<-p.stopped
	p.err = p.owns()
	p.endCut()
	close(p.done)
}

// closeGoingAway is the code with which a peer that is closed ends its connection.
const closeGoingAway = 1001

// relayOp returns an op for a sink.
func relayOp(x *engine.StoreOp) relay.Op {
	r := &x.Row
	return relay.Op{
		Peer: x.Peer, Obj: r.Obj, ObjKind: r.ObjKind, Kind: r.Kind, Answer: x.Class == store.Answer, ID: r.ID, Seq: r.Seq,
		Code: r.Code, Msg: r.Msg, Body: r.Body,
	}
}

// log passes a line on.
func (p *Peer) log(level observe.Level, msg string, f observe.Fields) {
	f.Peer = p.remote
	p.cfg.Observe.Log(level, msg, f)
}
