package databustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// degradeCases are about a bus that cannot reach the other tabs.
func degradeCases() []conformance.Case {
	return []conformance.Case{
		one("degrade/no-storage", "without a storage a tab is on its own",
			laws("DATABUS-DEGRADE-001"), needs(Degrades), func(t *busT) { t.degrades(tabRequest{NoStorage: true}, false) }),
		one("degrade/no-channel", "without a channel a tab is on its own, and writes nothing",
			laws("DATABUS-DEGRADE-001"), needs(Degrades), func(t *busT) { t.degrades(tabRequest{NoChannel: true}, false) }),
		one("degrade/neither", "so it is without both, as where there is no browser",
			laws("DATABUS-DEGRADE-001"), needs(Degrades), func(t *busT) { t.degrades(tabRequest{NoStorage: true, NoChannel: true}, false) }),
		one("degrade/full-storage", "a storage that refuses the probe is none",
			laws("DATABUS-DEGRADE-001"), needs(Failures), func(t *busT) { t.degrades(tabRequest{}, true) }),
		one("degrade/coordinated", "with both a tab coordinates, and the probe leaves nothing behind",
			laws("DATABUS-DEGRADE-001"), nil, (*busT).coordinates),
		one("degrade/beside-others", "a tab on its own neither hears nor disturbs those that coordinate",
			laws("DATABUS-DEGRADE-001", "DATABUS-DEGRADE-002"), needs(Degrades), (*busT).degradesBeside),
		one("degrade/each-its-own", "two tabs on their own subscribe twice, and each calls its handlers",
			laws("DATABUS-DEGRADE-002"), needs(Degrades), (*busT).degradesTwice),
		one("degrade/publish", "a tab on its own publishes over its own transport",
			laws("DATABUS-DEGRADE-002"), needs(Degrades), (*busT).degradedPublish),
		one("degrade/page", "a tab on its own hides, shows and stops as others do",
			laws("DATABUS-DEGRADE-002"), needs(Degrades), (*busT).degradedPage),
		one("degrade/gates", "it takes publications of what it wants, and of nothing else",
			laws("DATABUS-DEGRADE-003"), needs(Degrades), (*busT).degradedGates),
		one("degrade/last-subscriber", "it is the only subscriber of what it wants",
			laws("DATABUS-DEGRADE-003"), needs(Degrades), (*busT).degradedLast),
		one("degrade/600-topics", "what it wants it can name after 600 other topics",
			laws("DATABUS-DEGRADE-003"), needs(Degrades), (*busT).degradedMany),
		one("degrade/worker-modes", "each mode takes the first worker of its row that can be made",
			laws("DATABUS-DEGRADE-004"), needs(Backend), (*busT).picks),
	}
}

// degrades starts a tab that cannot coordinate, because its writes are refused or as the request says.
func (t *busT) degrades(q tabRequest, full bool) {
	const law = "DATABUS-DEGRADE-001"
	o := t.Origin()
	o.Tab("B")
	before := o.Snapshot().Storage
	a := o.TabWith("A", q)
	if full {
		a.FailWrites(-1)
	}
	did := a.Start()
	t.Equal(law, "how the start ends", "ok", settled(did, a.lastCall()))
	did = append(did, a.Subscribe("x")...)
	did = append(did, a.Publish("x", "1")...)
	did = append(did, a.Publish("y", "2")...)
	did = append(did, o.Pass(4*heartbeat)...)
	did = append(did, a.PageHide()...)
	did = did.By(a)
	t.Equal(law, "what it posts", "nothing", did.Of(didPost).String())
	t.Equal(law, "which records it writes or removes", 0, len(did.Of(didWrite, didRemove, didRefused).where(func(d *deed) bool { return ofRecord(d) })))
	a.PageShow()
	t.Equal(law, "whether it knows that it is alone", true, o.Snapshot().Tab(a).Local)
	after := o.Snapshot()
	for key := range after.Storage {
		_, found := before[key]
		t.Check(found, law, "it leaves nothing in the storage", "no new key", key)
	}
	o.served(law, "it serves itself", "x", a)
}

