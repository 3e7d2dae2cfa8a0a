// Package plain reads the JSON that the data bus itself writes: without white space, and with names of printable ASCII without escapes. Whoever
// reads by it falls back on encoding/json for all else, so that it decides nothing but the time that reading takes.
package plain

// Text takes a text in quotation marks at the beginning of rest, and returns what follows it. It reports false if there is none, or one with
// escapes or other than printable ASCII.
func Text(rest string) (text, after string, ok bool) {
	if len(rest) == 0 || rest[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			return rest[1:i], rest[i+1:], true
		case c == '\\' || c < 0x20 || c > 0x7e:
			return "", "", false
		}
	}
	return "", "", false
}
