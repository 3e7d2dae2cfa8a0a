package substratemodel

import "testing"

// TestNoTamperReachesReady: 48 single tampers, 1 128 pairs, and three attacks on the proofs, each alone and with each single tamper. SUBSTRATE-HANDSHAKE-002,
// SUBSTRATE-AUTH-004, SUBSTRATE-AUTH-005, SUBSTRATE-AUTH-007
func TestNoTamperReachesReady(t *testing.T) {
	all := Handshakes()
	if n := 48 + 1128 + 3*49; len(all) != n {
		t.Errorf("%d handshakes, want %d", len(all), n)
	}
	for _, h := range all {
		if !h.meddled() {
			continue
		}
		if dialer, listener := h.Ready(); dialer || listener {
			t.Errorf("%v: dialer ready %t, listener ready %t", h, dialer, listener)
		}
	}
}

// TestUntouchedHandshakeIsReady: both sides are ready, with the same tuple. SUBSTRATE-HANDSHAKE-004, SUBSTRATE-HANDSHAKE-006
func TestUntouchedHandshakeIsReady(t *testing.T) {
	h := Handshake{}
	if dialer, listener := h.Ready(); !dialer || !listener || !h.Same() || h.meddled() {
		t.Errorf("dialer ready %t, listener ready %t, same tuple %t", dialer, listener, h.Same())
	}
	for _, h := range Handshakes() {
		if dialer, listener := h.Ready(); (dialer || listener) && !h.Same() {
			t.Errorf("%v: ready with different tuples", h)
		}
	}
}

// TestEveryHandshakeBugIsSeen: an element that is left out, roles that are relative, proofs that can be used again, and no proof at all let some meddling through.
// SUBSTRATE-HANDSHAKE-002, SUBSTRATE-AUTH-005, SUBSTRATE-AUTH-006, SUBSTRATE-AUTH-007
func TestEveryHandshakeBugIsSeen(t *testing.T) {
	lets := map[handshakeBug]Handshake{
		bugRelativeRoles:  {Attack: AttackReflect},
		bugReusableProofs: {Attack: AttackReplay},
		bugNoProof:        {Tampers: []Tamper{{ElementVersion, false, Alter}}},
	}
	for e := range elements {
		lets[bugLeavesOut+handshakeBug(e)] = Handshake{Tampers: []Tamper{{e, true, Alter}}}
	}
	for bug := bugLeavesOut; bug < handshakeBugCount; bug++ {
		h, ok := lets[bug]
		if dialer, listener := h.ready(bug); !ok || !h.meddled() || !dialer && !listener {
			t.Errorf("bug %d does not let %v through", bug, h)
		}
	}
}
