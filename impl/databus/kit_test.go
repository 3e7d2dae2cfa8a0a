package databus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
)

var errBroken = errors.New("broken")

// A fake is a transport that writes down what it is asked, and whose openings and stops wait if the test says so.
type fake struct {
	mu      sync.Mutex
	log     []string
	to      Receiver
	opens   chan error    // each opening waits for one; nil: it succeeds at once
	stops   chan struct{} // each stop waits for one; nil: at once
	publish error
	during  func(r Receiver) // run by Start before it returns
}

func (f *fake) note(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, text)
}

func (f *fake) Start(ctx context.Context, r Receiver) error {
	f.note("start")
	f.mu.Lock()
	f.to = r
	f.mu.Unlock()
	if f.opens != nil {
		select {
		case err := <-f.opens:
			if err != nil {
				f.note("start failed")
				return err
			}
		case <-ctx.Done():
			f.note("start broken off")
			return ctx.Err()
		}
	}
	if f.during != nil {
		f.during(r)
	}
	f.note("open")
	return nil
}

func (f *fake) Stop(context.Context) error {
	f.note("stop")
	if f.stops != nil {
		<-f.stops
	}
	f.note("closed")
	return nil
}

func (f *fake) Subscribe(topic string)   { f.note("sub " + topic) }
func (f *fake) Unsubscribe(topic string) { f.note("unsub " + topic) }

func (f *fake) Publish(topic string, data json.RawMessage) error {
	f.note("pub " + topic + " " + string(data))
	return f.publish
}

// took returns what the transport was asked since the last call.
func (f *fake) took() string {
	synctest.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	text := strings.Join(f.log, ", ")
	f.log = nil
	return text
}

// says has the transport tell a status.
func (f *fake) says(s Status) {
	f.mu.Lock()
	to := f.to
	f.mu.Unlock()
	to.Status(s)
	synctest.Wait()
}

// A rig is one bus with a fake transport, and what it told the application.
type rig struct {
	*Bus
	t      *testing.T
	fake   *fake
	mu     sync.Mutex
	got    []string
	errs   []error
	states []string
}

// rigged returns a bus that has not started, in an origin of its own unless change says otherwise.
func rigged(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	r := &rig{t: t, fake: &fake{}}
	cfg := Config{Transport: r.fake, Environment: (&Origin{}).Environment(), ClusterKey: "k", TabID: "ta", WorkerID: "a"}
	if change != nil {
		change(&cfg)
	}
	b, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Bus = b
	b.OnError(func(err error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.errs = append(r.errs, err)
	})
	b.OnStatus(func(s Status) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.states = append(r.states, string(s))
	})
	return r
}

// started returns a bus that runs, with nothing written down yet.
func started(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	r := rigged(t, change)
	r.start()
	r.fake.took()
	r.states = nil
	return r
}

func (r *rig) start() {
	r.t.Helper()
	if err := r.Start(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// end stops the bus; a bubble ends only without timers' owners.
func (r *rig) end() {
	r.t.Helper()
	if err := r.Stop(context.Background()); err != nil {
		r.t.Error(err)
	}
}

func (r *rig) sub(topic string) *Subscription {
	r.t.Helper()
	s, err := r.Subscribe(topic, func(topic string, data json.RawMessage) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, topic+" "+string(data))
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// took checks what the transport was asked.
func (r *rig) took(want ...string) {
	r.t.Helper()
	if got := r.fake.took(); got != strings.Join(want, ", ") {
		r.t.Errorf("the transport was asked\n\t%s\nwant\n\t%s", got, strings.Join(want, ", "))
	}
}

// heard checks what the handlers got since the last call.
func (r *rig) heard(want ...string) {
	r.t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.got, want) {
		r.t.Errorf("the handlers got %v, want %v", r.got, want)
	}
	r.got = nil
}

// failed checks how many errors were reported since the last call.
func (r *rig) failed(want int) {
	r.t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.errs) != want {
		r.t.Errorf("%d errors, want %d: %v", len(r.errs), want, r.errs)
	}
	r.errs = nil
}

// emits has the transport get a publication of the server.
func (r *rig) emits(topic, data string) {
	r.fake.mu.Lock()
	to := r.fake.to
	r.fake.mu.Unlock()
	to.Message(topic, json.RawMessage(data))
	synctest.Wait()
}

// pass lets time pass.
func pass(ms int64) {
	time.Sleep(time.Duration(ms) * time.Millisecond)
	synctest.Wait()
}

// keys returns how many keys an origin holds.
func keys(t *testing.T, o *Origin) int {
	t.Helper()
	all, err := o.Keys()
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// family returns several running buses of one origin and one server, with tabs ta, tb, ...
func family(t *testing.T, o *Origin, s *Server, n int) []*rig {
	t.Helper()
	var all []*rig
	for i := range n {
		r := rigged(t, func(c *Config) {
			c.Transport, c.Environment = s.Line(), o.Environment()
			c.TabID, c.WorkerID = fmt.Sprint("t", string(rune('a'+i))), string(rune('a'+i))
		})
		r.start()
		pass(1)
		all = append(all, r)
	}
	return all
}

var _ cluster.Channel = (*port)(nil)
