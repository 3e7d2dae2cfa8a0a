package handshake

import "time"

const (
	// Deadline is how long a connection may take from open to ready (SUBSTRATE-HANDSHAKE-008). At exactly this age it may still become ready.
	Deadline = 5 * time.Second
	// MaxMessages is how many messages a link reads before ready. A handshake that goes well has at most four each way, and every message
	// that does not belong there ends it, so that the machines never read as many.
	MaxMessages = 8
	// MaxOctets is how many octets of messages are read before ready.
	MaxOctets = 65536
	// MaxPending is how many connections a listener keeps that are not ready.
	MaxPending = 64

	// MaxPeer is the largest peer id, in characters (SUBSTRATE-HANDSHAKE-005).
	MaxPeer = 64
)
