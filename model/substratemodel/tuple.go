package substratemodel

import (
	"crypto/hmac"
	"crypto/sha256"
	"slices"
	"strings"
)

// A Tuple is what two sides agree on, and the id that their connection has. SUBSTRATE-HANDSHAKE-002
type Tuple struct {
	Version                 uint64
	Features                []string // sorted
	Auth, Seal, Sign, Codec string
	Scope                   string // of dedupe, without the prefix of its token
	ConnID                  [16]byte
}

// An Offer is what one side can do; names come in the order of preference.
type Offer struct {
	Versions                []uint64
	Features                []string // sorted
	Auth, Codec, Seal, Sign []string
}

// scopeToken begins the feature that carries the scope of dedupe. SUBSTRATE-HANDSHAKE-007
const scopeToken = "dedupeScope:"

// Choose returns what comes of the offers of the dialer, o, and of the listener, but for the id of the connection. SUBSTRATE-HANDSHAKE-006
func (o Offer) Choose(listener Offer) (t Tuple, ok bool) {
	first := func(ours, theirs []string) string {
		for _, name := range ours {
			if slices.Contains(theirs, name) {
				return name
			}
		}
		ok = false
		return ""
	}
	ok = true
	for _, v := range o.Versions {
		if slices.Contains(listener.Versions, v) && v > t.Version {
			t.Version = v
		}
	}
	t.Auth, t.Codec = first(o.Auth, listener.Auth), first(o.Codec, listener.Codec)
	t.Seal, t.Sign = first(o.Seal, listener.Seal), first(o.Sign, listener.Sign)
	scopes := 0
	for _, token := range o.Features {
		if !slices.Contains(listener.Features, token) {
			continue
		}
		t.Features = append(t.Features, token)
		if scope, is := strings.CutPrefix(token, scopeToken); is {
			t.Scope = scope
			scopes++
		}
	}
	slices.Sort(t.Features)
	return t, ok && t.Version > 0 && scopes == 1
}

// ConnID derives the id of a connection from the nonces of its two sides. SUBSTRATE-HANDSHAKE-004
func ConnID(dialer, listener []byte) [16]byte {
	sum := sha256.Sum256(List(Text("substrate/1 connid"), Octets(dialer), Octets(listener)).Encode())
	return [16]byte(sum[:16])
}

// Encode writes the tuple as the transcript has it: T. SUBSTRATE-AUTH-006
func (t Tuple) Encode() []byte {
	return List(
		Number(t.Version), Texts(t.Features), Text(t.Auth), Text(t.Seal), Text(t.Sign), Text(t.Codec), Text(t.Scope), Octets(t.ConnID[:]),
	).Encode()
}

// Transcript returns the hash of both hellos, as they were sent, and of what came of them: th. SUBSTRATE-AUTH-006
func Transcript(helloDialer, helloListener []byte, t Tuple) [32]byte {
	return sha256.Sum256(List(Text("substrate/1 transcript"), Octets(helloDialer), Octets(helloListener), Octets(t.Encode())).Encode())
}

// Prove returns the proof of the side with a role, dialer or listener, which is the same whoever looks. SUBSTRATE-AUTH-005, SUBSTRATE-AUTH-006
func Prove(key [32]byte, role string, th [32]byte, challengeDialer, challengeListener []byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(List(Text("substrate/1 proof"), Text(role), Octets(th[:]), Octets(challengeDialer), Octets(challengeListener)).Encode())
	return mac.Sum(nil)
}
