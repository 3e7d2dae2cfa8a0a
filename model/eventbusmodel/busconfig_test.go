package eventbusmodel

import (
	"strings"
	"testing"
)

// TestBusConfigValidate names the field that is wrong. EVENTBUS-SUBSCRIBE-005, EVENTBUS-REPLAY-010
func TestBusConfigValidate(t *testing.T) {
	for name, cfg := range map[string]BusConfig{
		"Dialect":           {Dialect: 2},
		"RingSize":          {RingSize: MaxRingSize + 1},
		"MaxSubscribers":    {MaxSubscribers: -1},
		"MaxQueuedBytes":    {MaxQueuedBytes: maxSafeInteger + 1},
		"ReplayBudgetBytes": {ReplayBudgetBytes: -1},
		"Slots":             {Slots: -1},
		"Asks":              {Asks: -1},
		"Events":            {Events: -1},
		"Scope[1]":          {Scope: []BusAction{{Op: OpClose}, {Op: "stop"}}},
	} {
		if _, err := NewBus(cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v: %v, want one that names %s", cfg, err, name)
		}
	}
	got := mustBus(t, BusConfig{}).Config()
	want := BusConfig{RingSize: 8000, MaxSubscribers: 64, MaxQueuedBytes: 2097152, ReplayBudgetBytes: 8388608, Slots: 65, Asks: 1}
	if got.RingSize != want.RingSize || got.MaxSubscribers != want.MaxSubscribers || got.MaxQueuedBytes != want.MaxQueuedBytes ||
		got.ReplayBudgetBytes != want.ReplayBudgetBytes || got.Slots != want.Slots || got.Asks != want.Asks {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, cfg := range []ReducerConfig{{Dialect: 2}, {Most: -1}, {Scope: []ReducerFrame{{ID: -1}}}} {
		if _, err := NewReducer(cfg); err == nil {
			t.Errorf("%+v is taken", cfg)
		}
	}
	for _, d := range []Dialect{Seed, Later} {
		if got, err := ParseDialect(d.String()); got != d || err != nil {
			t.Errorf("%s: %v %v", d, got, err)
		}
	}
	if _, err := ParseDialect("newest"); err == nil {
		t.Error("an unknown dialect is taken")
	}
}

// TestNumber: numbers are written as the web writes them. EVENTBUS-QUEUE-008
func TestNumber(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "-1.5": -1.5, "1719000000000": 1719000000000, "0.000001": 1e-6, "1e-7": 1e-7, "1.5e-10": 1.5e-10, "100000000000000000000": 1e20, "1e+21": 1e21, "-1.25e+300": -1.25e300,
	} {
		if got := number(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
