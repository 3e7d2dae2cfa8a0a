package eventbustest

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// TestPageIsTrue holds the examples of spec/adapter.md against the reference: one conversation, as they stand there.
func TestPageIsTrue(t *testing.T) {
	page, err := os.ReadFile("../../spec/adapter.md")
	if err != nil {
		t.Fatal(err)
	}
	c := adapter.Local(ServeReference, adapter.Config{})
	defer c.Close()
	// The first request of the page is hello.
	if err := c.Call(t.Context(), "hello", helloRequest{"eventbus"}, nil); err != nil {
		t.Fatal(err)
	}
	inside, asked := false, 0
	var got map[string]any
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		mark, data, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```eventbus"
		case inside && mark == ">":
			got = replyTo(t, c, data)
			asked++
		case inside && mark == "<":
			var want map[string]any
			if err := json.Unmarshal([]byte(data), &want); err != nil {
				t.Fatal(err)
			}
			if !agrees(want, got) {
				t.Errorf("the page says\n%s, the reference\n%v", data, got)
			}
		}
	}
	if asked < 25 {
		t.Errorf("only %d examples were found", asked)
	}
}

// replyTo makes the request of an example and returns the reply as the page would show it, without n.
func replyTo(t *testing.T, c *adapter.Conn, request string) map[string]any {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(request), &members); err != nil {
		t.Fatal(err)
	}
	op := jsonText(members["op"])
	delete(members, "n")
	delete(members, "op")
	ok := map[string]any{}
	err := c.Call(t.Context(), op, members, &ok)
	if thrown, is := errors.AsType[*adapter.TargetError](err); is {
		bad := map[string]any{"name": thrown.Name}
		if thrown.Limit != nil {
			bad["limit"] = float64(*thrown.Limit)
		}
		return map[string]any{"error": bad}
	}
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return map[string]any{"ok": ok}
}

// agrees compares an example with a real reply. Tokens and texts are the target's own, and the page shows a view in part.
func agrees(want, got map[string]any) bool {
	want, got = maps.Clone(want), maps.Clone(got)
	delete(want, "n")
	var loosen func(v any)
	loosen = func(v any) {
		m, _ := v.(map[string]any)
		delete(m, "message")
		if _, ok := m["epoch"]; ok {
			m["epoch"] = "any"
		}
		if lines, ok := m["lines"].([]any); ok {
			m["lines"] = len(lines)
		}
		for _, inner := range m {
			loosen(inner)
		}
	}
	loosen(want)
	loosen(got)
	if ok, _ := want["ok"].(map[string]any); ok["views"] != nil {
		real, _ := got["ok"].(map[string]any)
		for i, view := range ok["views"].([]any) {
			all := real["views"].([]any)[i].(map[string]any)
			for name, v := range view.(map[string]any) {
				if !reflect.DeepEqual(all[name], v) {
					return false
				}
			}
		}
		return true
	}
	return reflect.DeepEqual(want, got)
}
