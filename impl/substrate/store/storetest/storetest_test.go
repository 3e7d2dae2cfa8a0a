package storetest

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func options() Options {
	return Options{
		Reopen: func(_ *testing.T, s store.Store) store.Store { return s.(*memory).reopen() },
		Crash:  func(_ *testing.T, s store.Store) { s.(*memory).crash() },
		Sabotage: func(_ *testing.T, s store.Store, p Part) func() {
			s.(*memory).sabotage = p
			return func() { s.(*memory).sabotage = "" }
		},
	}
}

func TestAGoodStorePasses(t *testing.T) {
	Run(t, func(*testing.T) store.Store { return newMemory("") }, options())
}

func TestWithoutOptions(t *testing.T) {
	Run(t, func(*testing.T) store.Store { return newMemory("") }, Options{})
}

// quiet is a test that fails in silence.
type quiet struct {
	failed bool
	log    strings.Builder
}

func (*quiet) Helper()                     {}
func (*quiet) Name() string                { return "quiet" }
func (q *quiet) Logf(f string, a ...any)   { fmt.Fprintf(&q.log, f+"\n", a...) }
func (q *quiet) Log(a ...any)              { fmt.Fprintln(&q.log, a...) }
func (q *quiet) Skipf(string, ...any)      {}
func (q *quiet) Skip(...any)               {}
func (q *quiet) SkipNow()                  {}
func (q *quiet) Errorf(f string, a ...any) { q.Logf(f, a...); q.failed = true }
func (q *quiet) Error(a ...any)            { q.Log(a...); q.failed = true }
func (q *quiet) Fatalf(f string, a ...any) { q.Errorf(f, a...); runtime.Goexit() }
func (q *quiet) Fatal(a ...any)            { q.Error(a...); runtime.Goexit() }
func (q *quiet) FailNow()                  { q.failed = true; runtime.Goexit() }
func (q *quiet) Fail()                     { q.failed = true }
func (q *quiet) Failed() bool              { return q.failed }

// findings runs one check on a store with a bug.
func findings(c check, bug string) (found []finding, twin *quiet) {
	q := &quiet{}
	s := &subject{
		open:   func() store.Store { return newMemory(bug) },
		reopen: func(old store.Store) store.Store { return old.(*memory).reopen() },
		crash:  func(old store.Store) { old.(*memory).crash() },
		sabotage: func(old store.Store, p Part) func() {
			old.(*memory).sabotage = p
			return func() { old.(*memory).sabotage = "" }
		},
		tb: q,
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		found = examine(s, c)
	}()
	<-done
	return found, q
}

