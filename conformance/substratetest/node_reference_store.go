package substratetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

var errDiskFull = errors.New("the disk is full")

// A refDisk is what nodes keep, and what a restart leaves of it. It is that of several nodes where they share it.
type refDisk struct {
	store.Store
	path string // of a file; empty: none
	lost bool   // a restart leaves nothing
	open func(path string) (store.Store, error)
	log  *refLog // of a journal
}

// close ends the use of a store.
func (d *refDisk) close() error {
	if d.Store == nil {
		return nil
	}
	s := d.Store
	d.Store = nil
	return s.Close()
}

// die leaves of the store what the death of the process would: nothing, all of it, or what is in the file at this moment, of which a copy
// is what goes on, with so many octets of a torn record behind it. To close the store would write what it still holds back.
func (d *refDisk) die(to string, torn int) error {
	switch {
	case d.lost:
		d.Store = store.NewMemory()
		return nil
	case d.path == "":
		return nil
	}
	for _, part := range []string{"", "-wal"} {
		octets, err := os.ReadFile(d.path + part)
		if errors.Is(err, os.ErrNotExist) && part != "" {
			continue
		}
		if d.log != nil {
			octets = d.log.left(octets, torn)
		}
		if err == nil {
			err = os.WriteFile(to+part, octets, 0o600)
		}
		if err != nil {
			return err
		}
	}
	if err := d.close(); err != nil {
		return err
	}
	s, err := d.open(to)
	if err != nil {
		return err
	}
	d.Store, d.path = s, to
	return nil
}

// file returns the path of a new file.
func (b *nodeBridge) file() (string, error) {
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "assay-nodes-")
		if err != nil {
			return "", err
		}
		b.dir = dir
	}
	b.files++
	return filepath.Join(b.dir, "store"+strconv.Itoa(b.files)), nil
}

// diskOf opens what a node keeps.
func (b *nodeBridge) diskOf(q newNodeRequest) (*refDisk, error) {
	d := &refDisk{}
	if q.With != "" {
		other, err := b.node(q.With)
		if err != nil {
			return nil, err
		}
		if q.Form != formJournal {
			return other.disk, nil
		}
		d.path = other.disk.path
	}
	if q.File != "" {
		return b.fileOf(q.File)
	}
	switch {
	case q.Form == formRelay:
		return d, nil
	case q.Form == formJournal:
		d.log = &refLog{}
		d.open = func(path string) (store.Store, error) { return d.log.open(path, q.Quota) }
	case q.Store == "", q.Store == storeMemory, q.Store == storeHost:
		d.Store, d.lost = store.NewMemory(), q.Store != storeHost
		return d, nil
	case q.Store == storeFile:
		d.open = func(path string) (store.Store, error) { return sqlite.Open(path, sqlite.Options{}) }
	default:
		return nil, &adapter.UnsupportedError{Reason: "store " + q.Store}
	}
	var err error
	if d.path == "" {
		d.path, err = b.file()
	}
	if err == nil {
		d.Store, err = d.open(d.path)
	}
	return d, err
}

// create makes a node.
func (b *nodeBridge) create(q newNodeRequest) (any, error) {
	if _, taken := b.nodes[q.Node]; taken || q.Node == "" {
		return nil, fmt.Errorf("node name %q is empty or taken", q.Node)
	}
	gate, err := q.interceptor()
	if err != nil {
		return nil, err
	}
	if err := observers(q.Observe); err != nil {
		return nil, err
	}
	d, err := b.diskOf(q)
	if err != nil {
		return nil, err
	}
	n := &refNode{
		b: b, name: q.Node, q: q, now: time.UnixMilli(startOfTime).UTC(), disk: d, seen: &refSeen{},
	}
	n.gate = gate(n)
	if err := n.begin(); err != nil {
		return nil, errors.Join(n.thrown(err), d.close())
	}
	b.nodes[q.Node] = n
	return n.born(), nil
}

// born replies to new and restart.
func (n *refNode) born() didReply {
	epoch := n.eng.Epoch()
	return didReply{Epoch: epoch[:], Did: n.took()}
}

// thrown words why a node cannot be made.
func (n *refNode) thrown(err error) error {
	if e, ok := errors.AsType[*engine.ConfigError](err); ok {
		return refusedConfig(e.Field, err)
	}
	return err
}

