package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// A journalMachine is the machine in the steps of a page whose engine puts a row on the wire as soon as it may be there, and whose file has only one end: what is synced
// is synced with all that was written before it.
type journalMachine struct{ *substratemodel.Journal }

// Do takes an action.
func (m journalMachine) Do(s substratemodel.JournalState, a substratemodel.JournalAction) (substratemodel.JournalState, journalSeen, bool) {
	var seen journalSeen
	before := s.View()
	s, o, ok := m.step(s, a.Op)
	if !ok {
		return s, seen, false
	}
	seen.Rejected, seen.Handed, seen.Known, seen.Expired = o.Rejected, o.Handed, o.Known, o.Expired
	switch a.Op {
	case substratemodel.JournalArrive, substratemodel.JournalAck, substratemodel.JournalAbort:
		seen.Op, seen.Seq = o.Op, o.Seq
	}
	if o.Sent {
		seen.Sent = append(seen.Sent, substratemodel.JournalRow{Op: o.Op, Seq: o.Seq})
	}
	synced := a.Op == substratemodel.JournalComplete || a.Op == substratemodel.JournalAbort && before.Put || o.Expired != 0
	for young := s.View().Young; ; young = s.View().Young {
		after, o, ok := m.step(s, substratemodel.JournalTransmit)
		if !ok {
			break
		}
		s, synced = after, synced || young
		seen.Sent = append(seen.Sent, substratemodel.JournalRow{Op: o.Op, Seq: o.Seq})
	}
	for synced && s.View().Deletes > 0 {
		s, _, _ = m.step(s, substratemodel.JournalDelete)
	}
	return s, seen, true
}

func (m journalMachine) step(s substratemodel.JournalState, op substratemodel.JournalOp) (substratemodel.JournalState, substratemodel.JournalOutcome, bool) {
	for after, o := range m.Step(s, substratemodel.JournalAction{Op: op}) {
		return after, o, true
	}
	return s, substratemodel.JournalOutcome{}, false
}

// fits says that a page can do what the machine can: while it writes it does nothing else.
func (m journalMachine) fits(s substratemodel.JournalState, a substratemodel.JournalAction) bool {
	_, _, ok := m.step(s, a.Op)
	return ok && a.Op != substratemodel.JournalTransmit && !(a.Op == substratemodel.JournalAck && s.View().Writing)
}

// look compares what the page holds, what a crash would leave of its journal, and what is under way with the state of the machine.
func (r *journalRig) look(a substratemodel.JournalAction, s substratemodel.JournalState) error {
	want := s.View()
	if len(r.frames) != want.Frames || len(r.acks) != want.Acks || len(r.deletes) != want.Deletes {
		return fmt.Errorf("%d frames, %d acks and %d deletes are under way, want %d, %d and %d", len(r.frames), len(r.acks), len(r.deletes), want.Frames, want.Acks, want.Deletes)
	}
	if (r.journal != nil) != want.Restored {
		return fmt.Errorf("the page is loaded: %t", r.journal != nil)
	}
	if want.Restored && !want.Writing {
		if rows := r.rows(); !slices.Equal(rows, want.Rows) {
			return fmt.Errorf("the page has rows %v, want %v", rows, want.Rows)
		}
		// SUBSTRATE-JOURNAL-004: what failed is not in the journal before it is opened again either.
		if file, err := os.Stat(r.path); err != nil || file.Size() != r.journal.Size() {
			return fmt.Errorf("the file has other than %d octets: %+v, %v", r.journal.Size(), file, err)
		}
		if kept, err := r.journal.Load("edge"); err != nil || !keeps(kept, want.Rows, want.Last) {
			return fmt.Errorf("the open journal has %+v, want rows %v and seq %d: %v", kept, want.Rows, want.Last, err)
		}
	}
	// SUBSTRATE-JOURNAL-008
	var locked *journal.LockedError
	if a.Op == substratemodel.JournalRestore || a.Op == substratemodel.JournalSend {
		if _, err := journal.Open(r.path, journal.Options{}); !errors.As(err, &locked) {
			return fmt.Errorf("the journal has two owners: %v", err)
		}
	}
	return r.lookAtDisk(&want)
}

// lookAtDisk opens a copy of what a crash would leave, if that has changed.
func (r *journalRig) lookAtDisk(want *substratemodel.JournalView) error {
	file, err := os.ReadFile(r.path)
	if err != nil {
		return err
	}
	if file = file[:min(r.kept, int64(len(file)))]; r.left == nil || !bytes.Equal(file, r.left) {
		if r.left, r.leaves, err = file, nil, os.WriteFile(r.path+" copy", file, 0o600); err != nil {
			return err
		}
		j, err := journal.Open(r.path+" copy", journal.Options{Sync: func(*os.File) error { return nil }})
		if err != nil {
			return err
		}
		defer j.Close()
		if r.leaves, err = j.Load("edge"); err != nil {
			return err
		}
	}
	if !keeps(r.leaves, want.Disk, want.Last) {
		return fmt.Errorf("the journal has %+v, want rows %v and seq %d", r.leaves, want.Disk, want.Last)
	}
	return nil
}

// keeps says that a state has these rows, and this seq as the last.
func keeps(s *store.State, rows []substratemodel.JournalRow, last uint8) bool {
	at := uint64(0)
	for _, c := range s.Counters {
		at = c.LastAssigned
	}
	return slices.Equal(rowsOf(s.Rows), rows) && at == uint64(last)
}

