package handshake

import (
	"bytes"
	"slices"
	"time"
)

// A Dialer is the end of a connection that opened it.
type Dialer struct {
	*machine
	hello []byte
	offer offer
	stage func([]byte) (Step, *Failure)
}

// NewDialer begins the handshake of a connection that was opened at now. It fails if c cannot be used or randomness cannot be read.
func NewDialer(now time.Time, c Config) (*Dialer, error) {
	m, err := newMachine(now, c)
	if err != nil {
		return nil, err
	}
	d := &Dialer{machine: m, offer: m.config.offer()}
	d.stage = d.onHelloOK
	// SUBSTRATE-HANDSHAKE-005
	d.hello = detCBOR(helloMessage{
		T: typeHello, V: d.offer.versions, Features: d.offer.features, Slots: d.offer.slots,
		Peer: c.Peer, Nonce: m.nonce[:], Epoch: c.Epoch[:],
	})
	return d, nil
}

// Hello returns the first message of the connection, to be sent once.
func (d *Dialer) Hello() []byte { return bytes.Clone(d.hello) }

// Receive takes the next message of the listener. Once it has failed it stays failed; the caller ends the connection with the code of the
// failure. It keeps nothing of b.
func (d *Dialer) Receive(now time.Time, b []byte) (Step, *Failure) { return d.receive(now, b, d.stage) }

func (d *Dialer) onHelloOK(b []byte) (Step, *Failure) {
	var m helloOKMessage
	if !read(b, &m) || m.T != typeHelloOK || !whole(m.Features, m.Peer, m.Nonce, m.Epoch) {
		return Step{}, mismatch("no hello_ok, or a malformed one", "SUBSTRATE-HANDSHAKE-005")
	}
	// SUBSTRATE-HANDSHAKE-004
	if bytes.Equal(m.Nonce, d.nonce[:]) {
		return Step{}, mismatch("both sides have the same nonce", "SUBSTRATE-HANDSHAKE-004")
	}
	// SUBSTRATE-HANDSHAKE-006: choosing from what was chosen must change nothing.
	t, f := choose(d.offer, offer{
		versions: []uint64{m.V}, features: m.Features,
		slots: slots[[]string]{
			Auth: []string{m.Slots.Auth}, Codec: []string{m.Slots.Codec}, E2ESeal: []string{m.Slots.E2ESeal}, E2ESign: []string{m.Slots.E2ESign},
		},
	})
	if f != nil {
		return Step{}, f
	}
	if !slices.Equal(t.Features, m.Features) {
		return Step{}, mismatch("features were chosen that were not offered", "SUBSTRATE-HANDSHAKE-006")
	}
	t.ConnID = connID(d.nonce[:], m.Nonce)
	d.meet(m.Peer, m.Epoch, t, d.hello, b)
	if !d.authenticates() {
		d.stage = d.onReady
		return Step{}, nil
	}
	d.stage = d.onResponse
	return Step{Send: [][]byte{detCBOR(challengeMessage{T: typeChallenge, C: d.challenge[:]})}}, nil
}

func (d *Dialer) onResponse(b []byte) (Step, *Failure) {
	var m responseMessage
	if !read(b, &m) || m.T != typeResponse || len(m.C) != challengeSize || len(m.Proof) != hashSize {
		return Step{}, mismatch("no response, or a malformed one", "SUBSTRATE-AUTH-007")
	}
	// SUBSTRATE-AUTH-004, SUBSTRATE-AUTH-005: before this side proves anything.
	if !d.proven(m.Proof, roleListener, d.challenge[:], m.C) {
		return Step{}, unproven()
	}
	d.stage = d.onReady
	proof := prove(d.record.Key, roleDialer, d.th, d.challenge[:], m.C)
	return Step{Send: [][]byte{detCBOR(proofMessage{T: typeProof, Proof: proof})}}, nil
}

func (d *Dialer) onReady(b []byte) (Step, *Failure) {
	if f := d.agreed(b); f != nil {
		return Step{}, f
	}
	r, f := d.result()
	if f != nil {
		return Step{}, f
	}
	return Step{Send: [][]byte{d.ready()}, Ready: r}, nil
}
