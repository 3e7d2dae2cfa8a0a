package databustest

import "slices"

func (t *busT) comesBack() {
	const law = "DATABUS-LIFECYCLE-004"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	o.Drain()
	o.Advance(700)
	did := a.PageShow()
	t.Equal(law, "how often the transport opens", 1, len(did.By(a).Of(didTStart)))
	o.Drain()
	s := o.Snapshot()
	w, found := s.Worker(a)
	t.Check(found, law, "its worker registers again", "a record", "none")
	t.Equal("DATABUS-RECORD-004", "when its worker says that it began", start+700, w.RegisteredAt)
	t.Check(slices.Contains(s.Subscribers("x"), a.id), law, "what it wants is recorded again", a.id, jsonOf(s.Subscribers("x")))
	o.served(law, "who took over keeps the topic", "x", b)
	did = append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often its handler is called", 1, countOf(did.By(a), "dispatch x"))
	t.Equal(law, "the status of the page that returned", "connected", s.Tab(a).Status)
}

func (t *busT) showsOnly() {
	const law = "DATABUS-LIFECYCLE-004"
	o, a, _, _ := t.ownedByA(originRequest{}, "x")
	before := o.Snapshot()
	did := a.PageShow()
	t.Equal(law, "what a show alone does", "nothing", did.String())
	o.Drain()
	t.Equal(law, "the storage", jsonOf(before.Storage), jsonOf(o.Snapshot().Storage))
	u := o.TabWith("U", tabRequest{})
	t.Equal(law, "what it does to a bus that never started", "nothing", u.PageShow().String())
}

func (t *busT) hidesTwice() {
	const law = "DATABUS-LIFECYCLE-005"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	o.Drain()
	did := a.PageHide()
	t.Equal(law, "what a second hide does", "nothing", did.String())
	o.served(law, "afterwards", "x", b)
}

func (t *busT) hiddenState() {
	const law = "DATABUS-LIFECYCLE-005"
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	did := a.PageHide()
	t.Equal(law, "how often its transport stops", 1, len(did.Of(didTStop)))
	s := o.Snapshot()
	v := s.Tab(a)
	t.Equal(law, "what it wants", []string{"x"}, v.Subscribed)
	t.Equal(law, "what it owns", 0, len(v.Assigned))
	t.Equal(law, "what its transport was told to subscribe", 0, len(v.Transport))
	t.Equal(law, "what the server sends it", 0, len(v.Server))
	t.Equal(law, "the channel of the page that is away", "", v.Channel)
	t.Equal(law, "whether it is active", false, v.Active)
	_, found := s.Worker(a)
	t.Equal(law, "whether its worker is recorded", false, found)
	t.Equal(law, "who is recorded as a subscriber", []string{c.id}, s.Subscribers("x"))
}

func (t *busT) hiddenDeaf() {
	const law = "DATABUS-LIFECYCLE-005"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	b.Publish("x", "1")
	on := o.OnWire(a)
	t.Check(len(on) == 1, "", "a publication is under way to the owner", "one frame", jsonOf(on))
	did := a.PageHide()
	t.Equal(law, "how many frames to it are lost", 1, len(did.Of(didLost).where(func(d *deed) bool {
		return slices.ContainsFunc(d.Frames, func(f flying) bool { return f.Frame == on[0].Frame })
	})))
	did = append(o.Drain(), a.Publish("x", "2")...)
	did = append(did, c.Publish("x", "3")...)
	did = append(did, o.Drain()...)
	t.Equal(law, "what it sends or publishes", 0, len(did.By(a).Of(didPost, didTPub)))
	t.Equal(law, "what its handlers are called for", 0, len(did.By(a).Of(didDispatch)))
	t.Equal(law, "what others publish goes to the next owner", []string{"3"}, published(did.By(b)))
}

// published are the data of what a transport published.
func published(ds deeds) []string {
	out := []string{}
	for _, d := range ds.Of(didTPub) {
		out = append(out, string(d.Data))
	}
	return out
}

func (t *busT) wishesWhileHidden() {
	o, a, _, _ := t.ownedByA(originRequest{}, "x", "y")
	a.PageHide()
	o.Drain()
	a.Subscribe("z")
	a.Unsubscribe("y")
	t.Equal("DATABUS-LIFECYCLE-005", "what it wants", []string{"x", "z"}, sortedOf(o.Snapshot().Tab(a).Subscribed))
	a.PageShow()
	o.Settle()
	s := o.Snapshot()
	t.Check(slices.Contains(s.Subscribers("x"), a.id), "DATABUS-LIFECYCLE-004", "x is wanted again", a.id, jsonOf(s.Subscribers("x")))
	t.Check(!slices.Contains(s.Subscribers("y"), a.id), "DATABUS-LIFECYCLE-004", "y is not", "not "+a.id, jsonOf(s.Subscribers("y")))
	t.Equal("DATABUS-LIFECYCLE-004", "who wants z", []string{a.id}, s.Subscribers("z"))
	o.single("DATABUS-LIFECYCLE-004", "what was asked for meanwhile", "z")
}

func sortedOf(in []string) []string { return slices.Sorted(slices.Values(in)) }
