package cluster

// ordered is a map from text to text that remembers in which order its keys came. A key that comes again keeps its place. Each of its
// operations takes the same time however much it holds, but for those that return all.
type ordered struct {
	order []place // also of keys that have gone since
	held  map[string]item
	next  int
}

// A place is one coming of a key.
type place struct {
	key string
	seq int
}

type item struct {
	value string
	seq   int
}

func newOrdered() ordered { return ordered{held: map[string]item{}} }

func (o *ordered) has(key string) bool {
	_, ok := o.held[key]
	return ok
}

func (o *ordered) get(key string) (string, bool) {
	i, ok := o.held[key]
	return i.value, ok
}

func (o *ordered) set(key, value string) {
	i, ok := o.held[key]
	if !ok {
		i.seq = o.next
		o.next++
		o.order = append(o.order, place{key, i.seq})
	}
	i.value = value
	o.held[key] = i
}

func (o *ordered) remove(key string) {
	delete(o.held, key)
	if len(o.order) <= 2*len(o.held)+8 {
		return
	}
	kept := o.order[:0]
	for _, p := range o.order {
		if o.there(p) {
			kept = append(kept, p)
		}
	}
	o.order = kept
}

// there reports whether the key of a place has not gone since.
func (o *ordered) there(p place) bool {
	i, ok := o.held[p.key]
	return ok && i.seq == p.seq
}

func (o *ordered) len() int { return len(o.held) }

// first returns the key that came first, empty if there is none.
func (o *ordered) first() string {
	for len(o.order) > 0 && !o.there(o.order[0]) {
		o.order = o.order[1:]
	}
	if len(o.order) == 0 {
		return ""
	}
	return o.order[0].key
}

// all returns the keys as they are now: what is called for one of them may change the map.
func (o *ordered) all() []string {
	keys := make([]string, 0, len(o.held))
	for _, p := range o.order {
		if o.there(p) {
			keys = append(keys, p.key)
		}
	}
	return keys
}

// values returns the values in the order of their keys.
func (o *ordered) values() []string {
	values := o.all()
	for i, key := range values {
		values[i] = o.held[key].value
	}
	return values
}

// copied returns a map of all.
func (o *ordered) copied() map[string]string {
	out := make(map[string]string, len(o.held))
	for key, i := range o.held {
		out[key] = i.value
	}
	return out
}

func (o *ordered) clear() {
	o.order = nil
	clear(o.held)
}
