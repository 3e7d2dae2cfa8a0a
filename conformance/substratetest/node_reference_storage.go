package substratetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// configOf makes the configuration that a request describes.
func (q configRequest) configOf() (c substrate.Config, err error) {
	c.ID, c.Remote, c.Feeds = q.Local, q.Remote, q.Feeds
	switch q.Auth {
	case "", "null":
	case "none":
		c.Auth = handshake.None()
	case "keys":
		c.Auth = handshake.HMAC(referenceKeys)
	case "nothing":
		c.Auth = handshake.HMAC(nil)
	default:
		return c, &adapter.UnsupportedError{Reason: "auth " + q.Auth}
	}
	switch q.Authorize {
	case "", "null":
	case "all":
		c.Authorize = engine.AllowAll
	default:
		return c, &adapter.UnsupportedError{Reason: "authorize " + q.Authorize}
	}
	c.Limits, err = limitsOf(q.Limits)
	return c, err
}

// config says whether a side can be made of a configuration. It makes it, where that opens no socket.
func (b *nodeBridge) config(q configRequest) (any, error) {
	c, err := q.configOf()
	if err != nil {
		return nil, err
	}
	switch q.Entry {
	case "listener":
		l, err := substrate.NewListener(c)
		if err == nil {
			err = l.Close(context.Background())
		}
		return nil, refusedSubstrate(err)
	case "dialer":
		return nil, refusedSubstrate(c.Validate())
	}
	return nil, &adapter.UnsupportedError{Reason: "entry " + q.Entry}
}

func refusedSubstrate(err error) error {
	if e, ok := errors.AsType[*substrate.ConfigError](err); ok {
		return refusedConfig(e.Field, err)
	}
	return err
}

// A hostStore is one that a listener is given. It notes whether it is closed.
type hostStore struct {
	store.Store
	closed bool
}

// Close implements [store.Store].
func (s *hostStore) Close() error {
	s.closed = true
	return nil
}

// A choice is a listener that has several places to keep things in.
type choice struct {
	q      storageRequest
	b      *nodeBridge
	reply  storageReply
	shared *hostStore            // of storage
	hosts  map[string]*hostStore // of storageFor
	files  map[string]string     // of dbPathFor, by peer
	file   string                // of dbPath
}

// storage makes a listener with some of the options, has peers come, and says where things were kept.
func (b *nodeBridge) storage(q storageRequest) (any, error) {
	c := &choice{q: q, b: b, hosts: map[string]*hostStore{}, files: map[string]string{}}
	c.reply = storageReply{Called: []string{}, Kept: []string{}, Closed: []string{}, Refused: []string{}, Resumed: []string{}}
	cfg := substrate.Config{ID: "node", Auth: handshake.None(), Authorize: engine.AllowAll}
	for _, option := range q.Options {
		if err := c.give(&cfg, option); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := c.listens(ctx, cfg); err != nil {
		return nil, refusedSubstrate(err)
	}
	return c.reply, c.look()
}

// listens has peers come to a listener, and to another after it if that is asked for.
func (c *choice) listens(ctx context.Context, cfg substrate.Config) error {
	l, err := substrate.NewListener(cfg)
	if err != nil {
		return err
	}
	err = c.come(ctx, l, false)
	switch {
	case err != nil || c.q.Again == "":
	case c.q.Again == "released":
		err = c.come(ctx, l, true)
	case c.q.Again == "restarted":
		if err := l.Close(ctx); err != nil {
			return err
		}
		if l, err = substrate.NewListener(cfg); err != nil {
			return err
		}
		err = c.come(ctx, l, true)
	default:
		err = &adapter.UnsupportedError{Reason: "again " + c.q.Again}
	}
	return errors.Join(err, l.Close(ctx))
}

// come has each peer come, for the first time or once more.
func (c *choice) come(ctx context.Context, l *substrate.Listener, again bool) error {
	for _, peer := range c.q.Peers {
		p, err := l.Load(peer)
		if err != nil {
			if !again {
				c.reply.Refused = append(c.reply.Refused, peer)
			}
			continue
		}
		if again {
			s, err := p.Status(ctx)
			if err != nil {
				return err
			}
			if len(s.Objects) == 1 && s.Objects[0].Outbox == 1 {
				c.reply.Resumed = append(c.reply.Resumed, peer)
			}
		} else if _, err := p.EnqueueOpen(ctx, substrate.Session, "kept", substrate.OpenOptions{}); err != nil {
			return err
		}
		if c.q.Release {
			if err := l.Release(ctx, peer); err != nil {
				return err
			}
		}
	}
	return nil
}

// give adds an option to a configuration.
func (c *choice) give(cfg *substrate.Config, option string) (err error) {
	called := func(peer string) (nothing bool, err error) {
		c.reply.Called = append(c.reply.Called, option+" "+peer)
		if slices.Contains(c.q.Fails, peer) {
			return true, errDiskFull
		}
		return slices.Contains(c.q.Nothing, peer), nil
	}
	switch option {
	case "storageFor":
		cfg.StorageFor = func(peer string) (store.Store, error) {
			if nothing, err := called(peer); nothing {
				return nil, err
			}
			if c.hosts[peer] == nil {
				c.hosts[peer] = &hostStore{Store: store.NewMemory()}
			}
			return c.hosts[peer], nil
		}
	case "storage":
		c.shared = &hostStore{Store: store.NewMemory()}
		cfg.Storage = c.shared
	case "dbPathFor":
		cfg.DBPathFor = func(peer string) (path string, err error) {
			if nothing, err := called(peer); nothing {
				return "", err
			}
			if c.files[peer] == "" && c.q.Same && c.file != "" {
				c.files[peer] = c.file
			}
			if c.files[peer] == "" {
				c.files[peer], err = c.b.file()
				if c.q.Same {
					c.file = c.files[peer]
				}
			}
			return c.files[peer], err
		}
	case "dbPath":
		c.file, err = c.b.file()
		cfg.DBPath = c.file
	default:
		return &adapter.UnsupportedError{Reason: "option " + option}
	}
	return err
}

// look looks where things were kept, and what was closed.
func (c *choice) look() error {
	var faults []error
	note := func(option, peer string, s store.Store) {
		state, err := s.Load(peer)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w", option, peer, err))
		} else if len(state.Rows) > 0 {
			c.reply.Kept = append(c.reply.Kept, option+" "+peer)
		}
	}
	opened := func(option, path string, peers ...string) {
		if _, err := os.Stat(path); path == "" || err != nil {
			return
		}
		s, err := sqlite.Open(path, sqlite.Options{BusyTimeout: time.Millisecond})
		if err != nil {
			return // it is not closed
		}
		c.reply.Closed = append(c.reply.Closed, option)
		for _, peer := range peers {
			note(option, peer, s)
		}
		faults = append(faults, s.Close())
	}
	for _, peer := range c.q.Peers {
		if s := c.hosts[peer]; s != nil {
			note("storageFor", peer, s)
			if s.closed {
				c.reply.Closed = append(c.reply.Closed, "storageFor")
			}
		}
		if c.shared != nil {
			note("storage", peer, c.shared)
		}
		opened("dbPathFor", c.files[peer], peer)
	}
	if c.shared != nil && c.shared.closed {
		c.reply.Closed = append(c.reply.Closed, "storage")
	}
	if slices.Contains(c.q.Options, "dbPath") {
		opened("dbPath", c.file, c.q.Peers...)
	}
	return errors.Join(faults...)
}
