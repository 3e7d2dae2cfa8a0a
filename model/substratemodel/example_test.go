package substratemodel_test

import (
	"context"
	"fmt"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// Every way for a connection to lose what it may is explored, and all that is sent is delivered once.
func ExampleNewPair() {
	m, err := substratemodel.NewPair(substratemodel.PairConfig{
		Live: true, Script: []substratemodel.Kind{substratemodel.KindSend}, Budgets: substratemodel.Budgets{Drop: 2, Disconnect: 1, CrashB: 1},
	})
	if err != nil {
		panic(err)
	}
	r, err := model.Exhaust(context.Background(), m, model.ExhaustConfig[substratemodel.PairState, substratemodel.PairAction, substratemodel.PairOutcome]{
		Invariants: m.Invariants(), EdgeInvariants: m.EdgeInvariants(),
	})
	fmt.Println(r.Complete, r.States, err)
	l, err := model.Live(context.Background(), m, m.Liveness(), model.Bounds{})
	fmt.Println(l.Complete, l.States, err)
	// Output:
	// true 321 <nil>
	// true 321 <nil>
}

// What came of a step can be compared with what two real engines did.
func ExamplePair_Step() {
	m, err := substratemodel.NewPair(substratemodel.PairConfig{Live: true, Script: []substratemodel.Kind{substratemodel.KindReq}})
	if err != nil {
		panic(err)
	}
	s := m.Init()
	for _, a := range []substratemodel.PairAction{
		{Op: substratemodel.OpConnect},
		{Op: substratemodel.OpEnqueue},
		{Op: substratemodel.OpTransmit},
		{Op: substratemodel.OpDeliver, Side: substratemodel.B},
		{Op: substratemodel.OpHandover, Side: substratemodel.B},
		{Op: substratemodel.OpTransmit, Side: substratemodel.B},
		{Op: substratemodel.OpDeliver, Side: substratemodel.A},
		{Op: substratemodel.OpDeliver, Side: substratemodel.A},
	} {
		for next, o := range m.Step(s, a) {
			s = next
			fmt.Println(a, o)
		}
	}
	fmt.Println(s.Settled(substratemodel.A, 1), s.Handed(substratemodel.B, 1), s.Connected(), s.Drained())
	// Output:
	// connect []
	// enqueue []
	// transmit A [A sent (req 1 seq 1 prev 0 receipt 1.1)]
	// deliver B [B committed (req 1 seq 1 prev 0 receipt 1.1), B sent (ack 1 receipt 1.1)]
	// handover B [B handed (req 1)]
	// transmit B [B sent (res 1 seq 1 prev 0 receipt 1.1)]
	// deliver A [A acked (req 1 seq 1 prev 0 receipt 1.1)]
	// deliver A [A committed (res 1 seq 1 prev 0 receipt 1.1), A settled (req 1), A sent (ack 1 receipt 1.1)]
	// true true true false
}
