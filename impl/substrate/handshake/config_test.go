package handshake_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// SUBSTRATE-HANDSHAKE-005
func TestConfigIsValidated(t *testing.T) {
	for _, peer := range []string{"", "Alice", "a/b", "a@b", "a b", "é", strings.Repeat("a", 65)} {
		c := dialing(1)
		c.Peer = peer
		refusal(t, c, "Peer")
	}
	for _, features := range [][]string{{""}, {"\xff"}, {"a", "a"}, {"dedupeScope:peer"}, {"dedupeScope:"}} {
		c := dialing(1)
		c.Features = features
		refusal(t, c, "Features")
	}
	c := dialing(1)
	c.Epoch = [8]byte{}
	refusal(t, c, "Epoch")
	for _, r := range []handshake.Registry{{{Name: "", Suite: toy{}}}, {{Name: "x"}}, {{Name: "x", Suite: toy{}}, {Name: "x", Suite: toy{}}}} {
		c := dialing(1)
		c.Seal = r
		refusal(t, c, "Seal")
		c = dialing(1)
		c.Sign = r
		refusal(t, c, "Sign")
	}
	c = dialing(1)
	c.Peer = strings.Repeat("a", 64)
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.Rand = strings.NewReader("short")
	if _, err := handshake.NewDialer(start, c); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("without randomness: %v", err)
	}
	if _, err := handshake.NewListener(start, c); !errors.Is(err, io.EOF) {
		t.Errorf("without randomness: %v", err)
	}
	c = handshake.Config{Peer: "A"}
	if got, want := c.Validate().Error(), `substrate handshake: config: Peer is not 1 to 64 characters of [a-z0-9._-]: "A"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// SUBSTRATE-HANDSHAKE-006: what a side offers that is told nothing else, with nonces of its own.
func TestDefaults(t *testing.T) {
	c := handshake.Config{Peer: "alice", Epoch: [8]byte{1}, Auth: handshake.HMAC(records(7))}
	want := map[string]any{
		"t": "hello", "v": []any{uint64(1)}, "features": []any{"dedupeScope:peer"}, "peer": "alice", "epoch": []byte{1, 0, 0, 0, 0, 0, 0, 0},
		"slots": map[string]any{"auth": []any{"mka-hmac-sha256"}, "codec": []any{"cbor"}, "e2eSeal": []any{"none"}, "e2eSign": []any{"none"}},
	}
	nonces := map[string]bool{}
	for range 2 {
		edit(t, dialer(t, c).Hello(), func(m map[string]any) {
			nonces[string(m["nonce"].([]byte))] = true
			delete(m, "nonce")
			if !reflect.DeepEqual(m, want) {
				t.Errorf("got %v, want %v", m, want)
			}
		})
	}
	if len(nonces) != 2 {
		t.Error("two connections have one nonce")
	}
}

// SUBSTRATE-HANDSHAKE-005: each field of a hello, missing, of another type and out of range, and one too many.
func TestHelloFields(t *testing.T) {
	wrong := map[string][]any{
		"t":        {"hallo", uint64(1)},
		"v":        {"1", []any{"1"}, []any{uint64(2)}, []any{}},
		"features": {[]any{"dedupeScope:peer", "extra:a", "extra:a"}, "dedupeScope:peer", []any{}, []any{uint64(1)}, []any{""}, []any{"dedupeScope:peer", "dedupeScope:peer"}, []any{"extra:a", "dedupeScope:peer"}},
		"slots":    {[]any{}, map[string]any{}, "none"},
		"peer":     {[]byte("alice"), "", "a/b", "A", "a@b", strings.Repeat("a", 65)},
		"nonce":    {make([]byte, 15), make([]byte, 17), []byte{}, "0123456789abcdef", []any{uint64(1)}},
		"epoch":    {make([]byte, 7), make([]byte, 9), "01234567"},
		"more":     {uint64(1), "", []any{}},
	}
	// Of a hello_ok only what both kinds have is spoiled by a value that is not of its type in either.
	for stage := range 2 {
		for field, values := range wrong {
			for i := range len(values) + 1 {
				if i == len(values) && field == "more" {
					continue
				}
				if stage == 1 && field == "v" && i < len(values) && i > 0 {
					continue
				}
				dialed, listened, sent := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
					if n != stage {
						return m.octets
					}
					return edit(t, m.octets, func(m map[string]any) {
						if i == len(values) {
							delete(m, field)
						} else {
							m[field] = values[i]
						}
					})
				})
				f := listened.failure
				if stage == 1 {
					f = dialed.failure
				}
				if closeCode(f) != handshake.CloseMismatch || len(sent) != stage+1 {
					t.Errorf("%s of message %d, value %d: %v after %d messages", field, stage, i, f, len(sent))
				}
			}
		}
	}
	for _, slot := range []string{"auth", "codec", "e2eSeal", "e2eSign", "more"} {
		for stage := range 2 {
			for _, value := range []any{nil, uint64(1), "unheard-of", []any{}} {
				if value == nil && slot == "more" {
					continue
				}
				dialed, listened, _ := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
					if n != stage {
						return m.octets
					}
					return edit(t, m.octets, func(m map[string]any) {
						if slotsOf(m)[slot] = value; value == nil {
							delete(slotsOf(m), slot)
						}
					})
				})
				f := listened.failure
				if stage == 1 {
					f = dialed.failure
				}
				if closeCode(f) != handshake.CloseMismatch {
					t.Errorf("slot %s of message %d as %v: %v", slot, stage, value, f)
				}
			}
		}
	}
}