// Each bug is found by the check that is there for it, under the law that it breaks.
func TestBugsAreFound(t *testing.T) {
	for bug, want := range map[string]string{
		"zero epoch":                "Epoch SUBSTRATE-SEQ-011",
		"epoch not kept":            "EpochAfterReopen SUBSTRATE-SEQ-011",
		"peers share":               "Peers SUBSTRATE-STORE-005",
		"works when closed":         "Closed SUBSTRATE-STORE-008",
		"rows unsorted":             "RowOrder SUBSTRATE-OUTBOX-007",
		"rows by text":              "RowOrder SUBSTRATE-OUTBOX-007",
		"load shows queues":         "Inbox SUBSTRATE-OBJ-008",
		"last N from rows":          "LastN SUBSTRATE-DEDUPE-008",
		"empty body is none":        "Fields SUBSTRATE-STORE-001",
		"counters from rows":        "CountersOutliveRows SUBSTRATE-OUTBOX-007",
		"state is shared":           "CopiesOfState SUBSTRATE-STORE-008",
		"aliases the batch":         "CopiesOfBatch SUBSTRATE-STORE-008",
		"seconds only":              "Fields SUBSTRATE-STORE-001",
		"load marks as sent":        "ReadingChangesNothing SUBSTRATE-STORE-006",
		"participants sorted":       "Extremes SUBSTRATE-STORE-001",
		"class ignored":             "Ledger SUBSTRATE-ANSWER-003",
		"later entry wins":          "LedgerKeepsTheFirst SUBSTRATE-DEDUPE-003",
		"entry time refreshed":      "LedgerKeepsTheFirst SUBSTRATE-DEDUPE-003",
		"drop before put":           "PartsInOrder SUBSTRATE-DEDUPE-007",
		"sent makes rows":           "Sent SUBSTRATE-OUTBOX-008",
		"ledger dies with inbox":    "Ledger SUBSTRATE-DEDUPE-002",
		"ledger is lost":            "LedgerAfterReopen SUBSTRATE-DEDUPE-002",
		"queues are lost":           "InboxAfterReopen SUBSTRATE-OBJ-008",
		"bytes are lost":            "FieldsAfterReopen SUBSTRATE-STORE-001",
		"rows are never replaced":   "RowPut SUBSTRATE-OUTBOX-003",
		"object keeps participants": "Objects SUBSTRATE-OBJ-007",
		"inbox ignores limit":       "Inbox SUBSTRATE-OBJ-008",
		"inbox of queues only":      "Inbox SUBSTRATE-OBJ-008",
		"depth of all":              "Inbox SUBSTRATE-OBJ-008",
		"expires the edge":          "Expire SUBSTRATE-DEDUPE-003",
		"expires live objects":      "ExpireObjects SUBSTRATE-FINALITY-009",
		"expires without limit":     "ExpireLimit SUBSTRATE-DEDUPE-003",
		"expires counters":          "CountersOutliveRows SUBSTRATE-OBJ-007",
		"never fails":               "FailedBatch SUBSTRATE-STORE-008",
		"half a batch":              "FailedBatch SUBSTRATE-DEDUPE-007",
		"failure counts":            "FailedBatch SUBSTRATE-DEDUPE-007",
		"durable is lost":           "DurableSurvivesCrash SUBSTRATE-DEDUPE-007",
		"crash leaves half":         "DurableSurvivesCrash SUBSTRATE-DEDUPE-007",
		"two steps":                 "ReadersSeeWholeBatches SUBSTRATE-DEDUPE-007",
	} {
		t.Run(bug, func(t *testing.T) {
			name, law, _ := strings.Cut(want, " ")
			all := checks()
			i := slices.IndexFunc(all, func(c check) bool { return c.name == name })
			if i < 0 {
				t.Fatalf("there is no check %s", name)
			}
			found, _ := findings(all[i], bug)
			for _, f := range found {
				if f.law == law && strings.Contains(f.String(), law) && (f.expected != "" || strings.Contains(f.seen, "expected")) && f.seen != "" {
					return
				}
			}
			t.Errorf("%s found %v, expected something under %s", name, found, law)
		})
	}
}

// The property finds on its own what a single batch gets wrong.
func TestTheTwinFindsBugs(t *testing.T) {
	for name, value := range map[string]string{"rapid.nofailfile": "true", "rapid.shrinktime": "0s", "rapid.seed": "1", "rapid.checks": "300"} {
		old := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = flag.Set(name, old) }()
	}
	all := checks()
	twin := all[len(all)-1]
	for _, bug := range []string{
		"later entry wins", "entry time refreshed", "drop before put", "sent makes rows", "ledger dies with inbox", "rows are never replaced",
		"object keeps participants", "inbox ignores limit", "depth of all", "expires the edge", "last N from rows", "peers share", "class ignored",
		"empty body is none", "load shows queues",
	} {
		if _, q := findings(twin, bug); !q.failed || !strings.Contains(q.log.String(), "SUBSTRATE-") {
			t.Errorf("a store where %s passes the property", bug)
		}
	}
	if found, q := findings(twin, ""); q.failed || len(found) > 0 {
		t.Errorf("a good store fails the property: %v\n%s", found, q.log.String())
	}
}

func TestACheckThatLacksSomethingSaysSo(t *testing.T) {
	bare := &subject{}
	for n, want := range map[needs]string{0: "", needsReopen: "Reopen", needsCrash: "Crash", needsSabotage: "Sabotage", needsReopen | needsCrash: "Reopen"} {
		if got := bare.missing(n); got != want {
			t.Errorf("needs %b of a bare subject lack %q, expected %q", n, got, want)
		}
	}
}
