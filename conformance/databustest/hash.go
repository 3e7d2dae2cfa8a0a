package databustest

import (
	"fmt"
	"unicode/utf16"
)

// hash returns the 128 bits that stand for a topic or a clusterKey in keys, in hexadecimal digits (DATABUS-KEY-002).
func hash(text string) string {
	units := utf16.Encode([]rune(text))
	seeds := [4]uint32{0xdeadbeef, 0x41c6ce57, 0xc0decafe, 0x9e3779b9}
	factors := [4]uint32{2654435761, 1597334677, 2246822519, 3266489917}
	var h [4]uint32
	for i := range h {
		h[i] = seeds[i] ^ uint32(len(units))
		for _, u := range units {
			h[i] = (h[i] ^ uint32(u)) * factors[i]
		}
	}
	for i := range h {
		h[i] = mix(h[i], h[(i+1)%4])
	}
	return fmt.Sprintf("%08x%08x%08x%08x", h[0], h[1], h[2], h[3])
}

func mix(a, b uint32) uint32 {
	return (a^a>>16)*2246822507 ^ (b^b>>13)*3266489909
}
