package record

import "unicode/utf16"

// HashLen is the length of a hash in hexadecimal digits.
const HashLen = 32

// Hash returns the opaque 128-bit hash of text in 32 lower-case hexadecimal digits, over its UTF-16 code units (DATABUS-KEY-002). It is not
// cryptographic: whoever guesses a topic can confirm the guess. Octets of text that are no UTF-8 count as U+FFFD.
func Hash(text string) string {
	units, odd := uint32(len(text)), false
	for i := range len(text) {
		odd = odd || text[i] >= 0x80
	}
	var wide []uint16
	if odd {
		wide = utf16.Encode([]rune(text))
		units = uint32(len(wide))
	}
	lanes := [4]uint32{0xdeadbeef ^ units, 0x41c6ce57 ^ units, 0xc0decafe ^ units, 0x9e3779b9 ^ units}
	if odd {
		for _, unit := range wide {
			stir(&lanes, uint32(unit))
		}
	} else {
		for i := range len(text) {
			stir(&lanes, uint32(text[i]))
		}
	}
	// Each lane is finished with the one after it as it then is, so that the last sees the first finished.
	for i := range lanes {
		lanes[i] = mix(lanes[i], lanes[(i+1)%4])
	}
	return render(lanes)
}

// stir takes one code unit into each lane.
func stir(lanes *[4]uint32, unit uint32) {
	lanes[0] = (lanes[0] ^ unit) * 2654435761
	lanes[1] = (lanes[1] ^ unit) * 1597334677
	lanes[2] = (lanes[2] ^ unit) * 2246822519
	lanes[3] = (lanes[3] ^ unit) * 3266489917
}

func mix(a, b uint32) uint32 { return (a^a>>16)*2246822507 ^ (b^b>>13)*3266489909 }

// render writes the lanes in order, the most significant digit of each first.
func render(lanes [4]uint32) string {
	const digits = "0123456789abcdef"
	var out [HashLen]byte
	for i, lane := range lanes {
		for j := range 8 {
			out[8*i+j] = digits[lane>>(28-4*j)&15]
		}
	}
	return string(out[:])
}

// IsHash reports whether text has the form of a hash.
func IsHash(text string) bool {
	if len(text) != HashLen {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
