package substratetest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// A vector is octets that no strict decoder takes, made of a frame that would be taken as it is.
type vector struct {
	name, title string
	law         string
	spoil       func(o *object) []byte
}

// envelope returns a frame whose envelope is written by hand: pairs of encoded keys and values, sorted as they stand.
func envelope(f *frame, change func(pairs [][2][]byte) [][2][]byte, lead func(env []byte) []byte) []byte {
	var pairs [][2][]byte
	for key, v := range f.env {
		pairs = append(pairs, [2][]byte{encode(key), encode(v)})
	}
	slices.SortFunc(pairs, func(a, b [2][]byte) int { return bytes.Compare(a[0], b[0]) })
	if change != nil {
		pairs = change(pairs)
	}
	env := appendPairs(nil, pairs)
	if lead != nil {
		env = lead(env)
	}
	return slices.Concat(appendHead(nil, majorMap, 1), encode("env"), env)
}

// extra returns a spoiling that adds an unknown field with a value written by hand.
func extra(value []byte) func(o *object) []byte {
	return func(o *object) []byte { return o.At("send", o.seq+1, nil).with("zz", verbatim(value)).octets() }
}

// instead returns a spoiling that writes a field by hand.
func instead(field string, value func(f *frame) []byte) func(o *object) []byte {
	return func(o *object) []byte {
		f := o.At("send", o.seq+1, nil)
		return f.with(field, verbatim(value(f))).octets()
	}
}

func vectors() []vector {
	const strict, bounded = "SUBSTRATE-CODEC-003", "SUBSTRATE-CODEC-004"
	return []vector{
		{"duplicate-key", "a key twice", strict, func(o *object) []byte {
			return envelope(o.At("send", o.seq+1, nil), func(p [][2][]byte) [][2][]byte { return slices.Insert(p, 1, p[0]) }, nil)
		}},
		{"unsorted-keys", "keys that are not sorted", strict, func(o *object) []byte {
			return envelope(o.At("send", o.seq+1, nil), func(p [][2][]byte) [][2][]byte { slices.Reverse(p); return p }, nil)
		}},
		{"sorted-by-text", "keys that are sorted by their text alone", strict, func(o *object) []byte {
			return envelope(o.At("send", o.seq+1, nil), func(p [][2][]byte) [][2][]byte {
				slices.SortFunc(p, func(a, b [2][]byte) int { return bytes.Compare(a[0][1:], b[0][1:]) })
				return p
			}, nil)
		}},
		{"body-before-envelope", "a body that stands before env", strict, func(o *object) []byte {
			env := encode(map[string]any(o.At("send", o.seq+1, nil).env))
			return slices.Concat([]byte{0xa2}, encode("body"), encode([]byte("x")), encode("env"), env)
		}},
		{"indefinite-map", "a map of indefinite length", strict, func(o *object) []byte {
			return envelope(o.At("send", o.seq+1, nil), nil, func(env []byte) []byte { return append(append([]byte{0xbf}, env[1:]...), 0xff) })
		}},
		{"indefinite-text", "text of indefinite length", strict, instead("kind", func(*frame) []byte {
			return append(append([]byte{0x7f}, encode("send")...), 0xff)
		})},
		{"indefinite-octets", "octets of indefinite length", strict, instead("receipt", func(*frame) []byte {
			return append(append([]byte{0x5f}, encode([]byte{1})...), 0xff)
		})},
		{"indefinite-array", "an array of indefinite length", strict, extra([]byte{0x9f, 0xff})},
		{"long-integer", "an integer that is longer than it need be", strict, instead("v", func(*frame) []byte { return []byte{0x18, 1} })},
		{"longer-integer", "an integer of 64 bits that fits 32", strict, extra([]byte{0x1b, 0, 0, 0, 0, 0, 0, 1, 0})},
		{"long-length", "a length that is longer than it need be", strict, instead("kind", func(*frame) []byte { return append([]byte{0x78, 4}, "send"...) })},
		{"long-map-length", "a number of pairs that is longer than it need be", strict, func(o *object) []byte {
			return envelope(o.At("send", o.seq+1, nil), nil, func(env []byte) []byte { return append([]byte{0xb8, env[0] & 0x1f}, env[1:]...) })
		}},
		{"tag", "a tag", strict, extra([]byte{0xc1, 0x01})},
		{"tagged-message", "a tag around the message", strict, func(o *object) []byte {
			return append([]byte{0xd9, 0xd9, 0xf7}, o.At("send", o.seq+1, nil).octets()...)
		}},
		{"half-float", "a float of 16 bits", strict, extra([]byte{0xf9, 0x3c, 0})},
		{"double-float", "a float of 64 bits", strict, extra([]byte{0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0})},
		{"negative", "a negative integer", strict, extra([]byte{0x20})},
		{"null", "null", strict, extra([]byte{0xf6})},
		{"undefined", "undefined", strict, extra([]byte{0xf7})},
		{"simple-value", "a simple value", strict, extra([]byte{0xf8, 0x20})},
		{"false-in-two-octets", "false in two octets", strict, extra([]byte{0xf8, 20})},
		{"broken-utf8", "text that is no UTF-8", strict, extra([]byte{0x62, 0xc3, 0x28})},
		{"surrogate", "text with half of a surrogate pair", strict, extra([]byte{0x63, 0xed, 0xa0, 0x80})},
		{"numeric-key", "a key that is no text", strict, func(o *object) []byte {
			return envelope(o.At("send", o.seq+1, nil), func(p [][2][]byte) [][2][]byte {
				return slices.Insert(p, 0, [2][]byte{encode(1), encode(1)})
			}, nil)
		}},
		{"octets-after-it", "octets after the message", strict, func(o *object) []byte { return append(o.At("send", o.seq+1, nil).octets(), 0) }},
		{"second-message-after-it", "a second item after the message", strict, func(o *object) []byte {
			b := o.At("send", o.seq+1, nil).octets()
			return append(b, b...)
		}},
		{"reserved-length", "a length that is reserved", strict, extra([]byte{0x7c})},
		{"break-alone", "a break without a beginning", strict, extra([]byte{0xff})},
		{"length-bomb", "octets of which there are 2^63", bounded, extra([]byte{0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})},
		{"text-bomb", "text of which there are 2^64-1 octets", bounded, extra([]byte{0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})},
		{"map-bomb", "a map of 2^64-1 pairs", bounded, func(*object) []byte { return []byte{0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff} }},
		{"array-bomb", "an array of 2^32 items", bounded, extra([]byte{0x9b, 0, 0, 0, 1, 0, 0, 0, 0})},
		{"deep-nesting", "arrays that are nested five deep", bounded, extra(append(bytes.Repeat([]byte{0x81}, 4), 1))},
		{"nesting-bomb", "arrays that are nested 100000 deep", bounded, extra(append(bytes.Repeat([]byte{0x81}, 100_000), 1))},
		{"many-pairs", "a map with 33 pairs", bounded, func(o *object) []byte {
			f := o.At("send", o.seq+1, nil)
			inner := map[string]any{}
			for i := range 33 {
				inner[strings.Repeat("k", i+1)] = 1
			}
			return f.with("zz", inner).octets()
		}},
	}
}

