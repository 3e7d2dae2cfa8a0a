package fuzz

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// The objects of a feed. What stands between theirs in the stream is of another.
var (
	feedNames = [2]string{"o0", "o1"}
	feedOther = "other"
)

func feedObject(name string) uint8 { return uint8(slices.Index(feedNames[:], name)) }

// A feedRig is a browser, an edge for each of its connections, the stream that they all read, and the network between them, which take the actions of the machine of a feed.
type feedRig struct {
	cfg     substratemodel.FeedConfig
	limits  engine.Limits
	stream  relay.Feed
	trim    func(peer, obj string, below uint64)
	trimmed int
	now     time.Time
	step    time.Duration // that a repetition takes
	gate    engine.Interceptor

	browser, edge *engine.Engine
	conn          string // empty: none
	conns         int
	events        [2]relay.Events
	frames, asks  []feedPacket
	given         [2]*engine.Delivery
	hasty         bool      // the application is done with what it is given at once
	kept          [2]uint64 // what the application has had
	twice         bool      // the network brings each frame twice
	seen          feedSeen
}

type feedPacket struct {
	object uint8
	raw    []byte
}

// A feedSeen is what browser and edge did in a step.
type feedSeen struct {
	substratemodel.FeedOutcome
	Fault string
}

func newFeedRig(cfg substratemodel.FeedConfig) *feedRig {
	m, at := new(relay.Memory), uint64(0)
	for _, e := range cfg.Stream {
		says := relay.Message{Body: []byte{e.Seq}}
		for at+1 < uint64(e.Seq) {
			at = m.Publish("a", feedOther, says)
		}
		at = m.Publish("a", feedNames[e.Object], says)
	}
	r := &feedRig{cfg: cfg, limits: engine.Limits{Inbox: int(max(cfg.Inbox, 1))}, stream: m, trim: m.Trim, now: pairEpoch, step: 10 * time.Second}
	r.gate = func(c *engine.OpContext) engine.Denial {
		if c.Verb == wire.Resync && cfg.Denied&(1<<feedObject(c.Obj)) != 0 {
			return engine.Deny(wire.Unauthorized)
		}
		return engine.Denial{}
	}
	return r
}

// begin starts a browser, which follows both streams from what the application has had.
func (r *feedRig) begin() {
	r.given = [2]*engine.Delivery{}
	r.browser = r.engine(engine.Config{
		Local: "a", Remote: "edge", Authorize: engine.AllowAll, Feeds: true, Journal: true, Limits: r.limits, Store: unwritten{store.NewMemory()},
	})
	for object, name := range feedNames {
		if err := r.browser.Follow(r.now, engine.Following{Obj: name, ObjKind: wire.Session, Last: r.kept[object]}); err != nil {
			panic(err)
		}
	}
	r.commit()
}

func (r *feedRig) engine(cfg engine.Config) *engine.Engine {
	cfg.Rand, cfg.Observe = octets{rand.NewPCG(1, 2)}, observe.Bag{Metrics: r}
	eng, err := engine.New(r.now, cfg)
	if err != nil {
		panic(err)
	}
	return eng
}

// unwritten is a store that nothing may be written to. SUBSTRATE-FEED-005
type unwritten struct{ store.Store }

func (unwritten) Apply(string, *store.Batch) error { return errDisk }

// Count implements [observe.Metrics].
func (r *feedRig) Count(name string, _ observe.Labels, _ int64) {
	switch name {
	case observe.DedupeDuplicate:
		r.seen.Known = true
	case observe.AuthorizeDenied:
		r.seen.Denied = true
	}
}

// Gauge implements [observe.Metrics].
func (*feedRig) Gauge(string, observe.Labels, int64) {}

// Observe implements [observe.Metrics].
func (*feedRig) Observe(string, observe.Labels, float64) {}

