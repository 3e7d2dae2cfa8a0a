package substratemodel

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// An ItemType is the type of an Item: a major type of CBOR, RFC 8949 section 3.1, but for the last.
type ItemType uint8

// The types that the substrate has. SUBSTRATE-CODEC-002
const (
	ItemUint  ItemType = 0
	ItemBytes ItemType = 2
	ItemText  ItemType = 3
	ItemArray ItemType = 4
	ItemMap   ItemType = 5
	ItemBool  ItemType = 7
)

// An Item is one data item. Which fields count depends on Type.
type Item struct {
	Type    ItemType
	Number  uint64 // of an ItemUint; 0 or 1 of an ItemBool
	Octets  string // of an ItemBytes or an ItemText
	Items   []Item // of an ItemArray
	Members []Member
}

// A Member is a key of an ItemMap, which is text, and its value.
type Member struct {
	Key   string
	Value Item
}

// Number returns an unsigned integer.
func Number(n uint64) Item { return Item{Type: ItemUint, Number: n} }

// Octets returns a byte string.
func Octets[T ~string | ~[]byte](b T) Item { return Item{Type: ItemBytes, Octets: string(b)} }

// Text returns a text.
func Text(s string) Item { return Item{Type: ItemText, Octets: s} }

// List returns an array.
func List(items ...Item) Item { return Item{Type: ItemArray, Items: items} }

// Map returns a map.
func Map(members ...Member) Item { return Item{Type: ItemMap, Members: members} }

// Texts returns an array of texts.
func Texts(all []string) Item {
	out := Item{Type: ItemArray}
	for _, s := range all {
		out.Items = append(out.Items, Text(s))
	}
	return out
}

// Get returns the value of a key of a map.
func (it Item) Get(key string) (Item, bool) {
	for _, m := range it.Members {
		if m.Key == key {
			return m.Value, true
		}
	}
	return Item{}, false
}

// Encode writes the item in the one way that there is: RFC 8949 section 4.2.1. SUBSTRATE-CODEC-002
func (it Item) Encode() []byte {
	switch it.Type {
	case ItemUint:
		return headOf(it.Type, it.Number)
	case ItemBytes, ItemText:
		return append(headOf(it.Type, uint64(len(it.Octets))), it.Octets...)
	case ItemArray:
		out := headOf(it.Type, uint64(len(it.Items)))
		for _, e := range it.Items {
			out = append(out, e.Encode()...)
		}
		return out
	case ItemMap:
		type pair struct{ key, value []byte }
		var pairs []pair
		for _, m := range it.Members {
			pairs = append(pairs, pair{Text(m.Key).Encode(), m.Value.Encode()})
		}
		slices.SortStableFunc(pairs, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
		out := headOf(it.Type, uint64(len(pairs)))
		for _, p := range pairs {
			out = append(append(out, p.key...), p.value...)
		}
		return out
	}
	return []byte{byte(ItemBool)<<5 | 20 + byte(it.Number)}
}

// headOf writes a major type and its argument in as few octets as there can be.
func headOf(t ItemType, n uint64) []byte {
	out := []byte{byte(t) << 5}
	if n < 24 {
		out[0] |= byte(n)
		return out
	}
	size := 1
	for size < 8 && n>>(8*size) != 0 {
		size *= 2
	}
	out[0] |= 24 + byte(slices.Index([]int{1, 2, 4, 8}, size))
	for size--; size >= 0; size-- {
		out = append(out, byte(n>>(8*size)))
	}
	return out
}

// Bounds of a message. SUBSTRATE-CODEC-004
const (
	MaxOctets  = 1 << 20
	maxNesting = 4
	maxMembers = 32
)

// DecodeItem reads the one item that b is. It reads what CBOR allows, knows only what the substrate has, and then demands that b is how the item is written: whatever
// is longer than need be or out of order is seen by that. SUBSTRATE-CODEC-003
func DecodeItem(b []byte) (Item, error) {
	if len(b) > MaxOctets {
		return Item{}, errTooLarge
	}
	it, rest, err := readItem(b, 1)
	switch {
	case err != nil:
		return Item{}, err
	case len(rest) > 0:
		return Item{}, fmt.Errorf("%d octets follow the item", len(rest))
	case !bytes.Equal(it.Encode(), b):
		return Item{}, errors.New("the item is not written as it should be")
	}
	return it, nil
}

var errTooLarge = fmt.Errorf("a message has at most %d octets", MaxOctets)

// readItem reads the first item of b, which is nested so deep if it is an array or a map.
func readItem(b []byte, depth int) (it Item, rest []byte, err error) {
	if len(b) == 0 {
		return it, nil, errors.New("an item is missing")
	}
	major, info := ItemType(b[0]>>5), b[0]&0x1f
	if major == ItemBool {
		if info != 20 && info != 21 {
			return it, nil, fmt.Errorf("%#x is neither false nor true", b[0])
		}
		return Item{Type: ItemBool, Number: uint64(info - 20)}, b[1:], nil
	}
	if major == 1 || major == 6 {
		return it, nil, fmt.Errorf("%#x is a negative number or a tag", b[0])
	}
	n, b, err := argument(info, b[1:])
	if err != nil {
		return it, nil, err
	}
	it.Type = major
	if major == ItemUint {
		it.Number = n
		return it, b, nil
	}
	// No item is shorter than an octet, and a member of a map is two items.
	need := n
	if major == ItemMap {
		if n > maxMembers {
			return it, nil, fmt.Errorf("a map has %d members", n)
		}
		need = 2 * n
	}
	if need > uint64(len(b)) {
		return it, nil, fmt.Errorf("%d octets are left for %d", len(b), need)
	}
	switch major {
	case ItemBytes, ItemText:
		it.Octets = string(b[:n])
		if major == ItemText && !utf8.ValidString(it.Octets) {
			return it, nil, errors.New("text is not UTF-8")
		}
		return it, b[n:], nil
	}
	if depth > maxNesting {
		return it, nil, errors.New("the nesting is too deep")
	}
	for range n {
		var key, value Item
		if major == ItemMap {
			if key, b, err = readItem(b, depth+1); err != nil {
				return it, nil, err
			}
			if key.Type != ItemText {
				return it, nil, errors.New("a key is not text")
			}
			if _, twice := it.Get(key.Octets); twice {
				return it, nil, fmt.Errorf("key %q stands twice", key.Octets)
			}
		}
		if value, b, err = readItem(b, depth+1); err != nil {
			return it, nil, err
		}
		if major == ItemMap {
			it.Members = append(it.Members, Member{key.Octets, value})
		} else {
			it.Items = append(it.Items, value)
		}
	}
	return it, b, nil
}

// argument reads the argument of a head, RFC 8949 section 3.
func argument(info byte, b []byte) (n uint64, rest []byte, err error) {
	if info < 24 {
		return uint64(info), b, nil
	}
	if info > 27 {
		return 0, nil, fmt.Errorf("additional information %d: a length that is not given, or nothing", info)
	}
	size := 1 << (info - 24)
	if len(b) < size {
		return 0, nil, errors.New("an argument is cut off")
	}
	for _, c := range b[:size] {
		n = n<<8 | uint64(c)
	}
	return n, b[size:], nil
}
