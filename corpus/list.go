package corpus

import "github.com/goccy/go-yaml/ast"

// expand reads a list whose elements are T or {repeat: T, count: N}. A repeated element is shared, not copied.
func expand[T any](n ast.Node, what string) ([]T, error) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, errorAt(n, "%s are not a list", what)
	}
	out := make([]T, 0, len(seq.Values))
	for _, e := range seq.Values {
		if !hasKey(e, "repeat") {
			var v T
			if err := decodeNode(e, &v); err != nil {
				return nil, err
			}
			out = append(out, v)
			continue
		}
		var r struct {
			Repeat T   `yaml:"repeat"`
			Count  int `yaml:"count"`
		}
		if err := decodeNode(e, &r); err != nil {
			return nil, err
		}
		if err := checkCount(e, r.Count); err != nil {
			return nil, err
		}
		for range r.Count {
			out = append(out, r.Repeat)
		}
	}
	return out, nil
}

func hasKey(n ast.Node, key string) bool {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		return false
	}
	for _, v := range m.Values {
		if v.Key.String() == key {
			return true
		}
	}
	return false
}
