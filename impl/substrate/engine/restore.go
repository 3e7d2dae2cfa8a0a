package engine

import (
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// New returns an engine that goes on where the store says the one before has stopped: rows that were not freed, and ops that were not
// handled, which are handed over again (SUBSTRATE-OUTBOX-007, SUBSTRATE-DEDUPE-008). It has no connection and nobody waits for its calls.
// The error is a [*ConfigError] or one of the store.
func New(now time.Time, cfg Config) (*Engine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.normal()
	e := &Engine{
		cfg: cfg, limits: cfg.Limits, now: now,
		objects: map[string]*object{}, calls: map[string]*call{}, fresh: map[store.Key]store.Entry{},
		tombs: tombstones{by: map[store.Key]*tombstone{}}, busy: map[*object]struct{}{}, stored: map[uint64]*object{},
	}
	e.ids = wire.NewIDs(func() time.Time { return e.now }, cfg.Rand)
	e.begin()
	e.swept = now
	if cfg.Relay != nil {
		e.random(e.epoch[:])
	} else {
		s, err := cfg.Store.Load(cfg.Remote)
		if err != nil {
			return nil, fmt.Errorf("load what is kept for %s: %w", cfg.Remote, err)
		}
		if err := e.restore(s); err != nil {
			return nil, err
		}
	}
	e.refresh()
	e.release()
	e.begin()
	return e, nil
}

// restore takes over what was kept.
func (e *Engine) restore(s *store.State) error {
	e.epoch, e.lastN = s.Epoch, s.LastN
	for i := range s.Objects {
		r := s.Objects[i]
		if outlived(e.now, r.Ended) {
			continue
		}
		o := e.object(r.Obj)
		o.rec = &r
		if alive(&r) {
			e.live++
			if e.cfg.Feeds {
				e.follow(o, r.Kind)
			}
		}
		if r.Queued {
			kept, err := e.cfg.Store.Depth(e.cfg.Remote, r.Obj)
			if err != nil {
				return fmt.Errorf("count the inbox of %s: %w", r.Obj, err)
			}
			o.in.kept = kept
		}
	}
	for _, c := range s.Counters {
		e.object(c.Obj).cnt = c
	}
	for _, r := range s.Rows {
		o := e.object(r.Obj)
		o.rows = append(o.rows, &row{Row: r, n: next(&e.order)})
		if r.Incarnation == refusal {
			e.refusals++
		}
		if r.Class == store.Answer {
			o.answers++
		}
		if len(o.rows) == 1 {
			e.seat(o)
		}
		e.markDepth(o)
	}
	for _, x := range s.Inbound {
		o := e.object(x.Obj)
		o.in.queue = append(o.in.queue, &item{Inbound: x, redelivered: true})
	}
	// In commit order, those that come first in their object.
	for _, x := range s.Inbound {
		if o := e.find(x.Obj); o.in.queue[0].N == x.N {
			e.handNext(o)
		}
	}
	return nil
}
