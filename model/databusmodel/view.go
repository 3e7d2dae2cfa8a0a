package databusmodel

// maxLag is the most writes of others that a tab may not have seen yet.
const maxLag = 4

// A keyKind is a family of keys. DATABUS-KEY-001
type keyKind uint8

const (
	workerKey keyKind = iota + 1
	routeKey
	subscriberKey
)

// A seenWrite is one write to the storage, as other tabs come to see it.
type seenWrite struct {
	kind      keyKind
	at, topic uint8 // at: a worker, or the tab of a subscriber
	there     bool  // of a subscriber
	rec       record
	route     route
}

func (w *seenWrite) sameKey(o *seenWrite) bool {
	return w.kind == o.kind && w.at == o.at && w.topic == o.topic
}

// apply makes the write in a storage.
func (w *seenWrite) apply(s *storage) {
	switch w.kind {
	case workerKey:
		s.workers[w.at] = w.rec
	case routeKey:
		s.routes[w.topic] = w.route
	case subscriberKey:
		s.subs[w.topic] &^= bit(w.at)
		if w.there {
			s.subs[w.topic] |= bit(w.at)
		}
	}
}

// A view is the storage as one tab sees it, and what it has not seen yet, oldest first.
type view struct {
	storage
	n      uint8
	behind [maxLag]seenWrite
}

// sees returns the storage as the tab of the task sees it.
func (k *task) sees() *storage {
	if k.m.cfg.Lag == 0 {
		return &k.s.store
	}
	return &k.s.views[k.own].storage
}

// catchUp shows a tab everything.
func (m *Cluster) catchUp(s *State, t uint8) {
	if m.cfg.Lag > 0 {
		s.views[t] = view{storage: s.store}
	}
}

// sync shows the tab the oldest write that it has not seen.
func (k *task) sync() {
	v := &k.s.views[k.own]
	v.behind[0].apply(&v.storage)
	v.drop(0)
}

func (v *view) drop(i uint8) {
	copy(v.behind[i:], v.behind[i+1:v.n])
	v.n--
	v.behind[v.n] = seenWrite{}
}

// show lets a write of the tab, which has reached the storage, come to be seen: by itself at once, by tabs that do not run when they do
// again, and by others, if it has changed anything, as far behind as the bound lets them be; beyond that the tab waits. What a tab has
// overwritten it does not see any more.
func (k *task) show(w seenWrite, changed bool) {
	for t := range k.m.cfg.Tabs {
		v := &k.s.views[t]
		switch {
		case t == k.own:
			for i := v.n; i > 0; i-- {
				if v.behind[i-1].sameKey(&w) {
					v.drop(i - 1)
				}
			}
			w.apply(&v.storage)
		case !changed:
		case k.s.tabs[t].phase != running || k.s.tabs[t].frozen:
			w.apply(&v.storage)
		case v.n == k.m.cfg.Lag:
			k.full = true
		default:
			v.behind[v.n] = w
			v.n++
		}
	}
}

// showFlush shows what a flush has written: a record of a worker that was not there before comes first, and that of one that was last.
func (k *task) showFlush(before *storage, p *pending) {
	if k.m.cfg.Lag == 0 {
		return
	}
	now := &k.s.store
	workers := func(first bool) {
		for t := range k.m.cfg.Tabs {
			if b, n := before.workers[t], now.workers[t]; p.worker[t] != keep && (n.there && !b.there) == first {
				k.show(seenWrite{kind: workerKey, at: t, rec: n}, b != n)
			}
		}
	}
	workers(true)
	for x := range k.m.cfg.Topics {
		for t := range k.m.cfg.Tabs {
			if (p.setSub[x]|p.delSub[x])&bit(t) != 0 {
				k.show(seenWrite{kind: subscriberKey, at: t, topic: x, there: now.subs[x]&bit(t) != 0}, (now.subs[x]^before.subs[x])&bit(t) != 0)
			}
		}
		if p.route[x] != keep {
			k.show(seenWrite{kind: routeKey, topic: x, route: now.routes[x]}, now.routes[x] != before.routes[x])
		}
	}
	workers(false)
}

// appendView appends the key of a view; one that is not behind is the storage.
func (m *Cluster) appendView(dst []byte, v *view) []byte {
	for _, w := range v.workers[:m.cfg.Tabs] {
		dst = appendRecord(dst, w)
	}
	for x, r := range v.routes[:m.cfg.Topics] {
		dst = append(appendRoute(dst, r), v.subs[x])
	}
	dst = append(dst, v.n)
	for _, w := range v.behind[:v.n] {
		dst = appendRoute(appendRecord(append(dst, byte(w.kind)|flags(w.there)<<4, w.at|w.topic<<4), w.rec), w.route)
	}
	return dst
}
