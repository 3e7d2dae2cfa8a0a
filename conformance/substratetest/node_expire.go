package substratetest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeExpireCases are about the week after which an op may be forgotten by who took it, and so is not sent again.
func nodeExpireCases() []conformance.Case {
	law := laws("SUBSTRATE-OUTBOX-008")
	var out []conformance.Case
	for _, at := range []int64{sendHorizon - 1, sendHorizon, sendHorizon + 1, 8 * day} {
		title := fmt.Sprintf("a reconnect %d ms after the first transmission", at)
		out = append(out, nodeCase(fmt.Sprintf("expire/reconnect-at-%d", at), title, law, nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			t.expires(n, at, func() deeds { n.Disconnect(); return append(n.Advance(at), n.Connect()...) })
		}))
	}
	for _, store := range []string{storeFile, storeHost} {
		for _, at := range []int64{sendHorizon - 1, sendHorizon} {
			title := fmt.Sprintf("a restart over store %s %d ms after the first transmission, and a connection at once", store, at)
			out = append(out, nodeCase(fmt.Sprintf("expire/restart-into-%s-at-%d", store, at), title,
				laws("SUBSTRATE-OUTBOX-008"), storeNeeds(store), func(t *nodeT) {
					n := t.Connected(nodeSetup{Store: store})
					t.expires(n, at, func() deeds { return append(n.RestartAfter(at), n.Connect()...) })
				}))
			title = fmt.Sprintf("a restart over store %s, and a connection %d ms after the first transmission", store, at)
			out = append(out, nodeCase(fmt.Sprintf("expire/restart-%s-at-%d", store, at), title,
				laws("SUBSTRATE-OUTBOX-008"), storeNeeds(store), func(t *nodeT) {
					n := t.Connected(nodeSetup{Store: store})
					t.expires(n, at, func() deeds { return append(append(n.RestartAfter(at-1), n.Advance(1)...), n.Connect()...) })
				}))
		}
	}
	return append(out,
		nodeCase("expire/bottom-of-the-week", "an op that nobody acks on any connection is sent until the horizon, and not once more",
			law, nil, (*nodeT).keepsOn),
		nodeCase("expire/never-sent-never-expires", "what was never sent is sent after 8 days", law, nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			n.Disconnect()
			n.Send(o.addr, "a")
			n.Send(o.addr, "b")
			n.Silent("SUBSTRATE-OUTBOX-008", "a row that was never transmitted does not expire", n.Advance(8*day))
			f := n.sent("SUBSTRATE-OUTBOX-008", "it is sent", n.Connect(), "send")
			n.Advance(5_000)
			n.sent("SUBSTRATE-OUTBOX-008", "and so is the next", n.Ack(f), "send")
		}),
		nodeCase("expire/the-next-one-goes-on", "what was queued behind an op that expires is sent, and says that it follows another",
			laws("SUBSTRATE-OUTBOX-008", "SUBSTRATE-SEQ-009"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				taken := n.sent("", "a send is sent", n.Send(o.addr, "taken").Did, "send")
				n.Ack(taken)
				old := n.sent("", "a send is sent", n.Send(o.addr, "old").Did, "send")
				n.Send(o.addr, "new")
				n.Disconnect()
				n.Advance(8 * day)
				f := n.sent("SUBSTRATE-OUTBOX-008", "the next one is sent", n.Connect(), "send")
				t.Equal("SUBSTRATE-OUTBOX-008", "its body", "new", string(f.body))
				t.Equal("SUBSTRATE-SEQ-009", "its seq", old.seq()+1, f.seq())
				t.Equal("SUBSTRATE-SEQ-009", "what expired is no predecessor", taken.seq(), f.number("prev"))
			}),
		nodeCase("expire/late-ack", "an ack that comes when the op has expired is stale", law, nil, func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			c := n.Send(o.addr, "old")
			f := n.sent("", "a send is sent", c.Did, "send")
			n.Disconnect()
			did := n.Advance(8 * day)
			t.Check(c.Settled(did) != nil, "SUBSTRATE-OUTBOX-008", "the op has expired", "it is settled", did.String())
			n.Connect()
			got := n.Ack(f)
			t.Check(c.Settled(got) == nil && len(got.Of(didTransmit)) == 0, "SUBSTRATE-OUTBOX-008", "nothing comes of the ack",
				"nothing", got.String())
		}),
		nodeCase("expire/an-open", "an open that expires leaves the name free",
			laws("SUBSTRATE-OUTBOX-008", "SUBSTRATE-OBJ-001"), nil, func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Object("session")
				c := n.Open(o.addr, "session")
				n.Disconnect()
				s := c.Settled(n.Advance(8 * day))
				t.Check(s != nil && s.Code == "expired", "SUBSTRATE-OUTBOX-008", "the open is settled with expired", "expired", deeds{s}.first())
				_, refused := n.TryCall("open", o.addr, callRequest{ObjKind: "session"})
				t.Check(refused == nil, "SUBSTRATE-OBJ-001", "the name can be opened again", "a call", "refused")
			}),
	)
}

