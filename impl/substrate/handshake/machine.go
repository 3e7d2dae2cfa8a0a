package handshake

import (
	"crypto/hmac"
	"fmt"
	"io"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// A Step is what a message has led to.
type Step struct {
	Send  [][]byte // to be sent, each as a binary message, in this order
	Ready *Result  // nil until the connection is ready; then no further message goes through the machine
}

// A Result is what both sides of a ready connection hold.
type Result struct {
	Tuple          Tuple
	TranscriptHash [32]byte
	// Peer is the id of the other side. Under HMAC it is proven, with None it is what the other side claims (SUBSTRATE-AUTH-008).
	Peer string
	// Epoch is that of the outbox of the other side (SUBSTRATE-SEQ-011).
	Epoch [8]byte
	// Scopes are those of the peer's record under HMAC.
	Scopes []string
	// Seal and Sign are the suites that were chosen.
	Seal, Sign Suite
}

// ConnID returns the id of the connection in hex.
func (r *Result) ConnID() string { return r.Tuple.ConnID.String() }

// Allows reports whether the scopes of the peer allow the verb (SUBSTRATE-AUTHZ-007).
func (r *Result) Allows(m wire.Matrix, verb string) bool { return wire.ScopeAllows(m, r.Scopes, verb) }

// machine is what both ends have in common.
type machine struct {
	config Config
	opened time.Time
	octets int
	failed *Failure
	ended  bool // ready

	nonce     [nonceSize]byte
	challenge [challengeSize]byte
	// decoy is a key that nobody has. It stands in for that of a peer without a record, so that such a peer sees what one with a wrong
	// key sees (SUBSTRATE-AUTH-007).
	decoy Key

	tuple  Tuple
	th     [hashSize]byte
	peer   string
	epoch  [8]byte
	record Record
	known  bool
}

func newMachine(now time.Time, c Config) (*machine, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m := &machine{config: c.filled(), opened: now}
	// SUBSTRATE-HANDSHAKE-004, SUBSTRATE-AUTH-007: fresh for each attempt.
	for _, fresh := range [][]byte{m.nonce[:], m.challenge[:], m.decoy[:]} {
		if _, err := io.ReadFull(m.config.Rand, fresh); err != nil {
			return nil, fmt.Errorf("substrate handshake: read %d random octets: %w", len(fresh), err)
		}
	}
	if !m.authenticates() {
		c.Unauthenticated()
	}
	return m, nil
}

// authenticates reports whether this side asks for proof.
func (m *machine) authenticates() bool {
	_, real := m.config.Auth.(hmacAuth)
	return real
}

// Deadline returns when the connection is over its time, unless it is ready before.
func (m *machine) Deadline() time.Time { return m.opened.Add(Deadline + time.Millisecond) }

// Tick returns a failure when the connection has failed before or is over its time, and nil otherwise.
func (m *machine) Tick(now time.Time) *Failure {
	// SUBSTRATE-HANDSHAKE-008
	if m.failed == nil && !m.ended && now.Sub(m.opened) > Deadline {
		m.failed = &Failure{
			CloseCode: CloseTimeout, Reason: fmt.Sprintf("not ready after %v (limit %v)", now.Sub(m.opened), Deadline),
			Law: "SUBSTRATE-HANDSHAKE-008",
		}
	}
	return m.failed
}

// receive holds a message against time, budget and form and lets stage judge the rest.
func (m *machine) receive(now time.Time, b []byte, stage func([]byte) (Step, *Failure)) (Step, *Failure) {
	if f := m.Tick(now); f != nil {
		return Step{}, f
	}
	if m.ended {
		return Step{}, &Failure{CloseCode: CloseProtocol, Reason: "a message of the handshake came after ready", Law: "SUBSTRATE-WIRE-006"}
	}
	step, f := m.judge(b, stage)
	if f != nil {
		m.failed = f
		return Step{}, f
	}
	m.ended = step.Ready != nil
	return step, nil
}

func (m *machine) judge(b []byte, stage func([]byte) (Step, *Failure)) (Step, *Failure) {
	// SUBSTRATE-HANDSHAKE-008
	if m.octets += len(b); m.octets > MaxOctets {
		return Step{}, &Failure{
			CloseCode: CloseTimeout, Reason: fmt.Sprintf("%d octets before ready (limit %d)", m.octets, MaxOctets),
			Law: "SUBSTRATE-HANDSHAKE-008",
		}
	}
	if f := recognize(b); f != nil {
		return Step{}, f
	}
	return stage(b)
}

// meet takes in who the other side claims to be and what was agreed on.
func (m *machine) meet(peer string, epoch []byte, t Tuple, helloDialer, helloListener []byte) {
	m.tuple, m.peer = t, peer
	copy(m.epoch[:], epoch)
	m.th = transcript(helloDialer, helloListener, &m.tuple)
	if auth, real := m.config.Auth.(hmacAuth); real {
		// SUBSTRATE-AUTH-008
		if m.record, m.known = auth.keys(peer); !m.known {
			m.record = Record{Key: m.decoy}
		}
	}
}

// proven reports whether proof is that of the other side, which has the given role.
func (m *machine) proven(proof []byte, role string, challengeDialer, challengeListener []byte) bool {
	// SUBSTRATE-AUTH-006: compared in constant time.
	right := hmac.Equal(proof, prove(m.record.Key, role, m.th, challengeDialer, challengeListener))
	return right && m.known
}

// agreed reports whether a ready is the one that belongs to this handshake.
func (m *machine) agreed(b []byte) *Failure {
	if m.authenticates() {
		var r readyMessage
		if !read(b, &r) || r.T != typeReady {
			return mismatch("no ready, or a malformed one", "SUBSTRATE-AUTH-007")
		}
		return nil
	}
	var r clearReadyMessage
	if !read(b, &r) || r.T != typeReady {
		return mismatch("no ready, or a malformed one", "SUBSTRATE-AUTH-007")
	}
	// SUBSTRATE-AUTH-006
	if !hmac.Equal(r.TH, m.th[:]) {
		return mismatch("the other side has another transcript", "SUBSTRATE-AUTH-006")
	}
	return nil
}

// ready returns the message that says so.
func (m *machine) ready() []byte {
	if m.authenticates() {
		return detCBOR(readyMessage{T: typeReady})
	}
	return detCBOR(clearReadyMessage{T: typeReady, TH: m.th[:]})
}

// result returns what the connection was made for.
func (m *machine) result() (*Result, *Failure) {
	r := &Result{
		Tuple: m.tuple, TranscriptHash: m.th, Peer: m.peer, Epoch: m.epoch, Scopes: m.record.Scopes,
		Seal: m.config.Seal.resolve(m.tuple.E2ESeal), Sign: m.config.Sign.resolve(m.tuple.E2ESign),
	}
	// SUBSTRATE-E2E-002
	if r.Seal == nil || r.Sign == nil {
		return nil, mismatch("a suite was chosen that is not there", "SUBSTRATE-E2E-002")
	}
	return r, nil
}
