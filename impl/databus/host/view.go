package host

import (
	"database/sql"
	"slices"
	"sync"
)

// A view of more than this is not kept: every read goes to the file.
const (
	mostViewed       = 20_000 // keys
	mostViewedOctets = 8 << 20
)

// A view is the storage as one bus sees it. What a task reads is as it was when the task began, but for what the bus has written since; and
// as long as nobody else writes, nothing is read again. To ask the file for each key costs a transaction each time.
type view struct {
	s *storage

	mu      sync.Mutex
	valid   bool
	version int64 // of the file, as far as other processes change it
	writes  int64 // of this process, as far as they are in the view
	keys    []string
	held    map[string]string
	large   map[string]struct{} // keys whose values are not held
}

// Renew takes what others have written into the view. If that fails, or is too much, reads go to the file.
func (v *view) Renew() {
	v.mu.Lock()
	defer v.mu.Unlock()
	writes := v.s.writes.Load()
	var version int64
	err := v.s.patiently("look", func() error { return v.s.version.QueryRow().Scan(&version) })
	if err == nil && v.valid && version == v.version && writes == v.writes {
		return
	}
	v.valid = err == nil && v.load()
	v.version, v.writes = version, writes
}

// load reads all.
func (v *view) load() bool {
	octets := 0
	err := v.s.patiently("load", func() error {
		v.keys, v.held, v.large, octets = nil, map[string]string{}, map[string]struct{}{}, 0
		rows, err := v.s.all.Query(MaxValue, MaxKey, mostViewed+1)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() && octets <= mostViewedOctets {
			var key string
			var value sql.NullString
			if err := rows.Scan(&key, &value); err != nil {
				return err
			}
			v.keys = append(v.keys, key)
			octets += len(key) + len(value.String)
			if value.Valid {
				v.held[key] = value.String
			} else {
				v.large[key] = struct{}{}
			}
		}
		return rows.Err()
	})
	return err == nil && len(v.keys) <= mostViewed && octets <= mostViewedOctets
}

// Get returns the value of a key, and whether there is one.
func (v *view) Get(key string) (string, bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, large := v.large[key]; !v.valid || large {
		return v.s.Get(key)
	}
	value, ok := v.held[key]
	return value, ok, nil
}

// Keys returns all keys, in the order in which they came.
func (v *view) Keys() ([]string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.valid {
		return v.s.Keys()
	}
	return slices.Clone(v.keys), nil
}

// Set writes a key.
func (v *view) Set(key, value string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	writes, err := v.s.write("set", key, value)
	if err != nil {
		return err
	}
	v.wrote(writes)
	if !v.valid {
		return nil
	}
	_, held := v.held[key]
	if _, large := v.large[key]; !held && !large {
		v.keys = append(v.keys, key)
	}
	delete(v.large, key)
	v.held[key] = value
	return nil
}

// Remove removes a key.
func (v *view) Remove(key string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	writes, err := v.s.write("remove", key, "")
	if err != nil {
		return err
	}
	v.wrote(writes)
	delete(v.held, key)
	delete(v.large, key)
	v.keys = slices.DeleteFunc(v.keys, func(k string) bool { return k == key })
	return nil
}

// wrote takes note of an own write, which the view has, so that it alone is no reason to read all again.
func (v *view) wrote(writes int64) {
	if writes == v.writes+1 {
		v.writes = writes
	}
}
