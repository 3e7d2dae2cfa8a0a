package databustest

func (t *busT) beatsNoMore(leave func(*tab) deeds) {
	const law = "DATABUS-HEARTBEAT-003"
	o, a, _, _ := t.ownedByA(originRequest{}, "x")
	o.Pass(1000)
	leave(a)
	o.Drain()
	did := o.Advance(60_000).By(a)
	t.Equal(law, "what it does in a minute", "nothing", did.Of(didWrite, didRemove, didPost).String())
	_, found := o.Snapshot().Worker(a)
	t.Equal(law, "whether it is recorded", false, found)
}

// ticks are the moments of the heartbeats among deeds, in ms from the start of the case.
func ticks(ds deeds) []int64 {
	var at []int64
	for _, d := range ds.Family("worker") {
		if d.Kind == didWrite && (len(at) == 0 || at[len(at)-1] != d.At-start) {
			at = append(at, d.At-start)
		}
	}
	return at
}

func (t *busT) beatsAnew() {
	o := t.Origin()
	a := o.Tab("A")
	o.Pass(1000)
	a.PageHide()
	t.Equal("DATABUS-HEARTBEAT-003", "when it writes while it is away", 0, len(ticks(o.Pass(4700))))
	a.PageShow()
	o.Drain()
	t.Equal("DATABUS-HEARTBEAT-001", "when it writes afterwards", []int64{8700, 11_700}, ticks(o.Pass(8999)))
	r, _ := o.Snapshot().Worker(a)
	t.Equal("DATABUS-RECORD-004", "when it says that it began", start+5700, r.RegisteredAt)
}

func (t *busT) beatsOnce() {
	const law = "DATABUS-HEARTBEAT-003"
	o := t.Origin()
	a := o.Tab("A")
	o.Pass(2000)
	a.PageHide()
	o.Pass(500)
	a.PageShow()
	o.Drain()
	t.Equal(law, "when it writes", []int64{5500, 8500}, ticks(o.Pass(8000)))
}

// pinged asks when a tab pings.
func (t *busT) pinged(interval string, until int64) backendPingReply {
	var r backendPingReply
	t.MustAsk("backend-ping", backendPingRequest{interval, until}, &r)
	return r
}

func (t *busT) pings() {
	const law = "DATABUS-HEARTBEAT-004"
	t.Equal(law, "the PINGs of 9999 ms", []int64{}, append([]int64{}, t.pinged("", 9999).Pings...))
	t.Equal(law, "the PINGs of 30000 ms", []int64{10_000, 20_000, 30_000}, t.pinged("", 30_000).Pings)
	t.Equal(law, "the PINGs of an interval of 250 ms", []int64{250, 500, 750}, t.pinged("250", 999).Pings)
}

func (t *busT) pingIntervals() {
	const law = "DATABUS-HEARTBEAT-004"
	r := t.pinged("Infinity", 1_000_000)
	t.Check(!r.Refused && len(r.Pings) == 0, law, "an infinite interval sends no PING", "none", jsonOf(r))
	for _, interval := range []string{"0", "-1", "-Infinity", "NaN"} {
		r := t.pinged(interval, 100_000)
		t.Check(r.Refused && len(r.Pings) == 0, law, "an interval of "+interval+" is refused", "refused", jsonOf(r))
	}
}

// ports asks what becomes of ports.
func (t *busT) ports(until int64, messages ...portMessage) []portEnded {
	var r backendPortsReply
	t.MustAsk("backend-ports", backendPortsRequest{Until: until, Messages: messages}, &r)
	t.Check(!r.Refused, "", "the default interval is taken", "taken", "refused")
	return append([]portEnded{}, r.Ended...)
}

func (t *busT) reaps() {
	const law = "DATABUS-HEARTBEAT-004"
	silent := portMessage{100, "silent"}
	talks := []portMessage{silent, {200, "talks"}, {10_200, "talks"}, {20_200, "talks"}, {30_200, "talks"}}
	t.Equal(law, "what ends within 30100 ms", []portEnded{}, t.ports(30_100, talks...))
	got := t.ports(40_100, talks...)
	if !t.Check(len(got) == 2, law, "a silent port and its session end, and no other", "two ends of silent", jsonOf(got)) {
		return
	}
	for n, what := range []string{"port", "session"} {
		t.Equal(law, "whose port or session ends", "silent", got[n].Port)
		t.Equal(law, "the port goes before the session", what, got[n].What)
		t.Check(got[n].At > 30_100 && got[n].At <= 40_100, law, "it goes at the first look behind 30000 ms of silence", "at most one interval later",
			jsonOf(got[n]))
	}
}

func (t *busT) reapsAtTheEdge() {
	const law = "DATABUS-HEARTBEAT-004"
	t.Equal(law, "what ends at exactly 30000 ms of silence", []portEnded{}, t.ports(30_000, portMessage{0, "a"}))
	got := t.ports(40_000, portMessage{0, "a"})
	t.Check(len(got) == 2 && got[0].At > 30_000, law, "it ends at the first look behind 30000 ms", "two ends", jsonOf(got))
	t.Equal(law, "what ends of a port that spoke 1 ms earlier", []portEnded{}, t.ports(59_999, portMessage{0, "a"}, portMessage{29_999, "a"}))
	t.Equal(law, "what ends of one that spoke at that moment", []portEnded{}, t.ports(60_000, portMessage{0, "a"}, portMessage{30_000, "a"}))
	got = t.ports(60_000, portMessage{0, "a"}, portMessage{0, "b"}, portMessage{25_000, "b"})
	t.Check(len(got) == 4 && got[0].Port == "a" && got[2].Port == "b" && got[2].At > 55_000, law, "each port has a silence of its own",
		"a, and b behind 55000 ms", jsonOf(got))
}
