package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Check holds an adapter against the rules of spec/adapter.md that do not depend on a protocol: it greets it,
// asks for things that no adapter has, and closes the conversation. It returns a sentence for each rule that is broken, and
// none for an adapter that keeps them. It is for authors of adapters; what the operations do is judged by the suites.
func Check(ctx context.Context, c *Conn, protocol string) []string {
	var broken []string
	say := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	var members map[string]json.RawMessage
	if err := c.Call(ctx, "hello", HelloRequest{protocol}, &members); err != nil {
		say("hello: %v", err)
	} else {
		for _, text := range checkGreeting(members, protocol) {
			say("hello: %s", text)
		}
	}
	for _, ask := range []struct {
		what, op string
		members  map[string]any
	}{
		{"an operation that no protocol has", "assay-frobnicate", nil},
		{"an operation whose name is not ASCII", "naïve \u2028 ☃", map[string]any{"a": "b"}},
		{"an operation that objects have in some languages", "constructor", nil},
		{"a hello with an unknown member", "hello", map[string]any{"protocol": protocol, "assay-frobnicate": 1}},
		{"a hello for another protocol", "hello", map[string]any{"protocol": "assay-frobnicate"}},
	} {
		err := c.Call(ctx, ask.op, ask.members, nil)
		if _, ok := errors.AsType[*UnsupportedError](err); !ok {
			say("%s is not answered with unsupported: %v", ask.what, orNothing(err))
		}
		if c.Fault() != nil {
			break
		}
	}
	before := c.Fault()
	if err := c.Close(); err != nil && before == nil {
		say("at the end: %v", err)
	}
	return broken
}

func checkGreeting(members map[string]json.RawMessage, protocol string) []string {
	var broken []string
	known := []string{"protocol", "software", "roles", "versions", "options"}
	for name := range members {
		if !slices.Contains(known, name) {
			broken = append(broken, "unknown member "+name)
		}
	}
	slices.Sort(broken)
	text, err := json.Marshal(members)
	if err != nil {
		return append(broken, err.Error())
	}
	var g Greeting
	if err := json.Unmarshal(text, &g); err != nil {
		return append(broken, err.Error())
	}
	if err := g.Fits(protocol); err != nil {
		broken = append(broken, err.Error())
	}
	if g.Software == "" {
		broken = append(broken, "software is empty")
	}
	if len(g.Roles) == 0 {
		broken = append(broken, "there are no roles")
	}
	for name, reason := range g.Options {
		if reason == "" {
			broken = append(broken, "option "+name+" has no reason")
		}
	}
	return broken
}

func orNothing(err error) string {
	if err == nil {
		return "it is carried out"
	}
	return err.Error()
}
