package spec

import (
	"fmt"
	"strings"
)

// id is the three parts of a law id.
type id struct {
	group  string
	number int
}

// parseID splits a law id of the given prefix. The number has exactly three digits and starts at 001.
func parseID(text, prefix string) (id, error) {
	parts := strings.Split(text, "-")
	if len(parts) != 3 || !isGroup(parts[1]) || !isNumber(parts[2]) {
		return id{}, fmt.Errorf("id %q does not have the form %s-GROUP-NNN", text, prefix)
	}
	if parts[0] != prefix {
		return id{}, fmt.Errorf("id %q belongs to another protocol, want prefix %s", text, prefix)
	}
	n := int(parts[2][0]-'0')*100 + int(parts[2][1]-'0')*10 + int(parts[2][2]-'0')
	if n == 0 {
		return id{}, fmt.Errorf("id %q has number 000, numbers start at 001", text)
	}
	return id{group: parts[1], number: n}, nil
}

func isGroup(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('A' <= c && c <= 'Z' || i > 0 && '0' <= c && c <= '9') {
			return false
		}
	}
	return s != ""
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) == 3
}
