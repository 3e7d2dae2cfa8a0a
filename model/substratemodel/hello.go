package substratemodel

import (
	"slices"
	"strings"
)

// A Hello is the first message of a side. That of a listener offers one name in each place: what it has chosen. SUBSTRATE-HANDSHAKE-005
type Hello struct {
	Offer
	Peer  string
	Nonce string // 16 octets
	Epoch string // 8 octets
}

// Encode writes the hello of a dialer, or, as a reply, that of a listener.
func (h Hello) Encode(reply bool) []byte {
	t, v := "hello", List()
	slot := Texts
	for _, n := range h.Versions {
		v.Items = append(v.Items, Number(n))
	}
	if reply {
		t, v = "hello_ok", Number(h.Versions[0])
		slot = func(names []string) Item { return Text(names[0]) }
	}
	return Map(
		Member{"t", Text(t)}, Member{"v", v}, Member{"features", Texts(h.Features)},
		Member{"slots", Map(
			Member{"auth", slot(h.Auth)}, Member{"codec", slot(h.Codec)}, Member{"e2eSeal", slot(h.Seal)}, Member{"e2eSign", slot(h.Sign)},
		)},
		Member{"peer", Text(h.Peer)}, Member{"nonce", Octets(h.Nonce)}, Member{"epoch", Octets(h.Epoch)},
	).Encode()
}

// readHello reads the hello of a dialer, or, as a reply, that of a listener, and says whether it is one. SUBSTRATE-HANDSHAKE-005
func readHello(it Item, reply bool) (h Hello, ok bool) {
	t := "hello"
	if reply {
		t = "hello_ok"
	}
	if !messageOf(it, t, "v", "features", "slots", "peer", "nonce", "epoch") {
		return h, false
	}
	get := func(name string) Item { v, _ := it.Get(name); return v }
	slots := get("slots")
	if !membersAre(slots, "auth", "codec", "e2eSeal", "e2eSign") {
		return h, false
	}
	ok = true
	texts := func(it Item) (out []string) {
		ok = ok && it.Type == ItemArray
		for _, e := range it.Items {
			ok = ok && e.Type == ItemText
			out = append(out, e.Octets)
		}
		return out
	}
	// What was chosen stands alone, what is offered in a list.
	slot := func(name string) []string {
		v, _ := slots.Get(name)
		if reply {
			v = List(v)
		}
		return texts(v)
	}
	versions := get("v")
	if reply {
		versions = List(versions)
	}
	ok = ok && versions.Type == ItemArray
	for _, v := range versions.Items {
		ok = ok && v.Type == ItemUint
		h.Versions = append(h.Versions, v.Number)
	}
	h.Features = texts(get("features"))
	h.Auth, h.Codec, h.Seal, h.Sign = slot("auth"), slot("codec"), slot("e2eSeal"), slot("e2eSign")
	peer, nonce, epoch := get("peer"), get("nonce"), get("epoch")
	h.Peer, h.Nonce, h.Epoch = peer.Octets, nonce.Octets, epoch.Octets
	ok = ok && peer.Type == ItemText && peerToken(h.Peer) && nonce.Type == ItemBytes && len(h.Nonce) == 16 && epoch.Type == ItemBytes && len(h.Epoch) == 8
	sorted := slices.Sorted(slices.Values(h.Features))
	ok = ok && slices.Equal(h.Features, slices.Compact(sorted)) && !slices.Contains(h.Features, "")
	return h, ok
}

// peerToken says whether s is the id of a peer: an address of at most 64 octets without a slash.
func peerToken(s string) bool {
	return wireAddress(s) == "" && !strings.Contains(s, "/") && len(s) <= 64
}

// messageOf says whether an item is a message of a type with such other members and none besides. SUBSTRATE-AUTH-007
func messageOf(it Item, t string, others ...string) bool {
	typ, _ := it.Get("t")
	return membersAre(it, append(others, "t")...) && typ.Type == ItemText && typ.Octets == t
}

func membersAre(it Item, names ...string) bool {
	if it.Type != ItemMap || len(it.Members) != len(names) {
		return false
	}
	for _, name := range names {
		if _, has := it.Get(name); !has {
			return false
		}
	}
	return true
}

// octetsOf returns a member that is so many octets.
func octetsOf(it Item, name string, size int) ([]byte, bool) {
	v, _ := it.Get(name)
	return []byte(v.Octets), v.Type == ItemBytes && len(v.Octets) == size
}
