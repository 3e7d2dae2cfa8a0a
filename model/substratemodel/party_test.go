package substratemodel

import (
	"bytes"
	"encoding/hex"
	"slices"
	"testing"
)

func examplePair() (dialer, listener Party) {
	key := [32]byte(bytes.Repeat([]byte{7}, 32))
	offer := Offer{
		Versions: []uint64{1}, Features: []string{"dedupeScope:peer", "extra:a"}, Auth: []string{"mka-hmac-sha256"}, Codec: []string{"cbor"},
		Seal: []string{"none"}, Sign: []string{"none"},
	}
	dialer = Party{Dials: true, Offer: offer, Peer: "alice", Epoch: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, Keys: map[string][32]byte{"bob": key}}
	offer.Features = offer.Features[:1]
	listener = Party{Offer: offer, Peer: "bob", Epoch: [8]byte{8, 7, 6, 5, 4, 3, 2, 1}, Keys: map[string][32]byte{"alice": key}}
	count := func(b []byte, from byte) {
		for i := range b {
			b[i] = from + byte(i)
		}
	}
	count(dialer.Nonce[:], 0)
	count(dialer.Challenge[:], 16)
	count(listener.Nonce[:], 0x80)
	count(listener.Challenge[:], 0x90)
	return dialer, listener
}

// converse lets two parties talk until neither says anything more. at changes what arrives.
func converse(dialer, listener Party, at func(n int, b []byte) []byte) (d, l Heard) {
	var toDialer, toListener [][]byte
	n := 0
	for {
		d, l = dialer.Hear(toDialer), listener.Hear(toListener)
		before := n
		for len(toListener) < len(d.Sends) {
			toListener = append(toListener, at(n, d.Sends[len(toListener)]))
			n++
		}
		l = listener.Hear(toListener)
		for len(toDialer) < len(l.Sends) {
			toDialer = append(toDialer, at(n, l.Sends[len(toDialer)]))
			n++
		}
		if n == before {
			return d, l
		}
	}
}

func untouched(_ int, b []byte) []byte { return b }

// TestGoldenHandshake: the derivations, by octets that another program has made. SUBSTRATE-HANDSHAKE-001, SUBSTRATE-HANDSHAKE-003, SUBSTRATE-HANDSHAKE-004, SUBSTRATE-HANDSHAKE-005,
// SUBSTRATE-AUTH-006, SUBSTRATE-AUTH-007
func TestGoldenHandshake(t *testing.T) {
	dialer, listener := examplePair()
	d, l := converse(dialer, listener, untouched)
	if d.Ready == nil || l.Ready == nil {
		t.Fatalf("closed %d and %d", d.Closed, l.Closed)
	}
	for what, c := range map[string]struct{ got, want string }{
		"connection":            {string(d.Ready.Tuple.ConnID[:]), "111f1488a5f7b8296675ef7742c35adb"},
		"the same of the other": {string(l.Ready.Tuple.ConnID[:]), "111f1488a5f7b8296675ef7742c35adb"},
		"transcript":            {string(d.Ready.Transcript[:]), "e33d4e7e5baa009f1b85ec578dac6edaa90fa57f4f8b60c72fafea41377613f6"},
		"the other's":           {string(l.Ready.Transcript[:]), "e33d4e7e5baa009f1b85ec578dac6edaa90fa57f4f8b60c72fafea41377613f6"},
		"proof of the dialer": {
			string(d.Sends[2]), "a261746570726f6f666570726f6f66582059aa188153ddcfe3bc7dc8158fd7085ddc2029807bb5655e29a2c250e3efc407",
		},
		"ready": {string(l.Sends[2]), "a16174657265616479"},
	} {
		if got := hex.EncodeToString([]byte(c.got)); got != c.want {
			t.Errorf("%s is %s, want %s", what, got, c.want)
		}
	}
	if d.Ready.Peer != "bob" || l.Ready.Peer != "alice" || d.Ready.Epoch != string(listener.Epoch[:]) {
		t.Errorf("%+v, %+v", d.Ready, l.Ready)
	}
}

// TestNothingIsReadyThatWasChanged: one bit of any message, and the two are not both ready. SUBSTRATE-HANDSHAKE-002, SUBSTRATE-AUTH-004
func TestNothingIsReadyThatWasChanged(t *testing.T) {
	dialer, listener := examplePair()
	last := 6
	for n := range last {
		for bit := 0; ; bit++ {
			out := false
			d, l := converse(dialer, listener, func(at int, b []byte) []byte {
				if at != n {
					return b
				}
				if out = bit >= 8*len(b); out {
					return b
				}
				b = slices.Clone(b)
				b[bit/8] ^= 1 << (bit % 8)
				return b
			})
			if out {
				break
			}
			if d.Ready != nil || l.Ready != nil || (d.Closed == 0) == (l.Closed == 0) {
				t.Fatalf("message %d, bit %d: %+v, %+v", n, bit, d, l)
			}
		}
	}
}

