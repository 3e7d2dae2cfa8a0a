package handshake_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

func plainOffer() handshake.Offer {
	return handshake.Offer{
		Versions: []uint64{1}, Features: []string{"dedupeScope:peer"},
		Auth: []string{"none"}, Codec: []string{"cbor"}, E2ESeal: []string{"none"}, E2ESign: []string{"none"},
	}
}

// SUBSTRATE-HANDSHAKE-006: pairs of offers.
func TestSelection(t *testing.T) {
	plain := handshake.Tuple{
		Version: 1, Features: []string{"dedupeScope:peer"}, Auth: "none", Codec: "cbor", E2ESeal: "none", E2ESign: "none", DedupeScope: "peer",
	}
	for _, c := range []struct {
		what   string
		change func(d, l *handshake.Offer, want *handshake.Tuple)
		fails  bool
	}{
		{"the defaults", func(d, l *handshake.Offer, want *handshake.Tuple) {}, false},
		{"the highest version of those in common", func(d, l *handshake.Offer, want *handshake.Tuple) {
			d.Versions, l.Versions, want.Version = []uint64{4, 3, 1, 2}, []uint64{1, 3, 5}, 3
		}, false},
		{"no version in common", func(d, l *handshake.Offer, want *handshake.Tuple) {
			d.Versions, l.Versions = []uint64{1, 3}, []uint64{2, 4}
		}, true},
		{"no versions of the dialer", func(d, l *handshake.Offer, want *handshake.Tuple) { d.Versions = nil }, true},
		{"no versions of the listener", func(d, l *handshake.Offer, want *handshake.Tuple) { l.Versions = nil }, true},
		{"version 0 is none", func(d, l *handshake.Offer, want *handshake.Tuple) {
			d.Versions, l.Versions = []uint64{0}, []uint64{0}
		}, true},
		{"the first name of the dialer that the listener has", func(d, l *handshake.Offer, want *handshake.Tuple) {
			d.E2ESeal, l.E2ESeal, want.E2ESeal = []string{"x", "b", "a"}, []string{"a", "b", "c"}, "b"
			d.E2ESign, l.E2ESign, want.E2ESign = []string{"a", "b"}, []string{"b", "a"}, "a"
			d.Codec, l.Codec, want.Codec = []string{"json", "cbor"}, []string{"cbor"}, "cbor"
			d.Auth, l.Auth, want.Auth = []string{"m"}, []string{"n", "m"}, "m"
		}, false},
		{"nothing for auth", func(d, l *handshake.Offer, want *handshake.Tuple) { d.Auth = []string{"m"} }, true},
		{"nothing for codec", func(d, l *handshake.Offer, want *handshake.Tuple) { d.Codec = nil }, true},
		{"nothing for e2eSeal", func(d, l *handshake.Offer, want *handshake.Tuple) { l.E2ESeal = []string{"None"} }, true},
		{"nothing for e2eSign", func(d, l *handshake.Offer, want *handshake.Tuple) { l.E2ESign = nil }, true},
		{"features in common, sorted", func(d, l *handshake.Offer, want *handshake.Tuple) {
			d.Features, l.Features = []string{"z", "dedupeScope:peer", "b", "only"}, []string{"B", "b", "z", "dedupeScope:peer"}
			want.Features = []string{"b", "dedupeScope:peer", "z"}
		}, false},
		{"no scope", func(d, l *handshake.Offer, want *handshake.Tuple) { d.Features = nil }, true},
		{"another scope", func(d, l *handshake.Offer, want *handshake.Tuple) { d.Features = []string{"dedupeScope:object"} }, true},
		{"two scopes", func(d, l *handshake.Offer, want *handshake.Tuple) {
			d.Features = []string{"dedupeScope:object", "dedupeScope:peer"}
			l.Features = d.Features
		}, true},
		{"two scopes of the dialer, one of the listener", func(d, l *handshake.Offer, want *handshake.Tuple) {
			d.Features = []string{"dedupeScope:object", "dedupeScope:peer"}
		}, false},
	} {
		d, l, want := plainOffer(), plainOffer(), plain
		c.change(&d, &l, &want)
		got, f := handshake.Choose(d, l)
		if c.fails {
			if closeCode(f) != handshake.CloseMismatch {
				t.Errorf("%s: %+v, %v", c.what, got, f)
			}
		} else if f != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", c.what, got, f, want)
		}
	}
}

