package substrate

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/seed-6f28358b/assay/impl/substrate/link"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// A Listener takes the connections of any number of peers, as an [http.Handler]. Each peer has a scope of its own: nothing of one is ever
// seen by another (SUBSTRATE-RECONNECT-006, SUBSTRATE-STORE-005). Its methods may be called by several goroutines at once.
type Listener struct {
	cfg     Config
	storage *storage
	link    *link.Listener

	mu     sync.Mutex
	peers  map[string]*seat
	closed bool
}

// A seat is where a peer is, or is being made, or is being released.
type seat struct {
	made chan struct{} // closed when peer or err is there
	peer *Peer
	err  error
}

// storeUnavailable is the reason with which a connection is refused whose peer has no store (SUBSTRATE-STORE-004).
const storeUnavailable = "store_unavailable"

// errTooMany is what a peer is refused with when there are MaxPeers already.
var errTooMany = errors.New("there are as many peers as Config.MaxPeers allows")

// NewListener returns a listener. It holds no socket: serve it as a handler, at any path. The errors are [*ConfigError] and those of the
// storage.
func NewListener(c Config) (*Listener, error) {
	if err := c.validateListener(); err != nil {
		return nil, err
	}
	if c.MaxPeers == 0 {
		c.MaxPeers = defaultMaxPeers
	}
	l := &Listener{cfg: c, peers: map[string]*seat{}}
	var err error
	if l.storage, err = openStorage(&l.cfg); err != nil {
		return nil, err
	}
	epoch, err := l.storage.epoch()
	if err == nil {
		l.link, err = link.NewListener(link.ListenerConfig{
			Handshake: l.cfg.handshake(epoch), Ready: l.ready, Origins: c.Origins,
			Failed: func(remote string, err error) {
				l.cfg.Observe.Log(observe.Info, "a connection from "+remote+" did not become ready", observe.Fields{Err: err})
			},
		})
	}
	if err != nil {
		return nil, errors.Join(err, l.storage.close())
	}
	return l, nil
}

func (c *Config) validateListener() error {
	if err := c.Validate(); err != nil {
		return err
	}
	switch {
	case c.Remote != "":
		return &ConfigError{Field: "Remote", Problem: "is given to NewListener", Remedy: "who may come is for Auth to say"}
	case c.Journal != nil:
		return &ConfigError{Field: "Journal", Problem: "is given to NewListener", Remedy: "use DBPath"}
	case c.Feeds:
		return &ConfigError{Field: "Feeds", Problem: "is given to NewListener", Remedy: "who follows feeds dials"}
	}
	return nil
}

// ServeHTTP takes one connection and returns when it has ended.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) { l.link.ServeHTTP(w, r) }

// ready binds a connection to its peer, whose id is proven by now.
func (l *Listener) ready(ctx context.Context, conn *link.Conn) {
	for {
		p, err := l.Load(conn.Peer())
		if errors.Is(err, ErrClosed) {
			conn.Close(closeGoingAway, "")
			return
		}
		if err != nil {
			l.cfg.Observe.Log(observe.Error, "a peer is refused", observe.Fields{Peer: conn.Peer(), Code: storeUnavailable, Err: err})
			conn.Close(closeAbnormal, storeUnavailable)
			return
		}
		if !p.isClosing() || l.isClosed() {
			p.attach(ctx, conn)
			return
		}
		// It is being released, and comes anew.
		select {
		case <-p.done:
			l.leave(p)
		case <-ctx.Done():
			return
		}
	}
}

func (l *Listener) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// Load returns the peer with an id, connected or not, and goes on with what is stored for it. [Listener.Peer] returns only those that have
// come or were loaded.
func (l *Listener) Load(id string) (*Peer, error) {
	l.mu.Lock()
	s := l.peers[id]
	if s != nil || l.closed || len(l.peers) >= l.cfg.MaxPeers {
		closed := l.closed
		l.mu.Unlock()
		switch {
		case closed:
			return nil, ErrClosed
		case s == nil:
			return nil, errTooMany
		}
		<-s.made
		return s.peer, s.err
	}
	s = &seat{made: make(chan struct{})}
	l.peers[id] = s
	l.mu.Unlock()

	s.peer, s.err = l.make(id)
	if s.err != nil {
		// SUBSTRATE-STORE-004: what fails now may go well when the peer comes again, and has left nothing behind.
		l.mu.Lock()
		delete(l.peers, id)
		l.mu.Unlock()
	}
	close(s.made)
	return s.peer, s.err
}

func (l *Listener) make(id string) (*Peer, error) {
	if probe := (&Config{ID: id, Auth: l.cfg.Auth}); probe.validateHandshake() != nil || id == l.cfg.ID {
		return nil, &ConfigError{Field: "peer", Problem: "is no id of another peer: " + id}
	}
	st, leave, err := l.storage.of(id)
	if err != nil {
		return nil, err
	}
	return newPeer(&l.cfg, id, st, leave, false)
}

// Peer returns a peer that has come or was loaded, nil if there is none with that id.
func (l *Listener) Peer(id string) *Peer {
	l.mu.Lock()
	s := l.peers[id]
	l.mu.Unlock()
	if s == nil {
		return nil
	}
	<-s.made
	return s.peer
}

// Peers returns the peers that have come or were loaded, by id.
func (l *Listener) Peers() []*Peer {
	l.mu.Lock()
	seats := make([]*seat, 0, len(l.peers))
	for _, s := range l.peers {
		seats = append(seats, s)
	}
	l.mu.Unlock()
	peers := make([]*Peer, 0, len(seats))
	for _, s := range seats {
		if <-s.made; s.peer != nil {
			peers = append(peers, s.peer)
		}
	}
	slices.SortFunc(peers, func(a, b *Peer) int { return cmp.Compare(a.remote, b.remote) })
	return peers
}

// Release closes a peer and forgets it. Its rows stay in the store, and when it comes again it goes on from them (SUBSTRATE-STORE-006). A
// peer that is not there is no error. Of ctx see [Peer.Close].
func (l *Listener) Release(ctx context.Context, id string) error {
	p := l.Peer(id)
	if p == nil {
		return nil
	}
	err := p.Close(ctx)
	select {
	case <-p.done:
		l.leave(p)
	default:
		// It is still ending. Nobody else may have its store before it has, so that its seat stays taken.
	}
	return err
}

// leave forgets a peer that has ended.
func (l *Listener) leave(p *Peer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.peers[p.remote]
	if s == nil {
		return
	}
	select {
	case <-s.made:
		if s.peer == p {
			delete(l.peers, p.remote)
		}
	default:
		// Somebody else has forgotten the peer before, and the seat is being made for one that comes anew.
	}
}

// Close ends all connections, closes all peers, and then what storage was opened here. Of ctx see [Peer.Close]; a storage that is still in
// use then stays open.
func (l *Listener) Close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	peers := l.Peers()
	errs := make([]error, len(peers)+1)
	var all sync.WaitGroup
	for i, p := range peers {
		all.Go(func() { errs[i] = p.Close(ctx) })
	}
	all.Wait()
	errs[len(peers)] = l.link.Close(ctx)
	for _, p := range peers {
		select {
		case <-p.done:
		default:
			return errors.Join(errs...)
		}
	}
	return errors.Join(append(errs, l.storage.close())...)
}
