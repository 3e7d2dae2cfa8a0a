package databustest

import (
	"errors"
	"maps"
	"slices"
)

// cells are keys with values, which come in the order in which they were first written.
type cells struct {
	keys   []string
	values map[string]string
}

func newCells() *cells { return &cells{values: map[string]string{}} }

func (c *cells) clone() *cells { return &cells{slices.Clone(c.keys), maps.Clone(c.values)} }

func (c *cells) held() map[string]string { return maps.Clone(c.values) }

// apply writes a key, or removes it.
func (c *cells) apply(key string, value *string) {
	_, here := c.values[key]
	switch {
	case value == nil && here:
		delete(c.values, key)
		c.keys = slices.DeleteFunc(c.keys, func(k string) bool { return k == key })
	case value != nil:
		if !here {
			c.keys = append(c.keys, key)
		}
		c.values[key] = *value
	}
}

// A change is one write to the storage.
type change struct {
	by    *page // nil: none of the tabs
	key   string
	value *string // nil: a removal
}

// A store is the storage of the origin.
type store struct {
	replicated bool
	all        *cells // as a tab sees it that has seen all; nil: there is no origin yet
	log        []change
}

func newStore(replicated bool) store { return store{replicated: replicated, all: newCells()} }

// write writes a key, or removes it; the tab that does so sees it at once.
func (s *store) write(by *page, key string, value *string) {
	s.all.apply(key, value)
	if s.replicated {
		s.log = append(s.log, change{by, key, value})
		if by != nil {
			by.replica.apply(key, value)
		}
	}
}

// sync lets a tab see the next so many changes of others, 0 all. One that it has overwritten meanwhile is not seen any more.
func (p *page) sync(count int) {
	log := p.b.store.log
	for left := count; p.seen < len(log) && (count == 0 || left > 0); p.seen++ {
		c := log[p.seen]
		if c.by == p {
			continue
		}
		left--
		if !slices.ContainsFunc(log[p.seen+1:], func(later change) bool { return later.by == p && later.key == c.key }) {
			p.replica.apply(c.key, c.value)
		}
	}
}

// cells are those that a tab sees.
func (p *page) cells() *cells {
	if p.b.store.replicated {
		return p.replica
	}
	return p.b.store.all
}

var (
	errRefused = errors.New("the storage refuses the write")
	errGone    = errors.New("the document is gone")
)

// pageStorage is the storage as one tab has it.
type pageStorage struct{ p *page }

// Get returns the value of a key.
func (s pageStorage) Get(key string) (value string, ok bool, err error) {
	value, ok = s.p.cells().values[key]
	if h := s.p.b.hooks.read; h != nil {
		value, ok = h(s.p, key, value, ok)
	}
	return value, ok, nil
}

// Keys returns all keys, in the order in which they came.
func (s pageStorage) Keys() ([]string, error) { return slices.Clone(s.p.cells().keys), nil }

// Set writes a key.
func (s pageStorage) Set(key, value string) error { return s.p.write(key, &value) }

// Remove removes one.
func (s pageStorage) Remove(key string) error { return s.p.write(key, nil) }

func (p *page) write(key string, value *string) error {
	if p.dead {
		return errGone
	}
	if spend(&p.failWrites) {
		p.note(&deed{Kind: didRefused, Key: key})
		return errRefused
	}
	if h := p.b.hooks.write; h != nil {
		var done bool
		if value, done = h(p, key, value); !done {
			return nil
		}
	}
	p.b.store.write(p, key, value)
	if value == nil {
		p.note(&deed{Kind: didRemove, Key: key})
	} else {
		p.note(&deed{Kind: didWrite, Key: key, Value: *value})
	}
	return nil
}

// spend takes one of the failures that were ordered, and reports whether there was one. -1: there always is.
func spend(failures *int) bool {
	if *failures > 0 {
		*failures--
		return true
	}
	return *failures < 0
}