// ofRecord reports whether a deed is about a record of coordination, and not about the probe.
func ofRecord(d *deed) bool { return family(d.Key) != "other" }

func (t *busT) coordinates() {
	const law = "DATABUS-DEGRADE-001"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	s := o.Snapshot()
	t.Equal(law, "whether it is alone", false, s.Tab(a).Local)
	t.Equal(law, "what is in the storage beside records", "[]", fmt.Sprint(s.other))
	t.Check(s.Tab(a).Channel != "", law, "its channel is open", "a name", "none")
	for _, d := range o.all.Of(didOpen) {
		t.Equal(law, "the name of a channel that it opened", s.Tab(a).Channel, d.Name)
	}
}

func (t *busT) degradesBeside() {
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	b.Subscribe("x")
	o.Drain()
	o.served("", "of equal workers the first is chosen", "x", a)
	c := o.TabWith("C", tabRequest{NoStorage: true})
	c.Start()
	o.Drain()
	did := append(c.Subscribe("x"), o.Drain()...)
	t.Equal("DATABUS-DEGRADE-002", "how often it subscribes what others serve", 1, countOf(did.By(c), "tsub x"))
	t.Equal("DATABUS-DEGRADE-001", "what others do about it", "nothing", append(did.By(a), did.By(b)...).String())
	did = append(o.Server("x", "1"), o.Drain()...)
	t.Equal("DATABUS-DEGRADE-002", "how often the tab on its own is called", 1, countOf(did.By(c), "dispatch x"))
	t.Equal("DATABUS-DEGRADE-002", "how often the subscriber among others is", 1, countOf(did.By(b), "dispatch x"))
	did = append(a.Emit("x", "2"), o.Drain()...)
	t.Equal("DATABUS-DEGRADE-002", "what it hears of others", 0, len(did.By(c)))
	c.Stop()
	o.Settle()
	o.served("DATABUS-DEGRADE-001", "when it is gone", "x", a)
}

func (t *busT) degradesTwice() {
	const law = "DATABUS-DEGRADE-002"
	o := t.Origin()
	a, b := o.TabWith("A", tabRequest{NoStorage: true}), o.TabWith("B", tabRequest{NoChannel: true})
	for _, one := range []*tab{a, b} {
		one.Start()
		did := one.Subscribe("x")
		t.Equal(law, "how often tab "+one.name+" subscribes", 1, countOf(did, "tsub x"))
	}
	o.served(law, "each serves itself", "x", a, b)
	did := append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often the handlers are called", []string{"dispatch x", "dispatch x"}, stepsOf(did.Of(didDispatch)))
	t.Equal(law, "how often that of A is", 1, countOf(did.By(a), "dispatch x"))
	did = a.Emit("x", "2")
	t.Equal(law, "what one hands on to the other", 0, len(append(did, o.Drain()...).By(b)))
	did = a.Unsubscribe("x")
	t.Equal(law, "how often the transport of A is told to leave", 1, countOf(did, "tunsub x"))
	o.served(law, "who is left", "x", b)
}

func (t *busT) degradedPublish() {
	const law = "DATABUS-DEGRADE-002"
	o := t.Origin()
	a := o.TabWith("A", tabRequest{NoChannel: true})
	b := o.Tab("B")
	b.Subscribe("x")
	o.Drain()
	a.Start()
	did := append(a.Publish("x", "1"), a.Publish("y", "2")...)
	t.Equal(law, "what it publishes itself", []string{"1", "2"}, published(did.By(a)))
	t.Equal(law, "what others do for it", 0, len(append(did, o.Drain()...).By(b).Of(didTPub)))
}

func (t *busT) degradedPage() {
	const law = "DATABUS-DEGRADE-002"
	o := t.Origin()
	a := o.TabWith("A", tabRequest{NoStorage: true})
	a.Start()
	a.Subscribe("x")
	a.PageHide()
	o.served(law, "while it is away", "x")
	did := a.PageShow()
	t.Equal(law, "what it subscribes when it returns", 1, countOf(did, "tsub x"))
	o.Advance(4 * heartbeat)
	o.served(law, "when it has returned", "x", a)
	did = append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often the handler is called", 1, countOf(did, "dispatch x"))
	a.Stop()
	o.served(law, "when it has stopped", "x")
}

