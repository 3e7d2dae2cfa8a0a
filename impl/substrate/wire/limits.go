package wire

const (
	// Version is the version of the protocol that this package speaks.
	Version = 1

	// MaxFrame is the largest message, in octets (SUBSTRATE-LIMIT-001).
	MaxFrame = 1 << 20
	// MaxBody is the largest body, in octets. A larger one that still fits a message is decoded, and is a fault of its frame.
	MaxBody = 983040
	// MaxSeq is the largest seq, prev, fromSeq and base (SUBSTRATE-SEQ-012).
	MaxSeq = 1<<53 - 1

	// MaxAddress is the largest address, in octets (SUBSTRATE-ADDR-001).
	MaxAddress = 128
	// MaxID is the largest id, in characters (SUBSTRATE-WIRE-002).
	MaxID = 64
	// MaxReceipt is the largest receipt, in octets.
	MaxReceipt = 64
	// MaxCap is the largest capability token, in octets.
	MaxCap = 4096
	// MaxCode is the largest code, in characters.
	MaxCode = 64
	// MaxMsg is the largest msg, in octets.
	MaxMsg = 256

	// MaxUnknown is how many unknown keys an envelope may have (SUBSTRATE-WIRE-005).
	MaxUnknown = 8
	// MaxDepth is how deep maps and arrays may be nested, that of the frame included (SUBSTRATE-CODEC-004).
	MaxDepth = 4
	// MaxPairs is how many pairs a map may have.
	MaxPairs = 32
)
