package writer

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var errFull = errors.New("quota exceeded")

// A disk is a storage, the microtasks and the timers around one writer.
type disk struct {
	held   map[string]string
	order  []string
	log    []string
	broken func(key string) bool
	blind  bool // reads fail

	tasks  []func()
	timers []*timer
}

type timer struct {
	ms   int64
	f    func()
	gone bool
}

func (d *disk) Get(key string) (string, bool, error) {
	if d.blind {
		return "", false, errFull
	}
	value, ok := d.held[key]
	return value, ok, nil
}

func (d *disk) Set(key, value string) error {
	if d.broken != nil && d.broken(key) {
		return errFull
	}
	d.log = append(d.log, key+"="+value)
	if _, ok := d.held[key]; !ok {
		d.order = append(d.order, key)
	}
	d.held[key] = value
	return nil
}

func (d *disk) Remove(key string) error {
	if d.broken != nil && d.broken(key) {
		return errFull
	}
	d.log = append(d.log, "-"+key)
	delete(d.held, key)
	d.order = slices.DeleteFunc(d.order, func(k string) bool { return k == key })
	return nil
}

func (d *disk) Keys() ([]string, error) {
	if d.blind {
		return nil, errFull
	}
	return slices.Clone(d.order), nil
}

func (d *disk) config() Config {
	return Config{
		Storage: d, Defer: func(f func()) { d.tasks = append(d.tasks, f) },
		After: func(ms int64, f func()) func() {
			t := &timer{ms: ms, f: f}
			d.timers = append(d.timers, t)
			return func() { t.gone = true }
		},
	}
}

// tick ends the task: the microtasks run.
func (d *disk) tick() {
	for len(d.tasks) > 0 {
		f := d.tasks[0]
		d.tasks = d.tasks[1:]
		f()
	}
}

// due returns the delays of the timers that are not stopped.
func (d *disk) due() []int64 {
	var out []int64
	for _, t := range d.timers {
		if !t.gone {
			out = append(out, t.ms)
		}
	}
	return out
}

// fire runs the one timer that is due.
func (d *disk) fire(t *testing.T) {
	t.Helper()
	if n := len(d.due()); n != 1 {
		t.Fatalf("%d timers are due", n)
	}
	for _, timer := range d.timers {
		if !timer.gone {
			timer.gone = true
			timer.f()
			return
		}
	}
}

func open(t *testing.T, change func(*Config)) (*disk, *Writer) {
	t.Helper()
	d := &disk{held: map[string]string{}}
	cfg := d.config()
	if change != nil {
		change(&cfg)
	}
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d, w
}

func logged(t *testing.T, d *disk, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, d.log); diff != "" {
		t.Errorf("writes: %s", diff)
	}
	d.log = nil
}

// DATABUS-BATCH-001
func TestCoalesce(t *testing.T) {
	d, w := open(t, nil)
	w.Set("a", "1")
	w.Set("b", "1")
	w.Set("a", "2")
	w.Set("c", "1")
	w.Remove("c")
	w.Remove("d")
	w.Set("d", "1")
	logged(t, d)
	if len(d.tasks) != 1 {
		t.Errorf("%d microtasks", len(d.tasks))
	}
	d.tick()
	logged(t, d, "a=2", "b=1", "-c", "d=1")
	w.Set("a", "3")
	d.tick()
	logged(t, d, "a=3")
}

// DATABUS-BATCH-002
func TestReadYourWrites(t *testing.T) {
	d, w := open(t, nil)
	d.held, d.order = map[string]string{"a": "0", "b": "0", "c": "0"}, []string{"a", "b", "c"}
	w.Remove("b")
	w.Set("c", "1")
	w.Set("d", "1")
	w.Remove("e")
	if diff := cmp.Diff([]string{"a", "c", "d"}, w.Keys()); diff != "" || w.Len() != 3 {
		t.Errorf("%d keys: %s", w.Len(), diff)
	}
	for key, want := range map[string]state{"a": {"0", true}, "b": {}, "c": {"1", true}, "d": {"1", true}, "e": {}} {
		if text, set := w.Get(key); (state{text, set}) != want {
			t.Errorf("%s is %q, %t", key, text, set)
		}
	}
	if d.held["c"] != "0" || d.held["b"] != "0" {
		t.Error("another tab sees what is pending")
	}
	if diff := cmp.Diff([]string{"b", "c", "d", "e"}, w.Pending()); diff != "" {
		t.Error(diff)
	}
}

