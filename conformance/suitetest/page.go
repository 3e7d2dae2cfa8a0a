package suitetest

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// A Page holds the examples of one protocol in spec/adapter.md against an adapter: one conversation, as they stand there.
type Page struct {
	Protocol string
	Adapter  adapter.Adapter
	Least    int // how many requests there are, at least
	// Agrees compares the reply that an example shows with the real one: ok or error, without n. It may change both.
	Agrees func(want, got map[string]any) bool
}

// Check reports each example that is not true.
func (p Page) Check(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile("../../spec/adapter.md")
	if err != nil {
		t.Fatal(err)
	}
	c := adapter.Local(p.Adapter, adapter.Config{})
	defer c.Close()
	// The first request of the page is hello.
	if err := c.Call(t.Context(), "hello", adapter.HelloRequest{Protocol: p.Protocol}, nil); err != nil {
		t.Fatal(err)
	}
	inside, asked := false, 0
	var got map[string]any
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		mark, data, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```"+p.Protocol
		case inside && mark == ">":
			got = replyTo(t, c, data)
			asked++
		case inside && mark == "<":
			var want map[string]any
			if err := json.Unmarshal([]byte(data), &want); err != nil {
				t.Fatal(err)
			}
			delete(want, "n")
			if !p.Agrees(want, got) {
				t.Errorf("the page says\n%s, the reference\n%v", data, got)
			}
		}
	}
	if asked < p.Least {
		t.Errorf("only %d examples were found", asked)
	}
}

// replyTo makes the request of an example and returns the reply as the page would show it, without n.
func replyTo(t *testing.T, c *adapter.Conn, request string) map[string]any {
	t.Helper()
	var members map[string]json.RawMessage
	var op string
	if err := errors.Join(json.Unmarshal([]byte(request), &members), json.Unmarshal(members["op"], &op)); err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	delete(members, "n")
	delete(members, "op")
	ok := map[string]any{}
	err := c.Call(t.Context(), op, members, &ok)
	if thrown, is := errors.AsType[*adapter.TargetError](err); is {
		bad := map[string]any{}
		for name, raw := range thrown.Members {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				t.Fatal(err)
			}
			bad[name] = v
		}
		return map[string]any{"error": bad}
	}
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return map[string]any{"ok": ok}
}

// EachObject calls do with each JSON object in v, outer ones first.
func EachObject(v any, do func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			EachObject(x, do)
		}
	case map[string]any:
		do(v)
		for _, x := range v {
			EachObject(x, do)
		}
	}
}
