package databus

import (
	"fmt"
	"slices"
	"sync"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// An Origin is what the tabs of one origin share, in memory: a storage and channels. Its zero value is empty and ready. It may be used from
// several goroutines.
type Origin struct {
	// Quota is how many octets of keys and values fit in. 0: any number. It must not be changed while the origin is in use.
	Quota int

	mu    sync.Mutex
	held  map[string]string
	keys  []string // in the order in which they came
	size  int
	ports map[string][]*port // open, by name of their channel
}

// Environment returns the environment of a tab of this origin, with the clock of the process.
func (o *Origin) Environment() Environment {
	return Environment{Storage: o, Open: o.open}
}

// A QuotaError is a write that does not fit in.
type QuotaError struct {
	Limit, Found int // octets
}

// Error returns a one line description.
func (e *QuotaError) Error() string {
	return fmt.Sprintf("databus storage: write: quota of %d octets exceeded (%d)", e.Limit, e.Found)
}

// Get returns the value of a key, and whether there is one.
func (o *Origin) Get(key string) (string, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	value, ok := o.held[key]
	return value, ok, nil
}

// Set writes a key. It fails with a [*QuotaError].
func (o *Origin) Set(key, value string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	before, ok := o.held[key]
	size := o.size + len(value) - len(before)
	if !ok {
		size += len(key)
	}
	if o.Quota > 0 && size > o.Quota {
		return &QuotaError{o.Quota, size}
	}
	if !ok {
		o.keys = append(o.keys, key)
	}
	if o.held == nil {
		o.held = map[string]string{}
	}
	o.held[key], o.size = value, size
	return nil
}

// Remove removes a key.
func (o *Origin) Remove(key string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if value, ok := o.held[key]; ok {
		o.size -= len(key) + len(value)
		delete(o.held, key)
		o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
	}
	return nil
}

// Keys returns all keys, in the order in which they came.
func (o *Origin) Keys() ([]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.keys), nil
}

// port is one end of a channel.
type port struct {
	o       *Origin
	name    string
	receive func(signal.Frame)
	box     mailbox
}

func (o *Origin) open(name string, receive func(signal.Frame)) (cluster.Channel, error) {
	p := &port{o: o, name: name, receive: receive}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ports == nil {
		o.ports = map[string][]*port{}
	}
	o.ports[name] = append(o.ports[name], p)
	return p, nil
}

// Post sends a frame to all other ends of the channel. It fails with an error of package signal if the frame could not travel.
func (p *port) Post(f signal.Frame) error {
	if _, err := signal.Encode(f); err != nil {
		return err
	}
	p.o.mu.Lock()
	defer p.o.mu.Unlock()
	for _, other := range p.o.ports[p.name] {
		if other != p {
			other.box.put(func() { other.receive(f) })
		}
	}
	return nil
}

// Close closes this end. Frames that it has sent still arrive.
func (p *port) Close() {
	p.o.mu.Lock()
	defer p.o.mu.Unlock()
	p.o.ports[p.name] = slices.DeleteFunc(p.o.ports[p.name], func(other *port) bool { return other == p })
	p.box.close()
}
