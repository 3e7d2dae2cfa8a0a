package databustest

import (
	"strings"
	"testing"
)

// DATABUS-KEY-001
func TestKeyOf(t *testing.T) {
	t.Parallel()
	h := hash("x")
	for key, want := range map[string]storedKey{
		"p:" + h + ":worker:w":                  {"p:" + h, "worker", "", "w"},
		"p:q:" + h + ":worker:w:1":              {"p:q:" + h, "worker", "", "w:1"},
		"p:" + h + ":route:" + h:                {"p:" + h, "route", h, ""},
		"p:" + h + ":subscriber:" + h + ":t":    {"p:" + h, "subscriber", h, "t"},
		"p:" + h + ":subscriber:" + h + ":t:2":  {"p:" + h, "subscriber", h, "t:2"},
		"p:" + h + ":worker:":                   {},
		"p:" + h + ":route:x":                   {},
		"p:" + h + ":route:" + h + ":more":      {},
		"p:" + h + ":subscriber:" + h:           {},
		"p:" + h + ":subscriber:" + h + ":":     {},
		"p:" + h + ":probe":                     {},
		"p:" + h + ":load:w":                    {},
		"p:" + strings.ToUpper(h) + ":worker:w": {},
		"p:" + h[1:] + ":worker:w":              {},
		"p":                                     {},
		"":                                      {},
	} {
		if got := keyOf(key); got != want {
			t.Errorf("%q is %+v, want %+v", key, got, want)
		}
	}
}

// DATABUS-OWNER-001, DATABUS-OWNER-002, DATABUS-OWNER-003
func TestElected(t *testing.T) {
	t.Parallel()
	old, idle, hidden, failed := worker("old"), worker("idle"), worker("hidden"), worker("failed")
	old.RegisteredAt, old.Load = 1, 5
	hidden.Visibility, failed.Status = "hidden", "error"
	for want, live := range map[string][]workerRecord{
		"idle":   {hidden, failed, old, idle},
		"hidden": {failed, hidden},
		"failed": {failed},
	} {
		if got := elected(live, 3); got != want {
			t.Errorf("%s is elected, want %s", got, want)
		}
	}
	if got := elected([]workerRecord{idle, old}, 1); got != "old" {
		t.Errorf("%s is elected of a cut of one, want old", got)
	}
}
