package substratemodel

import (
	"fmt"
	"strings"
	"testing"
)

// A played is a pair that was taken through a script.
type played struct {
	t     *testing.T
	m     *Pair
	s     PairState
	notes []string
}

// play takes a pair through actions, in order: "op" or "op side".
func play(t *testing.T, cfg PairConfig, script string) *played {
	t.Helper()
	p := &played{t: t, m: mustPair(t, cfg, 0)}
	p.s = p.m.Init()
	p.on(script)
	return p
}

func (p *played) on(script string) {
	p.t.Helper()
	for _, text := range strings.Split(script, "; ") {
		taken := false
		for a := range p.m.Actions(p.s) {
			if a.String() != text {
				continue
			}
			for next, o := range p.m.Step(p.s, a) {
				p.s, taken = next, true
				for _, e := range o.Effects() {
					p.notes = append(p.notes, e.String())
				}
			}
		}
		if !taken {
			p.t.Fatalf("%q is not possible in %v", text, p.s)
		}
	}
}

// said reports whether an effect was noted that begins so.
func (p *played) said(effect string) (n int) {
	for _, note := range p.notes {
		if strings.HasPrefix(note, effect) {
			n++
		}
	}
	return n
}

func (p *played) want(effect string, n int) {
	p.t.Helper()
	if got := p.said(effect); got != n {
		p.t.Errorf("%q happened %d times, want %d:\n%s", effect, got, n, strings.Join(p.notes, "\n"))
	}
}

func (p *played) objects(a, b string) {
	p.t.Helper()
	if got := fmt.Sprintf("%v %v", p.s.side[A].obj, p.s.side[B].obj); got != a+" "+b {
		p.t.Errorf("the objects are %s, want %s %s", got, a, b)
	}
}

// SUBSTRATE-OBJ-001, SUBSTRATE-VERB-001: a close that crosses an open is about the incarnation before.
func TestCloseThatCrossesAnOpenChangesNothing(t *testing.T) {
	p := play(t, live(Budgets{CloseB: 1}, KindClose, KindOpen), "connect; enqueue; app closes; transmit A; deliver B; deliver A; enqueue; transmit B; deliver A; transmit A; deliver B")
	p.objects("opening", "closed")
	p.want("A committed (close 7", 1)
	p.want("A died", 0)
	p.want("A sent (ack 7", 1)
	p.on("deliver B; handover B; transmit B; deliver A; deliver A")
	p.objects("live", "live")
}

// SUBSTRATE-FINALITY-009: closes that cross are both taken, and neither is futile or news to the other side.
func TestClosesThatCrossConverge(t *testing.T) {
	p := play(t, live(Budgets{CloseB: 1}, KindClose), "connect; enqueue; app closes; transmit A; transmit B; deliver B; deliver A; deliver A; deliver B")
	p.objects("closed", "closed")
	p.want("A futile", 0)
	p.want("B futile", 0)
	p.want("A settled (close 1)", 1)
	p.want("B settled (close 7)", 1)
	if n := p.s.side[A].waiting + p.s.side[B].waiting; n != 0 {
		t.Errorf("%d closes wait for applications", n)
	}
}

// SUBSTRATE-OBJ-006: the open that gave way is taken up again when the other is closed before it was answered.
func TestOpenThatGaveWayIsTakenUpAgain(t *testing.T) {
	p := play(t, fresh(Budgets{OpenB: 1}, KindOpen, KindClose), "connect; enqueue; app opens; transmit A; deliver B; enqueue; transmit B; deliver A; transmit A; deliver B")
	p.objects("closed", "opening")
	p.on("deliver A; deliver B; handover A; deliver A; transmit A; deliver B")
	p.objects("live", "live")
	p.want("B settled (open 6)", 1)
}

// SUBSTRATE-OBJ-005: what cannot be is refused at once.
func TestCallsOnWhatIsOverAreRefused(t *testing.T) {
	p := play(t, live(Budgets{}, KindClose, KindSend, KindClose), "enqueue; enqueue; enqueue")
	p.want("A failed", 2)
	p = play(t, fresh(Budgets{OpenB: 1}, KindClose, KindOpen), "connect; app opens; transmit B; deliver A; enqueue")
	p.want("A failed (close", 1)
}

// SUBSTRATE-BOUNCE-004, SUBSTRATE-SEQ-009: an error about an object that is gone is acked, and so what comes after it names it.
func TestFrontierPassesADeadError(t *testing.T) {
	p := play(t, failing(live(Budgets{CloseB: 1}, KindReq, KindReq, KindClose)), "connect; enqueue; transmit A; deliver B; handover B; deliver A; transmit B; deliver A; deliver B; "+
		"enqueue; enqueue; transmit A; deliver B; handover B; deliver A; app closes; transmit B; deliver A; deliver B; transmit B; deliver A")
	p.want("A dropped (err 2", 1)
	p.want("A buffered", 0)
	p.want("A committed (close 7", 1)
}