// Do takes an action and returns what browser and edge did.
func (r *feedRig) Do(a substratemodel.FeedAction) feedSeen {
	if r.seen = (feedSeen{}); r.browser == nil {
		r.begin()
	}
	r.seen.Object = a.Object
	switch a.Op {
	case substratemodel.FeedConnect:
		r.connect()
	case substratemodel.FeedPush:
		r.push(a.Object)
	case substratemodel.FeedArrive:
		p := r.next(&r.frames)
		if r.browser.Receive(r.now, r.conn, bytes.Clone(p.raw)); r.twice {
			r.browser.Receive(r.now, r.conn, p.raw)
		}
	case substratemodel.FeedAsk:
		r.edge.Receive(r.now, r.conn, r.next(&r.asks).raw)
	case substratemodel.FeedRepeat:
		// SUBSTRATE-FEED-004: a moment earlier nothing is due.
		r.browser.Tick(r.now.Add(r.step - time.Millisecond))
		if r.commit(); len(r.asks) > 0 {
			r.fault("asks before it is time")
		}
		r.now = r.now.Add(r.step)
		r.browser.Tick(r.now)
		r.commit()
		// Which of two objects is asked for first is not said.
		slices.SortFunc(r.asks, func(a, b feedPacket) int { return cmp.Compare(a.object, b.object) })
	case substratemodel.FeedHandover:
		r.handover(a.Object)
	case substratemodel.FeedDrop:
		r.next(&r.frames)
	case substratemodel.FeedLose:
		r.next(&r.asks)
	case substratemodel.FeedDisconnect:
		r.disconnect()
	case substratemodel.FeedCrash:
		r.disconnect()
		r.begin()
	case substratemodel.FeedTrim:
		e := r.cfg.Stream[r.trimmed]
		r.trimmed++
		r.trim("a", feedNames[e.Object], uint64(e.Seq)+1)
	}
	r.commit()
	if a.Op == substratemodel.FeedDrop || a.Op == substratemodel.FeedLose {
		r.seen.Object = a.Object
	}
	return r.seen
}

func (r *feedRig) fault(format string, args ...any) {
	r.seen.Fault += fmt.Sprintf(format, args...) + "; "
}

// next takes the first packet that is under way.
func (r *feedRig) next(queue *[]feedPacket) (p feedPacket) {
	if len(*queue) == 0 {
		r.fault("nothing is under way")
		return p
	}
	p, *queue = (*queue)[0], (*queue)[1:]
	r.seen.Object = p.object
	return p
}

func (r *feedRig) connect() {
	r.conns++
	r.conn = fmt.Sprint("conn-", r.conns)
	r.edge = r.engine(engine.Config{Local: "edge", Remote: "a", Authorize: r.gate, Relay: &engine.Relay{Remembers: store.Horizon}})
	r.edge.Connected(r.now, engine.Conn{ID: r.conn})
	r.browser.Connected(r.now, engine.Conn{ID: r.conn})
}

func (r *feedRig) disconnect() {
	if r.conn == "" {
		return
	}
	r.browser.Disconnected(r.now, r.conn)
	r.commit()
	for _, e := range r.events {
		if e != nil {
			e.Close()
		}
	}
	r.conn, r.edge, r.frames, r.asks, r.events = "", nil, nil, nil, [2]relay.Events{}
}

// push lets the edge send what comes next in the stream of an object, as the host of an edge does.
func (r *feedRig) push(object uint8) {
	if r.events[object] == nil {
		r.fault("nobody follows object %d", object)
		return
	}
	e, err := r.events[object].Next(&impatient{Context: context.Background()})
	if err != nil {
		r.fault("nothing is there to be pushed: %v", err)
		return
	}
	name := feedNames[object]
	if e.Trimmed {
		err = r.edge.FeedBase(r.now, name, wire.Session, e.Seq)
	}
	x := engine.FeedFrame{Obj: name, ObjKind: wire.Session, Kind: wire.Send, ID: fmt.Sprint("feed-", e.Seq), Seq: e.Seq, Prev: e.Prev, Body: e.Body}
	if err := cmp.Or(err, r.edge.Feed(r.now, x)); err != nil {
		r.fault("push %d: %v", e.Seq, err)
	}
}

// An impatient context ends as soon as somebody waits for it a second time.
type impatient struct {
	context.Context
	asked bool
}

func (c *impatient) Done() <-chan struct{} {
	over := make(chan struct{})
	if c.asked {
		close(over)
	}
	c.asked = true
	return over
}

func (*impatient) Err() error { return context.DeadlineExceeded }

