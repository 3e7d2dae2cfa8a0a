package handshake

import "fmt"

// The codes with which a connection ends that does not become ready.
const (
	// CloseTimeout ends a connection that is over its deadline or its budget (SUBSTRATE-HANDSHAKE-008).
	CloseTimeout = 4001
	// CloseMismatch ends one whose two sides do not agree, or of which one says something malformed (SUBSTRATE-HANDSHAKE-006).
	CloseMismatch = 4002
	// CloseAuth ends one whose peer has not proven who it is (SUBSTRATE-AUTH-007).
	CloseAuth = 4003
	// CloseProtocol ends one on which something else than the handshake came before ready (SUBSTRATE-WIRE-006).
	CloseProtocol = 4004
)

// A Failure is why a connection does not become ready. The peer is told the close code and nothing more.
type Failure struct {
	CloseCode uint16
	Reason    string
	Law       string // id of the law
}

// Error returns a one line description. Failures of authentication all have the same.
func (f *Failure) Error() string {
	return fmt.Sprintf("substrate handshake: %s, close %d [%s]", f.Reason, f.CloseCode, f.Law)
}

func mismatch(reason, law string) *Failure {
	return &Failure{CloseCode: CloseMismatch, Reason: reason, Law: law}
}

// unproven is the one failure of authentication, whatever led to it (SUBSTRATE-AUTH-007).
func unproven() *Failure {
	return &Failure{CloseCode: CloseAuth, Reason: "the peer has not proven who it is", Law: "SUBSTRATE-AUTH-007"}
}
