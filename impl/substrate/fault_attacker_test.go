package substrate_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// burst is how many frames the attacker sends at most on one connection.
const burst = 400

// An attacker is a peer of the gate that has a key and means ill. It has neither a store nor an engine: what it sends it draws.
type attacker struct {
	t     *testing.T
	r     *rand.Rand
	url   string
	sent  int
	conns int
	ids   int

	probing bool // no id is used twice
	blob    []byte
	seqs    map[string]uint64 // of what it sends in turn
	held    []net.Conn        // that say nothing

	mu    sync.Mutex
	ended map[int]int    // connections by the code with which the gate ended them; below 0: by none
	heard map[string]int // frames by their code, or else their kind
}

func newAttacker(t *testing.T, url string) *attacker {
	return &attacker{
		t: t, r: faults(t), url: url, blob: make([]byte, 900_000), seqs: map[string]uint64{}, ended: map[int]int{}, heard: map[string]int{},
	}
}

// A style is what the attacker does on one connection.
type style struct {
	name  string
	draw  func(e *attacker) []byte
	deaf  bool // it reads nothing
	acks  bool // it acks what it is sent
	fresh bool // it comes with the outbox of another life
	again int  // how often, if its connections do not last
	fatal bool // whatever it sends ends the connection
}

func styles() []style {
	return []style{
		{name: "all", draw: (*attacker).any, acks: true},
		{name: "all, of another life", draw: (*attacker).any, fresh: true},
		{name: "names", draw: (*attacker).names},
		{name: "names that are acked", draw: (*attacker).names, acks: true},
		{name: "ids", draw: (*attacker).inTurn},
		{name: "gaps", draw: (*attacker).ahead, fresh: true},
		{name: "control", draw: (*attacker).control},
		{name: "deaf", draw: (*attacker).inTurn, deaf: true},
		{name: "octets", draw: (*attacker).octets, again: 20, fatal: true},
	}
}

// provoke sends what must end a connection, each on one of its own.
func (e *attacker) provoke() {
	for _, b := range [][]byte{make([]byte, wire.MaxFrame+1), e.noise(100), bytes.Repeat([]byte{0x81}, 1000), {}} {
		e.connect(style{draw: func(*attacker) []byte { return b }, fatal: true}, e.sent+1)
	}
}

// talk makes a connection on which all that is sent is taken, and what has to be answered is waited for. What comes is acked but, if owes
// is set, the answers to reqs.
func (e *attacker) talk(owes bool, do func(ask func(answer string, frames ...[]byte))) {
	ctx, cancel := context.WithCancel(e.t.Context())
	defer cancel()
	ws, err := e.shake(ctx, false)
	must(e.t, err)
	defer func() { _ = ws.CloseNow() }()
	e.conns++
	e.probing = true
	defer func() { e.probing = false }()
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	reader.Go(func() {
		e.listen(ctx, ws, func(kind string) bool { return !owes || kind != wire.Res && kind != wire.Err })
	})
	do(func(answer string, frames ...[]byte) {
		before := e.answers(answer)
		for _, b := range frames {
			must(e.t, ws.Write(ctx, websocket.MessageBinary, b))
			e.sent++
		}
		await(e.t, answer, func() bool { return answer == "" || e.answers(answer) > before })
	})
}

// answers returns how often a code, or a kind without one, was heard.
func (e *attacker) answers(code string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[code]
}

// hoards is how many objects have as much waiting ahead of its turn as may be, and more.
const hoards = 64

// hoard has the gate keep as much as it will, and look see it.
func (e *attacker) hoard(look func()) {
	e.talk(false, func(ask func(string, ...[]byte)) {
		for i := range hoards {
			obj := fmt.Sprintf("h%d", i)
			ask("", e.frame(wire.Open, obj, 1, nil))
			for seq, size := range map[uint64]int{3: len(e.blob), 5: 100_000} {
				ask("", e.frame(wire.Send, obj, seq, func(f *wire.Frame) { f.Body = e.blob[:size] }))
			}
		}
		// By then all of it has been judged.
		ask(wire.NoSuchObject, e.frame(wire.Send, "nowhere", 1, nil))
		look()
	})
}

// probe sends reqs until too many answers are not acked, and then what has to be answered, and waits for each of the answers.
func (e *attacker) probe() {
	e.talk(true, func(ask func(string, ...[]byte)) {
		ask(wire.Accept, e.frame(wire.Open, "debts", 1, nil))
		replies := func() int { return e.answers(wire.Ack) + e.answers(wire.Busy) }
		// SUBSTRATE-LIMIT-008: as many as there may be, and those that were taken before they were answered.
		for seq := uint64(2); e.answers(wire.Busy) == 0; seq++ {
			if seq > 10*hostileAnswers {
				e.t.Fatalf("the gate takes %d reqs of which no answer is acked", seq)
			}
			before := replies()
			ask("", e.frame(wire.Req, "debts", seq, nil))
			await(e.t, "a reply to a req", func() bool { return replies() > before })
		}
	})
	e.talk(false, e.probeBy)
}

