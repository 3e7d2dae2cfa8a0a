package storetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// subject makes the stores that are examined.
type subject struct {
	open     func() store.Store
	reopen   func(store.Store) store.Store
	crash    func(store.Store)
	sabotage func(store.Store, Part) func()
	tb       rapid.TB // of the property
}

func (s *subject) missing(n needs) string {
	switch {
	case n&needsReopen != 0 && s.reopen == nil:
		return "Reopen"
	case n&needsCrash != 0 && s.crash == nil:
		return "Crash"
	case n&needsSabotage != 0 && s.sabotage == nil:
		return "Sabotage"
	}
	return ""
}

// probe is one check of one store.
type probe struct {
	*subject
	check check
	s     store.Store

	mu       sync.Mutex
	findings []finding
}

type stop struct{}

// examine runs a check and returns what it found.
func examine(s *subject, c check) []finding {
	p := &probe{subject: s, check: c, s: s.open()}
	defer func() { _ = p.s.Close() }()
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(stop{}) {
				panic(r)
			}
		}()
		c.run(p)
	}()
	return p.findings
}

// found notes a finding under the law of the check, or another one.
func (p *probe) found(law, doing, expected, seen string) {
	if law == "" {
		law = p.check.law
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.findings = append(p.findings, finding{p.check.name, law, doing, expected, seen})
}

// must ends the check if err is not nil. It belongs on the goroutine of the check.
func (p *probe) must(doing string, err error) {
	if err != nil {
		p.found("", doing, "no error", err.Error())
		panic(stop{})
	}
}

// same notes a difference.
func (p *probe) same(law, doing string, want, got any) {
	if diff := cmp.Diff(want, got); diff != "" {
		p.found(law, doing, "", "- is expected, + is seen\n"+diff)
	}
}

func (p *probe) apply(peer string, b *store.Batch) {
	b.Durable = true
	p.must(fmt.Sprintf("apply a batch for %q", peer), p.s.Apply(peer, b))
}

func (p *probe) load(peer string) *store.State {
	s, err := p.s.Load(peer)
	p.must(fmt.Sprintf("load %q", peer), err)
	if s == nil {
		p.found("", fmt.Sprintf("load %q", peer), "a state", "nil and no error")
		panic(stop{})
	}
	return tidy(s)
}

func (p *probe) inbox(peer, obj string, limit int) []store.Inbound {
	rows, err := p.s.Inbox(peer, obj, limit)
	p.must(fmt.Sprintf("read the inbox of %q of %q", obj, peer), err)
	if len(rows) == 0 {
		return nil
	}
	return rows
}

func (p *probe) committed(peer string, k store.Key) (store.Entry, bool) {
	e, ok, err := p.s.Committed(peer, k)
	p.must(fmt.Sprintf("look up %v of %q", k, peer), err)
	e.At = tidyTime(e.At)
	return e, ok
}

func (p *probe) expire(peer string, before time.Time, limit int) int {
	n, err := p.s.Expire(peer, before, limit)
	p.must(fmt.Sprintf("expire for %q", peer), err)
	return n
}

// again closes the store and opens it anew.
func (p *probe) again() {
	p.must("close the store", p.s.Close())
	p.s = p.reopen(p.s)
}

// tidyTime drops what a store need not keep: the zone, and what is below a millisecond.
func tidyTime(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// tidy makes two states that say the same equal, and leaves the order of rows as it is. A body or a capability of no octets stays apart
// from none.
func tidy(s *store.State) *store.State {
	c := *s
	c.Objects = slices.Clone(s.Objects)
	slices.SortFunc(c.Objects, func(a, b store.Object) int { return compareText(a.Obj, b.Obj) })
	for i := range c.Objects {
		c.Objects[i].Ended = tidyTime(c.Objects[i].Ended)
		c.Objects[i].Participants = append([]string{}, c.Objects[i].Participants...)
	}
	c.Counters = slices.Clone(s.Counters)
	slices.SortFunc(c.Counters, func(a, b store.Counter) int { return compareText(a.Obj, b.Obj) })
	c.Rows = slices.Clone(s.Rows)
	for i := range c.Rows {
		c.Rows[i].FirstSent = tidyTime(c.Rows[i].FirstSent)
	}
	if len(c.Objects) == 0 {
		c.Objects = nil
	}
	if len(c.Counters) == 0 {
		c.Counters = nil
	}
	if len(c.Rows) == 0 {
		c.Rows = nil
	}
	if len(c.Inbound) == 0 {
		c.Inbound = nil
	}
	return &c
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
