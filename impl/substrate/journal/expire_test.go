package journal

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// What has expired does not come back after a restart, by whatever way the file was written; what has not does. SUBSTRATE-DEDUPE-003, SUBSTRATE-BOUNCE-005
func TestExpiredObjectsStayAway(t *testing.T) {
	for name, rewrite := range map[string]bool{"as written": false, "written anew": true} {
		path := filepath.Join(t.TempDir(), "j")
		j := open(t, path, Options{})
		load(t, j, "edge")
		at := func(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
		apply(t, j, "edge", &store.Batch{Objects: []store.Object{
			{Obj: "old", Kind: "session", State: "closed", Incarnation: 1, Ended: at(1)},
			{Obj: "new", Kind: "session", State: "closed", Incarnation: 1, Ended: at(5)},
			{Obj: "live", Kind: "session", State: "live", Incarnation: 1},
		}, Counters: []store.Counter{{Obj: "old", LastAssigned: 3}}, Durable: true})
		if n, err := j.Expire("edge", at(5), 0); n != 1 || err != nil {
			t.Fatalf("%s: expired %d, %v", name, n, err)
		}
		if rewrite {
			if err := j.rewrite(); err != nil {
				t.Fatal(err)
			}
		}
		want := load(t, j, "edge")
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		got := load(t, open(t, path, Options{}), "edge")
		same(t, name, want, got)
		if len(got.Objects) != 2 || len(got.Counters) != 1 {
			t.Errorf("%s: %+v, %+v", name, got.Objects, got.Counters)
		}
	}
}
