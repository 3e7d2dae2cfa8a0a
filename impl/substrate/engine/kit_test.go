package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// fataler is what the kit needs of a test: *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// A world is two engines, the network between them and the clock of both.
type world struct {
	t     fataler
	now   time.Time
	a, b  *side
	conns int
	link  string // id of the connection that the network carries; empty: none
	held  string // an older connection whose frames still arrive
	trace []string

	quiet       bool // keep no trace
	checkReload bool // after each commit, compare memory with what a restart would find
}

// A packet is one message under way.
type packet struct {
	conn string
	raw  []byte
}

// A side is one engine and the application on it.
type side struct {
	w       *world
	name    string
	cfg     Config
	store   *flaky
	metrics *observe.InMemory
	eng     *Engine
	peer    *side
	wire    []packet // under way to the peer
	sent    []wire.Frame
	lives   int

	auto     bool // the application accepts, answers and handles at once
	fetched  []Delivery
	held     []Delivery
	settled  map[string]Settle
	events   []observe.Event
	ended    []uint16
	stores   []StoreOp
	resumes  []Resume
	refused  []Refuse
	arrived  []Arrive
	windows  map[string]int    // crashes while a delivery was with the application, by id
	first    map[string]string // octets of a row, by life, class and id
	reaction func(d Delivery)
}

// flaky is a store that fails on demand.
type flaky struct {
	store.Store
	calls   int
	failAt  int // the number of the call that fails, and with every set each multiple of it
	every   bool
	failing bool
	applied int
	durable []bool
}

var errDisk = fmt.Errorf("disk full")

func (f *flaky) fails() bool {
	f.calls++
	return f.failing || f.failAt > 0 && (f.calls == f.failAt || f.every && f.calls%f.failAt == 0)
}

func (f *flaky) Apply(peer string, b *store.Batch) error {
	if f.fails() {
		return errDisk
	}
	f.applied++
	f.durable = append(f.durable, b.Durable)
	return f.Store.Apply(peer, b)
}

func (f *flaky) Committed(peer string, k store.Key) (store.Entry, bool, error) {
	if f.fails() {
		return store.Entry{}, false, errDisk
	}
	return f.Store.Committed(peer, k)
}

// byteSource makes randomness repeatable.
type byteSource struct{ r *rand.Rand }

func (s byteSource) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(s.r.Uint32())
	}
	return len(b), nil
}

func start() time.Time { return time.UnixMilli(1_900_000_000_000).UTC() }

// newWorld returns two engines that are not connected. change may change the configuration of a side.
func newWorld(t fataler, change ...func(name string, c *Config)) *world {
	t.Helper()
	w := &world{t: t, now: start()}
	w.a, w.b = w.side("a", "b", change), w.side("b", "a", change)
	w.a.peer, w.b.peer = w.b, w.a
	return w
}

func (w *world) side(name, remote string, change []func(string, *Config)) *side {
	s := &side{
		w: w, name: name, auto: true, metrics: &observe.InMemory{}, store: &flaky{Store: store.NewMemory()},
		settled: map[string]Settle{}, windows: map[string]int{}, first: map[string]string{},
	}
	s.cfg = Config{
		Local: name, Remote: remote, Store: s.store, Authorize: AllowAll, Observe: observe.Bag{Metrics: s.metrics},
		Rand: byteSource{rand.New(rand.NewPCG(uint64(name[0]), 7))},
	}
	for _, c := range change {
		c(name, &s.cfg)
	}
	if s.cfg.Relay != nil {
		s.cfg.Store = nil
	}
	s.begin()
	return s
}

func (s *side) begin() {
	eng, err := New(s.w.now, s.cfg)
	if err != nil {
		s.w.t.Fatalf("new %s: %v", s.name, err)
	}
	s.eng = eng
	s.lives++
	s.take()
}

// crash ends the process of a side and begins another over the same store.
func (s *side) crash() {
	for _, d := range s.held {
		s.windows[d.ID]++
	}
	s.held = nil
	if s.w.link != "" {
		s.w.drop()
	}
	s.begin()
}

// commit writes what was gathered and does what follows.
func (s *side) commit() {
	err := s.eng.Commit(s.w.now, nil)
	if (err != nil || s.w.checkReload) && s.cfg.Relay == nil && !s.reloaded() {
		s.w.t.Fatalf("%s: memory is not what is kept (commit: %v)\n%s", s.name, err, s.w.dump())
	}
	s.take()
}