// DATABUS-BATCH-003: the delays, their reset by success, and one timer at a time.
func TestRetry(t *testing.T) {
	d, w := open(t, nil)
	full := true
	d.broken = func(string) bool { return full }
	for range 2 {
		w.Set("a", "1")
		d.tick()
		for _, want := range []int64{50, 100, 200, 400, 800, 1600, 1600, 1600} {
			w.Set("b", "1")
			d.tick()
			if diff := cmp.Diff([]int64{want}, d.due()); diff != "" {
				t.Fatal(diff)
			}
			d.fire(t)
		}
		full = false
		d.fire(t)
		logged(t, d, "a=1", "b=1")
		if len(d.due()) != 0 || len(w.Pending()) != 0 {
			t.Errorf("due %v, pending %v", d.due(), w.Pending())
		}
		full = true
	}
}

// DATABUS-BATCH-003: a flush in between ends the retry.
func TestFlushEndsRetry(t *testing.T) {
	d, w := open(t, nil)
	d.broken = func(string) bool { return true }
	w.Set("a", "1")
	d.tick()
	d.broken = nil
	if !w.Flush() || len(d.due()) != 0 {
		t.Errorf("due %v", d.due())
	}
	d.broken = func(string) bool { return true }
	w.Set("a", "2")
	if w.Flush() || d.due()[0] != FirstDelay {
		t.Errorf("due %v", d.due())
	}
}

// DATABUS-BATCH-003
func TestClear(t *testing.T) {
	d, w := open(t, nil)
	d.held, d.order = map[string]string{"a": "0", "b": "0"}, []string{"a", "b"}
	d.broken = func(string) bool { return true }
	w.Set("c", "1")
	d.tick()
	d.fire(t)
	d.broken = nil
	w.Clear()
	if len(d.held) != 0 || len(w.Pending()) != 0 || len(d.due()) != 0 {
		t.Errorf("held %v, pending %v, due %v", d.held, w.Pending(), d.due())
	}
	d.broken = func(string) bool { return true }
	w.Set("c", "1")
	d.tick()
	if diff := cmp.Diff([]int64{FirstDelay}, d.due()); diff != "" {
		t.Error(diff)
	}
	d.held, d.order = map[string]string{"a": "0"}, []string{"a"}
	w.Clear()
	if diff := cmp.Diff([]string{"a"}, w.Pending()); diff != "" {
		t.Error(diff)
	}
	d.blind = true
	w.Clear()
	if w.Len() != 0 {
		t.Error("a blind storage has keys")
	}
}

// DATABUS-BATCH-004
func TestFailingKeyBlocks(t *testing.T) {
	d, w := open(t, nil)
	d.broken = func(key string) bool { return key == "b" }
	w.Set("a", "1")
	w.Set("b", "1")
	w.Set("c", "1")
	d.tick()
	logged(t, d, "a=1")
	if diff := cmp.Diff([]string{"b", "c"}, w.Pending()); diff != "" {
		t.Error(diff)
	}
	w.Set("a", "2")
	w.Set("b", "2")
	d.broken = nil
	d.fire(t)
	logged(t, d, "b=2", "c=1", "a=2")
}

// DATABUS-BATCH-004: the later rule.
func TestDropAfter(t *testing.T) {
	d, w := open(t, func(c *Config) { c.DropAfter = 3 })
	d.broken = func(key string) bool { return key == "b" }
	w.Set("b", "1")
	w.Set("c", "1")
	d.tick()
	d.fire(t)
	logged(t, d)
	d.fire(t)
	logged(t, d, "c=1")
	if len(d.due()) != 0 {
		t.Errorf("due %v", d.due())
	}
}

