package spec

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// text reads a scalar that must be text on one line with something in it.
func (r *reader) text(key string, n ast.Node) (string, bool) {
	var s string
	switch n := n.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = n.Value.Value
	default:
		r.fault(n, "%s must be text, found %s", key, kindOf(n))
		return "", false
	}
	if strings.TrimSpace(s) == "" {
		r.fault(n, "%s is empty", key)
		return "", false
	}
	if s != strings.TrimSpace(s) {
		r.fault(n, "%s begins or ends with a space or line break", key)
		return "", false
	}
	if i := strings.IndexFunc(s, isControl); i >= 0 {
		r.fault(n, "%s holds the control character %q at byte %d", key, s[i], i)
		return "", false
	}
	return s, true
}

func isControl(c rune) bool { return c < 0x20 || c == 0x7f }

// oneOf reads a scalar that must be one of the known words.
func (r *reader) oneOf(key string, n ast.Node, known []string) string {
	s, ok := r.text(key, n)
	if !ok {
		return ""
	}
	if !slices.Contains(known, s) {
		r.fault(n, "unknown %s %q, known: %s", key, s, strings.Join(known, ", "))
		return ""
	}
	return s
}

func (r *reader) boolean(key string, n ast.Node) bool {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		r.fault(n, "%s must be true or false, found %s", key, kindOf(n))
		return false
	}
	return b.Value
}

// versions reads a non-empty list of known versions. Order and repeats are faults because the catalogue's hash and every
// table would show them.
func (r *reader) versions(n ast.Node) []string {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fault(n, "versions must be a list, found %s", kindOf(n))
		return nil
	}
	if len(seq.Values) == 0 {
		r.fault(n, "versions is empty, known: %s", strings.Join(r.dialect.versions, ", "))
		return nil
	}
	var out []string
	last := -1
	for _, v := range seq.Values {
		s := r.oneOf("version", v, r.dialect.versions)
		if s == "" {
			continue
		}
		i := slices.Index(r.dialect.versions, s)
		if i <= last {
			r.fault(v, "version %q is repeated or out of order", s)
			continue
		}
		last = i
		out = append(out, s)
	}
	return out
}