func (e *attacker) probeBy(ask func(answer string, frames ...[]byte)) {
	long := func(f *wire.Frame) { f.Receipt = bytes.Repeat([]byte{1}, wire.MaxReceipt+1) }
	large := func(f *wire.Frame) { f.Body = make([]byte, wire.MaxBody+1) }
	ask(wire.Accept, e.frame(wire.Open, "probe", 1, nil))
	ask(wire.OutOfSeq, e.frame(wire.Send, "probe", 1000, nil))
	ask(wire.NoSuchObject, e.frame(wire.Send, "nowhere", 1, nil))
	ask(wire.BadFrame, e.frame(wire.Send, "probe", 2, long))
	ask(wire.PayloadTooLarge, e.frame(wire.Send, "probe", 2, large))
	var opens [][]byte
	for i := range 256 {
		opens = append(opens, e.frame(wire.Open, fmt.Sprintf("probe%d", i), 1, nil))
	}
	// SUBSTRATE-LIMIT-003
	ask(wire.RateLimited, opens...)
	for i := range opens {
		ask("", e.frame(wire.Close, fmt.Sprintf("probe%d", i), 2, nil))
	}
}

// attack goes on until so many frames have been sent in all.
func (e *attacker) attack(until int) {
	all := styles()
	for e.sent < until {
		if e.r.IntN(8) == 0 {
			e.stranger()
			continue
		}
		s := all[e.r.IntN(len(all))]
		for n := 0; n < max(s.again, 1) && e.sent < until; n++ {
			e.connect(s, until)
		}
	}
}

// stranger connects and does not come to be a peer.
func (e *attacker) stranger() {
	e.conns++
	address := strings.TrimSuffix(strings.TrimPrefix(e.url, "ws://"), "/")
	switch e.r.IntN(3) {
	case 0:
		conn, err := net.Dial("tcp", address)
		must(e.t, err)
		// It is held as long as there are not too many of them.
		_, _ = conn.Write([]byte("GET / HTTP/1.1\r\nHost: gate\r\n"))
		if e.held = append(e.held, conn); len(e.held) > 16 {
			_ = e.held[0].Close()
			e.held = e.held[1:]
		}
	default:
		ctx, cancel := context.WithTimeout(e.t.Context(), time.Minute)
		defer cancel()
		ws, _, err := websocket.Dial(ctx, e.url, &websocket.DialOptions{HTTPClient: client()})
		must(e.t, err)
		for range 1 + e.r.IntN(3) {
			if ws.Write(ctx, websocket.MessageBinary, e.noise(1+e.r.IntN(4000))) == nil {
				e.sent++
			}
		}
		_ = ws.CloseNow()
	}
}

// leave ends what is held.
func (e *attacker) leave() {
	for _, c := range e.held {
		_ = c.Close()
	}
	e.held = nil
}

// connect makes a connection that is ready.
func (e *attacker) connect(s style, until int) {
	ctx, cancel := context.WithCancel(e.t.Context())
	defer cancel()
	ws, err := e.shake(ctx, s.fresh)
	must(e.t, err)
	defer func() { _ = ws.CloseNow() }()
	e.conns++
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	if !s.deaf {
		reader.Go(func() {
			defer cancel()
			e.listen(ctx, ws, func(string) bool { return s.acks })
		})
	}
	patient := 20 * time.Second
	if s.deaf {
		// The gate need not read for who does not: then there is nothing more to send on this connection.
		patient = time.Second
	}
	most := burst
	if s.fatal {
		most = 3
	}
	for n := 1 + e.r.IntN(most); n > 0 && e.sent < until; n-- {
		b, kind := s.draw(e), websocket.MessageBinary
		if e.r.IntN(2000) == 0 {
			b, kind = []byte("a text"), websocket.MessageText
		}
		write, late := context.WithTimeout(ctx, patient)
		err := ws.Write(write, kind, b)
		late()
		if err != nil {
			break
		}
		e.sent++
	}
	switch {
	case s.fatal:
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Second):
			e.t.Errorf("the gate goes on with a connection after a message of the wrong form")
		}
	case !s.deaf && ctx.Err() == nil:
		_ = ws.Close(websocket.StatusNormalClosure, "")
	}
}

