package databus

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// renewed is a storage that notes how often it was told of a task, and what was read before the first.
type renewed struct {
	*Origin
	told, early atomic.Int64
}

func (r *renewed) Renew() { r.told.Add(1) }

func (r *renewed) Keys() ([]string, error) {
	if r.told.Load() == 0 {
		r.early.Add(1)
	}
	return r.Origin.Keys()
}

// A storage that wants to know is told of each task, and of a look from outside.
func TestRenew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &renewed{Origin: &Origin{}}
		r := rigged(t, func(c *Config) { c.Environment.Storage = s })
		r.start()
		for _, step := range []struct {
			name string
			do   func()
		}{
			{"subscribe", func() { r.sub("x") }},
			{"publish", func() { r.Publish("x", []byte("1")) }},
			{"snapshot", func() { r.Snapshot() }},
			{"heartbeat", func() { pass(3000) }},
			{"message", func() { r.emits("x", "2") }},
			{"hide", r.PageHide},
		} {
			synctest.Wait()
			before := s.told.Load()
			step.do()
			synctest.Wait()
			if s.told.Load() == before {
				t.Errorf("%s: the storage was not told", step.name)
			}
		}
		r.end()
		if early := s.early.Load(); early != 0 {
			t.Errorf("%d reads before the storage was told", early)
		}
	})
}

// settled is a channel that notes what happens to it, and how many routes are in the storage then.
type settled struct {
	cluster.Channel
	o   *Origin
	log []string
}

func (s *settled) note(what string) {
	all, _ := s.o.Keys()
	all = slices.DeleteFunc(all, func(key string) bool { return !strings.Contains(key, ":route:") })
	s.log = append(s.log, fmt.Sprint(what, " ", len(all)))
}

func (s *settled) Post(f signal.Frame) error {
	s.note("post")
	return s.Channel.Post(f)
}

func (s *settled) Settle() { s.note("settle") }

func (s *settled) Close() {
	s.note("close")
	s.Channel.Close()
}

// A channel that wants to know is told at the end of each task, when what the task wrote is in the storage, and no more once it is closed.
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := &settled{o: &Origin{}}
		r := rigged(t, func(c *Config) {
			c.Environment.Storage = ch.o
			c.Environment.Open = func(name string, receive func(signal.Frame)) (cluster.Channel, error) {
				var err error
				ch.Channel, err = ch.o.open(name, receive)
				return ch, err
			}
		})
		r.start()
		for _, step := range []struct {
			name string
			do   func()
			want []string
		}{
			{"subscribe", func() { r.sub("x") }, []string{"post 0", "post 0", "settle 1"}},
			{"snapshot", func() { r.Snapshot() }, nil},
			{"hide", r.PageHide, []string{"post 0", "close 0"}},
			{"visibility", func() { r.Visibility(record.Hidden) }, nil},
		} {
			synctest.Wait()
			ch.log = nil
			step.do()
			synctest.Wait()
			if !slices.Equal(ch.log, step.want) {
				t.Errorf("%s: %q, want %q", step.name, ch.log, step.want)
			}
		}
		r.end()
	})
}