// reloaded reports whether memory is what a restart would find (SUBSTRATE-STORE-008).
func (s *side) reloaded() bool {
	cfg := s.cfg
	cfg.Observe = observe.Bag{}
	cfg.Store = s.store.Store
	fresh, err := New(s.w.now, cfg)
	if err != nil {
		s.w.t.Fatalf("reload %s: %v", s.name, err)
	}
	return fresh.Snapshot().Durable().Digest() == s.eng.Snapshot().Durable().Digest()
}

// take does what the engine has released.
func (s *side) take() {
	for _, x := range s.eng.Take() {
		s.effect(x)
	}
	s.conserved()
}

func (s *side) effect(x Effect) {
	switch x := x.(type) {
	case Transmit:
		f, err := wire.Decode(x.Bytes)
		if err != nil {
			s.w.t.Fatalf("%s transmits what is no frame: %v", s.name, err)
		}
		s.sent = append(s.sent, f)
		s.w.note("%s> %s %s %s seq=%d prev=%d %s", s.name, f.Kind, f.Obj, f.ID, f.Seq, f.Prev, f.Code)
		s.checkSame(&f, x.Bytes)
		if !s.w.quiet && (x.Conn == s.w.link || x.Conn == s.w.held) {
			s.wire = append(s.wire, packet{x.Conn, x.Bytes})
		}
	case EndConn:
		s.w.note("%s ends %s with %d", s.name, x.Conn, x.Code)
		s.ended = append(s.ended, x.Code)
		if x.Conn == s.w.link {
			s.w.drop()
		}
	case Deliver:
		s.w.note("%s gets %s %s %s", s.name, x.Kind, x.Obj, x.ID)
		s.fetched = append(s.fetched, x.Delivery)
		s.held = append(s.held, x.Delivery)
		if s.auto {
			s.react(x.Delivery)
		}
	case Settle:
		if was, ok := s.settled[x.Call.ID]; ok {
			s.w.t.Fatalf("%s: call %s settled twice: %+v, then %+v", s.name, x.Call.ID, was, x)
		}
		s.settled[x.Call.ID] = x
	case Event:
		s.w.note("%s event %s %s %s", s.name, x.Name, x.ID, x.Code)
		s.events = append(s.events, x.Event)
	case StoreOp:
		s.stores = append(s.stores, x)
	case Resume:
		s.resumes = append(s.resumes, x)
	case Refuse:
		s.refused = append(s.refused, x)
		s.held = append(s.held, x.Delivery)
	case Arrive:
		s.arrived = append(s.arrived, x)
	}
}

// checkSame checks that a row is the same octets each time in one life (SUBSTRATE-OUTBOX-004).
func (s *side) checkSame(f *wire.Frame, raw []byte) {
	if f.Has&wire.FieldSeq == 0 || f.Has&wire.FieldReceipt == 0 {
		return
	}
	key := fmt.Sprint(s.lives, classOf(f.Kind), f.ID)
	if was, ok := s.first[key]; ok && was != string(raw) {
		s.w.t.Fatalf("%s: row %s changed between transmissions", s.name, f.ID)
	}
	s.first[key] = string(raw)
}

// forgetGone lets an id be given to another op once its row has left the outbox: what it was called then, and how that ended, is of the past.
func (s *side) forgetGone(id string) {
	for _, o := range s.eng.objects {
		if slices.ContainsFunc(o.rows, func(r *row) bool { return r.ID == id }) {
			return
		}
	}
	for _, class := range []store.Class{store.Op, store.Answer} {
		delete(s.first, fmt.Sprint(s.lives, class, id))
	}
	delete(s.settled, id)
}

// conserved checks SUBSTRATE-OBSERVE-004 and SUBSTRATE-OBSERVE-011.
func (s *side) conserved() {
	if s.cfg.Relay != nil || s.metrics == nil {
		return
	}
	depth := int64(0)
	for _, o := range s.eng.objects {
		depth += int64(len(o.rows))
	}
	m := s.metrics.Snapshot()
	in := m.Total(observe.OpsEnqueued)
	out := m.Total(observe.OpsAcked) + m.Total(observe.OpsAnswered) + m.Total(observe.OpsPurged)
	if len(s.eng.inputs) == 0 && in != out+depth {
		s.w.t.Fatalf("%s: %d rows were enqueued, %d have left and %d are there", s.name, in, out, depth)
	}
}

