// Package link carries the substrate over WebSocket: it takes connections from the first octet to ready, dials again when one ends, and
// lets a new connection of a peer take the place of the old one. Start with [Dialer] and [Listener].
//
// One binary message is one frame (SUBSTRATE-WIRE-001). What is in it is for others to read.
package link

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/farewell"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// Codes with which a connection ends. Those of a handshake that fails are in package handshake.
const (
	CloseProtocol   = 4004 // a message of the wrong form (SUBSTRATE-WIRE-006)
	CloseSuperseded = 4005 // the same peer has a newer connection (SUBSTRATE-RECONNECT-004)
	CloseOtherPeer  = 4006 // another peer answers than the one that was bound (SUBSTRATE-RECONNECT-006)
	CloseTooLarge   = 4009 // a message of more than wire.MaxFrame octets (SUBSTRATE-LIMIT-001)
)

// A Conn is a connection that is ready. One goroutine reads; any number may write and close.
type Conn struct {
	socket
	result *handshake.Result
	turn   uint64
	ended  atomic.Pointer[EndError] // by this side, before the socket was
}

// ID returns the id of the connection, which both ends have the same and no other connection has (SUBSTRATE-HANDSHAKE-003).
func (c *Conn) ID() string { return c.result.ConnID() }

// Peer returns the id of the other side, proven if authentication is on.
func (c *Conn) Peer() string { return c.result.Peer }

// Turn counts the connections that a listener has taken: of two of one peer the one with the higher turn has the place of the other, in
// whatever order Ready hears of them. It is 0 for a connection that was dialled.
func (c *Conn) Turn() uint64 { return c.turn }

// Result returns what was agreed upon.
func (c *Conn) Result() *handshake.Result { return c.result }

// Read returns the next message. A message of the wrong form ends the connection, and so does ctx. The error of a connection that ended
// is an [*EndError].
func (c *Conn) Read(ctx context.Context) ([]byte, error) {
	b, err := receive(ctx, c.ws, wire.MaxFrame)
	if end := c.ended.Load(); end != nil {
		// What arrives on a connection that was superseded is dropped (SUBSTRATE-RECONNECT-004).
		return nil, end
	}
	switch {
	case errors.Is(err, errText):
		return nil, c.fail(&EndError{Code: CloseProtocol, Local: true, Reason: "a text message"})
	case errors.Is(err, errTooLarge):
		return nil, c.fail(&EndError{Code: CloseTooLarge, Local: true, Reason: fmt.Sprintf("a message of more than %d octets", wire.MaxFrame)})
	case err != nil:
		return nil, endOf(err)
	}
	return b, nil
}

// Write sends one message. It blocks while the peer takes nothing; when ctx ends meanwhile the connection does too.
func (c *Conn) Write(ctx context.Context, b []byte) error {
	if end := c.ended.Load(); end != nil {
		return end
	}
	if err := c.ws.Write(ctx, websocket.MessageBinary, b); err != nil {
		return endOf(err)
	}
	return nil
}

// Close ends the connection with a code that the peer is told. It waits a few seconds for the peer to close as well and then goes on
// without. Of several calls the first counts.
func (c *Conn) Close(code uint16, reason string) {
	_ = c.fail(&EndError{Code: code, Local: true, Reason: reason})
}

// fail ends the connection once, and returns why it ended.
func (c *Conn) fail(end *EndError) error {
	if !c.ended.CompareAndSwap(nil, end) {
		return c.ended.Load()
	}
	c.farewell(end)
	return end
}

// farewell tells the peer and closes the socket, whether the peer answers or not.
func (c *Conn) farewell(end *EndError) {
	c.say(end.Code, end.Reason)
}

// farewellTime is how long the peer may take to close as well.
const farewellTime = 5 * time.Second

// A socket is a WebSocket whose end may be told.
type socket struct {
	ctx   context.Context // when it ends, nobody waits for the peer's farewell
	ws    *websocket.Conn
	below io.Closer // the stream of ws
}

// say ends the socket with a code.
func (s *socket) say(code uint16, reason string) {
	farewell.Say(s.ctx, s.ws, s.below, farewellTime, websocket.StatusCode(code), reason)
	s.cut()
}

// cut ends the socket without a word.
func (s *socket) cut() {
	_ = s.below.Close()
	_ = s.ws.CloseNow()
}

// An EndError says how a connection ended.
type EndError struct {
	Code   uint16 // of the close frame; 0: none came
	Local  bool   // this side ended it
	Reason string
	Err    error // of the transport, if that is why
}

func (e *EndError) Error() string {
	by := "by the peer"
	if e.Local {
		by = "by this side"
	}
	switch {
	case e.Code == 0:
		return fmt.Sprintf("substrate link: the connection ended without a close frame: %v", e.Err)
	case e.Reason == "":
		return fmt.Sprintf("substrate link: ended %s with %d", by, e.Code)
	default:
		return fmt.Sprintf("substrate link: ended %s with %d: %s", by, e.Code, e.Reason)
	}
}

func (e *EndError) Unwrap() error { return e.Err }

// endOf returns how a connection ended whose socket failed with err.
func endOf(err error) *EndError {
	var end websocket.CloseError
	if errors.As(err, &end) {
		return &EndError{Code: uint16(end.Code), Reason: end.Reason}
	}
	return &EndError{Err: err}
}

var (
	errText     = errors.New("a text message")
	errTooLarge = errors.New("a message above the limit")
)

// receive reads one binary message of at most limit octets.
func receive(ctx context.Context, ws *websocket.Conn, limit int64) ([]byte, error) {
	kind, r, err := ws.Reader(ctx)
	if err != nil {
		return nil, err
	}
	if kind != websocket.MessageBinary {
		return nil, errText
	}
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, errTooLarge
	}
	return b, nil
}
