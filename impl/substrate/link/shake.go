package link

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// A machine is one end of a handshake.
type machine interface {
	Receive(now time.Time, b []byte) (handshake.Step, *handshake.Failure)
	Deadline() time.Time
}

// shake takes a connection to ready. When it fails the connection is closed with the code of the failure.
func shake(ctx context.Context, s *socket, m machine, first []byte) (*handshake.Result, error) {
	s.ws.SetReadLimit(-1) // receive has its own, which ends with the code of the law
	var (
		late   atomic.Bool
		closed sync.WaitGroup
	)
	closed.Add(1)
	// A context that ends would take the socket with it, and the peer would not be told why.
	timer := time.AfterFunc(time.Until(m.Deadline()), func() {
		defer closed.Done()
		late.Store(true)
		s.say(handshake.CloseTimeout, "")
	})
	result, err := converse(ctx, s.ws, m, first)
	if timer.Stop() {
		closed.Done()
	}
	closed.Wait()
	if late.Load() {
		err = &handshake.Failure{CloseCode: handshake.CloseTimeout, Reason: "not ready in time", Law: "SUBSTRATE-HANDSHAKE-008"}
	}
	if err != nil {
		var failure *handshake.Failure
		if errors.As(err, &failure) && !late.Load() {
			s.say(uint16(failure.CloseCode), "")
		}
		s.cut()
		return nil, err
	}
	return result, nil
}

// converse exchanges messages until the machine is ready or fails.
func converse(ctx context.Context, ws *websocket.Conn, m machine, first []byte) (*handshake.Result, error) {
	if first != nil {
		if err := ws.Write(ctx, websocket.MessageBinary, first); err != nil {
			return nil, endOf(err)
		}
	}
	octets := int64(0)
	for range handshake.MaxMessages {
		b, err := receive(ctx, ws, handshake.MaxOctets-octets)
		switch {
		case errors.Is(err, errText):
			return nil, &handshake.Failure{CloseCode: handshake.CloseProtocol, Reason: "a text message", Law: "SUBSTRATE-WIRE-006"}
		case errors.Is(err, errTooLarge):
			return nil, overBudget()
		case err != nil:
			return nil, endOf(err)
		}
		octets += int64(len(b))
		step, failure := m.Receive(time.Now(), b)
		if failure != nil {
			return nil, failure
		}
		for _, b := range step.Send {
			if err := ws.Write(ctx, websocket.MessageBinary, b); err != nil {
				return nil, endOf(err)
			}
		}
		if step.Ready != nil {
			return step.Ready, nil
		}
	}
	return nil, overBudget()
}

func overBudget() *handshake.Failure {
	return &handshake.Failure{CloseCode: handshake.CloseTimeout, Reason: "more than may come before ready", Law: "SUBSTRATE-HANDSHAKE-008"}
}
