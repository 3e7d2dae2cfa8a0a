package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// feedRetry is how often a loss is reported until what is missing comes (SUBSTRATE-FEED-004).
const feedRetry = 10 * time.Second

// A feed is where the stream of an object stands on the side that receives it.
type feed struct {
	on      bool
	kind    string
	last    uint64 // seq of the last frame that is in the inbox (SUBSTRATE-FEED-004)
	handled uint64 // seq of the last frame that the application is done with
	lost    bool   // a resync is out
	due     time.Time
}

// A Following says which stream to follow.
type Following struct {
	Obj, ObjKind string
	// Last is the seq of the last frame that the application has had, 0 for none.
	Last uint64
}

// Follow makes the stream of an object known: it is resumed now, if there is a connection, and on every connection that becomes ready
// (SUBSTRATE-FEED-007). The streams of objects that are opened, or that were open when the process began, are followed from their
// beginning without being asked for. The errors are [*Error] and those of package wire.
func (e *Engine) Follow(now time.Time, f Following) error {
	return e.do(input{what: inFollow, at: now, feed: f})
}

func (e *Engine) following(_ time.Time, f *Following) error {
	if err := wire.ValidAddress(f.Obj); err != nil {
		return err
	}
	if !e.cfg.Feeds || f.ObjKind != wire.Session && f.ObjKind != wire.Queue || f.Last > wire.MaxSeq {
		return &Error{Verb: "follow", Obj: f.Obj, Code: wire.Unsupported}
	}
	o := e.object(f.Obj)
	e.follow(o, f.ObjKind)
	s := e.touch(o)
	if f.Last > s.feed.last {
		s.feed.last, s.feed.handled = f.Last, f.Last
	}
	if e.up() {
		e.sendResync(o, wire.FieldFromSeq, min(s.feed.last+1, wire.MaxSeq))
	}
	return nil
}

// Followed returns the seq of the last frame of a stream that the application is done with: where to follow it from after a restart.
func (e *Engine) Followed(obj string) uint64 {
	if o := e.find(obj); o != nil {
		return o.feed.handled
	}
	return 0
}

// follow makes the stream of an object known.
func (e *Engine) follow(o *object, kind string) {
	s := e.touch(o)
	s.feed.on, s.feed.kind = true, kind
}

// resumeFeeds asks for the rest of every known stream on a new connection (SUBSTRATE-FEED-007).
func (e *Engine) resumeFeeds(time.Time) {
	if !e.cfg.Feeds {
		return
	}
	var all []*object
	for _, o := range e.objects {
		if o.feed.on {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b *object) int { return cmp.Compare(a.name, b.name) })
	for _, o := range all {
		e.sendResync(o, wire.FieldFromSeq, min(o.feed.last+1, wire.MaxSeq))
	}
}

// fed takes a frame of a stream. It is told apart from a duplicate and from one after a loss by the seq of the frame before it alone
// (SUBSTRATE-FEED-002, SUBSTRATE-FEED-005).
func (e *Engine) fed(now time.Time, f *wire.Frame) {
	o := e.find(f.Obj)
	if o == nil || !o.feed.on {
		return
	}
	switch {
	case f.Seq <= o.feed.last:
		e.mark(mark{kind: count, name: observe.DedupeDuplicate, n: 1})
		return
	case f.Prev > o.feed.last:
		e.lose(now, o, true)
		return
	case e.depth(o) >= e.limits.Inbox, e.indebted(o) && (f.Kind == wire.Open || f.Kind == wire.Send || f.Kind == wire.Req):
		// SUBSTRATE-LIMIT-002, SUBSTRATE-LIMIT-008: it comes again when there is room.
		e.lose(now, o, false)
		return
	}
	s := e.touch(o)
	s.feed.last, s.feed.lost, s.feed.due = f.Seq, false, time.Time{}
	e.apply(now, o, f, true)
}

// lose asks for what is missing: at once, and again every 10 s (SUBSTRATE-FEED-004).
func (e *Engine) lose(now time.Time, o *object, atOnce bool) {
	if o.feed.lost {
		return
	}
	s := e.touch(o)
	s.feed.lost, s.feed.due = true, now.Add(feedRetry)
	if atOnce {
		e.sendResync(o, wire.FieldFromSeq, s.feed.last+1)
	}
}

// feedBase skips what the stream does not have any more, and says so (SUBSTRATE-FEED-006).
func (e *Engine) feedBase(o *object, base uint64) {
	if base-1 <= o.feed.last {
		return
	}
	s := e.touch(o)
	e.happen(observe.EventFeedGap, observe.Warn, observe.Fields{Obj: o.name, ObjKind: s.feed.kind, From: s.feed.last + 1, To: base - 1})
	s.feed.last, s.feed.lost, s.feed.due = base-1, false, time.Time{}
}

// feedDue returns when a loss is to be reported again.
func (e *Engine) feedDue(o *object) time.Time {
	if !o.feed.lost || !e.up() {
		return time.Time{}
	}
	return o.feed.due
}

func (e *Engine) tickFeed(now time.Time, o *object) {
	if due := e.feedDue(o); due.IsZero() || now.Before(due) {
		return
	}
	s := e.touch(o)
	s.feed.due = now.Add(feedRetry)
	e.sendResync(o, wire.FieldFromSeq, s.feed.last+1)
}

// A FeedFrame is one frame of the stream of an object, on its way to the side that follows it.
type FeedFrame struct {
	Obj, ObjKind string
	Kind         string // open, close, send, req, accept, reject, res, end or err
	ID           string
	Seq          uint64 // of the stream
	Prev         uint64 // of the frame before it in the stream of this object, 0 if there is none (SUBSTRATE-FEED-001)
	Code, Msg    string
	Body         []byte
}

// Feed pushes a frame of a stream, if there is a connection. An edge keeps nothing of it (SUBSTRATE-FEED-005). The error says what is
// wrong with the frame.
func (e *Engine) Feed(now time.Time, x FeedFrame) error {
	f := &wire.Frame{
		V: wire.Version, Kind: x.Kind, Obj: x.Obj, ObjKind: x.ObjKind, ID: x.ID, Seq: x.Seq, Prev: x.Prev, Code: x.Code, Msg: x.Msg,
		Body: x.Body,
		Has:  wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldSeq | wire.FieldPrev,
	}
	if x.Code != "" {
		f.Has |= wire.FieldCode
	}
	if x.Msg != "" {
		f.Has |= wire.FieldMsg
	}
	return e.push(now, f)
}

// FeedBase says that the stream of an object begins at a seq: what was before is trimmed (SUBSTRATE-FEED-006).
func (e *Engine) FeedBase(now time.Time, obj, objKind string, base uint64) error {
	return e.push(now, &wire.Frame{
		V: wire.Version, Kind: wire.Resync, Obj: obj, ObjKind: objKind, Base: base,
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldBase,
	})
}

func (e *Engine) push(now time.Time, f *wire.Frame) error {
	if fault := f.CheckFeed(); fault != nil || e.cfg.Relay == nil {
		code := wire.Unsupported
		if fault != nil {
			code = fault.Code
		}
		return &Error{Verb: "feed", Code: code}
	}
	if e.up() {
		return e.do(input{what: inPush, at: now, conn: e.conn, frame: f})
	}
	return nil
}

// resumed passes a resync on to the feed, if the gate lets it; if not, nobody is told (SUBSTRATE-FEED-003, SUBSTRATE-FEED-007).
func (e *Engine) resumed(f *wire.Frame) {
	if e.denied(f) == "" {
		e.emit(Resume{Obj: f.Obj, ObjKind: f.ObjKind, From: f.FromSeq})
	}
}
