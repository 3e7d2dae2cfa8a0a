package eventbustest

import (
	"fmt"
	"slices"
	"strings"
)

// without returns the frame as JSON, less these members.
func (f *frame) without(members ...string) []byte {
	parts := []string{}
	for name, v := range f.members {
		if !slices.Contains(members, name) {
			parts = append(parts, fmt.Sprintf("%q:%s", name, v))
		}
	}
	return []byte("{" + strings.Join(parts, ",") + "}")
}

// randomJSON returns a random JSON value that is at most that deep.
func (b *busT) randomJSON(depth int) string {
	rand := b.Rand()
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	n := rand.IntN(4)
	switch rand.IntN(kinds) {
	case 0:
		return []string{"null", "true", "false"}[rand.IntN(3)]
	case 1:
		return fmt.Sprint(rand.IntN(2000) - 1000)
	case 2:
		return fmt.Sprint(rand.Int64N(1<<53 - 1))
	case 3:
		return fmt.Sprintf("%.4f", rand.NormFloat64())
	case 4, 5:
		return b.randomText()
	case 6:
		parts := make([]string, n)
		for i := range parts {
			parts[i] = b.randomJSON(depth - 1)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	parts := make([]string, n)
	for i := range parts {
		// The number keeps names apart.
		parts[i] = fmt.Sprintf(`"%d%s:%s`, i, b.randomText()[1:], b.randomJSON(depth-1))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (b *busT) randomText() string {
	pieces := []string{"a", "ß", "€", "😀", `\n`, `\"`, `\\`, `\u0000`, `\u2028`, "<", " ", "/", `\/`, `\u00e4`, "data: x", `\r\n\r\n`}
	var out strings.Builder
	for range b.Rand().IntN(6) {
		out.WriteString(pieces[b.Rand().IntN(len(pieces))])
	}
	return `"` + out.String() + `"`
}
