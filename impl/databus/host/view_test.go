package host

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus"
)

var _ databus.Renewer = (*view)(nil)

// What a task reads is as it was when it began, but for what it has written itself.
func TestViewOfATask(t *testing.T) {
	h := opened(t, t.TempDir(), nil)
	other := opened(t, h.dir, nil).storage
	v := &view{s: h.storage}
	if err := errors.Join(other.Set("a", "1"), other.Set("b", "1")); err != nil {
		t.Fatal(err)
	}
	v.Renew()
	if err := errors.Join(other.Set("a", "2"), other.Remove("b"), other.Set("c", "2"), v.Set("d", "3")); err != nil {
		t.Fatal(err)
	}
	check := func(want string, keys ...string) {
		t.Helper()
		if got, _, err := v.Get("a"); got != want || err != nil {
			t.Errorf("a is %s, %v, want %s", got, err, want)
		}
		if got := must(v.Keys()); !slices.Equal(got, keys) {
			t.Errorf("keys %v, want %v", got, keys)
		}
	}
	check("1", "a", "b", "d")
	v.Renew()
	check("2", "a", "c", "d")
	if err := v.Remove("a"); err != nil {
		t.Fatal(err)
	}
	check("", "c", "d")
}

// As long as only the view writes, nothing is read again.
func TestViewStays(t *testing.T) {
	h := opened(t, t.TempDir(), nil)
	v := &view{s: h.storage}
	v.Renew()
	held := v.held
	if err := errors.Join(v.Set("a", "1"), v.Set("b", "1"), v.Remove("a")); err != nil {
		t.Fatal(err)
	}
	v.Renew()
	held["mark"] = "held"
	if got, _, _ := v.Get("mark"); got != "held" {
		t.Error("it was read again after its own writes")
	}
	if err := h.storage.Set("c", "1"); err != nil {
		t.Fatal(err)
	}
	v.Renew()
	if _, there, _ := v.Get("mark"); there {
		t.Error("it was not read again after a write of this process")
	}
}

// Where a view would be too large, and of values that are, the file is asked, with the errors of the file.
func TestViewLimits(t *testing.T) {
	h := opened(t, t.TempDir(), func(c *Config) { c.BusyTimeout = 10 * time.Millisecond })
	v := &view{s: h.storage}
	large := strings.Repeat("x", MaxValue+1)
	if _, err := h.storage.db.Exec(`INSERT INTO entries (key, value) VALUES ('a', ?)`, large); err != nil {
		t.Fatal(err)
	}
	v.Renew()
	var size *SizeError
	if _, _, err := v.Get("a"); !v.valid || !errors.As(err, &size) {
		t.Errorf("%t, %v", v.valid, err)
	}
	if err := v.Set("a", "small"); err != nil {
		t.Fatal(err)
	}
	if got, _, err := v.Get("a"); got != "small" || err != nil || len(must(v.Keys())) != 1 {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := h.storage.db.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
		INSERT INTO entries (key, value) SELECT 'k' || i, i FROM n`, mostViewed); err != nil {
		t.Fatal(err)
	}
	h.storage.writes.Add(1)
	v.Renew()
	if got, _, err := v.Get("k7"); v.valid || got != "7" || err != nil || len(must(v.Keys())) != mostViewed+1 {
		t.Errorf("%t, %s, %v", v.valid, got, err)
	}
	if err := errors.Join(v.Set("k7", "8"), v.Remove("k8")); err != nil {
		t.Fatal(err)
	}
	if got, _, err := v.Get("k7"); got != "8" || err != nil || len(must(v.Keys())) != mostViewed {
		t.Errorf("%s, %v", got, err)
	}
}
