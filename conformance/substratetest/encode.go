package substratetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// A verbatim is octets that stand in a message as they are.
type verbatim []byte

// The major types of CBOR that messages have.
const (
	majorUint  = 0
	majorBytes = 2
	majorText  = 3
	majorArray = 4
	majorMap   = 5
)

// encode writes a value in the one form that SUBSTRATE-CODEC-002 allows. Values are what the suite itself makes: uint64 and int, string,
// []byte, bool, []any, map[string]any, and verbatim.
func encode(v any) []byte { return appendValue(nil, v) }

func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case uint64:
		return appendHead(dst, majorUint, v)
	case int:
		return appendHead(dst, majorUint, uint64(v))
	case string:
		return append(appendHead(dst, majorText, uint64(len(v))), v...)
	case []byte:
		return append(appendHead(dst, majorBytes, uint64(len(v))), v...)
	case bool:
		if v {
			return append(dst, 0xf5)
		}
		return append(dst, 0xf4)
	case []any:
		dst = appendHead(dst, majorArray, uint64(len(v)))
		for _, x := range v {
			dst = appendValue(dst, x)
		}
		return dst
	case map[string]any:
		pairs := make([][2][]byte, 0, len(v))
		for key, x := range v {
			pairs = append(pairs, [2][]byte{encode(key), encode(x)})
		}
		slices.SortFunc(pairs, func(a, b [2][]byte) int { return bytes.Compare(a[0], b[0]) })
		return appendPairs(dst, pairs)
	case verbatim:
		return append(dst, v...)
	default:
		panic(fmt.Sprintf("no message has a %T", v))
	}
}

// appendPairs writes a map in the order given.
func appendPairs(dst []byte, pairs [][2][]byte) []byte {
	dst = appendHead(dst, majorMap, uint64(len(pairs)))
	for _, p := range pairs {
		dst = append(append(dst, p[0]...), p[1]...)
	}
	return dst
}

// appendHead writes a head in its shortest form.
func appendHead(dst []byte, major byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(dst, major<<5|byte(n))
	case n < 1<<8:
		return append(dst, major<<5|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, major<<5|25), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(dst, major<<5|26), uint32(n))
	default:
		return binary.BigEndian.AppendUint64(append(dst, major<<5|27), n)
	}
}