// begin begins a process over what is kept.
func (n *refNode) begin() error {
	limits, err := limitsOf(n.q.Limits)
	if err != nil {
		return err
	}
	cfg := engine.Config{
		Local: n.q.Local, Remote: n.q.Remote, Authorize: engine.AllowAll, Observe: n.seen.bag(n.q.Observe), Limits: limits,
		Feeds: n.q.Feeds, Journal: n.q.Form == formJournal,
	}
	if n.q.Gate != nil {
		cfg.Authorize = func(c *engine.OpContext) engine.Denial { return n.gate(c) }
	}
	if n.q.Form == formRelay {
		cfg.Relay = &engine.Relay{Remembers: store.Horizon}
		if n.q.Remembers != nil {
			cfg.Relay.Remembers = time.Duration(*n.q.Remembers) * time.Millisecond
		}
	} else {
		cfg.Store = &refStore{Store: n.disk.Store, n: n}
		if h := n.b.hooks.store; h != nil {
			cfg.Store = h(n, cfg.Store)
		}
	}
	if h := n.b.hooks.config; h != nil {
		h(&cfg)
	}
	eng, err := engine.New(n.now, cfg)
	if err != nil {
		return err
	}
	n.lives++
	n.eng, n.calls, n.given = eng, map[string]string{}, map[string]engine.Delivery{}
	n.take()
	return nil
}

// restart ends the process of a node as a kill does, and begins another over what is kept, some time later.
func (b *nodeBridge) restart(q restartRequest) (any, error) {
	n, err := b.node(q.Node)
	if err != nil {
		return nil, err
	}
	n.asked("restart")
	for _, other := range b.nodes {
		if other != n && other.disk == n.disk {
			return nil, &adapter.UnsupportedError{Reason: "the store of " + n.name + " is in use by " + other.name}
		}
	}
	to := ""
	if n.disk.path != "" {
		if to, err = b.file(); err != nil {
			return nil, err
		}
	}
	if q.Torn != 0 && n.disk.log == nil {
		return nil, &adapter.UnsupportedError{Reason: "torn writes of what is no journal"}
	}
	if err := n.disk.die(to, q.Torn); err != nil {
		return nil, err
	}
	n.did, n.now = nil, n.now.Add(time.Duration(q.MS)*time.Millisecond)
	if err := n.begin(); err != nil {
		return nil, err
	}
	return n.born(), nil
}

// A refStore is the store of a node, which notes commits and refuses some.
type refStore struct {
	store.Store
	n *refNode
}

// refusal is which commits of a node are refused.
type refusal struct {
	after, times int
	reads, late  bool
	commits      int
	refused      int
}

// refuses counts a commit and reports whether it is refused.
func (r *refusal) refuses() bool {
	r.commits++
	switch {
	case r.times == 0:
		return false
	case r.after > 0:
		r.after--
		return false
	case r.times > 0:
		r.times--
	}
	r.refused++
	return true
}

// Apply implements [store.Store].
func (s *refStore) Apply(peer string, b *store.Batch) error {
	if r := &s.n.seen.refusal; r.refuses() {
		s.n.note(&deed{Kind: didRefused})
		if !r.late || !b.Durable {
			return errDiskFull
		}
		s.n.disk.log.failing = true
	}
	if err := s.Store.Apply(peer, b); err != nil {
		return err
	}
	s.n.note(&deed{Kind: didCommit, Durable: b.Durable})
	return nil
}

// Committed implements [store.Store].
func (s *refStore) Committed(peer string, k store.Key) (store.Entry, bool, error) {
	if r := &s.n.seen.refusal; r.reads && r.refuses() {
		s.n.note(&deed{Kind: didRefused})
		return store.Entry{}, false, errDiskFull
	}
	return s.Store.Committed(peer, k)
}

// refuse has the store refuse commits.
func (b *nodeBridge) refuse(q refuseRequest) (any, error) {
	n, err := b.node(q.Node)
	if err != nil {
		return nil, err
	}
	r := &n.seen.refusal
	if q.After < 0 || q.Times < -1 {
		return nil, fmt.Errorf("after %d and times %d", q.After, q.Times)
	}
	if q.Late && n.disk.log == nil {
		return nil, &adapter.UnsupportedError{Reason: "a late refusal by what is no journal"}
	}
	reply := refuseReply{Commits: r.commits, Refused: r.refused}
	r.after, r.times, r.reads, r.late = q.After, q.Times, q.Reads, q.Late
	return reply, nil
}
