package engine

import (
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// An OpContext is an inbound operation that the gate is asked about (SUBSTRATE-AUTHZ-008).
type OpContext struct {
	Peer    string // authenticated
	Verb    string // open, close, send, req, chunk, accept, reject, res, end, establish, or resync for a feed
	Obj     string // as it came: never parsed (SUBSTRATE-ADDR-004)
	ObjKind string
	ID      string // none for resync
	Cap     []byte // of open and establish, as it came (SUBSTRATE-AUTHZ-010); nil: none
	Conn    string
}

// A Denial refuses an operation with a code. The zero Denial allows it.
type Denial struct {
	Code string
	Msg  string // for people; it is not sent
}

// Deny refuses with a code.
func Deny(code string) Denial { return Denial{Code: code} }

// An Interceptor is asked about an inbound operation, and may look on only: a zero result allows. It must not call the engine. One that
// panics, or whose code is none, denies with unauthorized (SUBSTRATE-AUTHZ-011).
type Interceptor func(c *OpContext) Denial

// AllowAll allows every operation of any authenticated peer. It is the only way not to ask (SUBSTRATE-AUTHZ-001).
func AllowAll(*OpContext) Denial { return Denial{} }

// Chain asks members in order. The first denial ends it (SUBSTRATE-AUTHZ-005).
func Chain(members ...Interceptor) Interceptor {
	return func(c *OpContext) Denial {
		for _, m := range members {
			if d := ask(m, c); d != (Denial{}) {
				return d
			}
		}
		return Denial{}
	}
}

// ask asks one member; what it cannot say is a denial (SUBSTRATE-AUTHZ-011).
func ask(m Interceptor, c *OpContext) (d Denial) {
	defer func() {
		if recover() != nil {
			d = Deny(wire.Unauthorized)
		}
	}()
	if d = m(c); d != (Denial{}) && !wire.ValidCode(d.Code) {
		return Deny(wire.Unauthorized)
	}
	return d
}

// ScopeAuthorizer allows an operation if some scope of the peer allows its verb in the matrix. scopesOf returns nil for a peer that it
// does not know, which is allowed nothing (SUBSTRATE-AUTHZ-006). Answers need no scope: they can only settle what this side has asked
// (SUBSTRATE-AUTHZ-008).
func ScopeAuthorizer(scopesOf func(peer string) []string, matrix wire.Matrix) Interceptor {
	return func(c *OpContext) Denial {
		switch c.Verb {
		case wire.Accept, wire.Reject, wire.Res, wire.End:
			return Denial{}
		}
		// SUBSTRATE-AUTHZ-007: the rule is defined once, elsewhere.
		if wire.ScopeAllows(matrix, scopesOf(c.Peer), c.Verb) {
			return Denial{}
		}
		return Deny(wire.Unauthorized)
	}
}

// denied offers a frame to the gate, before anything is looked up (SUBSTRATE-AUTHZ-002), and returns the code of the denial, or nothing.
func (e *Engine) denied(f *wire.Frame) string {
	c := &OpContext{Peer: e.cfg.Remote, Verb: f.Kind, Obj: f.Obj, ObjKind: f.ObjKind, ID: f.ID, Conn: e.conn}
	if f.Has&wire.FieldCap != 0 {
		c.Cap = append([]byte{}, f.Cap...)
	}
	d := ask(e.cfg.Authorize, c)
	if d == (Denial{}) {
		return ""
	}
	// SUBSTRATE-OBSERVE-008
	labels := observe.Labels{Verb: f.Kind, ObjKind: f.ObjKind, Code: d.Code}
	e.mark(mark{kind: count, name: observe.AuthorizeDenied, labels: labels, n: 1})
	return d.Code
}
