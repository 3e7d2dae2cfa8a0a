package fuzz

import "github.com/seed-6f28358b/assay/model/substratemodel"

// waysOfPair names what a step reached: the action, each effect with what it is about, and each phase that an object came to.
func waysOfPair(a substratemodel.PairAction, steps []eagerStep, reached ways) {
	reached[a.String()]++
	for i := range steps {
		st := &steps[i]
		for _, e := range st.outcome.Effects() {
			if way := wayOfEffect(st.action.Op, &e); way != "" {
				reached[way]++
			}
			if e.What == substratemodel.WhatFutile && e.Frame.Code == substratemodel.CodeBusy && st.after.View(e.Side).Unknown&(1<<e.Frame.Op) != 0 {
				reached["futile unknown busy"]++
			}
			if rows := st.before.View(e.Side).Rows; e.What == substratemodel.WhatDropped && e.Frame.Kind == substratemodel.KindBounce && len(rows) > 0 && rows[0].Sent && rows[0].ID == e.Frame.ID {
				reached["bounce of a row before"]++
			}
		}
		if st.after.View(substratemodel.B).Second {
			reached["second gap"]++
			if st.after.View(substratemodel.B).Asked > st.before.View(substratemodel.B).Asked {
				reached["second gap asks"]++
			}
			if st.action.Op == substratemodel.OpTick {
				reached["second gap ages"]++
			}
		}
		for _, x := range []substratemodel.Side{substratemodel.A, substratemodel.B} {
			if from, to := st.before.View(x).Object, st.after.View(x).Object; from != to {
				reached[x.String()+" "+from+" to "+to]++
			}
		}
	}
}

func wayOfEffect(op substratemodel.PairOp, e *substratemodel.Effect) string {
	f, way := &e.Frame, e.What.String()
	switch e.What {
	case substratemodel.WhatSent, substratemodel.WhatSettled:
		if way += " " + f.Kind.String(); f.Code != substratemodel.CodeNone {
			way += " " + f.Code.String()
		}
		if f.Kind == substratemodel.KindResync && f.Prev != 0 {
			way += " base"
		}
	case substratemodel.WhatHanded, substratemodel.WhatFailed, substratemodel.WhatCommitted, substratemodel.WhatAcked, substratemodel.WhatAnswered,
		substratemodel.WhatOrphan, substratemodel.WhatDenied:
		way += " " + f.Kind.String()
	case substratemodel.WhatFutile:
		if f.OfAnswer {
			way += " answer"
		}
		way += " " + f.Code.String()
	case substratemodel.WhatEnded, substratemodel.WhatDied:
		way += " " + f.Code.String()
	case substratemodel.WhatPurged:
		// What is purged is futile.
		return ""
	case substratemodel.WhatDropped:
		switch {
		case op == substratemodel.OpDeliverOld:
			way += " old"
		case f.Kind.Operation() && f.Kind != substratemodel.KindErr:
			// It waits already.
			way += " copy"
		default:
			way += " " + f.Kind.String()
		}
	}
	return way
}
