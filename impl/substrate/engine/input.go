package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// The kinds of inputs.
type inputKind uint8

const (
	inOp inputKind = iota + 1
	inReply
	inFrame
	inBroken
	inConnected
	inDisconnected
	inTick
	inStored
	inFollow
	inPush
)

// An input is something that the engine was told since the last commit. It is kept so that it can be played again.
type input struct {
	what  inputKind
	at    time.Time
	conn  string
	frame *wire.Frame
	code  uint16
	ready Conn
	op    *Op
	call  *call
	reply *reply
	store storeResult
	feed  Following
}

// do plays an input and gathers it. If it returns an error nothing has changed and nothing is gathered.
func (e *Engine) do(in input) error {
	if err := e.play(&in); err != nil {
		return err
	}
	e.inputs = append(e.inputs, in)
	return nil
}

// play changes the memory of the engine as an input says, and stages what is to be written.
func (e *Engine) play(in *input) error {
	e.now = in.at
	var err error
	switch in.what {
	case inOp:
		err = e.enqueueOp(in.at, in.op, in.call)
	case inReply:
		err = e.reply(in.at, in.reply)
	case inFollow:
		err = e.following(in.at, &in.feed)
	case inFrame:
		if e.conn == in.conn && e.up() {
			e.frame(in.at, in.frame)
		}
	case inPush:
		if e.conn == in.conn && e.up() {
			e.transmitFrame(in.frame)
		}
	case inBroken:
		if e.conn == in.conn && e.up() {
			e.endConn(in.at, in.code)
		}
	case inConnected:
		e.connected(in.at, in.ready)
	case inDisconnected:
		if e.conn == in.conn && e.up() {
			e.disconnected(in.at)
		}
	case inTick:
		e.tick(in.at)
	case inStored:
		e.storedOp(in.at, in.store)
	}
	e.refresh()
	return err
}

// Connected says that a connection is ready. An older one is ended (SUBSTRATE-RECONNECT-004); what has been sent and not been acked is
// sent again, and what has been waiting is sent (SUBSTRATE-RECONNECT-003).
func (e *Engine) Connected(now time.Time, c Conn) {
	_ = e.do(input{what: inConnected, at: now, ready: c})
}

// Disconnected says that a connection has ended. One that the engine has ended itself, or that was not the live one, is no news.
func (e *Engine) Disconnected(now time.Time, conn string) {
	if e.up() && conn == e.conn {
		_ = e.do(input{what: inDisconnected, at: now, conn: conn})
	}
}