// react is what the application does with a delivery by default.
func (s *side) react(d Delivery) {
	if s.reaction != nil {
		s.reaction(d)
		return
	}
	s.finish(d)
}

// finish accepts an open, answers a req and handles the rest.
func (s *side) finish(d Delivery) {
	s.held = slices.DeleteFunc(s.held, func(h Delivery) bool { return h.N == d.N && h.Feed == d.Feed })
	var err error
	switch d.Kind {
	case wire.Open:
		if err = s.eng.Accept(s.w.now, d); err != nil {
			err = s.eng.Handled(s.w.now, d)
		}
	case wire.Req:
		if err = s.eng.Respond(s.w.now, d, append([]byte("re:"), d.Body...)); err != nil {
			err = s.eng.Handled(s.w.now, d)
		}
	default:
		err = s.eng.Handled(s.w.now, d)
	}
	if err != nil {
		s.w.t.Fatalf("%s cannot finish %s %s: %v", s.name, d.Kind, d.ID, err)
	}
	s.commit()
}

func (w *world) note(format string, args ...any) {
	if len(w.trace) < 5000 && !w.quiet {
		w.trace = append(w.trace, fmt.Sprintf("%7d ", w.now.Sub(start()).Milliseconds())+fmt.Sprintf(format, args...))
	}
}

func (w *world) dump() string { return strings.Join(w.trace, "\n") }

// connect makes a connection ready on both sides, a first.
func (w *world) connect() {
	w.conns++
	id := fmt.Sprintf("conn-%d", w.conns)
	w.held, w.link = w.link, id
	w.note("connect %s", id)
	for _, s := range []*side{w.a, w.b} {
		s.eng.Connected(w.now, Conn{ID: id, Epoch: s.peer.eng.Epoch()})
		s.commit()
	}
	w.held = ""
}

// drop ends the connection with all that is under way.
func (w *world) drop() {
	if w.link == "" {
		return
	}
	id := w.link
	w.link = ""
	w.note("drop %s", id)
	for _, s := range []*side{w.a, w.b} {
		s.wire = nil
		s.eng.Disconnected(w.now, id)
		s.commit()
	}
}

// deliver passes the ith packet of a side on; keep leaves it under way as well.
func (s *side) deliver(i int, keep bool) {
	p := s.wire[i]
	if !keep {
		s.wire = slices.Delete(slices.Clone(s.wire), i, i+1)
	}
	s.peer.receive(p)
}

// receive takes a packet and checks that an err causes no err (SUBSTRATE-BOUNCE-002).
func (s *side) receive(p packet) {
	before := len(s.sent)
	raw := bytes.Clone(p.raw)
	s.eng.Receive(s.w.now, p.conn, raw)
	for i := range raw {
		raw[i] = 0xff // the engine must not keep it
	}
	s.commit()
	if f, err := wire.Decode(p.raw); err == nil && f.Kind == wire.Err {
		for _, g := range s.sent[before:] {
			if g.Bounced() {
				s.w.t.Fatalf("%s answers the err %s with the err %s", s.name, f.ID, g.ID)
			}
		}
	}
}

// pump delivers everything that is under way, and what follows, in order.
func (w *world) pump() {
	for n := 0; len(w.a.wire)+len(w.b.wire) > 0; n++ {
		if n > 100000 {
			w.t.Fatalf("the network does not come to rest\n%s", w.dump())
		}
		for _, s := range []*side{w.a, w.b} {
			if len(s.wire) > 0 {
				s.deliver(0, false)
			}
		}
	}
}

// lose forgets what is under way.
func (w *world) lose() { w.a.wire, w.b.wire = nil, nil }

// advance moves the clock on, with a tick wherever an engine wants one. Frames are delivered on the way if flow is set.
func (w *world) advance(d time.Duration, flow bool) {
	end := w.now.Add(d)
	for n := 0; ; n++ {
		if n > 100000 {
			w.t.Fatalf("the clock does not move on\n%s", w.dump())
		}
		at := end
		for _, s := range []*side{w.a, w.b} {
			if due, ok := s.eng.Next(); ok && due.Before(at) {
				at = due
			}
		}
		if at.After(w.now) {
			w.now = at
		}
		for _, s := range []*side{w.a, w.b} {
			s.eng.Tick(w.now)
			s.commit()
		}
		if flow {
			w.pump()
		}
		if !w.now.Before(end) {
			return
		}
	}
}

