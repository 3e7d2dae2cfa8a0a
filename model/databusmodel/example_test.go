package databusmodel_test

import (
	"context"
	"fmt"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/databusmodel"
)

// A race of the documented version is found as the shortest way to where it has happened.
func ExampleNew() {
	scopes := databusmodel.RaceScopes()
	m, err := databusmodel.New(scopes[0].Config)
	if err != nil {
		panic(err)
	}
	r, err := model.Exhaust(context.Background(), m, model.ExhaustConfig[databusmodel.State, databusmodel.Action, databusmodel.Outcome]{
		Bounds: model.Bounds{Workers: 1}, Invariants: m.Invariants(), EdgeInvariants: m.EdgeInvariants(),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(scopes[0].Name, r.Counterexample.Law)
	for _, step := range r.Counterexample.Trace {
		fmt.Println(step.Action, step.Outcome)
	}
	// Output:
	// RACE-001 DATABUS-RACE-001
	// subscribe B x [B elects x->A gen 1, B posts SUBSCRIBE x to A, B posts REGISTRY, B stores x->A gen 1]
	// unsubscribe B x [B deletes route x, B posts UNSUBSCRIBE x to A, B erases route x]
	// subscribe A x [A elects x->A gen 1, A confirms x, A transport subscribes x, A posts REGISTRY, A posts REGISTRY, A stores x->A gen 1]
	// deliver A from B []
	// deliver A from B []
	// deliver A from B [A transport unsubscribes x, A posts REGISTRY]
	// deliver B from A []
}
