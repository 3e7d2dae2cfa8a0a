package writer

import "slices"

// Delays of the retry of a failed write, in milliseconds (DATABUS-BATCH-003).
const (
	FirstDelay = 50
	LastDelay  = 1600
)

// A Storage is a storage of texts that may fail.
type Storage interface {
	// Get returns the value of a key, and whether there is one.
	Get(key string) (string, bool, error)
	Set(key, value string) error
	Remove(key string) error
	// Keys returns all keys, in an order that only the storage knows. The caller may change what it got.
	Keys() ([]string, error)
}

// A Guard says which writes are dropped, when their turn comes, because another tab has changed their key since they were asked for.
type Guard uint8

// The guards.
const (
	Unguarded Guard = iota // none: what was asked for lands, however late (DATABUS-RACE-015)
	Retries                // those that have failed before, or waited behind one that did
	Every                  // all
)

// A Config says what a writer works with.
type Config struct {
	// Storage is written to. It is required.
	Storage Storage
	// Defer runs a function once, after the task that is going on. It is required.
	Defer func(func())
	// After runs a function once after some milliseconds, unless stopped before. It is required.
	After func(ms int64, f func()) (stop func())
	// DropAfter is how often a write is tried before it is dropped. 0: as long as it fails (DATABUS-BATCH-004).
	DropAfter int
	// Guard drops writes that have been overtaken.
	Guard Guard
}

// Validate returns a [*ConfigError] that names the field of c that is out of range, or nil.
func (c *Config) Validate() error {
	switch {
	case c.Storage == nil:
		return &ConfigError{"Storage", "is missing"}
	case c.Defer == nil:
		return &ConfigError{"Defer", "is missing"}
	case c.After == nil:
		return &ConfigError{"After", "is missing"}
	case c.DropAfter < 0:
		return &ConfigError{"DropAfter", "is negative"}
	case c.Guard > Every:
		return &ConfigError{"Guard", "is unknown"}
	}
	return nil
}

// A ConfigError is a field of [Config] that is out of range.
type ConfigError struct {
	Field, Problem string
}

// Error returns a one line description.
func (e *ConfigError) Error() string { return "databus writer: " + e.Field + " " + e.Problem }

// An entry is one write that waits. A removal has no value.
type entry struct {
	key   string
	value state
	base  state // what the storage held when this was asked for; only under a guard
	tries int
	late  bool // it has been in a pass that failed
	// stored is the last look at all keys that found this one in the storage.
	stored int
}

// A state is the value of a key, or none.
type state struct {
	text string
	set  bool
}

// A Writer is the storage of one tab. Use [New] to make one.
type Writer struct {
	cfg      Config
	queue    []*entry // by first insertion
	room     []*entry // of the queue, with what has left its front
	free     []*entry // to serve again
	pending  map[string]*entry
	deferred bool
	flushNow func() // what is deferred
	looks    int    // at all keys
	delay    int64
	stop     func() // of the retry timer; nil: none
}

// New returns a writer with nothing pending, or a [*ConfigError].
func New(cfg Config) (*Writer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	w := &Writer{cfg: cfg, pending: map[string]*entry{}, delay: FirstDelay}
	w.flushNow = func() {
		w.deferred = false
		w.Flush()
	}
	return w, nil
}

// Set has a key written after this task. A later Set or Remove of the key in the same task takes its place (DATABUS-BATCH-001).
func (w *Writer) Set(key, value string) { w.put(key, state{value, true}) }

// Remove has a key removed after this task.
func (w *Writer) Remove(key string) { w.put(key, state{}) }

func (w *Writer) put(key string, value state) {
	e := w.pending[key]
	if e == nil {
		e = w.entry(key)
		w.pending[key] = e
		w.queue = append(w.queue, e)
	}
	e.value, e.tries, e.late = value, 0, false
	if w.cfg.Guard != Unguarded {
		e.base, _ = w.stored(key)
	}
	if !w.deferred {
		w.deferred = true
		w.cfg.Defer(w.flushNow)
	}
}

// maxFree is how many entries are kept to serve again.
const maxFree = 64

