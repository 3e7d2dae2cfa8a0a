package handshake

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

const (
	codecCBOR   = "cbor"
	scopePrefix = "dedupeScope:"
	scopePeer   = "peer"
)

// A ConnID names a connection. Both ends have the same, and no other connection does (SUBSTRATE-HANDSHAKE-003).
type ConnID [16]byte

// String returns the id in hex.
func (c ConnID) String() string { return hex.EncodeToString(c[:]) }

// A Tuple is all that the two sides of a connection have agreed on, across the layers (SUBSTRATE-HANDSHAKE-002).
type Tuple struct {
	Version     uint64
	Features    []string // sorted, with the token for the scope of dedupe among them
	Auth        string
	E2ESeal     string
	E2ESign     string
	Codec       string
	DedupeScope string // without the prefix that it has among the features
	ConnID      ConnID
}

// octets encodes the tuple for the transcript (SUBSTRATE-AUTH-006).
func (t *Tuple) octets() []byte {
	return detCBOR([]any{t.Version, t.Features, t.Auth, t.E2ESeal, t.E2ESign, t.Codec, t.DedupeScope, t.ConnID[:]})
}

// An offer is what one side can do.
type offer struct {
	versions []uint64
	features []string
	slots    slots[[]string]
}

// choose selects from two offers. The tuple has no connection id yet (SUBSTRATE-HANDSHAKE-006).
func choose(dialer, listener offer) (Tuple, *Failure) {
	const law = "SUBSTRATE-HANDSHAKE-006"
	var t Tuple
	for _, v := range dialer.versions {
		if slices.Contains(listener.versions, v) {
			t.Version = max(t.Version, v)
		}
	}
	if t.Version == 0 {
		return t, mismatch("no version in common", law)
	}
	for _, s := range [...]struct {
		name   string
		chosen *string
		ours   []string
		theirs []string
	}{
		{"auth", &t.Auth, dialer.slots.Auth, listener.slots.Auth},
		{"codec", &t.Codec, dialer.slots.Codec, listener.slots.Codec},
		{"e2eSeal", &t.E2ESeal, dialer.slots.E2ESeal, listener.slots.E2ESeal},
		{"e2eSign", &t.E2ESign, dialer.slots.E2ESign, listener.slots.E2ESign},
	} {
		at := slices.IndexFunc(s.ours, func(name string) bool { return slices.Contains(s.theirs, name) })
		if at < 0 {
			return t, mismatch("nothing in common for slot "+s.name, law)
		}
		*s.chosen = s.ours[at]
	}
	scopes := 0
	for _, token := range dialer.features {
		if !slices.Contains(listener.features, token) {
			continue
		}
		t.Features = append(t.Features, token)
		// SUBSTRATE-HANDSHAKE-007
		if scope, is := strings.CutPrefix(token, scopePrefix); is {
			t.DedupeScope = scope
			scopes++
		}
	}
	slices.Sort(t.Features)
	if scopes != 1 {
		return t, mismatch("not exactly one scope of dedupe in common", law)
	}
	return t, nil
}

// connID derives the id of a connection from the nonces of its two sides (SUBSTRATE-HANDSHAKE-004).
func connID(dialer, listener []byte) ConnID {
	sum := sha256.Sum256(detCBOR([]any{"substrate/1 connid", dialer, listener}))
	return ConnID(sum[:16])
}

// transcript hashes both hellos, as they were sent, and the tuple (SUBSTRATE-AUTH-006).
func transcript(dialer, listener []byte, t *Tuple) [hashSize]byte {
	return sha256.Sum256(detCBOR([]any{"substrate/1 transcript", dialer, listener, t.octets()}))
}

// The roles that a proof may name. They are absolute: no side is ever "me" (SUBSTRATE-AUTH-005).
const (
	roleDialer   = "dialer"
	roleListener = "listener"
)

// prove makes the proof of the side in a role (SUBSTRATE-AUTH-006).
func prove(key Key, role string, th [hashSize]byte, challengeDialer, challengeListener []byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(detCBOR([]any{"substrate/1 proof", role, th[:], challengeDialer, challengeListener}))
	return mac.Sum(nil)
}
