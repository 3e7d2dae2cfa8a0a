package plain

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestTextIsThatOfJSON: what Text takes, encoding/json reads alike, and it takes whatever needs no escapes.
func TestTextIsThatOfJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringOfN(rapid.SampledFrom([]rune("ab \"\\\n\x7f\u00e4,:}")), 0, 6, -1).Draw(t, "in")
		text, after, ok := Text(in)
		if !ok {
			whole := "\"" + in + "\""
			if got, rest, taken := Text(whole + ","); !strings.ContainsAny(in, "\"\\\n\x7f\u00e4") && (!taken || got != in || rest != ",") {
				t.Fatalf("%q is %q, %q, %v", whole, got, rest, taken)
			}
			return
		}
		var want string
		if err := json.Unmarshal([]byte(in[:len(in)-len(after)]), &want); err != nil || want != text {
			t.Fatalf("%q is %q, want %q (%v)", in, text, want, err)
		}
	})
}

// TestEndIsThatOfJSON: what End takes is one value for encoding/json too, which would not write it otherwise, and it takes whatever
// encoding/json writes of plain texts.
func TestEndIsThatOfJSON(t *testing.T) {
	pieces := []string{"{", "}", "[", "]", ",", ":", `"a"`, `"`, "0", "1", "-", ".", "e", "E", "+", "true", "false", "null", "t", " ", "\\", "u", "00aF", "\u00e4", "\xff", "\n"}
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 9).Draw(t, "in"), "")
		end := End(in, 0)
		if other := End([]byte(in), 0); other != end {
			t.Fatalf("%q ends at %d, and as octets at %d", in, end, other)
		}
		if end >= 0 {
			var out bytes.Buffer
			if err := json.Compact(&out, []byte(in[:end])); err != nil || out.String() != in[:end] {
				t.Fatalf("%q of %q is %q: %v", in[:end], in, out.String(), err)
			}
		}
		if json.Valid([]byte(in)) && !strings.ContainsAny(in, " \n") && end != len(in) {
			t.Fatalf("%q ends at %d", in, end)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		in, err := json.Marshal(value(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		before := rapid.StringOf(rapid.SampledFrom([]rune("a,\""))).Draw(t, "before")
		if end := End(before+string(in)+"}", len(before)); end != len(before)+len(in) {
			t.Fatalf("%s ends at %d", in, end-len(before))
		}
	})
}

func TestEndIsNotDeep(t *testing.T) {
	for depth, want := range map[int]bool{maxDepth: true, maxDepth + 1: false, 1 << 20: false} {
		in := strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth)
		if got := End(in, 0) == len(in); got != want {
			t.Errorf("%d values around one: %v", depth, got)
		}
	}
}

// value draws what encoding/json makes a plain value of.
func value(depth int) *rapid.Generator[any] {
	text := rapid.StringOf(rapid.RuneFrom([]rune("abc ,:{}[]'1\"\\\n\u2028\u00e4\U0001f600")))
	leaves := []*rapid.Generator[any]{
		text.AsAny(), rapid.Float64().AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil),
	}
	if depth > 0 {
		leaves = append(leaves, rapid.SliceOfN(value(depth-1), 0, 3).AsAny(), rapid.MapOfN(text, value(depth-1), 0, 3).AsAny())
	}
	return rapid.OneOf(leaves...)
}
