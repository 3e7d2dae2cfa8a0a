package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		args   []string
		status int
		out    string // contained
	}{
		"no command":       {[]string{"eventbus"}, 2, "usage"},
		"no such command":  {[]string{"eventbus", "--", "/nonexistent/adapter"}, 2, "adapter"},
		"one that is mute": {[]string{"eventbus", "--", "true"}, 1, "hello: adapter"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errors bytes.Buffer
			status := run(t.Context(), c.args, &out, &errors)
			if said := out.String() + errors.String(); status != c.status || !strings.Contains(said, c.out) {
				t.Errorf("status %d, want %d: %s", status, c.status, said)
			}
		})
	}
}
