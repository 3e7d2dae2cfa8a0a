package host

import (
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/socket"
)

// A machine is a server, a directory, and the processes that run.
type machine struct {
	t       *testing.T
	order   order
	server  *socket.Server
	storage *storage
	all     []*process
	said    int // publications
}

// machines returns a machine without a process. Times are in milliseconds.
func machines(t *testing.T, heartbeat, ttl int64) *machine {
	t.Helper()
	server, err := socket.NewServer(socket.ServerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(func() {
		// The processes are gone by now.
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
		web.Close()
	})
	// A process may sleep with the lock of the storage.
	h := opened(t, t.TempDir(), func(c *Config) { c.BusyTimeout = time.Second })
	return &machine{
		t: t, server: server, storage: h.storage,
		order: order{Dir: h.dir, URL: "ws" + strings.TrimPrefix(web.URL, "http"), Heartbeat: heartbeat, TTL: ttl},
	}
}

// start starts a process that subscribes the topics.
func (m *machine) start(id string, topics ...string) *process {
	m.t.Helper()
	o := m.order
	o.ID = id
	p := starts(m.t, o)
	for _, topic := range topics {
		p.subscribe(topic)
	}
	m.all = append(m.all, p)
	return p
}

// gone forgets a process.
func (m *machine) gone(p *process) {
	m.all = slices.DeleteFunc(m.all, func(other *process) bool { return other == p })
}

// wanted reports whether a process subscribes the topic.
func (m *machine) wanted(topic string) bool {
	return slices.ContainsFunc(m.all, func(p *process) bool { return p.topics[topic] })
}

// owner returns who owns a topic and is named by its confirmed route, and whether nobody else owns it and the server has its subscription
// alone (DATABUS-INV-004). Of a topic that nobody wants it reports whether nothing is left.
func (m *machine) owner(topic string) (owner *process, alone bool) {
	m.t.Helper()
	owners, named := 0, ""
	for _, p := range m.all {
		s := p.snapshot()
		if slices.Contains(s.Assigned, topic) {
			owner = p
			owners++
		}
		for _, r := range s.Routes {
			if r.TopicKey == record.Hash(topic) && r.Confirmed() {
				named = r.WorkerID
			}
		}
	}
	if !m.wanted(topic) {
		return nil, owners == 0 && named == "" && m.server.Subscribed(topic) == 0
	}
	return owner, owners == 1 && named == owner.id && m.server.Subscribed(topic) == 1
}

// rests waits until each topic has one owner, or none if nobody wants it, and the same one for two more heartbeats of every process
// (DATABUS-INV-004, DATABUS-LIVE-005). It returns the owners. A process that the machine holds up for longer than the TTL counts as dead,
// which only takes one more attempt.
func (m *machine) rests(topics ...string) map[string]*process {
	m.t.Helper()
	for range 10 {
		var owners map[string]*process
		until(m.t, fmt.Sprint("one owner of each of ", topics), func() (calm bool) {
			owners, calm = m.owners(topics)
			return calm
		})
		beats := map[*process]int64{}
		for _, p := range m.all {
			beats[p] = p.snapshot().Self.HeartbeatAt
		}
		still := true
		until(m.t, "two heartbeats", func() bool {
			now, calm := m.owners(topics)
			still = still && calm && maps.Equal(owners, now)
			return !still || !slices.ContainsFunc(m.all, func(p *process) bool {
				return p.snapshot().Self.HeartbeatAt < beats[p]+2*m.order.Heartbeat
			})
		})
		if still {
			return owners
		}
		m.t.Log("somebody was held up")
	}
	m.t.Fatal("the owners do not come to rest")
	return nil
}

// owners returns who owns what, and whether all is as it should be at rest.
func (m *machine) owners(topics []string) (owners map[string]*process, calm bool) {
	m.t.Helper()
	owners, calm = map[string]*process{}, true
	for _, topic := range topics {
		owner, alone := m.owner(topic)
		owners[topic] = owner
		calm = calm && alone
	}
	return owners, calm
}

// works publishes from each process, and checks that every subscriber gets that once (DATABUS-INV-003).
func (m *machine) works(topic string) {
	m.t.Helper()
	for _, from := range m.all {
		for tries := 0; !m.reaches(from, topic); tries++ {
			if tries == 10 {
				m.t.Fatalf("%s is never at rest", topic)
			}
			m.t.Log("somebody was held up")
			m.rests(topic)
		}
	}
}

// reaches publishes from a process, and checks that every subscriber gets that once. It reports false if the topic or a process moved
// meanwhile, which the machine can make them do: then nothing is promised.
func (m *machine) reaches(from *process, topic string) bool {
	m.t.Helper()
	m.said++
	data, before := fmt.Sprint(m.said), m.places(topic)
	from.say("publish %s %s", topic, data)
	moved := false
	until(m.t, fmt.Sprintf("%s of %s reaches the subscribers of %s", data, from.id, topic), func() bool {
		moved = m.places(topic) != before
		return moved || !slices.ContainsFunc(m.all, func(p *process) bool { return p.topics[topic] && p.count(topic, data) == 0 })
	})
	for _, p := range m.all {
		if n := p.count(topic, data); !moved && (n > 1 || n == 1 && !p.topics[topic]) {
			m.t.Errorf("%s got %s of %s %d times", p.id, data, topic, n)
		}
	}
	return !moved
}

// places says whose a topic is, and where the processes listen.
func (m *machine) places(topic string) string {
	m.t.Helper()
	route, _, err := m.storage.Get(m.keys().Route(record.Hash(topic)))
	if err != nil {
		m.t.Fatal(err)
	}
	sockets, err := names(folder(m.order.Dir, m.keys().Channel()))
	if err != nil {
		m.t.Fatal(err)
	}
	return fmt.Sprint(route, slices.Sorted(slices.Values(sockets)))
}

// route returns the stored route of a topic.
func (m *machine) route(topic string) record.Route {
	m.t.Helper()
	key := record.Hash(topic)
	value, _, err := m.storage.Get(m.keys().Route(key))
	if err != nil {
		m.t.Fatal(err)
	}
	r, err := record.DecodeRoute(key, value)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

func (m *machine) keys() record.Keys { return record.NewKeys("", m.order.URL) }

// DATABUS-LIVE-001, DATABUS-TTL-001: three processes share a topic. One is killed while it owns it; once it counts as dead, and no sooner,
// another one has it, and the rest go on.
func TestProcessKilled(t *testing.T) {
	m := machines(t, 100, 1500)
	for _, id := range []string{"a", "b", "c"} {
		m.start(id, "x")
	}
	owner := m.rests("x")["x"]
	m.works("x")
	owner.kill()
	m.gone(owner)
	value, there, err := m.storage.Get(m.keys().Worker(owner.id))
	if !there || err != nil {
		t.Fatalf("the record of the dead: %v", err)
	}
	dead, err := record.DecodeWorker(value)
	if err != nil {
		t.Fatal(err)
	}
	next := m.rests("x")["x"]
	r := m.route("x")
	if after := r.UpdatedAt - dead.HeartbeatAt; after <= m.order.TTL || r.WorkerID != next.id || r.Generation < 2 || r.HandoffFrom != "" {
		t.Errorf("taken over %d ms after the last heartbeat: %+v", after, r)
	} else {
		t.Logf("%s took over from %s %d ms after its last heartbeat; promised are %d", next.id, owner.id, after, m.order.TTL+m.order.Heartbeat)
	}
	m.works("x")
	m.settled()
}

// settled waits until nothing is left in the storage that belongs to nobody, and no socket of the dead (DATABUS-KEY-006, DATABUS-LIVE-004).
func (m *machine) settled() {
	m.t.Helper()
	want := len(m.all)
	topics := map[string]bool{}
	for _, p := range m.all {
		for topic := range p.topics {
			topics[topic] = true
			want++
		}
	}
	want += len(topics)
	until(m.t, "nothing is left behind", func() bool {
		keys, err := m.storage.Keys()
		return err == nil && len(keys) == want
	})
	until(m.t, "no socket is left behind", func() bool {
		names, err := names(folder(m.order.Dir, m.keys().Channel()))
		return err == nil && len(names) == len(m.all)
	})
}

// DATABUS-LIVE-002, DATABUS-HANDOFF-003: of three processes the owner leaves, and then the next. No heartbeat comes and nobody expires, so
// that nothing but the frames of the handoff can have brought the topic to the others.
func TestProcessLeaves(t *testing.T) {
	const never = 3_600_000
	m := machines(t, never, 2*never)
	m.order.Patience = patience
	first := m.start("a", "x", "y")
	until(t, "a owns both", func() bool {
		_, x := m.owner("x")
		_, y := m.owner("y")
		return x && y
	})
	m.start("b", "x", "y")
	m.start("c", "x")
	for generation := int64(2); len(m.all) > 1; generation++ {
		leaver := first
		if generation > 2 {
			leaver, _ = m.owner("x")
		}
		m.works("x")
		leaver.leave()
		m.gone(leaver)
		var next *process
		until(t, "another one owns x", func() bool {
			owner, alone := m.owner("x")
			next = owner
			return alone
		})
		if r := m.route("x"); r.WorkerID != next.id || r.HandoffFrom != leaver.id || r.Generation != generation {
			t.Errorf("after %s has left: %+v", leaver.id, r)
		}
		m.works("x")
	}
	m.settled()
	for _, p := range m.all {
		if f := p.faults(); len(f) != 0 {
			t.Errorf("%s: %v", p.id, f)
		}
	}
}
