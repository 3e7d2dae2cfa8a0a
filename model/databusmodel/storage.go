package databusmodel

// A task is one turn of one tab: it reads the storage through what the tab has pending, and writes only there. DATABUS-BATCH-002
type task struct {
	m   *Cluster
	s   *State
	o   *Outcome
	own uint8
	tab *tab
	// full says that a frame found no room: the task waits until its receiver has taken some, as a bound on how far one tab runs ahead of
	// another.
	full bool
	// hiding says that the page hides: its load is told nobody any more.
	hiding bool
}

func (k *task) tabID(w uint8) uint8 { return k.m.cfg.TabIDs[w] }

// worker returns the record of w in the view of the tab. DATABUS-OWNER-006: the own one is that in memory.
func (k *task) worker(w uint8) record {
	switch {
	case w == k.own && k.tab.phase == running:
		return k.tab.record()
	case k.tab.pend.worker[w] == remove:
		return record{}
	}
	return k.sees().workers[w]
}

// live returns the workers that the tab takes for alive, and removes the records of those that it takes for dead. DATABUS-TTL-001,
// DATABUS-TTL-004
func (k *task) live() (mask uint8) {
	for w := range k.m.cfg.Tabs {
		r := k.worker(w)
		switch {
		case !r.there:
		case w != k.own && k.m.dead(r.age):
			k.tab.pend.worker[w] = remove
		default:
			mask |= bit(w)
		}
	}
	return mask
}

func (m *Cluster) dead(age uint8) bool {
	if m.bug == bugEarlyDeath {
		return age >= heartbeat
	}
	return age > ttl && m.bug != bugNoDeath
}

// route returns the route of x in the view of the tab.
func (k *task) route(x uint8) route {
	if k.tab.pend.route[x] != keep {
		return k.tab.pend.routes[x]
	}
	return k.sees().routes[x]
}

// write puts a route into what is pending; one that is not there is a deletion. The value is fixed now, whatever the store holds by the
// time of the flush. DATABUS-ROUTE-001
func (k *task) write(x uint8, r route, confirm bool) {
	p := &k.tab.pend
	if k.m.cfg.Rules.DropStaleRetries && p.route[x] == keep {
		p.base[x] = k.sees().routes[x]
	}
	p.confirm &^= bit(x)
	if !r.there {
		p.route[x], p.routes[x] = remove, route{}
		return
	}
	p.route[x], p.routes[x] = set, r
	if confirm {
		p.confirm |= bit(x)
	}
}

// subscribers returns the tabs that have a record for x in the view of the tab.
func (k *task) subscribers(x uint8) uint8 {
	return k.sees().subs[x]&^k.tab.pend.delSub[x] | k.tab.pend.setSub[x]
}

// DATABUS-KEY-005: one key a tab.
func (k *task) setSubscriber(x, id uint8) {
	k.tab.pend.setSub[x] |= bit(id)
	k.tab.pend.delSub[x] &^= bit(id)
}

func (k *task) deleteSubscriber(x, id uint8) {
	k.tab.pend.delSub[x] |= bit(id)
	k.tab.pend.setSub[x] &^= bit(id)
}

// prune removes the subscriber records of x whose tab has no worker among live, and returns the tabs that are left.
// DATABUS-UNSUBSCRIBE-004, DATABUS-GC-001
func (k *task) prune(x, live uint8) uint8 {
	there := k.subscribers(x)
	var tabs uint8
	for w := range k.m.cfg.Tabs {
		if live&bit(w) != 0 {
			tabs |= bit(k.tabID(w))
		}
	}
	for id := range uint8(maxTabs) {
		if there&^tabs&bit(id) != 0 && k.m.bug != bugOrphansStay {
			k.deleteSubscriber(x, id)
		}
	}
	return there & tabs
}

// putRecord writes the own record.
func (k *task) putRecord() {
	k.tab.pend.worker[k.own], k.tab.pend.rec = set, k.tab.record()
	if k.m.bug == bugLoadWrong {
		k.tab.pend.rec.load ^= 1
	}
}

// flush stores all that is pending, unless storage refuses it. DATABUS-BATCH-001, DATABUS-BATCH-004
func (k *task) flush() {
	t, p := k.tab, &k.tab.pend
	if p.empty() {
		return
	}
	if t.refusing {
		t.retrying = true
		return
	}
	before := k.s.store
	for w := range k.m.cfg.Tabs {
		switch p.worker[w] {
		case set:
			k.s.store.workers[w] = p.rec
		case remove:
			k.s.store.workers[w] = record{}
		}
	}
	for x := range k.m.cfg.Topics {
		k.s.store.subs[x] = k.s.store.subs[x]&^p.delSub[x] | p.setSub[x]
	}
	for x := range k.m.cfg.Topics {
		if p.route[x] != keep {
			k.store(x, p.routes[x], p.confirm&bit(x) != 0)
		}
	}
	k.showFlush(&before, p)
	*p = pending{}
	t.retrying = false
}

// store applies a pending change of a route. DATABUS-ROUTE-001: the last write wins.
func (k *task) store(x uint8, r route, confirm bool) {
	old := k.s.store.routes[x]
	if k.m.cfg.Rules.DropStaleRetries && k.tab.retrying && !old.same(k.tab.pend.base[x]) {
		return
	}
	k.s.store.routes[x] = r
	switch {
	case r.there:
		k.o.add(Effect{Kind: EffectStore, Tab: k.own, Topic: x, To: r.owner, Gen: r.gen, Odd: old.there && r.gen < old.gen})
		if confirm && !old.there {
			k.s.revived |= bit(x)
		}
	case old.there:
		k.o.add(Effect{Kind: EffectErase, Tab: k.own, Topic: x, Odd: k.wanted(x)})
	}
}

// wanted says that a record of a running tab that wants x is in storage.
func (k *task) wanted(x uint8) bool {
	for w := range k.m.cfg.Tabs {
		if t := &k.s.tabs[w]; t.phase == running && t.sub&bit(x) != 0 && k.s.store.subs[x]&bit(k.tabID(w)) != 0 {
			return true
		}
	}
	return false
}
