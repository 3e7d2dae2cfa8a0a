package databustest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// lifecycleCases are about starting, stopping, hiding and showing.
func lifecycleCases() []conformance.Case {
	return []conformance.Case{
		one("lifecycle/concurrent-starts", "three starts at once are one opening, and all are told how it ended",
			laws("DATABUS-LIFECYCLE-001"), needs(Manual), (*busT).startsThrice),
		one("lifecycle/hide-and-show-while-opening", "an opening, a hide and a show follow each other",
			laws("DATABUS-LIFECYCLE-001", "DATABUS-LIFECYCLE-003"), needs(Manual), (*busT).blinksWhileOpening),
		one("lifecycle/many-blinks-while-opening", "however often a page blinks meanwhile, one opening follows",
			laws("DATABUS-LIFECYCLE-001", "DATABUS-LIFECYCLE-004"), needs(Manual), (*busT).blinksOften),
		one("lifecycle/openings-do-not-overlap", "starts, hides, shows, errors and a stop make a row of openings, each of which ends",
			laws("DATABUS-LIFECYCLE-001"), needs(Statuses), (*busT).opensInARow),
		one("lifecycle/first-start-fails", "a first opening that fails leaves nothing behind, and is not tried again",
			laws("DATABUS-LIFECYCLE-002"), needs(Manual), (*busT).failsFirst),
		one("lifecycle/first-start-fails-for-all", "all who wait for it are told",
			laws("DATABUS-LIFECYCLE-002", "DATABUS-LIFECYCLE-001"), needs(Manual), (*busT).failsForAll),
		one("lifecycle/start-after-a-failure", "the next start opens afresh, and the handlers are still there",
			laws("DATABUS-LIFECYCLE-002"), needs(Manual), (*busT).startsAfterFailure),
		one("lifecycle/auto-start-after-a-failure", "a bus that starts by itself tries again when something is asked of it",
			laws("DATABUS-LIFECYCLE-002"), needs(AutoStarts, Manual), (*busT).startsByItself),
		one("lifecycle/hide-while-opening", "a page that hides while it opens stops its transport once, and nothing has failed",
			laws("DATABUS-LIFECYCLE-003"), needs(Manual), func(t *busT) { t.hidesWhileOpening((*tab).Opened) }),
		one("lifecycle/hide-while-an-opening-fails", "nor has it when the opening fails then",
			laws("DATABUS-LIFECYCLE-003"), needs(Manual), func(t *busT) { t.hidesWhileOpening((*tab).OpenFailed) }),
		one("lifecycle/return", "a page that returns restores all by itself",
			laws("DATABUS-LIFECYCLE-004", "DATABUS-RECORD-004"), nil, (*busT).comesBack),
		one("lifecycle/show-without-a-hide", "a show that no hide came before changes nothing",
			laws("DATABUS-LIFECYCLE-004"), nil, (*busT).showsOnly),
		one("lifecycle/hide-twice", "a second hide changes nothing",
			laws("DATABUS-LIFECYCLE-005"), nil, (*busT).hidesTwice),
		one("lifecycle/hidden-state", "a page that is away keeps what it wants and nothing else",
			laws("DATABUS-LIFECYCLE-005"), nil, (*busT).hiddenState),
		one("lifecycle/hidden-page-is-deaf", "what is under way to it is lost, and it sends nothing",
			laws("DATABUS-LIFECYCLE-005"), nil, (*busT).hiddenDeaf),
		one("lifecycle/wishes-while-hidden", "what is asked for meanwhile counts when it returns",
			laws("DATABUS-LIFECYCLE-004", "DATABUS-LIFECYCLE-005"), nil, (*busT).wishesWhileHidden),
	}
}

// stopCases are about stopping for good.
func stopCases() []conformance.Case {
	return []conformance.Case{
		one("lifecycle/stop", "a bus that stopped has forgotten everything and handed over what it owned",
			laws("DATABUS-LIFECYCLE-006"), nil, (*busT).stops),
		one("lifecycle/stop-twice", "a second stop changes nothing",
			laws("DATABUS-LIFECYCLE-006"), nil, (*busT).stopsTwice),
		one("lifecycle/stop-hears-nothing", "events of the page are nothing to it any more",
			laws("DATABUS-LIFECYCLE-006"), nil, (*busT).stopsListening),
		one("lifecycle/stop-while-opening", "a stop waits for the opening, and stops the transport once",
			laws("DATABUS-LIFECYCLE-006", "DATABUS-LIFECYCLE-001"), needs(Manual), (*busT).stopsWhileOpening),
		one("lifecycle/stop-while-suspended", "a stop of a page that is away ends well, and stops the transport at most once more",
			laws("DATABUS-LIFECYCLE-006"), nil, (*busT).stopsSuspended),
		one("lifecycle/stop-after-a-failure", "a bus that could not start can be stopped",
			laws("DATABUS-LIFECYCLE-006"), needs(Manual), (*busT).stopsFailed),
		one("lifecycle/stop-before-a-start", "and so can one that was never started",
			laws("DATABUS-LIFECYCLE-006"), nil, (*busT).stopsUnstarted),
		one("lifecycle/start-after-a-stop", "a bus can start again, without what it was told before",
			laws("DATABUS-LIFECYCLE-006"), nil, (*busT).startsAgain),
		one("lifecycle/start-during-a-stop", "a start while the bus stops is lost",
			laws("DATABUS-LIFECYCLE-007"), needs(Manual), (*busT).startsWhileStopping),
		one("lifecycle/show-during-a-stop", "a page that shows while the bus stops does not open again",
			laws("DATABUS-LIFECYCLE-006"), needs(Manual), (*busT).showsWhileStopping),
		one("lifecycle/four-sets", "handlers, wishes, assignments and flags agree whenever all is quiet",
			laws("DATABUS-LIFECYCLE-008"), needs(Statuses), (*busT).fourSets),
	}
}

