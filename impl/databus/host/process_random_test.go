//go:build unix

package host

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
)

// DATABUS-INV-004, DATABUS-LIVE-005, under the fenced rules and on real processes: whatever is done to them, once that is over every topic
// that somebody wants has one owner, and works, and nothing else is left.
func TestProcessesAnyhow(t *testing.T) {
	topics := []string{"x", "y", "z"}
	for _, seed := range []uint64{6, 7} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			m := machines(t, 100, 1000)
			m.start("p0", "x", "y")
			m.start("p1", "x")
			for step := 1; step <= 16; step++ {
				m.disturb(r, step, topics)
				if step%4 == 0 {
					m.rests(topics...)
					for _, topic := range topics {
						m.works(topic)
					}
				}
			}
			m.settled()
		})
	}
}

// disturb does one thing by chance.
func (m *machine) disturb(r *rand.Rand, step int, topics []string) {
	m.t.Helper()
	p := m.all[r.IntN(len(m.all))]
	topic := topics[r.IntN(len(topics))]
	switch kind := r.IntN(9); {
	case kind < 3 || len(m.all) < 2:
		if p.topics[topic] {
			m.t.Logf("%d: %s unsubscribes %s", step, p.id, topic)
			p.unsubscribe(topic)
		} else {
			m.t.Logf("%d: %s subscribes %s", step, p.id, topic)
			p.subscribe(topic)
		}
		if len(m.all) < 4 {
			id := fmt.Sprint("q", step)
			m.t.Logf("%d: %s comes", step, id)
			m.start(id, topic)
		}
	case kind == 3:
		m.t.Logf("%d: %s is killed", step, p.id)
		p.kill()
		m.gone(p)
	case kind < 6:
		m.t.Logf("%d: %s leaves", step, p.id)
		p.leave()
		m.gone(p)
	case kind == 6:
		m.t.Logf("%d: the sockets are removed", step)
		unlink(m.t, folder(m.order.Dir, m.keys().Channel()))
	default:
		// DATABUS-RACE-010, DATABUS-RACE-018
		m.t.Logf("%d: %s sleeps until it counts as dead", step, p.id)
		m.signal(p, syscall.SIGSTOP)
		until(m.t, p.id+" counts as dead", func() bool {
			_, there, err := m.storage.Get(m.keys().Worker(p.id))
			if errors.Is(m.storage.Remove("none"), ErrBusy) {
				m.t.Logf("%d: %s sleeps with the lock", step, p.id)
				return true
			}
			return !there && err == nil
		})
		m.signal(p, syscall.SIGCONT)
	}
}

func (m *machine) signal(p *process, s os.Signal) {
	m.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		m.t.Fatal(err)
	}
}