func codecCases() []conformance.Case {
	var out []conformance.Case
	for _, v := range vectors() {
		out = append(out, one("codec/"+v.name, "a frame is refused for "+v.title, laws(v.law, "SUBSTRATE-WIRE-006"), nil, func(s *subT) {
			o := s.Session()
			o.p.link.Binary(v.spoil(o))
			o.p.link.Ends(v.law, "decoding is strict and bounded: the connection ends for "+v.title, 4004)
			o.p.Connect()
			o.Takes("SUBSTRATE-WIRE-006", "nothing of the message was taken: the next op has its seq", o.Make("send", []byte("good")))
		}))
	}
	return append(out,
		one("codec/truncated", "a frame that is cut short at any octet is refused", laws("SUBSTRATE-CODEC-003", "SUBSTRATE-CODEC-005"), nil, func(s *subT) {
			o := s.Session()
			whole := o.At("send", o.seq+1, []byte("tail")).octets()
			for n := 1; n < len(whole); n += 7 {
				o.p.link.Binary(whole[:n])
				o.p.link.Ends("SUBSTRATE-CODEC-003", "an item that is cut short is refused", 4004)
				o.p.Connect()
			}
			o.Takes("SUBSTRATE-CODEC-005", "what was refused leaves nothing behind", o.Make("send", nil))
		}),
		one("codec/noise", "random octets end the connection and nothing else", laws("SUBSTRATE-CODEC-005"), nil, func(s *subT) {
			o := s.Session()
			for range 20 {
				noise := append([]byte{0xa1, 0x63, 'e', 'n', 'v', 0xa9}, s.Octets(1+s.Rand().IntN(200))...)
				o.p.link.Binary(noise)
				o.p.link.Ends("SUBSTRATE-CODEC-005", "a decoder returns a frame or an error for any octets", 4004)
				o.p.Connect()
			}
			o.Takes("SUBSTRATE-CODEC-005", "what was refused leaves nothing behind", o.Make("send", nil))
		}),
		one("codec/equal-frames", "equal values are sent as equal octets", laws("SUBSTRATE-CODEC-002"), nil, func(s *subT) {
			o := s.Session()
			const reason = "encoding is a function: what differs in the id and the receipt alone differs there alone"
			a, b := o.At("send", 1, nil).with("obj", "nobody"), o.At("send", 1, nil).with("obj", "nobody")
			o.p.link.Posts(a, b)
			x := o.p.link.Bounced("SUBSTRATE-CODEC-002", reason, a, "no_such_object")
			y := o.p.link.Bounced("SUBSTRATE-CODEC-002", reason, b, "no_such_object")
			s.Check(bytes.Equal(bytes.ReplaceAll(x.raw, []byte(a.id()), []byte(b.id())), y.raw), "SUBSTRATE-CODEC-002", reason, brief(x.raw), brief(y.raw))
		}),
	)
}