func (w *Writer) entry(key string) *entry {
	if len(w.free) == 0 {
		return &entry{key: key}
	}
	e := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	*e = entry{key: key}
	return e
}

// stored returns what the storage holds for a key, and whether it could be asked.
func (w *Writer) stored(key string) (state, bool) {
	text, set, err := w.cfg.Storage.Get(key)
	if err != nil {
		return state{}, false
	}
	return state{text, set}, true
}

// Get returns the value of a key as this tab sees it (DATABUS-BATCH-002). A storage that cannot be read holds nothing.
func (w *Writer) Get(key string) (string, bool) {
	if e := w.pending[key]; e != nil {
		return e.value.text, e.value.set
	}
	s, _ := w.stored(key)
	return s.text, s.set
}

// Keys returns the keys as this tab sees them: those of the storage in its order, then those that are pending (DATABUS-BATCH-002).
func (w *Writer) Keys() []string {
	keys, err := w.cfg.Storage.Keys()
	if err != nil {
		keys = nil
	}
	if len(w.queue) == 0 {
		return keys
	}
	w.looks++
	keys = slices.DeleteFunc(keys, func(key string) bool {
		e := w.pending[key]
		if e != nil {
			e.stored = w.looks
		}
		return e != nil && !e.value.set
	})
	for _, e := range w.queue {
		if e.stored != w.looks && e.value.set {
			keys = append(keys, e.key)
		}
	}
	return keys
}

// Len returns how many keys this tab sees.
func (w *Writer) Len() int { return len(w.Keys()) }

// Pending returns the keys that wait to be written or removed, in the order in which they will be.
func (w *Writer) Pending() []string {
	keys := make([]string, 0, len(w.queue))
	for _, e := range w.queue {
		keys = append(keys, e.key)
	}
	return keys
}

// Flush writes what is pending now (DATABUS-BATCH-006). At the first write that fails it stops, keeps that and all later ones and has them
// tried again later (DATABUS-BATCH-004). It reports whether nothing is left.
func (w *Writer) Flush() bool {
	w.room = w.queue
	for len(w.queue) > 0 {
		e := w.queue[0]
		if !w.overtaken(e) && w.apply(e) != nil {
			if e.tries++; w.cfg.DropAfter == 0 || e.tries < w.cfg.DropAfter {
				w.postpone()
				return false
			}
		}
		w.queue = w.queue[1:]
		delete(w.pending, e.key)
		if len(w.free) < maxFree {
			w.free = append(w.free, e)
		}
	}
	w.calm()
	return true
}

// overtaken reports whether the guard drops a write.
func (w *Writer) overtaken(e *entry) bool {
	if w.cfg.Guard == Unguarded || w.cfg.Guard == Retries && !e.late {
		return false
	}
	now, ok := w.stored(e.key)
	return ok && now != e.base
}

func (w *Writer) apply(e *entry) error {
	if e.value.set {
		return w.cfg.Storage.Set(e.key, e.value.text)
	}
	return w.cfg.Storage.Remove(e.key)
}

// postpone has the queue tried again, each time twice as long after the time before (DATABUS-BATCH-003). While that is due, other failures
// do not move it.
func (w *Writer) postpone() {
	for _, e := range w.queue {
		e.late = true
	}
	if w.stop != nil {
		return
	}
	w.stop = w.cfg.After(w.delay, func() {
		w.stop = nil
		w.Flush()
	})
	w.delay = min(2*w.delay, LastDelay)
}

// calm ends the retries.
func (w *Writer) calm() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
	w.delay = FirstDelay
	clear(w.room)
	w.queue = w.room[:0]
}

// Discard forgets what is pending.
func (w *Writer) Discard() {
	clear(w.pending)
	w.calm()
}

// Clear forgets what is pending and removes every key of the storage (DATABUS-BATCH-003). Keys that cannot be removed are removed like any
// others: later.
func (w *Writer) Clear() {
	w.Discard()
	keys, err := w.cfg.Storage.Keys()
	if err != nil {
		return
	}
	for _, key := range keys {
		if w.cfg.Storage.Remove(key) != nil {
			w.Remove(key)
		}
	}
}
