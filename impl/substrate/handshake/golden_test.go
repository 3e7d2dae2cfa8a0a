package handshake_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// The vectors of one handshake. They were made by a program that shares nothing with this one but the laws. The dialer draws the octets
// 00 to 4f, the listener 80 to cf, and the key is 32 octets of 07.
const (
	goldenHello = "a761746568656c6c6f61768101647065657265616c6963656565706f6368480102030405060708656e6f6e63655000010203040506070809" +
		"0a0b0c0d0e0f65736c6f7473a46461757468816f6d6b612d686d61632d73686132353665636f646563816463626f72676532655365616c81" +
		"646e6f6e65676532655369676e81646e6f6e65686665617475726573827064656475706553636f70653a706565726765787472613a61"
	goldenHelloOK = "a761746868656c6c6f5f6f6b617601647065657263626f626565706f6368480807060504030201656e6f6e63655080818283848586878889" +
		"8a8b8c8d8e8f65736c6f7473a464617574686f6d6b612d686d61632d73686132353665636f6465636463626f72676532655365616c646e6f" +
		"6e65676532655369676e646e6f6e65686665617475726573817064656475706553636f70653a70656572"
	goldenChallenge = "a261635820101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f6174696368616c6c656e6765"
	goldenResponse  = "a361635820909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeaf617468726573706f6e73656570726f6f665820" +
		"dfe0bc0ec76913cce131ac7b92233e685db6b9663c567bdb7a401ef3125a960c"
	goldenProof = "a261746570726f6f666570726f6f66582059aa188153ddcfe3bc7dc8158fd7085ddc2029807bb5655e29a2c250e3efc407"
	goldenReady = "a16174657265616479"

	goldenConnID = "111f1488a5f7b8296675ef7742c35adb"
	goldenTuple  = "8801817064656475706553636f70653a706565726f6d6b612d686d61632d736861323536646e6f6e65646e6f6e656463626f726470656572" +
		"50111f1488a5f7b8296675ef7742c35adb"
	goldenTranscript = "e33d4e7e5baa009f1b85ec578dac6edaa90fa57f4f8b60c72fafea41377613f6"
	goldenByDialer   = "59aa188153ddcfe3bc7dc8158fd7085ddc2029807bb5655e29a2c250e3efc407"
	goldenByListener = "dfe0bc0ec76913cce131ac7b92233e685db6b9663c567bdb7a401ef3125a960c"
)

// counting returns 80 octets, each one more than the one before.
func counting(from byte) *bytes.Reader {
	b := make([]byte, 80)
	for i := range b {
		b[i] = from + byte(i)
	}
	return bytes.NewReader(b)
}

// SUBSTRATE-HANDSHAKE-004, SUBSTRATE-HANDSHAKE-005, SUBSTRATE-AUTH-006, SUBSTRATE-AUTH-007
func TestGoldenVectors(t *testing.T) {
	d := dialer(t, handshake.Config{
		Peer: "alice", Epoch: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, Auth: handshake.HMAC(records(7)), Features: []string{"extra:a"}, Rand: counting(0),
	})
	l := listener(t, handshake.Config{
		Peer: "bob", Epoch: [8]byte{8, 7, 6, 5, 4, 3, 2, 1}, Auth: handshake.HMAC(records(7)), Rand: counting(0x80),
	})
	dialed, listened, sent := exchange(d, l, nil)
	want := []string{goldenHello, goldenHelloOK, goldenChallenge, goldenResponse, goldenProof, goldenReady, goldenReady}
	if len(sent) != len(want) {
		t.Fatalf("%d messages were sent", len(sent))
	}
	for i, m := range sent {
		if got := hex.EncodeToString(m.octets); got != want[i] || m.fromDialer != (i%2 == 0) {
			t.Errorf("message %d:\n got %s\nwant %s", i, got, want[i])
		}
	}
	for _, o := range []outcome{dialed, listened} {
		if o.ready == nil {
			t.Fatal(o.failure)
		}
		if o.ready.ConnID() != goldenConnID || hex.EncodeToString(o.ready.TranscriptHash[:]) != goldenTranscript {
			t.Errorf("connection %s, transcript %x", o.ready.ConnID(), o.ready.TranscriptHash)
		}
		if got := hex.EncodeToString(handshake.TupleOctets(o.ready.Tuple)); got != goldenTuple {
			t.Errorf("tuple\n got %s\nwant %s", got, goldenTuple)
		}
	}
	for role, want := range map[string]string{"dialer": goldenByDialer, "listener": goldenByListener} {
		var challenges [2][]byte
		for i, from := range []byte{16, 0x90} {
			challenges[i] = make([]byte, 32)
			if _, err := counting(from).Read(challenges[i]); err != nil {
				t.Fatal(err)
			}
		}
		record, _ := records(7)("alice")
		proof := handshake.Prove(record.Key, role, dialed.ready.TranscriptHash, challenges[0], challenges[1])
		if got := hex.EncodeToString(proof); got != want {
			t.Errorf("the %s proves %s, want %s", role, got, want)
		}
	}
}
