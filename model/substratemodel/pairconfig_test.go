package substratemodel

import (
	"strings"
	"testing"
)

func TestPairConfigNamesTheField(t *testing.T) {
	for _, tc := range []struct {
		cfg  PairConfig
		want string
	}{
		{PairConfig{Script: make([]Kind, 6)}, "Script"},
		{PairConfig{Script: []Kind{KindAck}}, "Script[0]"},
		{PairConfig{Script: []Kind{KindSend}, Denied: []int{2}}, "Denied[0]"},
		{PairConfig{Marks: []int64{5, 5}}, "Marks[1]"},
		{PairConfig{Budgets: Budgets{StaleAck: 3}}, "Budgets.StaleAck"},
		{PairConfig{Outbox: 1, Pipeline: true}, "Outbox"},
		{PairConfig{Outbox: 1, SameID: true}, "Outbox"},
		{PairConfig{Budgets: Budgets{AskB: 1, CloseB: 1}}, "Budgets.AskB"},
	} {
		if _, err := NewPair(tc.cfg); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: want an error about %s, got %v", tc.cfg, tc.want, err)
		}
	}
	if m, err := NewPair(PairConfig{}); err != nil || m.Config().Live {
		t.Errorf("the zero value is refused: %v", err)
	}
}

func TestNames(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{KindResync.String(), "resync"},
		{CodeGapTimeout.String(), "gap_timeout"},
		{WhatOrphan.String(), "orphan"},
		{OpTick.String(), "tick"},
		{pairOps.String(), "substratemodel.PairOp(26)"},
		{PairAction{Op: OpDeliver, Side: B}.String(), "deliver B"},
		{PairAction{Op: OpForeign, N: 2}.String(), "foreign 2"},
		{Frame{Kind: KindRes, ID: 1, Seq: 2, Prev: 1, Receipt: ReceiptOf(3, 2)}.String(), "res 1 seq 2 prev 1 receipt 3.2"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
