package databusmodel

import (
	"strings"
	"testing"
)

// TestConfigIsRefused: a configuration that is out of range is refused with the name of the field.
func TestConfigIsRefused(t *testing.T) {
	for want, cfg := range map[string]Config{
		"Tabs is 4":             {Tabs: 4},
		"Lag is 5":              {Lag: 5},
		"Topics is 3":           {Topics: 3},
		"Budgets.Publish is 2":  {Budgets: Budgets{Publish: 2}},
		"Show and Open are 4":   {Budgets: Budgets{Show: 2, Open: 2}},
		"Phases[1] is 4":        {Phases: [maxTabs]uint8{0, 4}},
		"TabIDs[2] is 3":        {TabIDs: [maxTabs]uint8{0, 1, 3}},
		`Race is "RACE-001"`:    {Race: "RACE-001"},
		"Setup[1] is subscribe": {Setup: []Action{sub(0, 0), sub(0, 0)}},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, found %v", want, err)
		}
	}
	if _, err := New(Config{}); err != nil {
		t.Error(err)
	}
}