// first shows the first of deeds, which may be none.
func (ds deeds) first() string {
	if len(ds) == 0 || ds[0] == nil {
		return "nothing"
	}
	return ds[0].String()
}

// storeNeeds are the options for a kind of store.
func storeNeeds(store string) []string {
	switch store {
	case storeFile:
		return needs(FileStore)
	case storeHost:
		return needs(HostStore)
	}
	return nil
}

// expires sends an op, has time pass with its ack lost, and wants it sent again or purged, by how much time passed.
func (t *nodeT) expires(n *node, after int64, pass func() deeds) {
	o := n.Theirs("session")
	c := n.Send(o.addr, "old")
	f := n.sent("", "a send is sent", c.Did, "send")
	before := len(n.all)
	pass()
	got := n.all[before:]
	sent, futile := got.Frames("send"), got.Events("bridge/futile")
	if after < sendHorizon {
		ok := t.Check(len(sent) == 1 && sent[0].id() == f.id(), "SUBSTRATE-OUTBOX-008", "before the horizon it is sent again",
			f.String(), got.String())
		if ok && !t.lacks(Happenings) {
			t.Equal("SUBSTRATE-OUTBOX-008", "nothing is futile yet", 0, len(futile))
		}
		return
	}
	t.Check(len(sent) == 0, "SUBSTRATE-OUTBOX-008", "at the horizon and after it nothing is sent again", "nothing", got.String())
	if !t.lacks(Happenings) {
		ok := len(futile) == 1 && futile[0].Code == "expired" && futile[0].ID == f.id() && futile[0].Unknown
		t.Check(ok, "SUBSTRATE-OUTBOX-008", "one futile event says expired, outcome unknown",
			"event bridge/futile expired id="+f.id(), got.String())
	}
	if n.lives > 0 {
		return // who waited went with the process
	}
	s := c.Settled(got)
	t.Check(s != nil && s.Code == "expired" && s.Unknown, "SUBSTRATE-OUTBOX-008", "the call is settled with expired, outcome unknown",
		"settle expired", deeds{s}.first())
}

// lacks reports whether the adapter does without an option.
func (t *nodeT) lacks(option string) bool {
	_, none := t.hello.Options[option]
	return none
}

// keepsOn reconnects every hour for more than a week.
func (t *nodeT) keepsOn() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	n.Send(o.addr, "a")
	const hour = 60 * 60 * 1000
	last := int64(0)
	for age := int64(hour); age <= 8*day; age += hour {
		n.Disconnect()
		n.Advance(hour)
		if sent := n.Connect().Frames("send"); len(sent) > 0 {
			last = age
		}
	}
	t.Equal("SUBSTRATE-OUTBOX-008", "the last time it is sent, in hours: an hour before the horizon it is not",
		int64(sendHorizon-hour)/hour, last/hour)
}
