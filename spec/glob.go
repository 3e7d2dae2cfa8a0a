package spec

import "strings"

// matchGlob reports whether a whole id matches a pattern in which * stands for any text, the empty one included. Letter
// case does not matter. It takes time linear in the id for each star, whatever the pattern.
func matchGlob(pattern, id string) bool {
	parts := strings.Split(strings.ToUpper(pattern), "*")
	id = strings.ToUpper(id)
	if len(parts) == 1 {
		return parts[0] == id
	}
	head, tail := parts[0], parts[len(parts)-1]
	if len(head)+len(tail) > len(id) || !strings.HasPrefix(id, head) || !strings.HasSuffix(id, tail) {
		return false
	}
	id = id[len(head) : len(id)-len(tail)]
	// Taking the first place for each middle part leaves the most text for the parts behind it.
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(id, part)
		if i < 0 {
			return false
		}
		id = id[i+len(part):]
	}
	return true
}