// journalsTogether lets pages and their machine live through one run.
func journalsTogether(t testing.TB, d draws, limit int, bad journalFaults, reached ways) error {
	path, empty := filepath.Join(t.TempDir(), "journal"), []byte(nil)
	for i := 0; i < limit; {
		few := func() uint8 { return uint8(d.draw(4)) }
		cfg := substratemodel.JournalConfig{Ops: 1 + few(), WriteFail: few(), Reload: few(), Halves: few()}
		machine, err := substratemodel.NewJournal(cfg)
		if err != nil {
			return err
		}
		m, rig := journalMachine{machine}, newJournalRig(path, empty)
		if rig.bad = bad; empty == nil {
			if empty, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		r := model.NewTandem(m, rig, func(want, got journalSeen) bool { return reflect.DeepEqual(want, got) })
		r.Look = rig.look
		for more := true; more && i < limit && err == nil; i++ {
			var possible []substratemodel.JournalAction
			for a := range machine.Actions(r.State()) {
				if m.fits(r.State(), a) {
					possible = append(possible, a)
				}
			}
			if more = len(possible) > 0; more {
				err = journalStep(r, likely(d, possible), reached)
			}
		}
		rig.crash(false)
		if err != nil {
			return fmt.Errorf("%+v: %w", cfg, err)
		}
	}
	return nil
}

func journalStep(r *model.Tandem[substratemodel.JournalState, substratemodel.JournalAction, journalSeen], a substratemodel.JournalAction, reached ways) error {
	before, o, err := r.Take(a)
	was, is := before.View(), r.State().View()
	for way, there := range map[string]bool{
		a.String():                 true,
		"abort of a put":           a.Op == substratemodel.JournalAbort && was.Put,
		"abort before the put":     a.Op == substratemodel.JournalAbort && !was.Put,
		"reload while it writes":   a.Op == substratemodel.JournalReload && was.Writing && !was.Put,
		"reload of a put":          a.Op == substratemodel.JournalReload && was.Put,
		"reload, delete lost":      a.Op == substratemodel.JournalReload && was.Deletes > 0,
		"reload twice":             a.Op == substratemodel.JournalReload && !was.Restored,
		"restores many":            a.Op == substratemodel.JournalRestore && len(is.Rows) > 1,
		"restores nothing":         a.Op == substratemodel.JournalRestore && len(was.Disk) == 0,
		"restores what is old":     a.Op == substratemodel.JournalRestore && o.Expired != 0,
		"arrives while it writes":  a.Op == substratemodel.JournalArrive && was.Writing,
		"known":                    o.Known,
		"sent at once":             a.Op == substratemodel.JournalComplete && len(o.Sent) > 0,
		"waits":                    a.Op == substratemodel.JournalComplete && len(o.Sent) == 0,
		"the ack lets the next go": a.Op == substratemodel.JournalAck && len(o.Sent) > 0,
		"stale ack":                a.Op == substratemodel.JournalAck && o.Op == 0,
		"sent again":               a.Op == substratemodel.JournalHalf && len(o.Sent) > 0 && o.Expired == 0,
		"expired":                  o.Expired != 0,
		"time passes without page": a.Op == substratemodel.JournalHalf && !was.Restored,
	} {
		if there {
			reached[way]++
		}
	}
	return err
}

// journalSteps is how much fewer steps are made than elsewhere: each of them reads the file anew.
const journalSteps = 8

// TestSubstrateJournalReachesEveryWay takes pages and the machine through many random lives in step, and sees every action and every way that one can go.
func TestSubstrateJournalReachesEveryWay(t *testing.T) {
	reached := ways{}
	if err := journalsTogether(t, draws{rand.New(rand.NewPCG(9, 1)).IntN}, *steps/journalSteps, journalFaults{}, reached); err != nil {
		t.Fatal(err)
	}
	reached.check(t, lines(`
send
put
complete
restore
arrive
ack
delete
abort
reload
reload, written
half
abort of a put
abort before the put
reload while it writes
reload of a put
reload, delete lost
reload twice
restores many
restores nothing
restores what is old
arrives while it writes
known
sent at once
waits
the ack lets the next go
stale ack
sent again
expired
time passes without page
`), *steps/journalSteps)
}

// TestSubstrateJournalSeesFaults: whatever is wrong around a page parts it from the machine within some runs.
func TestSubstrateJournalSeesFaults(t *testing.T) {
	for what, bad := range map[string]journalFaults{
		"a disk that lies":               {syncs: true},
		"a put that is success":          {successful: true},
		"a journal that is not there":    {forgets: true},
		"time that is fast":              {early: true},
		"a network that delivers twice":  {twice: true},
		"a crash that does not tear off": {keeps: true},
	} {
		t.Run(what, func(t *testing.T) {
			for seed := range uint64(100) {
				if journalsTogether(t, draws{rand.New(rand.NewPCG(seed, 4)).IntN}, pairSteps, bad, ways{}) != nil {
					return
				}
			}
			t.Error("nobody notices")
		})
	}
}

// FuzzSubstrateJournal drives pages with their journals and the machine with the same actions, drafted from the script.
func FuzzSubstrateJournal(f *testing.F) {
	for i := range uint64(8) {
		f.Add(randomScript(8000 + i))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		limit := min(len(script), pairSteps/journalSteps)
		if err := journalsTogether(t, drawFrom(&script), limit, journalFaults{}, ways{}); err != nil {
			t.Fatal(err)
		}
	})
}
