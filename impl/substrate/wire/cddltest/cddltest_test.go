package cddltest_test

import (
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/seed-6f28358b/assay/impl/substrate/wire/cddltest"
)

const grammar = `
; a comment
top = { k: "a", pair, ? gone: never, ? n: 3..5, rest } / list   ; another
pair = ( x: uint, ? y: name )
rest = ( ? z: bstr .size (1..2), * tstr => bool )
list = [* top / num]
num = 7
name = tstr .regexp "[a-c]{2}" / tstr .size 5
never = uint .lt 0
`

func TestMatch(t *testing.T) {
	g, err := cddltest.Parse(grammar)
	if err != nil {
		t.Fatal(err)
	}
	names := g.Names()
	slices.Sort(names)
	if !slices.Equal(names, []string{"list", "name", "never", "num", "pair", "rest", "top"}) {
		t.Errorf("the rules are %q", names)
	}
	type m = map[string]any
	for _, c := range []struct {
		value any
		want  bool
	}{
		{m{"k": "a", "x": 1}, true},
		{m{"k": "b", "x": 1}, false},
		{m{"x": 1}, false},
		{m{"k": "a"}, false},
		{m{"k": "a", "x": "1"}, false},
		{m{"k": "a", "x": 1, "y": "ab"}, true},
		{m{"k": "a", "x": 1, "y": "abc"}, false},
		{m{"k": "a", "x": 1, "y": "zzzzz"}, true},
		{m{"k": "a", "x": 1, "y": true}, false},
		{m{"k": "a", "x": 1, "gone": 0}, false},
		{m{"k": "a", "x": 1, "gone": true}, false},
		{m{"k": "a", "x": 1, "n": 2}, false},
		{m{"k": "a", "x": 1, "n": 3}, true},
		{m{"k": "a", "x": 1, "n": 5}, true},
		{m{"k": "a", "x": 1, "n": 6}, false},
		{m{"k": "a", "x": 1, "z": []byte{}}, false},
		{m{"k": "a", "x": 1, "z": []byte{1}}, true},
		{m{"k": "a", "x": 1, "z": []byte{1, 2, 3}}, false},
		{m{"k": "a", "x": 1, "other": true}, true},
		{m{"k": "a", "x": 1, "other": 1}, false},
		{[]any{}, true},
		{[]any{7, m{"k": "a", "x": 1}, []any{7}}, true},
		{[]any{8}, false},
		{"a", false},
		{7, false},
	} {
		b, err := cbor.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Match("top", b); (err == nil) != c.want {
			t.Errorf("%v: %v", c.value, err)
		}
	}
	if g.Match("nothing", []byte{0}) == nil || g.Match("top", []byte{0xff}) == nil || g.Match("pair", []byte{0xa0}) == nil {
		t.Error("what is no rule, no item or no type has matched")
	}
}

func TestParseRefuses(t *testing.T) {
	for _, source := range []string{
		"a", "a =", "= b", "a = b", "a = 1 a = 2", "a = [b]", "a = [* uint", "a = { x uint }", "a = { x: uint", "a = tstr .cbor 1", "a = tstr .size \"a\"",
		"a = uint .lt 1..2", "a = tstr .regexp \"(\"", "a = (1..2", "a = #6.1(uint)", "a = 99999999999999999999", "a = 1..99999999999999999999",
		"a = { tstr => uint }", "a = { * x: uint }", "a = { ? tstr => uint }", "a = uint /", "a = tstr .size", "a = { x: }", "a = [* ]", "a = { x: uint y: uint }",
	} {
		if _, err := cddltest.Parse(source); err == nil {
			t.Errorf("%q was read", source)
		}
	}
}
