package journal

import (
	"maps"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// Expire implements [store.Store]. A record of an object that it removes does not come back after a restart, unless the process dies before
// the next durable batch; then it expires again.
func (j *Journal) Expire(peer string, before time.Time, limit int) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, err := j.Memory.Expire(peer, before, limit)
	l := j.live[peer]
	if err != nil || l == nil || !l.hasEnded(before) {
		return n, err
	}
	state, err := j.Memory.Load(peer)
	if err != nil {
		return n, err
	}
	left := map[string]bool{}
	for _, o := range state.Objects {
		left[o.Obj] = true
	}
	r := &record{Peer: peer, Gone: slices.DeleteFunc(slices.Sorted(maps.Keys(l.objects)), func(obj string) bool { return left[obj] })}
	if r.empty() {
		return n, nil
	}
	if err := j.append(r, false); err != nil {
		return n, err
	}
	l.apply(r)
	return n, nil
}

// hasEnded says whether an object came to its end before a time.
func (l *live) hasEnded(before time.Time) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(l.objects)), func(o store.Object) bool { return !o.Ended.IsZero() && o.Ended.Before(before) })
}
