package substrate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// lanes are what is to be done for the application: for each object one thing at a time, in a goroutine that lasts as long as there is
// something. The engine hands out one op of an object at a time, so that a lane holds little.
type lanes struct {
	mu  sync.Mutex
	all map[string][]func() // of an object that has a goroutine
}

// lane does something for an object after what is already to be done for it. It is called by the loop.
func (p *Peer) lane(obj string, do func()) {
	if p.quiet {
		return
	}
	l := &p.lanes
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting, busy := l.all[obj]
	if busy {
		l.all[obj] = append(waiting, do)
		return
	}
	if l.all == nil {
		l.all = map[string][]func(){}
	}
	l.all[obj] = nil
	p.workers.Go(func() {
		for do != nil {
			do()
			do = l.next(obj, p.isClosing())
		}
	})
}

// next takes what is to be done next, nil if the goroutine of the object is to end: what is left then is in the store.
func (l *lanes) next(obj string, closing bool) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := l.all[obj]
	if len(waiting) == 0 || closing {
		delete(l.all, obj)
		return nil
	}
	l.all[obj] = waiting[1:]
	return waiting[0]
}

// deliver hands an op to its handler. It is called by the loop.
func (p *Peer) deliver(d engine.Delivery) {
	x := op{Peer: p, Object: p.of(&d), ID: d.ID, Redelivered: d.Redelivered, delivery: d}
	h := &p.cfg.Handler
	p.lane(d.Obj, func() {
		switch {
		case d.Kind == wire.Close:
			p.tellClosed(d.Obj, wire.Closed)
			p.handled(d)
		case d.Kind == wire.Open && h.Open == nil:
			p.refuseOp(d, wire.Unsupported, "")
		case d.Kind == wire.Open:
			h.Open(p.life, &Opening{op: x, Kind: d.ObjKind, Cap: d.Cap})
			p.handled(d)
		case d.Kind == wire.Req:
			p.request(&Request{op: x, Body: d.Body})
		default:
			p.message(&Message{op: x, Body: d.Body, Kind: d.Kind, Seq: d.Seq, Feed: d.Feed})
		}
	})
}

func (p *Peer) tellClosed(obj, code string) {
	if p.cfg.Handler.Closed != nil {
		p.cfg.Handler.Closed(p, obj, code)
	}
}

// message has a message handled.
func (p *Peer) message(m *Message) {
	var err error = &Failure{Code: wire.Unsupported}
	if p.cfg.Handler.Send != nil {
		_, err = p.persist(m.delivery, func() ([]byte, error) { return nil, p.cfg.Handler.Send(p.life, m) })
	}
	switch {
	case err == nil:
		p.handled(m.delivery)
	case p.life.Err() != nil:
		// It is handed over again (SUBSTRATE-DEDUPE-008).
	case m.Feed:
		p.log(observe.Warn, "the handler of an event fails", observe.Fields{Obj: m.delivery.Obj, ID: m.ID, Err: err})
		p.handled(m.delivery)
	default:
		p.fail(m.delivery, err)
	}
}

// request has a request handled, and answers it.
func (p *Peer) request(r *Request) {
	var body []byte
	var err error = &Failure{Code: wire.Unsupported}
	if p.cfg.Handler.Req != nil {
		body, err = p.persist(r.delivery, func() ([]byte, error) { return p.cfg.Handler.Req(p.life, r) })
	}
	d := r.delivery
	switch {
	case err == nil:
		p.conclude(d, func(now time.Time) error { return p.eng.Respond(now, d, body) })
	case errors.Is(err, ErrEnd):
		p.conclude(d, func(now time.Time) error { return p.eng.End(now, d) })
	case p.life.Err() != nil:
	default:
		p.fail(d, err)
	}
}

// persist calls a handler until it does not ask to be called again.
func (p *Peer) persist(d engine.Delivery, do func() ([]byte, error)) ([]byte, error) {
	for {
		body, err := do()
		if !errors.Is(err, ErrRetry) || p.life.Err() != nil {
			return body, err
		}
		p.log(observe.Warn, "a handler asks to be called again", observe.Fields{Obj: d.Obj, ObjKind: d.ObjKind, Verb: d.Kind, ID: d.ID, Err: err})
		if !p.pause(again) {
			return nil, err
		}
	}
}

// again is how long to wait before something that has failed is tried again.
const again = time.Second

// pause waits, and reports false if the peer is closed meanwhile.
func (p *Peer) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return !p.isClosing()
	case <-p.closing:
		return false
	}
}

// fail answers an op with the error of its handler.
func (p *Peer) fail(d engine.Delivery, err error) {
	code, msg := failure(err)
	p.log(observe.Info, "a handler refuses an op", observe.Fields{Obj: d.Obj, ObjKind: d.ObjKind, Verb: d.Kind, ID: d.ID, Code: code, Err: err})
	p.refuseOp(d, code, msg)
}

func (p *Peer) refuseOp(d engine.Delivery, code, msg string) {
	p.conclude(d, func(now time.Time) error { return p.eng.Fail(now, d, code, msg) })
}

// conclude answers an op. An answer that cannot be one, as the object has died or somebody has answered already, only ends the handling.
func (p *Peer) conclude(d engine.Delivery, do func(now time.Time) error) {
	err := p.untilWritten(d, do)
	var refused *engine.Error
	if errors.As(err, &refused) && (refused.Code == wire.PayloadTooLarge || refused.Code == wire.BadFrame) {
		p.log(observe.Warn, "an answer cannot be sent", observe.Fields{Obj: d.Obj, ID: d.ID, Err: err})
		err = p.untilWritten(d, func(now time.Time) error { return p.eng.Fail(now, d, refused.Code, "") })
	}
	if errors.As(err, &refused) {
		p.handled(d)
	}
}

// handled says that an op is done with. One that was answered is already.
func (p *Peer) handled(d engine.Delivery) {
	_ = p.untilWritten(d, func(now time.Time) error { return p.eng.Handled(now, d) })
}

// untilWritten has the engine answer an op, again and again while the store fails. When the peer is closed meanwhile, it gives up: the op
// is handed over again.
func (p *Peer) untilWritten(d engine.Delivery, do func(now time.Time) error) error {
	for {
		err := p.reply(context.Background(), d, do)
		var unwritten *storeError
		if !errors.As(err, &unwritten) {
			return err
		}
		if !p.pause(again) {
			return err
		}
	}
}

// reply has the engine answer an op and returns when the answer is written.
func (p *Peer) reply(ctx context.Context, d engine.Delivery, do func(now time.Time) error) error {
	a := &answer{delivery: d, done: make(chan error, 1)}
	err := p.post(ctx, func(now time.Time) {
		if err := do(now); err != nil {
			a.done <- err
			return
		}
		p.answers = append(p.answers, a)
	})
	if err != nil {
		return err
	}
	select {
	case err := <-a.done:
		return err
	case <-p.stopped:
		select {
		case err := <-a.done:
			return err
		default:
			return ErrClosed
		}
	}
}

// answerOpen answers an opening.
func (p *Peer) answerOpen(ctx context.Context, o *Opening, verb string, do func(*engine.Engine, time.Time, engine.Delivery) error) error {
	d := o.delivery
	err := p.reply(ctx, d, func(now time.Time) error { return do(p.eng, now, d) })
	if err != nil {
		return failed(verb, d.Obj, err)
	}
	return nil
}