// settled returns how a call ended: "" if it has not, "ok", or its error.
func settled(ds deeds, call string) string {
	for _, d := range ds.Of(didSettled) {
		if d.Call == call {
			if d.Error == "" {
				return "ok"
			}
			return "error"
		}
	}
	return ""
}

// waiting is a tab whose openings wait.
func (o *origin) waiting(name string) *tab { return o.TabWith(name, tabRequest{Opens: opensManual}) }

func (t *busT) startsThrice() {
	const law = "DATABUS-LIFECYCLE-001"
	o := t.Origin()
	a := o.waiting("A")
	var calls []string
	for range 3 {
		a.Start()
		calls = append(calls, a.lastCall())
	}
	t.Equal(law, "the openings of three starts", 1, len(o.all.Of(didTStart)))
	for _, call := range calls {
		t.Equal(law, "how "+call+" ends before the opening does", "", settled(o.all, call))
	}
	did := a.Opened()
	for _, call := range calls {
		t.Equal(law, "how "+call+" ends", "ok", settled(did, call))
	}
	a.Start()
	t.Equal(law, "how a start of a bus that runs ends", "ok", settled(o.all, a.lastCall()))
	t.Equal(law, "the openings in all", 1, len(o.all.Of(didTStart)))
}

func (t *busT) blinksWhileOpening() {
	o := t.Origin()
	a := o.waiting("A")
	a.Start()
	a.PageHide()
	a.PageShow()
	t.Equal("DATABUS-LIFECYCLE-001", "what is asked of the transport while it opens", []string{"tstart"}, stepsOf(o.all.Of(didTStart, didTStop)))
	did := a.Opened()
	t.Equal("DATABUS-LIFECYCLE-001", "what follows the opening", []string{"tstop", "tstart"}, stepsOf(did.Of(didTStart, didTStop)))
	did = a.Opened()
	t.Equal("DATABUS-LIFECYCLE-003", "the errors that the application is told", 0, len(o.all.Of(didError)))
	t.Equal("DATABUS-LIFECYCLE-001", "what follows the second one", 0, len(did.Of(didTStart, didTStop)))
	t.Equal("DATABUS-LIFECYCLE-001", "the status after the second opening", "connected", o.Snapshot().Tab(a).Status)
}

func (t *busT) blinksOften() {
	const law = "DATABUS-LIFECYCLE-001"
	o := t.Origin()
	a := o.waiting("A")
	a.Start()
	a.Subscribe("x")
	for range 4 {
		a.PageHide()
		a.PageShow()
	}
	t.Equal(law, "what is asked of the transport while it opens", []string{"tstart"}, stepsOf(o.all.Of(didTStart, didTStop)))
	for range 6 {
		a.Opens(opensOK)
		if t.opening(a) {
			a.Opened()
		}
	}
	o.Drain()
	t.inRow(law, o.all.By(a))
	o.single("DATABUS-LIFECYCLE-004", "in the end", "x")
	t.Equal("DATABUS-LIFECYCLE-004", "how often x is subscribed in the last session", 1, len(sinceLast(o.all, didTStart).Of(didTSub)))
}

// opening reports whether the last opening of a tab that waits has not ended: a bus that is not connected and asked for one last.
func (t *busT) opening(a *tab) bool {
	last := a.o.all.By(a).Of(didTStart, didTStop)
	return len(last) > 0 && last[len(last)-1].Kind == didTStart && a.o.Snapshot().Tab(a).Status != "connected"
}

// sinceLast returns the deeds from the last one of a kind on.
func sinceLast(ds deeds, kind string) deeds {
	last := 0
	for i, d := range ds {
		if d.Kind == kind {
			last = i
		}
	}
	return ds[last:]
}

// inRow wants no opening while another session is open, unless that one was lost.
func (t *busT) inRow(law string, ds deeds) {
	open := false
	for _, d := range ds {
		switch {
		case d.Kind == didTStart:
			t.Check(!open, law, "one opening at a time", "the one before stopped or failed", stepsString(ds))
			open = true
		case d.Kind == didTStop, d.Kind == didStatus && (d.Status == "error" || d.Status == "disconnected"):
			open = false
		}
	}
}