// shake makes the attacker a peer that is ready.
func (e *attacker) shake(ctx context.Context, fresh bool) (*websocket.Conn, error) {
	ws, _, err := websocket.Dial(ctx, e.url, &websocket.DialOptions{HTTPClient: client()})
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(-1)
	epoch := [8]byte{1}
	if fresh {
		epoch[0], epoch[1], epoch[2] = byte(e.r.Uint32()), byte(e.r.Uint32()), 1
	}
	m, err := handshake.NewDialer(time.Now(), handshake.Config{Peer: "evil", Epoch: epoch, Auth: handshake.HMAC(keys)})
	if err != nil {
		return nil, err
	}
	if err := ws.Write(ctx, websocket.MessageBinary, m.Hello()); err != nil {
		return nil, err
	}
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			return nil, err
		}
		step, failure := m.Receive(time.Now(), b)
		if failure != nil {
			return nil, failure
		}
		for _, b := range step.Send {
			if err := ws.Write(ctx, websocket.MessageBinary, b); err != nil {
				return nil, err
			}
		}
		if step.Ready != nil {
			return ws, nil
		}
	}
}

// listen reads what the gate says until it says no more.
func (e *attacker) listen(ctx context.Context, ws *websocket.Conn, acks func(kind string) bool) {
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			var end websocket.CloseError
			code := -1
			if errors.As(err, &end) {
				code = int(end.Code)
			}
			e.mu.Lock()
			if code != int(websocket.StatusNormalClosure) {
				e.ended[code]++
			}
			e.mu.Unlock()
			return
		}
		f, err := wire.Decode(b)
		if err != nil {
			e.t.Errorf("the gate sends what is no frame: %v", err)
			return
		}
		e.mu.Lock()
		e.heard[cmp.Or(f.Code, f.Kind)]++
		e.mu.Unlock()
		if len(f.Receipt) > 0 && f.Kind != wire.Ack && acks(f.Kind) {
			ack := wire.Frame{
				V: wire.Version, Kind: wire.Ack, Obj: f.Obj, ObjKind: f.ObjKind, ID: f.ID, Receipt: f.Receipt,
				Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldReceipt,
			}
			if b, err := wire.Append(nil, &ack); err == nil {
				_ = ws.Write(ctx, websocket.MessageBinary, b)
			}
		}
	}
}

// noise returns octets that mean nothing.
func (e *attacker) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(e.r.Uint32())
	}
	return b
}

// id returns an id that was never used, or, now and then, one that was.
func (e *attacker) id() string {
	if e.probing || e.r.IntN(5) > 0 {
		e.ids++
	}
	return fmt.Sprintf("e%x", e.ids)
}

// frame returns the octets of a frame that has all that its kind requires, and what change makes of it.
func (e *attacker) frame(kind, obj string, seq uint64, change func(f *wire.Frame)) []byte {
	f := wire.Frame{
		V: wire.Version, Kind: kind, Obj: obj, ObjKind: wire.Session, ID: e.id(), Has: wire.Required(kind) | wire.FieldV | wire.FieldKind,
	}
	if f.Has&wire.FieldSeq != 0 {
		f.Seq = max(seq, 1)
	}
	if f.Has&wire.FieldReceipt != 0 {
		f.Receipt = []byte("0123456789abcdef")
	}
	if f.Has&wire.FieldCode != 0 {
		f.Code = "app_error"
	}
	if f.Has&wire.FieldID == 0 {
		f.ID = ""
	}
	if f.Has&wire.FieldObj == 0 {
		f.Obj, f.ObjKind = "", ""
	}
	if change != nil {
		change(&f)
	}
	b, err := wire.Append(nil, &f)
	if err != nil {
		e.t.Fatalf("%+v: %v", f, err)
	}
	return b
}

func (e *attacker) name(n int) string { return fmt.Sprintf("o%d", e.r.IntN(n)) }

// names opens and closes, most of the time objects that there were none of.
func (e *attacker) names() []byte {
	kind := []string{wire.Open, wire.Open, wire.Open, wire.Close}[e.r.IntN(4)]
	return e.frame(kind, e.name(20_000), 1+e.r.Uint64N(2), nil)
}

// inTurn sends what is taken: each op is the next of its object.
func (e *attacker) inTurn() []byte {
	obj := e.name(32)
	e.seqs[obj]++
	kind := []string{wire.Open, wire.Send, wire.Send, wire.Send, wire.Req}[e.r.IntN(5)]
	if e.seqs[obj] == 1 {
		kind = wire.Open
	}
	return e.frame(kind, obj, e.seqs[obj], func(f *wire.Frame) {
		if f.Kind != wire.Open {
			f.Body = e.blob[:e.r.IntN(300)]
		}
	})
}

