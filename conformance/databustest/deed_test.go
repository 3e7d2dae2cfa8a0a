package databustest

import (
	"encoding/json"
	"testing"
)

// What an adapter writes in its own way reads as what the reference writes.
func TestSpelled(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{ "a" : [1, {"b": null}] }`:      `{"a":[1,{"b":null}]}`,
		`"\ud83d\ude00 \u003c"`:           `"😀 <"`,
		`{"topic": "\u00e9", "n": 1e400}`: `{"n":1e400,"topic":"é"}`,
		`"\\ \n"`:                         `"\\ \n"`,
		``:                                ``,
		`{`:                               `{`,
	} {
		if got := string(spelled(json.RawMessage(given))); got != want {
			t.Errorf("%s is spelled %s, not %s", given, got, want)
		}
	}
}
