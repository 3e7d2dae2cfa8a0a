package owner

import (
	stdcmp "cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// worker returns a healthy visible worker that is idle.
func worker(id string, registered int64) record.Worker {
	return record.Worker{
		WorkerID: id, TabID: "t" + id, Role: record.Standby, Status: record.Connected, Visibility: record.Visible, HeartbeatAt: 1,
		RegisteredAt: registered,
	}
}

func loaded(w record.Worker, load int) record.Worker {
	w.Load = load
	return w
}

func ids(workers []record.Worker) []string {
	var out []string
	for _, w := range workers {
		out = append(out, w.WorkerID)
	}
	return out
}

// DATABUS-OWNER-001, DATABUS-VISIBILITY-003: every status and visibility of three workers, against the sentence of the law.
func TestCandidates(t *testing.T) {
	statuses := []record.Status{record.Connecting, record.Connected, record.Disconnected, record.Failed}
	sights := []record.Visibility{record.Visible, record.Hidden}
	for n := range 8 * 8 * 8 {
		live := []record.Worker{worker("a", 1), worker("b", 2), worker("c", 3)}
		for i, digit := range []int{n % 8, n / 8 % 8, n / 64} {
			live[i].Status, live[i].Visibility = statuses[digit/2], sights[digit%2]
		}
		rank := func(w record.Worker) string {
			return fmt.Sprint(w.Status == record.Connecting || w.Status == record.Connected, w.Visibility == record.Visible)
		}
		best := ""
		for _, level := range []string{"true true", "true false", "false true", "false false"} {
			if best == "" && slices.ContainsFunc(live, func(w record.Worker) bool { return rank(w) == level }) {
				best = level
			}
		}
		var want []string
		for _, w := range live {
			if rank(w) == best {
				want = append(want, w.WorkerID)
			}
		}
		if got := ids(Candidates(live)); !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", live, got, want)
		}
	}
}

// DATABUS-OWNER-002: the cut comes before the load.
func TestCut(t *testing.T) {
	live := []record.Worker{loaded(worker("d", 9), 0), loaded(worker("c", 5), 3), loaded(worker("b", 5), 3), loaded(worker("a", 7), 2)}
	if diff := cmp.Diff([]string{"b", "c", "a"}, ids(Cut(live, DefaultMaxActive))); diff != "" {
		t.Error(diff)
	}
	if got, ok := Choose(live, DefaultMaxActive); !ok || got.WorkerID != "a" {
		t.Errorf("chose %s", got.WorkerID)
	}
	if got, ok := Choose(live, 1); !ok || got.WorkerID != "b" {
		t.Errorf("chose %s of one", got.WorkerID)
	}
	if got, ok := Choose(nil, 3); ok {
		t.Errorf("chose %v of none", got)
	}
}

// DATABUS-OWNER-003, DATABUS-OWNER-004
func TestTies(t *testing.T) {
	live := []record.Worker{worker("wB", 1), worker("w-1", 1), worker("wa", 1), worker("w_1", 1)}
	if diff := cmp.Diff([]string{"w_1", "w-1", "wa", "wB"}, ids(Cut(live, 4))); diff != "" {
		t.Error(diff)
	}
	if got, _ := Choose(live, 4); got.WorkerID != "w_1" {
		t.Errorf("chose %s", got.WorkerID)
	}
}

// DATABUS-OWNER-009: the role is membership in the cut, owner or not.
func TestRoleOf(t *testing.T) {
	hidden := loaded(worker("a", 1), 4)
	hidden.Visibility = record.Hidden
	live := []record.Worker{hidden, worker("b", 2), worker("c", 3), worker("d", 4), worker("e", 5)}
	for id, want := range map[string]record.Role{
		"a": record.Standby, "b": record.Active, "c": record.Active, "d": record.Active, "e": record.Standby, "z": record.Standby,
	} {
		if got := RoleOf(live, 3, id); got != want {
			t.Errorf("%s is %s", id, got)
		}
	}
}

// DATABUS-HANDOFF-007: four topics go to two idle workers evenly.
func TestPlan(t *testing.T) {
	live := []record.Worker{worker("b", 1), worker("a", 1)}
	p := NewPlan(live, 3)
	var got []string
	for range 4 {
		w, ok := p.Next()
		if !ok {
			t.Fatal("nobody")
		}
		got = append(got, w.WorkerID)
	}
	if !slices.Equal(got, []string{"a", "b", "a", "b"}) || live[0].Load != 0 || live[1].Load != 0 {
		t.Errorf("got %v and changed %v", got, live)
	}
	if w, ok := NewPlan(nil, 3).Next(); ok {
		t.Errorf("got %v of none", w)
	}
}

// DATABUS-OWNER-003: the order of the records changes nothing, and no eligible worker has less load than the chosen one.
func TestChooseProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		live := make([]record.Worker, n)
		for i := range live {
			live[i] = loaded(worker(fmt.Sprint("w", i), rapid.Int64Range(1, 3).Draw(t, "registered")), rapid.IntRange(0, 2).Draw(t, "load"))
			live[i].Status = rapid.SampledFrom([]record.Status{record.Connected, record.Failed}).Draw(t, "status")
			live[i].Visibility = rapid.SampledFrom([]record.Visibility{record.Visible, record.Hidden}).Draw(t, "visibility")
		}
		most := rapid.IntRange(1, 4).Draw(t, "most")
		before := slices.Clone(live)
		got, ok := Choose(live, most)
		other, _ := Choose(rapid.Permutation(live).Draw(t, "permuted"), most)
		if !ok || got != other || !slices.Equal(live, before) {
			t.Fatalf("chose %v and %v, left %v", got, other, live)
		}
		cut := Cut(live, most)
		if len(cut) > most || !slices.Contains(cut, got) || RoleOf(live, most, got.WorkerID) != record.Active {
			t.Fatalf("chose %v of %v", got, cut)
		}
		for _, w := range live {
			if eligible := slices.Contains(cut, w); (RoleOf(live, most, w.WorkerID) == record.Active) != eligible {
				t.Fatalf("%v of %v is eligible: %t", w, live, eligible)
			}
		}
		for _, w := range cut {
			if w.Load < got.Load || w.Load == got.Load && record.Less(w.WorkerID, got.WorkerID) {
				t.Fatalf("%v is before %v", w, got)
			}
		}
	})
}

// DATABUS-OWNER-002: who is eligible is picked as if all candidates were sorted.
func TestCutIsTheFront(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := make([]record.Worker, rapid.IntRange(0, 40).Draw(t, "n"))
		for i := range live {
			live[i] = worker(fmt.Sprint("w", i), rapid.Int64Range(1, 9).Draw(t, "registered"))
		}
		live = rapid.Permutation(live).Draw(t, "order")
		most := rapid.IntRange(0, 40).Draw(t, "most")
		sorted := Candidates(live)
		slices.SortFunc(sorted, func(a, b record.Worker) int {
			return stdcmp.Or(stdcmp.Compare(a.RegisteredAt, b.RegisteredAt), record.Compare(a.WorkerID, b.WorkerID))
		})
		if got := Cut(live, most); !slices.Equal(got, sorted[:min(most, len(sorted))]) {
			t.Fatalf("got %v, want the first %d of %v", got, most, sorted)
		}
	})
}