// inject gives a side a frame that the peer never sent.
func (s *side) inject(f wire.Frame) []wire.Frame {
	s.w.t.Helper()
	raw, err := wire.Append(nil, &f)
	if err != nil {
		s.w.t.Fatalf("encode: %v", err)
	}
	before := len(s.sent)
	s.receive(packet{s.w.link, raw})
	return slices.Clone(s.sent[before:])
}

// op returns a frame of an op or an answer.
func op(kind, obj, id string, seq uint64) wire.Frame {
	f := wire.Frame{
		V: 1, Kind: kind, Obj: obj, ObjKind: wire.Session, ID: id, Seq: seq, Receipt: []byte("r-" + id), Body: []byte(id),
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldSeq | wire.FieldReceipt,
	}
	if kind == wire.Err || kind == wire.Reject {
		f.Code, f.Has = wire.AppError, f.Has|wire.FieldCode
	}
	return f
}

// bounceOf returns an err that is no op.
func bounceOf(obj, id, code string) wire.Frame {
	return wire.Frame{
		V: 1, Kind: wire.Err, Obj: obj, ObjKind: wire.Session, ID: id, Code: code,
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldCode,
	}
}

func resyncOf(obj string, field wire.Fields, seq uint64) wire.Frame {
	f := wire.Frame{
		V: 1, Kind: wire.Resync, Obj: obj, ObjKind: wire.Session,
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | field,
	}
	if field == wire.FieldBase {
		f.Base = seq
	} else {
		f.FromSeq = seq
	}
	return f
}

func kinds(frames []wire.Frame) string {
	var all []string
	for _, f := range frames {
		k := f.Kind
		if f.Has&wire.FieldCode != 0 {
			k += ":" + f.Code
		}
		all = append(all, k)
	}
	return strings.Join(all, " ")
}

// Calls of the application.

func (s *side) open(obj string) Call {
	s.w.t.Helper()
	return s.call(s.eng.Open(s.w.now, wire.Session, obj, nil))
}

func (s *side) send(obj, body string) Call {
	s.w.t.Helper()
	return s.call(s.eng.Send(s.w.now, obj, []byte(body)))
}

func (s *side) req(obj, body string) Call {
	s.w.t.Helper()
	return s.call(s.eng.Req(s.w.now, obj, []byte(body)))
}

func (s *side) closes(obj string) Call {
	s.w.t.Helper()
	return s.call(s.eng.Close(s.w.now, obj))
}

func (s *side) call(c Call, err error) Call {
	s.w.t.Helper()
	if err != nil {
		s.w.t.Fatalf("%s: %v", s.name, err)
	}
	s.commit()
	return c
}

// bodies returns what the application was handed of one kind, in order.
func (s *side) bodies(kind string) string {
	var all []string
	for _, d := range s.fetched {
		if d.Kind == kind {
			all = append(all, string(d.Body))
		}
	}
	return strings.Join(all, " ")
}

func (s *side) count(name string) int {
	n := 0
	for _, e := range s.events {
		if e.Name == name {
			n++
		}
	}
	return n
}

func (s *side) sentKind(kind string) int {
	n := 0
	for _, f := range s.sent {
		if f.Kind == kind {
			n++
		}
	}
	return n
}

func (s *side) state(obj string) string {
	if o := s.eng.find(obj); o != nil && s.eng.record(o) != nil {
		return o.rec.State
	}
	return ""
}

func (s *side) rows(obj string) int {
	if o := s.eng.find(obj); o != nil {
		return len(o.rows)
	}
	return 0
}

// twoLive returns a connected world with a live session "o" that a has opened.
func twoLive(t *testing.T, change ...func(name string, c *Config)) *world {
	t.Helper()
	w := newWorld(t, change...)
	w.connect()
	c := w.a.open("o")
	w.pump()
	if s := w.a.settled[c.ID]; s.Kind != wire.Accept {
		t.Fatalf("open: %+v\n%s", s, w.dump())
	}
	w.a.sent, w.b.sent, w.a.events, w.b.events = nil, nil, nil, nil
	w.a.fetched, w.b.fetched = nil, nil
	return w
}

func want[T comparable](t testing.TB, what string, got, expected T) {
	t.Helper()
	if got != expected {
		t.Fatalf("%s: got %v, want %v", what, got, expected)
	}
}

func newMemory() store.Store { return store.NewMemory() }

// codeOf returns the code of a local refusal.
func codeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	if e, ok := errors.AsType[*wire.AddressError](err); ok {
		return e.Code
	}
	return fmt.Sprint(err)
}