// SUBSTRATE-ANSWER-006: an answer about an object that is gone is refused, and then purged where it came from.
func TestAnswerAboutADeadObjectIsBounced(t *testing.T) {
	p := play(t, live(Budgets{}, KindReq, KindClose), "connect; enqueue; transmit A; deliver B; handover B; deliver A; enqueue; transmit B; deliver A; deliver B")
	p.want("A sent (bounce 1 closed)", 1)
	p.want("B purged (res 1", 1)
}

// SUBSTRATE-FINALITY-008: a death takes the answers of its incarnation as well, and leaves the refusal of an open.
func TestDeathTakesAnswers(t *testing.T) {
	p := play(t, live(Budgets{}, KindReq, KindClose), "connect; enqueue; enqueue; transmit A; deliver B; handover B; deliver A; transmit A; deliver B")
	p.want("B purged (res 1", 1)
	if n := p.s.side[B].queued; n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// SUBSTRATE-ACK-004: a row that was refused for now is not one that was never sent: another copy of it may have been taken, and its ack counts.
func TestAckFreesARowThatWaitsForItsNextTry(t *testing.T) {
	p := play(t, live(Budgets{Duplicate: 1, Full: 1}, KindSend), "connect; enqueue; transmit A; duplicate B; deliver B; deliver A; deliver A")
	p.want("B sent (bounce 1 queue_full)", 1)
	p.want("A acked (send 1", 1)
}

// SUBSTRATE-BOUNCE-002, SUBSTRATE-STORE-008: an error whose commit fails gets no error, and comes again.
func TestErrorThatCannotBeWrittenGetsNone(t *testing.T) {
	p := play(t, failing(live(Budgets{StoreFail: 1}, KindReq)), "connect; enqueue; transmit A; deliver B; handover B; deliver A; transmit B; deliver, commit fails A")
	p.want("A sent (bounce", 0)
	p.on("resend B; deliver A")
	p.want("A settled (req 1 app_error)", 1)
}

// SUBSTRATE-FINALITY-006, SUBSTRATE-FINALITY-008: an error that comes after a restart makes its operation futile as long as the row is there to tell that nobody has said so.
func TestErrorAfterARestartIsFutileOnce(t *testing.T) {
	p := play(t, failing(live(Budgets{CrashA: 1}, KindReq)), "connect; enqueue; transmit A; deliver B; handover B; crash A; connect; transmit B; deliver A")
	p.want("A futile (req 1 app_error)", 1)
	p.want("A orphan", 1)
	p = play(t, failing(live(Budgets{CrashA: 1}, KindReq)), "connect; enqueue; transmit A; deliver B; handover B; deliver A; crash A; connect; transmit B; deliver A")
	p.want("A futile", 0)
	p.want("A orphan", 1)
}

// SUBSTRATE-OUTBOX-008, SUBSTRATE-OBJ-001, SUBSTRATE-BOUNCE-005: an open that expires is rejected, and an object that was over before is forgotten.
func TestWeeksPass(t *testing.T) {
	play(t, fresh(Budgets{Expire: 1}, KindOpen), "connect; enqueue; transmit A; expire").objects("rejected", "idle")
	play(t, live(Budgets{Expire: 1}, KindClose), "enqueue; expire").objects("idle", "live")
}

// SUBSTRATE-STORE-008: a base that leads to a commit that fails is as if it had not come.
func TestBaseWhoseCommitFailsIsNoBase(t *testing.T) {
	cfg := denied(2, timed(pipelining(live(Budgets{StoreFail: 1}, KindSend, KindSend, KindSend)), 30_001))
	p := play(t, cfg, "connect; enqueue; enqueue; enqueue; transmit A; transmit A; deliver B; deliver B; deliver A; transmit A; deliver A; deliver B; tick; deliver A; deliver, commit fails B")
	if e := &p.s.side[B]; e.next != 2 || e.gaps != 1 {
		t.Errorf("frontier %d, %d frames wait, want 2 and 1", e.next, e.gaps)
	}
}

// SUBSTRATE-FINALITY-008, SUBSTRATE-BOUNCE-003: a bounce is about a row that was sent. One that comes for an answer of before the weeks that have passed leaves the answer of now alone, which has its id and
// was never sent.
func TestBounceSparesWhatWasNeverSent(t *testing.T) {
	p := play(t, live(Budgets{}, KindSend, KindSend), "connect; enqueue; enqueue; transmit A")
	r := &pairRun{m: p.m, s: p.s.pairState, o: &PairOutcome{}}
	r.bounced(A, Frame{Kind: KindBounce, Op: 2, ID: 2, Code: CodeNoSuchObject})
	if n := p.s.side[A].queued; n != 2 {
		t.Errorf("%d rows are left, want 2", n)
	}
}
