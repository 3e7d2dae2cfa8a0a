package handshake

// A Key is shared by two peers and known to nobody else.
type Key [32]byte

// A Record is what is known of one peer.
type Record struct {
	Key    Key
	Scopes []string // what the peer may do, for [wire.ScopeAllows]
}

// Keys finds the record of the peer that claims an id. It reports false for a peer that is unknown or whose key is revoked. It is called
// once for each connection, before anything is proven (SUBSTRATE-AUTH-008).
type Keys func(peer string) (Record, bool)

// An Auth is how the two sides prove who they are: what [None] or [HMAC] returns. There is no default. The name that is offered to the
// other side and what is done come from this one value (SUBSTRATE-AUTH-001, SUBSTRATE-AUTH-002).
type Auth interface {
	// Name returns the name that stands for it in the auth slot.
	Name() string

	// sealed keeps other packages from adding a third.
	sealed()
}

// Names in the auth slot.
const (
	nameNone = "none"
	nameHMAC = "mka-hmac-sha256"
)

// None returns the choice to believe what the peer claims to be. It does not go with any other choice: a side that chose HMAC ends
// the connection (SUBSTRATE-AUTH-003).
func None() Auth { return noAuth{} }

// HMAC returns the choice that each side proves to the other, by HMAC-SHA-256 over the transcript, that it has the key that they share.
func HMAC(keys Keys) Auth { return hmacAuth{keys: keys} }

type noAuth struct{}

func (noAuth) Name() string { return nameNone }
func (noAuth) sealed()      {}

type hmacAuth struct{ keys Keys }

func (hmacAuth) Name() string { return nameHMAC }

func (hmacAuth) sealed() {}