// DATABUS-BATCH-006
func TestFlushIsSynchronous(t *testing.T) {
	d, w := open(t, nil)
	w.Set("a", "1")
	if !w.Flush() {
		t.Error("something is left")
	}
	logged(t, d, "a=1")
	d.tick()
	logged(t, d)
}

// DATABUS-RACE-015: without a guard a retry lands over what another tab has written since, with one it does not.
func TestGuard(t *testing.T) {
	for guard, want := range map[Guard][2]string{Unguarded: {"mine", "mine"}, Retries: {"theirs", "mine"}, Every: {"theirs", "theirs"}} {
		d, w := open(t, func(c *Config) { c.Guard = guard })
		d.broken = func(string) bool { return true }
		w.Set("a", "mine")
		d.tick()
		d.broken = nil
		d.held["a"] = "theirs"
		d.fire(t)
		retried := d.held["a"]
		w.Set("first", "1")
		w.Set("behind", "mine")
		d.broken = func(string) bool { return true }
		d.tick()
		d.broken = nil
		d.held["behind"] = "theirs"
		d.fire(t)
		if d.held["behind"] != want[0] || d.held["first"] != "1" {
			t.Errorf("guard %d: what waited behind a failure is %q", guard, d.held["behind"])
		}
		w.Set("b", "mine")
		d.held["b"] = "theirs"
		d.tick()
		if got := [2]string{retried, d.held["b"]}; got != want {
			t.Errorf("guard %d: got %v, want %v", guard, got, want)
		}
		d.blind = true
		w.Set("c", "mine")
		d.tick()
		if d.held["c"] != "mine" {
			t.Errorf("guard %d: a storage that cannot be read loses writes", guard)
		}
	}
}

func TestDiscard(t *testing.T) {
	d, w := open(t, nil)
	d.broken = func(string) bool { return true }
	w.Set("a", "1")
	d.tick()
	w.Set("b", "1")
	w.Discard()
	d.broken = nil
	d.tick()
	logged(t, d)
	if len(d.due()) != 0 {
		t.Errorf("due %v", d.due())
	}
}

func TestValidate(t *testing.T) {
	for field, spoil := range map[string]func(*Config){
		"Storage":   func(c *Config) { c.Storage = nil },
		"Defer":     func(c *Config) { c.Defer = nil },
		"After":     func(c *Config) { c.After = nil },
		"DropAfter": func(c *Config) { c.DropAfter = -1 },
		"Guard":     func(c *Config) { c.Guard = Every + 1 },
	} {
		cfg := (&disk{}).config()
		spoil(&cfg)
		_, err := New(cfg)
		var e *ConfigError
		if !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

// DATABUS-BATCH-001, -002: a writer reads like a map that is written at once, and a storage that works is that map after each task.
func TestProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &disk{held: map[string]string{}}
		w, err := New(d.config())
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		failing := false
		d.broken = func(string) bool { return failing }
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
			switch rapid.SampledFrom([]string{"set", "remove", "tick", "flush", "fail"}).Draw(t, "op") {
			case "set":
				want[key] = fmt.Sprint(i)
				w.Set(key, want[key])
			case "remove":
				delete(want, key)
				w.Remove(key)
			case "tick":
				d.tick()
			case "flush":
				w.Flush()
			case "fail":
				failing = !failing
			}
			if w.Len() != len(want) {
				t.Fatalf("%v, want %v", w.Keys(), want)
			}
			for _, key := range []string{"a", "b", "c"} {
				text, set := w.Get(key)
				if have, ok := want[key]; have != text || ok != set {
					t.Fatalf("%s is %q, %t", key, text, set)
				}
			}
		}
		failing = false
		if !w.Flush() || cmp.Diff(want, d.held) != "" {
			t.Fatalf("the storage is %v, want %v", d.held, want)
		}
	})
}
