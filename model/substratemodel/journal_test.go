package substratemodel

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

func mustJournal(t testing.TB, cfg JournalConfig, bug journalBug) *Journal {
	t.Helper()
	m, err := newJournal(cfg, bug)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestJournalScopesHold: the estimate was 5 000 states; here nothing is lost under way but with the page.
func TestJournalScopesHold(t *testing.T) {
	for i, n := range [][2]int64{{1266, 2810}, {3230, 7560}} {
		sc := JournalScopes()[i]
		t.Run(sc.Name, func(t *testing.T) { machinetest.Holds(t, mustJournal(t, sc.Config, 0), n[0], n[1]) })
	}
}

func TestEveryJournalInvariantCanFail(t *testing.T) {
	in, old := machinetest.Named(t, JournalScopes(), "J1"), machinetest.Named(t, JournalScopes(), "J2")
	seed, stuck := machinetest.Seed[JournalConfig, journalBug], machinetest.Stuck[JournalConfig, journalBug]
	machinetest.Faults(t, model.Bounds{}, journalBugCount, func(cfg JournalConfig, bug journalBug) *Journal { return mustJournal(t, cfg, bug) },
		[]machinetest.Fault[JournalConfig, journalBug]{
			seed(bugPutIsDurable, in, "SUBSTRATE-JOURNAL-001", "", 3),
			seed(bugPutIsDurable, in, "SUBSTRATE-JOURNAL-002", "", 2),
			seed(bugWriteBurns, in, "SUBSTRATE-JOURNAL-004", "", 2),
			seed(bugFailsSilently, in, "SUBSTRATE-JOURNAL-003", "", 2),
			seed(bugDeletesEarly, in, "SUBSTRATE-JOURNAL-005", "", 4),
			seed(bugRestoresLast, in, "SUBSTRATE-JOURNAL-006", "", 12),
			stuck(bugRestoresNothing, in, 3),
			seed(bugExpiresFresh, old, "SUBSTRATE-OUTBOX-008", "", 5),
			seed(bugSendsExpired, old, "SUBSTRATE-OUTBOX-008", "", 6),
		})
}

func TestJournalWalks(t *testing.T) {
	machinetest.Walks(t, []*Journal{mustJournal(t, JournalScopes()[0].Config, 0), mustJournal(t, JournalScopes()[1].Config, 0)}, nil)
}

func TestJournalConfigNamesTheField(t *testing.T) {
	if _, err := NewJournal(JournalConfig{Ops: 5}); err == nil || !strings.Contains(err.Error(), "Ops is 5") {
		t.Error(err)
	}
}