// ahead sends what has to wait for what never comes, as much as will be kept and more.
func (e *attacker) ahead() []byte {
	obj := e.name(64)
	if e.r.IntN(6) == 0 {
		return e.frame(wire.Open, obj, 1, nil)
	}
	size := []int{10, 1000, 60_000, len(e.blob)}[e.r.IntN(4)]
	return e.frame(wire.Send, obj, 3+e.r.Uint64N(80), func(f *wire.Frame) {
		f.Body = e.blob[:size]
		if e.r.IntN(10) == 0 {
			f.Prev = e.r.Uint64N(wire.MaxSeq)
			f.Has |= wire.FieldPrev
		}
		if e.r.IntN(20) == 0 {
			f.Seq = wire.MaxSeq
		}
	})
}

// control sends what is not taken: acks and answers of nothing, resyncs, and kinds that are not for an engine of messages.
func (e *attacker) control() []byte {
	kinds := []string{
		wire.Ack, wire.Resync, wire.Accept, wire.Reject, wire.Res, wire.End, wire.Err, wire.Chunk,
		wire.Establish, wire.EstablishOK, wire.EstablishFail, "none",
	}
	kind := kinds[e.r.IntN(len(kinds))]
	return e.frame(kind, e.name(64), e.r.Uint64N(100), func(f *wire.Frame) {
		switch {
		case kind == wire.Resync && e.r.IntN(2) == 0:
			f.FromSeq, f.Has = 1+e.r.Uint64N(wire.MaxSeq), f.Has|wire.FieldFromSeq
		case kind == wire.Resync:
			f.Base, f.Has = 1+e.r.Uint64N(wire.MaxSeq), f.Has|wire.FieldBase
		case kind == "none":
			f.Obj, f.ObjKind, f.Has = e.name(64), wire.Session, f.Has|wire.FieldObj|wire.FieldObjKind
		}
	})
}

// any sends any of these, sound or with something wrong in it.
func (e *attacker) any() []byte {
	switch e.r.IntN(9) {
	case 8:
		// It may be a frame still, or none.
		b := e.inTurn()
		if e.r.IntN(8) == 0 {
			b[e.r.IntN(len(b))] ^= 1 << e.r.IntN(8)
		}
		return b
	case 0:
		return e.names()
	case 1:
		return e.inTurn()
	case 2:
		return e.ahead()
	case 3:
		return e.control()
	case 4:
		return e.frame(wire.Send, fmt.Sprintf("nowhere%d", e.ids), 1, nil)
	case 5:
		// A body above the limit, or fields that are missing, too long or not allowed.
		return e.frame(wire.Send, e.name(64), 1, func(f *wire.Frame) {
			switch e.r.IntN(40) {
			case 0:
				f.Body = append(e.blob, make([]byte, wire.MaxBody+1-len(e.blob))...)
			case 1, 2, 3, 4, 5, 6, 7, 8, 9:
				f.Obj = strings.Repeat("a", wire.MaxAddress+1)
			case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19:
				f.Receipt = bytes.Repeat([]byte{1}, wire.MaxReceipt+1)
			case 20, 21, 22, 23, 24, 25, 26, 27, 28, 29:
				f.Cap, f.Has = []byte("x"), f.Has|wire.FieldCap
			default:
				f.ID = strings.Repeat("i", wire.MaxID+1)
			}
		})
	case 6:
		return e.frame(wire.Close, "o1", e.r.Uint64N(4), nil)
	}
	return e.frame([]string{wire.Send, wire.Req}[e.r.IntN(2)], "o1", 1+e.r.Uint64N(1000), nil)
}

// octets sends what is no frame, or one that is too large or too deep.
func (e *attacker) octets() []byte {
	sound := e.inTurn()
	switch e.r.IntN(9) {
	case 0:
		return e.noise(1 + e.r.IntN(200))
	case 1:
		return sound[:e.r.IntN(len(sound))]
	case 2:
		return nil
	case 3:
		// Arrays in arrays.
		return append([]byte("\xa1\x63env"), bytes.Repeat([]byte{0x81}, 1+e.r.IntN(1<<16))...)
	case 4:
		// Maps, strings and arrays that claim a length which nobody has.
		head := []byte{0x5b, 0x7b, 0x9b, 0xbb}[e.r.IntN(4)]
		return append([]byte("\xa1\x63env"), head, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	case 5:
		// Strings without end.
		return append([]byte("\xa2\x63env\xa0\x64body\x5f"), bytes.Repeat([]byte{0x41, 0}, 1000)...)
	case 6:
		// Keys without number.
		b := []byte("\xa1\x63env\xb9\xff\xff")
		for i := range 5000 {
			b = append(b, 0x63, byte('a'+i%26), byte('a'+i/26%26), byte('a'+i/676), 0)
		}
		return b
	case 7:
		if e.r.IntN(4) == 0 {
			return make([]byte, wire.MaxFrame+1+e.r.IntN(3<<20))
		}
	}
	return append(sound, sound...)
}
