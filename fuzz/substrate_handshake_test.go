package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// FuzzSubstrateHandshake lets one side of the reference talk to a party of the machine that offers anything; at one message it gets other octets instead. It says, message by
// message, what the machine says in its place, and is ready with the same, or ends with the same code. It is ready with nobody whose words were changed.
func FuzzSubstrateHandshake(f *testing.F) {
	f.Add([]byte{}, uint8(255), []byte{})
	for seed := range uint64(30) {
		f.Add(randomScript(seed)[:40], uint8(255), []byte{})
	}
	for _, v := range substrateVectors(f, corpus.DialHandshake, corpus.ListenHandshake) {
		for at, b := range v.Hears {
			if len(b) > largestSeed/4 {
				continue
			}
			dials, none := byte(0), byte(0)
			if v.Op == corpus.ListenHandshake {
				dials = 1
			}
			if v.Side.Keys == nil {
				none = 1
			}
			f.Add([]byte{dials, none}, uint8(at), []byte(b))
		}
	}
	f.Fuzz(func(t *testing.T, script []byte, at uint8, b []byte) {
		d := drawFrom(&script)
		dials := one(d, true, false)
		side, partner := drawSides(d, dials)
		// SUBSTRATE-HANDSHAKE-008
		age := one[int64](d, 0, 0, 0, 0, 5000, 5001)
		if err := converses(dials, side, age, partner, int(at), b); err != nil {
			t.Fatalf("dials %t, %+v with %+v, %d ms old, at %d %x: %v", dials, side, partner, age, at, b, err)
		}
	})
}

// drawSides draws a side of the reference and the party of the machine that it talks to.
func drawSides(d draws, dials bool) (*corpus.Side, substratemodel.Party) {
	key := corpus.Hex(bytes.Repeat([]byte{7}, 32))
	fill := func(n int, with byte) corpus.Hex { return bytes.Repeat([]byte{with}, n) }
	side := &corpus.Side{
		Peer: corpus.Text("alice"), Epoch: fill(8, 1), Keys: map[string]corpus.Hex{"bob": key}, Nonce: fill(16, 2), Challenge: fill(32, 3), Decoy: fill(32, 4),
	}
	other := corpus.Side{
		Peer: corpus.Text("bob"), Epoch: fill(8, 5), Keys: map[string]corpus.Hex{"alice": key}, Nonce: fill(16, 6), Challenge: fill(32, 7), Decoy: fill(32, 8),
	}
	if one(d, false, true) {
		side.Keys, other.Keys = nil, nil
	}
	suites := func() []string { return one(d, nil, []string{"toy", "none"}, []string{"none", "toy"}, []string{"toy"}) }
	features := func() []string { return one(d, nil, []string{"a"}, []string{"z", "a"}, []string{"b", "é"}) }
	side.Seal, side.Sign, side.Features = suites(), suites(), features()
	other.Seal, other.Sign, other.Features = suites(), suites(), features()
	p := partyOf(!dials, &other, 0)
	// A listener of the machine answers with what it chooses, and can be made to choose what it wants only by octets.
	if dials {
		return side, p
	}
	p.Offer.Versions = one(d, p.Offer.Versions, []uint64{2, 1}, []uint64{0, 1, 1}, []uint64{2}, nil, []uint64{1<<64 - 1, 1})
	for _, slot := range []*[]string{&p.Offer.Auth, &p.Offer.Codec, &p.Offer.Seal, &p.Offer.Sign} {
		*slot = one(d, *slot, *slot, *slot, append([]string{"", "other"}, *slot...), append(*slot, *slot...), nil)
	}
	p.Offer.Features = one(d, p.Offer.Features, p.Offer.Features, []string{"dedupeScope:object", "dedupeScope:peer", "é"}, []string{"dedupeScope:peer", "a"}, nil)
	p.Peer = one(d, p.Peer, p.Peer, p.Peer, "mallory", "", "a/b", "Bob")
	if d.rarely(12) {
		copy(p.Nonce[:], side.Nonce)
	}
	return side, p
}

// converses lets the two talk until neither says anything more. The message of the party with a number is b instead.
func converses(dials bool, side *corpus.Side, age int64, partner substratemodel.Party, at int, b []byte) error {
	var (
		toSide    []corpus.Hex
		toPartner [][]byte
		changed   bool
	)
	for {
		got, err := hearAll(dials, side, toSide, age)
		if err != nil {
			return err
		}
		if changed && got.ready != nil {
			return errors.New("ready in spite of a change")
		}
		toPartner = append(toPartner, got.sends[len(toPartner):]...)
		said := partner.Hear(toPartner)
		if got.ready != nil && said.Ready != nil && (!bytes.Equal(got.ready.Transcript, said.Ready.Transcript[:]) || !bytes.Equal(got.ready.ConnID, said.Ready.Tuple.ConnID[:])) {
			return fmt.Errorf("ready with %v, and the other side with %v", got.ready, said.Ready)
		}
		if len(toSide) == len(said.Sends) {
			if err := differ(machineHears(dials, side, toSide, age), got); err != nil {
				return fmt.Errorf("hearing %x: %w", toSide, err)
			}
			return nil
		}
		for _, message := range said.Sends[len(toSide):] {
			if len(toSide) == at {
				changed = !bytes.Equal(message, b)
				message = b
			}
			toSide = append(toSide, message)
		}
	}
}