// SUBSTRATE-HANDSHAKE-006: what was chosen was offered by both, and choosing again from what was chosen changes nothing.
func TestSelectionIsStable(t *testing.T) {
	name := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID[string])
	draw := func(t *rapid.T, who string) handshake.Offer {
		return handshake.Offer{
			Versions: rapid.SliceOfN(rapid.Uint64Range(1, 4), 0, 4).Draw(t, who+" v"),
			Features: append(name.Draw(t, who+" features"), "dedupeScope:peer"),
			Auth:     name.Draw(t, who+" auth"), Codec: name.Draw(t, who+" codec"), E2ESeal: name.Draw(t, who+" seal"), E2ESign: name.Draw(t, who+" sign"),
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d, l := draw(t, "dialer"), draw(t, "listener")
		got, f := handshake.Choose(d, l)
		if f != nil {
			return
		}
		for _, o := range []handshake.Offer{d, l} {
			if !slices.Contains(o.Versions, got.Version) || !slices.Contains(o.Auth, got.Auth) || !slices.Contains(o.Codec, got.Codec) ||
				!slices.Contains(o.E2ESeal, got.E2ESeal) || !slices.Contains(o.E2ESign, got.E2ESign) || !slices.IsSorted(got.Features) {
				t.Fatalf("%+v was chosen from %+v", got, o)
			}
		}
		again, f := handshake.Choose(d, handshake.Offer{
			Versions: []uint64{got.Version}, Features: got.Features, Auth: []string{got.Auth}, Codec: []string{got.Codec},
			E2ESeal: []string{got.E2ESeal}, E2ESign: []string{got.E2ESign},
		})
		if f != nil || !reflect.DeepEqual(again, got) {
			t.Fatalf("chose %+v, then %+v, %v", got, again, f)
		}
	})
}

// SUBSTRATE-HANDSHAKE-002, SUBSTRATE-AUTH-006: the transcript depends on each element of the tuple by itself, and a proof on each bit of
// what it is made of.
func TestTranscriptAndProofDependOnEverything(t *testing.T) {
	whole := handshake.Tuple{Version: 1, Features: []string{"a", "b"}, Auth: "x", E2ESeal: "y", E2ESign: "z", Codec: "c", DedupeScope: "peer"}
	seen := map[[32]byte]bool{handshake.Transcript([]byte("d"), []byte("l"), whole): true}
	for _, change := range []func(*handshake.Tuple){
		func(t *handshake.Tuple) { t.Version++ },
		func(t *handshake.Tuple) { t.Features = []string{"a"} },
		func(t *handshake.Tuple) { t.Features = []string{"ab"} },
		func(t *handshake.Tuple) { t.Auth = "X" },
		func(t *handshake.Tuple) { t.E2ESeal = "Y" },
		func(t *handshake.Tuple) { t.E2ESign = "Z" },
		func(t *handshake.Tuple) { t.E2ESeal, t.E2ESign = t.E2ESign, t.E2ESeal },
		func(t *handshake.Tuple) { t.Codec = "C" },
		func(t *handshake.Tuple) { t.DedupeScope = "object" },
		func(t *handshake.Tuple) { t.ConnID[15] ^= 1 },
	} {
		changed := whole
		change(&changed)
		th := handshake.Transcript([]byte("d"), []byte("l"), changed)
		if seen[th] {
			t.Errorf("%+v has the transcript of another", changed)
		}
		seen[th] = true
	}
	for _, hellos := range [][2]string{{"D", "l"}, {"d", "L"}, {"l", "d"}, {"dl", ""}} {
		if th := handshake.Transcript([]byte(hellos[0]), []byte(hellos[1]), whole); seen[th] {
			t.Errorf("%q have the transcript of others", hellos)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 128, 128).Draw(t, "inputs")
		proof := func(b []byte, role string) []byte {
			return handshake.Prove(handshake.Key(b[:32]), role, [32]byte(b[32:64]), b[64:96], b[96:])
		}
		before := proof(b, "dialer")
		if bytes.Equal(before, proof(b, "listener")) {
			t.Fatal("the role makes no difference")
		}
		at, bit := rapid.IntRange(0, 127).Draw(t, "octet"), rapid.IntRange(0, 7).Draw(t, "bit")
		b[at] ^= 1 << bit
		if bytes.Equal(before, proof(b, "dialer")) {
			t.Fatalf("bit %d of octet %d makes no difference", bit, at)
		}
	})
}

// SUBSTRATE-HANDSHAKE-006: the dialer goes no further with a choice that it did not offer.
func TestChoicesThatWereNotOffered(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"version":       func(m map[string]any) { m["v"] = uint64(2) },
		"feature":       func(m map[string]any) { tokens(m, false, "extra:a", "extra:z") },
		"another scope": func(m map[string]any) { tokens(m, true, "dedupeScope:object") },
		"auth":          func(m map[string]any) { slotsOf(m)["auth"] = "none" },
		"codec":         func(m map[string]any) { slotsOf(m)["codec"] = "json" },
		"e2eSeal":       func(m map[string]any) { slotsOf(m)["e2eSeal"] = "toysign" },
		"e2eSign":       func(m map[string]any) { slotsOf(m)["e2eSign"] = "toyseal" },
	} {
		dialed, _, sent := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
			if n == 1 {
				return edit(t, m.octets, change)
			}
			return m.octets
		})
		if closeCode(dialed.failure) != handshake.CloseMismatch || len(sent) != 2 {
			t.Errorf("%s: %v after %d messages", name, dialed.failure, len(sent))
		}
	}
}
