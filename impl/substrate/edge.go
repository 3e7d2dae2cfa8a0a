package substrate

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

const (
	// sinkTimeout is how long a call of a sink may take. The engine has given it up by then (SUBSTRATE-RELAY-008).
	sinkTimeout = 31 * time.Second
	// feedAhead is how many frames may wait to be written before nothing more is read from streams.
	feedAhead = 64
)

// storeOp has an op stored, and tells the engine what became of it. For one object there is one call at a time
// (SUBSTRATE-RELAY-002). It is called by the loop.
func (p *Peer) storeOp(x *engine.StoreOp) {
	if p.quiet {
		return
	}
	op, token := relayOp(x), x.Token
	p.workers.Go(func() {
		ctx, cancel := context.WithTimeout(p.life, sinkTimeout)
		defer cancel()
		s, err := p.cfg.Relay.Sink.Store(ctx, op)
		if err != nil {
			p.log(observe.Warn, "the sink does not store an op", observe.Fields{Obj: op.Obj, ObjKind: op.ObjKind, Verb: op.Kind, ID: op.ID, Err: err})
		}
		_ = p.post(context.Background(), func(now time.Time) { p.eng.Stored(now, token, s.Seq, s.Duplicate, err) })
	})
}

// resumeFeed pushes the stream of an object from a seq on, in the place of what was pushed before (SUBSTRATE-FEED-003). It is called by
// the loop.
func (p *Peer) resumeFeed(x *engine.Resume) {
	p.mu.Lock()
	c := p.conn
	p.mu.Unlock()
	if p.quiet || c == nil || p.cfg.Relay.Feed == nil {
		return
	}
	if end := p.feeds[x.Obj]; end != nil {
		end()
	}
	ctx, end := context.WithCancel(p.life)
	p.feeds[x.Obj] = end
	f := &follower{p: p, c: c, obj: x.Obj, kind: x.ObjKind, from: x.From}
	p.workers.Go(func() {
		defer end()
		f.run(ctx)
	})
}

// endFeeds ends what is pushed on the connection that ends. It is called by the loop.
func (p *Peer) endFeeds() {
	for obj, end := range p.feeds {
		end()
		delete(p.feeds, obj)
	}
}

// A follower pushes the stream of an object on one connection.
type follower struct {
	p         *Peer
	c         *carrier
	obj, kind string
	from      uint64
}

// run pushes until ctx ends. A stream that fails is asked for again: the browser does not know that anything is missing.
func (f *follower) run(ctx context.Context) {
	for {
		err := f.push(ctx)
		if ctx.Err() != nil {
			return
		}
		f.p.log(observe.Warn, "a feed has failed", observe.Fields{Obj: f.obj, From: f.from, Err: err})
		if !f.p.pause(again) {
			return
		}
	}
}

func (f *follower) push(ctx context.Context) error {
	events, err := f.p.cfg.Relay.Feed.Resume(ctx, f.p.remote, f.obj, f.from)
	if err != nil {
		return err
	}
	defer events.Close()
	for {
		e, err := events.Next(ctx)
		if err != nil {
			return err
		}
		// A browser that takes nothing is not read for.
		if err := f.c.roomy(ctx, feedAhead); err != nil {
			return err
		}
		if err := f.one(ctx, &e); err != nil {
			return err
		}
		f.from = e.Seq + 1
	}
}

// one pushes an event, and what was trimmed before it (SUBSTRATE-FEED-006). It returns when the frame is where roomy sees it.
func (f *follower) one(ctx context.Context, e *relay.Event) error {
	result := make(chan error, 1)
	err := f.p.post(ctx, func(now time.Time) {
		if ctx.Err() != nil {
			// Another connection, or another follower, has taken over.
			result <- context.Cause(ctx)
			return
		}
		var trimmed error
		if e.Trimmed {
			trimmed = f.p.eng.FeedBase(now, f.obj, f.kind, e.Seq)
		}
		pushed := f.p.eng.Feed(now, engine.FeedFrame{
			Obj: f.obj, ObjKind: f.kind, Kind: cmp.Or(e.Kind, wire.Send), ID: cmp.Or(e.ID, "feed-"+strconv.FormatUint(e.Seq, 10)),
			Seq: e.Seq, Prev: e.Prev, Code: e.Code, Msg: e.Msg, Body: e.Body,
		})
		result <- errors.Join(trimmed, pushed)
	})
	if err != nil {
		return err
	}
	select {
	case err := <-result:
		return err
	case <-f.p.stopped:
		return ErrClosed
	}
}