func (t *busT) degradedGates() {
	const law = "DATABUS-DEGRADE-003"
	o := t.Origin()
	a := o.TabWith("A", tabRequest{NoStorage: true})
	a.Start()
	a.Publish("published", "1")
	a.Subscribe("wanted")
	a.Subscribe("left")
	a.Unsubscribe("left")
	for _, topic := range []string{"unknown", "published", "left"} {
		t.Equal(law, "how often a publication of what is "+topic+" is handed on", 0, len(a.Emit(topic, "7").Of(didDispatch)))
	}
	t.Equal(law, "how often one of what is wanted is", 1, len(a.Emit("wanted", "7").Of(didDispatch)))
	s := o.Snapshot()
	t.Equal(law, "what it owns", []string{"wanted"}, s.Tab(a).Assigned)
	t.Equal(law, "what the server sends it", []string{"wanted"}, s.Tab(a).Server)
}

func (t *busT) degradedLast() {
	const law = "DATABUS-DEGRADE-003"
	o := t.Origin()
	a, b := o.TabWith("A", tabRequest{NoStorage: true}), o.TabWith("B", tabRequest{NoStorage: true})
	for _, one := range []*tab{a, b} {
		one.Start()
		one.Subscribe("x")
		one.Handle("x", "second")
	}
	t.Equal(law, "how often it leaves with a handler left", 0, countOf(a.Unsubscribe("x"), "tunsub x"))
	t.Equal(law, "how often it leaves without one, another tab or not", 1, countOf(a.Unhandle("x", "second"), "tunsub x"))
	t.Equal(law, "what it owns then", 0, len(o.Snapshot().Tab(a).Assigned))
	o.served(law, "the other tab", "x", b)
}

func (t *busT) degradedMany() {
	const law = "DATABUS-DEGRADE-003"
	o := t.Origin()
	a := o.TabWith("A", tabRequest{NoStorage: true})
	a.Start()
	a.Subscribe("x")
	for n := range 600 {
		a.Publish(fmt.Sprintf("other%d", n), "1")
	}
	o.served(law, "what it wanted first", "x", a)
	t.Equal(law, "what it publishes for x", []string{"2"}, published(a.Publish("x", "2")))
	t.Equal(law, "how often its handler is called", 1, countOf(a.Emit("x", "3"), "dispatch x"))
	o.Advance(heartbeat)
	t.Equal(law, "what it owns one heartbeat later", []string{"x"}, o.Snapshot().Tab(a).Assigned)
	t.Equal(law, "how often it leaves", 1, countOf(a.Unsubscribe("x"), "tunsub x"))
}

// pickedFor asks for the worker of a mode.
func (t *busT) pickedFor(mode string, shared, dedicated bool) backendPickReply {
	var r backendPickReply
	t.MustAsk("backend-pick", backendPickRequest{mode, shared, dedicated}, &r)
	return r
}

func (t *busT) picks() {
	const law = "DATABUS-DEGRADE-004"
	for _, mode := range []string{"auto", "shared", "dedicated", ""} {
		row := []string{backendShared, backendDedicated}
		if mode == "dedicated" || mode == "" {
			slices.Reverse(row)
		}
		for _, works := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
			can := map[string]bool{backendShared: works[0], backendDedicated: works[1]}
			want, tried := backendMain, row
			if n := slices.IndexFunc(row, func(kind string) bool { return can[kind] }); n >= 0 {
				want, tried = row[n], row[:n+1]
			}
			got := t.pickedFor(mode, works[0], works[1])
			name := fmt.Sprintf("mode %q, shared %t, dedicated %t", mode, works[0], works[1])
			t.Equal(law, name, want, got.Backend)
			t.Equal(law, name+": what is tried", tried, append([]string{}, got.Tried...))
		}
	}
}
