package handshake

import (
	"bytes"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// The types of messages.
const (
	typeHello     = "hello"
	typeHelloOK   = "hello_ok"
	typeChallenge = "challenge"
	typeResponse  = "response"
	typeProof     = "proof"
	typeReady     = "ready"
)

// Sizes of what is random or hashed, in octets.
const (
	nonceSize     = 16
	challengeSize = 32
	hashSize      = 32
)

// slots has a value for each slot: the names that are offered, or the one that was chosen.
type slots[T any] struct {
	Auth    T `cbor:"auth"`
	Codec   T `cbor:"codec"`
	E2ESeal T `cbor:"e2eSeal"`
	E2ESign T `cbor:"e2eSign"`
}

// The messages (SUBSTRATE-HANDSHAKE-005, SUBSTRATE-AUTH-006, SUBSTRATE-AUTH-007).
type (
	helloMessage struct {
		T        string          `cbor:"t"`
		V        []uint64        `cbor:"v"`
		Features []string        `cbor:"features"`
		Slots    slots[[]string] `cbor:"slots"`
		Peer     string          `cbor:"peer"`
		Nonce    []byte          `cbor:"nonce"`
		Epoch    []byte          `cbor:"epoch"`
	}
	helloOKMessage struct {
		T        string        `cbor:"t"`
		V        uint64        `cbor:"v"`
		Features []string      `cbor:"features"`
		Slots    slots[string] `cbor:"slots"`
		Peer     string        `cbor:"peer"`
		Nonce    []byte        `cbor:"nonce"`
		Epoch    []byte        `cbor:"epoch"`
	}
	challengeMessage struct {
		T string `cbor:"t"`
		C []byte `cbor:"c"`
	}
	responseMessage struct {
		T     string `cbor:"t"`
		C     []byte `cbor:"c"`
		Proof []byte `cbor:"proof"`
	}
	proofMessage struct {
		T     string `cbor:"t"`
		Proof []byte `cbor:"proof"`
	}
	readyMessage struct {
		T string `cbor:"t"`
	}
	clearReadyMessage struct {
		T  string `cbor:"t"`
		TH []byte `cbor:"th"`
	}
)

// written is how the library is told to write: core deterministic, with an empty list where there is none.
var written = sync.OnceValue(func() cbor.EncMode {
	o := cbor.CoreDetEncOptions()
	o.NilContainers = cbor.NilContainerAsEmpty
	mode, err := o.EncMode()
	if err != nil {
		panic(err)
	}
	return mode
})

// detCBOR encodes a value of this package. The types of such values can all be encoded.
func detCBOR(v any) []byte {
	b, err := written().Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// read decodes a message into m and reports whether the octets are those that m is written as: no field is missing, unknown or of another
// type then.
func read(b []byte, m any) bool {
	return cbor.Unmarshal(b, m) == nil && bytes.Equal(detCBOR(m), b)
}

// recognize says what is wrong with octets that are no message of any handshake, whatever the stage (SUBSTRATE-WIRE-006).
func recognize(b []byte) *Failure {
	if err := wire.CheckItem(b); err != nil {
		return &Failure{CloseCode: CloseProtocol, Reason: err.Error(), Law: "SUBSTRATE-WIRE-006"}
	}
	// SUBSTRATE-HANDSHAKE-001
	if _, err := wire.Decode(b); err == nil {
		return &Failure{CloseCode: CloseProtocol, Reason: "a frame came before ready", Law: "SUBSTRATE-HANDSHAKE-001"}
	}
	return nil
}

// whole reports whether the parts that both hellos have are within their bounds.
func whole(features []string, peer string, nonce, epoch []byte) bool {
	for i, token := range features {
		if token == "" || i > 0 && features[i-1] >= token {
			return false
		}
	}
	return validPeer(peer) && len(nonce) == nonceSize && len(epoch) == 8
}
