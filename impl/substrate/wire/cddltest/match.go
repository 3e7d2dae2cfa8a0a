package cddltest

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"

	"github.com/fxamacker/cbor/v2"
)

// Match says whether b is one item that the rule allows. How it is encoded makes no difference.
func (g *Grammar) Match(rule string, b []byte) error {
	mode, err := cbor.DecOptions{DefaultMapType: reflect.TypeFor[map[string]any](), MaxArrayElements: 1 << 30}.DecMode()
	if err != nil {
		return err
	}
	var v any
	if err := mode.Unmarshal(b, &v); err != nil {
		return fmt.Errorf("cddl: %w", err)
	}
	n, known := g.rules[rule]
	if !known {
		return fmt.Errorf("cddl: there is no %s", rule)
	}
	if !n.match(g, v) {
		return fmt.Errorf("cddl: not a %s: %v", rule, v)
	}
	return nil
}

// A node is a type.
type node interface {
	match(g *Grammar, v any) bool
}

type (
	nameNode   string
	textNode   string
	rangeNode  struct{ low, high uint64 }
	choiceNode []node
	arrayNode  struct{ of node }
	mapNode    []entry
	groupNode  []entry

	controlNode struct {
		of      node
		size    *rangeNode
		below   *uint64
		pattern *regexp.Regexp
	}
)

// An entry is a member of a map or a group: a key with a value, a type of keys with a type of values, or the name of a group.
type entry struct {
	optional, repeated bool
	key                string
	keyType            node
	value              node
}

func (n nameNode) match(g *Grammar, v any) bool {
	switch n {
	case "uint":
		_, is := v.(uint64)
		return is
	case "bstr":
		_, is := v.([]byte)
		return is
	case "tstr":
		_, is := v.(string)
		return is
	case "bool":
		_, is := v.(bool)
		return is
	}
	return g.rules[string(n)].match(g, v)
}

func (n textNode) match(_ *Grammar, v any) bool { return v == string(n) }

func (n rangeNode) match(_ *Grammar, v any) bool {
	u, is := v.(uint64)
	return is && n.holds(u)
}

func (n rangeNode) holds(u uint64) bool { return u >= n.low && u <= n.high }

func (n choiceNode) match(g *Grammar, v any) bool {
	for _, alternative := range n {
		if alternative.match(g, v) {
			return true
		}
	}
	return false
}

func (n arrayNode) match(g *Grammar, v any) bool {
	items, is := v.([]any)
	for _, item := range items {
		if !n.of.match(g, item) {
			return false
		}
	}
	return is
}

func (n controlNode) match(g *Grammar, v any) bool {
	if !n.of.match(g, v) {
		return false
	}
	switch v := v.(type) {
	case uint64:
		return n.below != nil && v < *n.below
	case []byte:
		return n.size != nil && n.size.holds(uint64(len(v)))
	case string:
		return n.size != nil && n.size.holds(uint64(len(v))) || n.pattern != nil && n.pattern.MatchString(v)
	}
	return false
}

// match of a group is for its members, not for a value.
func (n groupNode) match(*Grammar, any) bool { return false }

func (n mapNode) match(g *Grammar, v any) bool {
	m, is := v.(map[string]any)
	if !is {
		return false
	}
	left := maps.Clone(m)
	return members(g, n, left) && len(left) == 0
}

// members takes from left what the entries allow, and reports false when one of them is not met.
func members(g *Grammar, entries []entry, left map[string]any) bool {
	for _, e := range entries {
		switch {
		case e.keyType != nil:
			for key, value := range left {
				if e.keyType.match(g, key) && e.value.match(g, value) {
					delete(left, key)
				}
			}
		case e.key != "":
			value, there := left[e.key]
			if !there {
				if !e.optional {
					return false
				}
				continue
			}
			// The cut.
			if !e.value.match(g, value) {
				return false
			}
			delete(left, e.key)
		default:
			name, _ := e.value.(nameNode)
			group, is := g.rules[string(name)].(groupNode)
			if !is || !members(g, group, left) {
				return false
			}
		}
	}
	return true
}
