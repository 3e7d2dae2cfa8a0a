package databus

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
	"github.com/seed-6f28358b/assay/impl/databus/writer"
)

// An Environment is what the tabs of one origin share, and the clock and chance of one of them.
type Environment struct {
	// Storage is shared. Nil: local mode (DATABUS-DEGRADE-001).
	Storage writer.Storage
	// Open opens the channel of this name. Frames of other tabs go to receive, one after the other, until the channel is closed, and not from
	// inside a call of the bus. Nil: local mode.
	Open func(name string, receive func(signal.Frame)) (cluster.Channel, error)
	// Clock is the time. It calls functions from no call of the bus. Nil: that of the process.
	Clock cluster.Clock
	// Defer runs a function once, as a task of its own that is not inside a call of the bus: what the task that is going on wrote is then
	// flushed to the storage. Nil: at the end of that task, before the application is called.
	Defer func(f func())
	// Go runs a function that waits for the transport. Functions of one bus come one after the other, each as soon as the one before has
	// nothing left to do. It is called from inside the bus and must not run f there. Nil: a goroutine.
	Go func(f func())
	// RandomID returns an id that nobody else has. Nil: 16 random hexadecimal digits.
	RandomID func() string
}

// A Renewer is a storage that is told when a task of its bus begins, each call, frame, message and timer being one. What a task reads may
// be as it was then, but for what the bus itself has written since. Such a storage is of one bus alone.
type Renewer interface {
	Renew()
}

// A Settler is a channel that is told when a task of its bus has ended and what the task wrote is in the storage, as far as that took it;
// under [Environment.Defer] it is in the storage later. A channel may hold what was posted meanwhile until then, so that nobody hears of a
// record before it can be read, and refuses what the record would allow (DATABUS-FENCE-002). One that is closed holds nothing.
type Settler interface {
	Settle()
}

// normal returns e with its defaults filled in.
func (e Environment) normal() Environment {
	if e.Clock == nil {
		e.Clock = wallClock{}
	}
	if e.Go == nil {
		e.Go = func(f func()) { go f() }
	}
	if e.RandomID == nil {
		e.RandomID = randomID
	}
	return e
}

func randomID() string {
	var octets [8]byte
	_, _ = rand.Read(octets[:]) // never fails
	return hex.EncodeToString(octets[:])
}

// wallClock is the clock of the process.
type wallClock struct{}

func (wallClock) Now() int64 { return time.Now().UnixMilli() }

func (wallClock) After(ms int64, f func()) (stop func()) {
	t := time.AfterFunc(time.Duration(ms)*time.Millisecond, f)
	return func() { t.Stop() }
}

func (wallClock) Every(ms int64, f func()) (stop func()) {
	r := &repeat{period: time.Duration(ms) * time.Millisecond, f: f}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(r.period, r.fire)
	return r.stop
}

// repeat is a timer that starts again each time it fires.
type repeat struct {
	period  time.Duration
	f       func()
	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

func (r *repeat) fire() {
	r.mu.Lock()
	if r.stopped {
		r.mu.Unlock()
		return
	}
	r.timer.Reset(r.period)
	r.mu.Unlock()
	r.f()
}

func (r *repeat) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	r.timer.Stop()
}
