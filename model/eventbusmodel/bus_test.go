package eventbusmodel

import (
	"testing"

	"github.com/seed-6f28358b/assay/model"
)

func mustBus(t testing.TB, cfg BusConfig) *Bus {
	t.Helper()
	m, err := NewBus(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type (
	busExhaust = model.ExhaustConfig[BusState, BusAction, BusOutput]
	busResult  = model.Result[BusState, BusAction, BusOutput]
)

func exploreBus(t testing.TB, m *Bus, cfg busExhaust) busResult {
	t.Helper()
	if cfg.Bounds.States == 0 {
		cfg.Bounds.States = 1_000_000
	}
	r, err := model.Exhaust(t.Context(), m, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