// TestChoice: SUBSTRATE-HANDSHAKE-006, SUBSTRATE-HANDSHAKE-007, SUBSTRATE-AUTH-003
func TestChoice(t *testing.T) {
	full := func() Offer {
		return Offer{[]uint64{1}, []string{"dedupeScope:peer"}, []string{"none"}, []string{"cbor"}, []string{"none"}, []string{"none"}}
	}
	for what, edit := range map[string]func(*Offer){
		"no version":       func(o *Offer) { o.Versions = []uint64{2} },
		"no auth":          func(o *Offer) { o.Auth = []string{"mka-hmac-sha256"} },
		"no codec":         func(o *Offer) { o.Codec = nil },
		"no seal":          func(o *Offer) { o.Seal = []string{"toy"} },
		"no sign":          func(o *Offer) { o.Sign = []string{"toy"} },
		"no scope":         func(o *Offer) { o.Features = []string{"x"} },
		"no common scope":  func(o *Offer) { o.Features = []string{"dedupeScope:object"} },
		"no feature at al": func(o *Offer) { o.Features = nil },
	} {
		o := full()
		edit(&o)
		if got, ok := o.Choose(full()); ok {
			t.Errorf("%s, and chosen is %+v", what, got)
		}
	}
	two := full()
	two.Features = []string{"dedupeScope:object", "dedupeScope:peer"}
	if got, ok := two.Choose(two); ok {
		t.Errorf("two scopes, and chosen is %+v", got)
	}
	ours, theirs := full(), full()
	ours.Versions, theirs.Versions = []uint64{1, 3, 2}, []uint64{2, 1}
	ours.Seal, theirs.Seal = []string{"a", "b", "c"}, []string{"c", "b"}
	ours.Features, theirs.Features = []string{"b", "dedupeScope:peer", "z"}, []string{"a", "dedupeScope:peer", "z"}
	got, ok := ours.Choose(theirs)
	if !ok || got.Version != 2 || got.Seal != "b" || got.Scope != "peer" || !slices.Equal(got.Features, []string{"dedupeScope:peer", "z"}) {
		t.Errorf("chosen is %+v, %t", got, ok)
	}
}

// TestProofsAreOfOneThing: any change of what a proof is over changes it, and roles are not the same. SUBSTRATE-AUTH-005, SUBSTRATE-AUTH-006
func TestProofsAreOfOneThing(t *testing.T) {
	seen := map[string]string{}
	add := func(what string, proof []byte) {
		if other, again := seen[string(proof)]; again {
			t.Errorf("%s and %s have one proof", what, other)
		}
		seen[string(proof)] = what
	}
	a, b := []byte{1}, []byte{2}
	add("as it is", Prove([32]byte{}, "dialer", [32]byte{}, a, b))
	add("of the other role", Prove([32]byte{}, "listener", [32]byte{}, a, b))
	add("of another key", Prove([32]byte{1}, "dialer", [32]byte{}, a, b))
	add("of another transcript", Prove([32]byte{}, "dialer", [32]byte{1}, a, b))
	add("the other way round", Prove([32]byte{}, "dialer", [32]byte{}, b, a))
}

// TestBoundsBeforeReady: SUBSTRATE-HANDSHAKE-008, SUBSTRATE-AUTH-008
func TestBoundsBeforeReady(t *testing.T) {
	dialer, listener := examplePair()
	hello := dialer.Hear(nil).Sends[0]
	for age, want := range map[int64]int{maxAge: 0, maxAge + 1: CloseTimedOut} {
		listener.Age = age
		if got := listener.Hear([][]byte{hello}); got.Closed != want {
			t.Errorf("at %d ms: %d, want %d", age, got.Closed, want)
		}
	}
	listener.Age = 0
	if got := listener.Hear([][]byte{make([]byte, maxHeardOctets+1)}); got.Closed != CloseTimedOut {
		t.Errorf("too many octets: %d", got.Closed)
	}
	dialer.Peer = "mallory"
	d, l := converse(dialer, listener, untouched)
	if d.Closed != CloseUnproven || len(l.Sends) != 2 || l.Ready != nil {
		t.Errorf("a peer that is not known: %+v, %+v", d, l)
	}
}
