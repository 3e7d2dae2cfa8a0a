package plain

// maxDepth is how deep a value may be for [End].
const maxDepth = 32

// End returns where the JSON value ends that begins at a place of in, or -1 if there is none, or one with white space or with more than 32
// values around one. It accepts what encoding/json does, also octets that are no UTF-8.
func End[T ~string | ~[]byte](in T, at int) int { return end(in, at, maxDepth) }

func end[T ~string | ~[]byte](in T, at, depth int) int {
	if at >= len(in) || depth < 0 {
		return -1
	}
	switch c := in[at]; c {
	case '"':
		return endOfText(in, at)
	case '{', '[':
		return endOfMembers(in, at+1, c == '{', depth-1)
	case 't':
		return endOfWord(in, at, "true")
	case 'f':
		return endOfWord(in, at, "false")
	case 'n':
		return endOfWord(in, at, "null")
	}
	return endOfNumber(in, at)
}

// endOfMembers returns where an object or an array ends whose first member begins at a place.
func endOfMembers[T ~string | ~[]byte](in T, at int, named bool, depth int) int {
	last := byte(']')
	if named {
		last = '}'
	}
	if at < len(in) && in[at] == last {
		return at + 1
	}
	for {
		if named {
			at = endOfText(in, at)
			if at < 0 || at >= len(in) || in[at] != ':' {
				return -1
			}
			at++
		}
		at = end(in, at, depth)
		switch {
		case at < 0 || at >= len(in):
			return -1
		case in[at] == last:
			return at + 1
		case in[at] != ',':
			return -1
		}
		at++
	}
}

func endOfText[T ~string | ~[]byte](in T, at int) int {
	if at >= len(in) || in[at] != '"' {
		return -1
	}
	for at++; at < len(in); at++ {
		switch c := in[at]; {
		case c == '"':
			return at + 1
		case c < ' ':
			return -1
		case c == '\\':
			if at = endOfEscape(in, at+1) - 1; at < 0 {
				return -1
			}
		}
	}
	return -1
}

// endOfEscape returns where what follows a backslash ends.
func endOfEscape[T ~string | ~[]byte](in T, at int) int {
	if at >= len(in) {
		return -1
	}
	switch in[at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return at + 1
	case 'u':
		for i := at + 1; i <= at+4; i++ {
			if i >= len(in) || !isHex(in[i]) {
				return -1
			}
		}
		return at + 5
	}
	return -1
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func endOfWord[T ~string | ~[]byte](in T, at int, word string) int {
	if len(in)-at < len(word) || string(in[at:at+len(word)]) != word {
		return -1
	}
	return at + len(word)
}

func endOfNumber[T ~string | ~[]byte](in T, at int) int {
	if in[at] == '-' {
		at++
	}
	whole := at
	if at = endOfDigits(in, at); at < 0 || in[whole] == '0' && at > whole+1 {
		return -1
	}
	if at < len(in) && in[at] == '.' {
		if at = endOfDigits(in, at+1); at < 0 {
			return -1
		}
	}
	if at < len(in) && (in[at] == 'e' || in[at] == 'E') {
		at++
		if at < len(in) && (in[at] == '+' || in[at] == '-') {
			at++
		}
		at = endOfDigits(in, at)
	}
	return at
}

// endOfDigits returns where at least one digit ends.
func endOfDigits[T ~string | ~[]byte](in T, at int) int {
	begin := at
	for at < len(in) && in[at] >= '0' && in[at] <= '9' {
		at++
	}
	if at == begin {
		return -1
	}
	return at
}