func stepsString(ds deeds) string { return ds.Of(didTStart, didTStop, didStatus, didSettled).String() }

func (t *busT) opensInARow() {
	const law = "DATABUS-LIFECYCLE-001"
	o := t.Origin()
	a := o.Tab("A")
	a.Start()
	a.PageHide()
	a.PageShow()
	a.Status("error")
	o.Advance(cooldown)
	a.Ready()
	a.PageHide()
	a.Start()
	a.PageShow()
	a.Status("disconnected")
	a.Subscribe("x")
	a.Stop()
	a.Start()
	o.Settle()
	t.inRow(law, o.all.By(a))
	did := o.all.By(a).Of(didTStart)
	t.Check(len(did) >= 4, law, "each return and recovery opens", "at least four openings", stepsString(o.all))
}

func (t *busT) failsFirst() {
	const law = "DATABUS-LIFECYCLE-002"
	o := t.Origin()
	a := o.TabWith("A", tabRequest{Opens: opensFail})
	did := a.Start()
	t.Equal(law, "how the start ends", "error", settled(did, a.lastCall()))
	t.Equal(law, "the records that are left", 0, len(o.Snapshot().Storage))
	a.Opens(opensOK)
	did = o.Advance(60_000)
	t.Equal(law, "the openings of a minute", 0, len(did.Of(didTStart)))
	t.Equal(law, "what it writes in a minute", 0, len(did.Of(didWrite)))
}

func (t *busT) failsForAll() {
	o := t.Origin()
	a := o.waiting("A")
	a.Start()
	first := a.lastCall()
	a.Start()
	did := a.OpenFailed()
	t.Equal("DATABUS-LIFECYCLE-002", "how the first start ends", "error", settled(did, first))
	t.Equal("DATABUS-LIFECYCLE-001", "how the second start ends", "error", settled(did, a.lastCall()))
	t.Equal("DATABUS-LIFECYCLE-002", "the records that are left", 0, len(o.Snapshot().Storage))
	t.Equal("DATABUS-LIFECYCLE-001", "the openings", 1, len(o.all.Of(didTStart)))
}

func (t *busT) startsAfterFailure() {
	const law = "DATABUS-LIFECYCLE-002"
	o := t.Origin()
	a := o.waiting("A")
	a.Start()
	a.Subscribe("x")
	a.OpenFailed()
	t.Equal(law, "the records that a failed start leaves", 0, len(o.Snapshot().Storage))
	a.Opens(opensOK)
	did := a.Start()
	t.Equal(law, "the openings of the second start", 1, len(did.Of(didTStart)))
	t.Equal(law, "how it ends", "ok", settled(did, a.lastCall()))
	t.Equal(law, "how often it subscribes what was asked for before", 1, countOf(did, "tsub x"))
	did = append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often the handler is called", 1, countOf(did, "dispatch x"))
}

func (t *busT) startsByItself() {
	const law = "DATABUS-LIFECYCLE-002"
	o := t.Origin()
	for _, c := range []struct {
		name string
		ask  func(*tab) deeds
	}{
		{"subscribe", func(a *tab) deeds { return a.Subscribe("x") }},
		{"publish", func(a *tab) deeds { return a.Publish("x", "1") }},
		{"ready", (*tab).Ready},
	} {
		a := o.TabWith("A"+c.name, tabRequest{AutoStart: true, Opens: opensFail, ClusterKey: c.name})
		o.Drain()
		t.Equal(law, "the openings of a bus that starts by itself", 1, len(o.all.By(a).Of(didTStart)))
		a.Opens(opensOK)
		t.Equal(law, "the openings of a minute", 0, len(o.Advance(60_000).By(a).Of(didTStart)))
		did := c.ask(a)
		t.Equal(law, "the openings that "+c.name+" sets off", 1, len(did.By(a).Of(didTStart)))
		t.Equal(law, "the status then", "connected", o.Snapshot().Tab(a).Status)
	}
}

func (t *busT) hidesWhileOpening(end func(*tab) deeds) {
	const law = "DATABUS-LIFECYCLE-003"
	o := t.Origin()
	a := o.waiting("A")
	a.Start()
	a.Subscribe("x")
	did := a.PageHide()
	t.Equal(law, "what is asked of the transport while it opens", 0, len(did.Of(didTStart, didTStop)))
	did = append(did, end(a)...)
	did = append(did, o.Advance(60_000)...)
	t.Equal(law, "what is asked of it afterwards", []string{"tstop"}, stepsOf(did.Of(didTStart, didTStop)))
	t.Equal(law, "the errors that the application is told", 0, len(did.Of(didError)))
	t.Check(!slices.Contains(stepsOf(did), "status error"), law, "nothing has failed", "no status error", did.Of(didStatus).String())
	v := o.Snapshot().Tab(a)
	t.Check(!v.Active && len(v.Server) == 0, law, "it is not ready", "not active, and sent nothing", jsonOf(v))
	t.Equal(law, "what it subscribes", 0, len(did.Of(didTSub)))
}