func (r *feedRig) handover(object uint8) {
	d := r.given[object]
	if d == nil {
		r.fault("nothing is handed over")
		return
	}
	if r.given[object] = nil; !d.Feed || d.Redelivered || d.Kind != wire.Send || d.ObjKind != wire.Session || !bytes.Equal(d.Body, []byte{byte(d.Seq)}) {
		r.fault("hands over %+v", d)
	}
	r.seen.Handed = uint8(d.Seq)
	if err := r.browser.Handled(r.now, *d); err != nil {
		r.fault("%v", err)
	}
	r.commit()
	r.kept[object] = r.browser.Followed(feedNames[object])
}

// commit does what both engines want.
func (r *feedRig) commit() {
	for _, eng := range []*engine.Engine{r.browser, r.edge} {
		if eng == nil {
			continue
		}
		if err := eng.Commit(r.now, nil); err != nil {
			r.fault("commit: %v", err)
		}
		for _, x := range eng.Take() {
			r.effect(eng == r.edge, x)
		}
	}
}

func (r *feedRig) effect(edge bool, x engine.Effect) {
	switch x := x.(type) {
	case engine.Transmit:
		f, err := wire.Decode(x.Bytes)
		fault := f.CheckFeed()
		if r.sent(edge, &f, feedPacket{feedObject(f.Obj), x.Bytes}); err != nil || fault != nil || x.Conn != r.conn {
			r.fault("a frame on %q: %v, %v", x.Conn, err, fault)
		}
	case engine.Resume:
		var err error
		r.seen.Resumed = uint8(x.From)
		if r.events[feedObject(x.Obj)], err = r.stream.Resume(context.Background(), "a", x.Obj, x.From); err != nil || x.ObjKind != wire.Session {
			r.fault("resumes %+v: %v", x, err)
		}
	case engine.Deliver:
		object := feedObject(x.Obj)
		if r.given[object] != nil {
			r.fault("%d is handed over before the one before is done with", x.Seq)
		}
		if r.given[object] = &x.Delivery; r.hasty {
			r.kept[object] = x.Seq
		}
	case engine.Event:
		e := x.Event
		if e.Name != observe.EventFeedGap || e.Obj != feedNames[r.seen.Object] {
			r.fault("event %s of %s", e.Name, e.Obj)
		}
		r.seen.GapFrom, r.seen.GapTo = uint8(e.From), uint8(e.To)
	default:
		r.fault("%T", x)
	}
}

// sent notes a frame. SUBSTRATE-FEED-005: one of a stream has no receipt, and nothing but a resync comes back.
func (r *feedRig) sent(edge bool, f *wire.Frame, p feedPacket) {
	const kind = wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind
	switch {
	case !edge && f.Kind == wire.Resync && f.Has == kind|wire.FieldFromSeq:
		if r.seen.Asked[p.object] != 0 {
			r.fault("asks twice for object %d", p.object)
		}
		r.seen.Asked[p.object] = uint8(f.FromSeq)
		r.asks = append(r.asks, p)
		return
	case edge && f.Kind == wire.Resync && f.Has == kind|wire.FieldBase:
		r.seen.Base = uint8(f.Base)
	case edge && f.Kind == wire.Send && f.Has == kind|wire.FieldID|wire.FieldSeq|wire.FieldPrev:
		r.seen.Pushed = uint8(f.Seq)
	default:
		r.fault("%s is sent with fields %b", f.Kind, f.Has)
	}
	r.frames = append(r.frames, p)
}

// look compares what the browser holds, and what is under way, with the state of the machine. SUBSTRATE-FEED-005: an edge holds nothing.
func (r *feedRig) look(_ substratemodel.FeedAction, s substratemodel.FeedState) error {
	if frames, asks := s.Coming(); frames != len(r.frames) || asks != len(r.asks) {
		return fmt.Errorf("%d frames and %d resyncs are under way, want %d and %d", len(r.frames), len(r.asks), frames, asks)
	}
	for object, name := range feedNames {
		var got substratemodel.FeedView
		for _, o := range r.browser.Snapshot().Objects {
			if o.Obj == name {
				got = substratemodel.FeedView{Last: uint8(o.Last), Handled: uint8(r.browser.Followed(name)), Waits: o.Lost}
			}
		}
		if want := s.View(uint8(object)); got != want {
			return fmt.Errorf("the browser holds %+v of object %d, want %+v", got, object, want)
		}
	}
	if r.edge != nil && len(r.edge.Snapshot().Objects) > 0 {
		return fmt.Errorf("the edge holds %+v", r.edge.Snapshot().Objects)
	}
	return nil
}
