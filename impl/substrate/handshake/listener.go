package handshake

import (
	"bytes"
	"time"
)

// A Listener is the end of a connection that accepted it.
type Listener struct {
	*machine
	stage  func([]byte) (Step, *Failure)
	theirs []byte // challenge of the dialer
}

// NewListener begins the handshake of a connection that was accepted at now. It fails if c cannot be used or randomness cannot be read.
func NewListener(now time.Time, c Config) (*Listener, error) {
	m, err := newMachine(now, c)
	if err != nil {
		return nil, err
	}
	l := &Listener{machine: m}
	l.stage = l.onHello
	return l, nil
}

// Receive takes the next message of the dialer. Once it has failed it stays failed; the caller ends the connection with the code of the
// failure. It keeps nothing of b.
func (l *Listener) Receive(now time.Time, b []byte) (Step, *Failure) {
	return l.receive(now, b, l.stage)
}

func (l *Listener) onHello(b []byte) (Step, *Failure) {
	var m helloMessage
	if !read(b, &m) || m.T != typeHello || !whole(m.Features, m.Peer, m.Nonce, m.Epoch) {
		return Step{}, mismatch("no hello, or a malformed one", "SUBSTRATE-HANDSHAKE-005")
	}
	// SUBSTRATE-HANDSHAKE-004
	if bytes.Equal(m.Nonce, l.nonce[:]) {
		return Step{}, mismatch("both sides have the same nonce", "SUBSTRATE-HANDSHAKE-004")
	}
	t, f := choose(offer{versions: m.V, features: m.Features, slots: m.Slots}, l.config.offer())
	if f != nil {
		return Step{}, f
	}
	t.ConnID = connID(m.Nonce, l.nonce[:])
	answer := detCBOR(helloOKMessage{
		T: typeHelloOK, V: t.Version, Features: t.Features,
		Slots: slots[string]{Auth: t.Auth, Codec: t.Codec, E2ESeal: t.E2ESeal, E2ESign: t.E2ESign},
		Peer:  l.config.Peer, Nonce: l.nonce[:], Epoch: l.config.Epoch[:],
	})
	l.meet(m.Peer, m.Epoch, t, b, answer)
	if !l.authenticates() {
		l.stage = l.onReady
		return Step{Send: [][]byte{answer, l.ready()}}, nil
	}
	l.stage = l.onChallenge
	return Step{Send: [][]byte{answer}}, nil
}

func (l *Listener) onChallenge(b []byte) (Step, *Failure) {
	var m challengeMessage
	if !read(b, &m) || m.T != typeChallenge || len(m.C) != challengeSize {
		return Step{}, mismatch("no challenge, or a malformed one", "SUBSTRATE-AUTH-007")
	}
	l.stage = l.onProof
	l.theirs = m.C
	proof := prove(l.record.Key, roleListener, l.th, m.C, l.challenge[:])
	return Step{Send: [][]byte{detCBOR(responseMessage{T: typeResponse, C: l.challenge[:], Proof: proof})}}, nil
}

func (l *Listener) onProof(b []byte) (Step, *Failure) {
	var m proofMessage
	if !read(b, &m) || m.T != typeProof || len(m.Proof) != hashSize {
		return Step{}, mismatch("no proof, or a malformed one", "SUBSTRATE-AUTH-007")
	}
	// SUBSTRATE-AUTH-004, SUBSTRATE-AUTH-005
	if !l.proven(m.Proof, roleDialer, l.theirs, l.challenge[:]) {
		return Step{}, unproven()
	}
	l.stage = l.onReady
	return Step{Send: [][]byte{l.ready()}}, nil
}

func (l *Listener) onReady(b []byte) (Step, *Failure) {
	if f := l.agreed(b); f != nil {
		return Step{}, f
	}
	r, f := l.result()
	if f != nil {
		return Step{}, f
	}
	return Step{Ready: r}, nil
}
