package fuzz

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// sessionReasons are the refusals and the closes that the laws know, each with its call and its law. The one that is missing is that of a NACK in 1.0
// (STOMP-NACK-001): what a version does not have cannot be encoded (STOMP-FRAME-022), which is asked before (STOMP-CLIENT-003).
const sessionReasons = `
send time-negative STOMP-CLOCK-001
send time-regression STOMP-CLOCK-002
send header-count STOMP-LIMIT-010
send body-size STOMP-LIMIT-011
send header-pair STOMP-LIMIT-009
send encoding STOMP-CLIENT-003
send not-connect STOMP-CONNECT-014
send not-connected STOMP-CONNECT-016
send command STOMP-CLIENT-008
send disconnecting STOMP-DISCONNECT-005
send closed STOMP-CLIENT-010
send host STOMP-CONNECT-015
send accept-version STOMP-CONNECT-015
send versions-strict STOMP-NEGOTIATE-007
send versions-offered STOMP-NEGOTIATE-008
send receipt-on-connect STOMP-CONNECT-003
send heart-beat STOMP-CONNECT-015
send receipt-empty STOMP-RECEIPT-003
send receipt-pending STOMP-RECEIPT-003
send receipt-capacity STOMP-LIMIT-016
send destination STOMP-SEND-005
send transaction-unknown STOMP-TX-007
send subscription-id STOMP-SUBSCRIBE-012
send subscription-destination STOMP-SUBSCRIBE-012
send subscription-duplicate STOMP-SUBSCRIBE-012
send unsubscribing STOMP-UNSUBSCRIBE-005
send ack-mode STOMP-SUBSCRIBE-012
send unsettled STOMP-SUBSCRIBE-013
send subscription-capacity STOMP-LIMIT-014
send unsubscribe-id STOMP-UNSUBSCRIBE-009
send ack-id STOMP-ACK-006
send staged STOMP-ACK-008
send overlap STOMP-ACK-009
send transaction-id STOMP-TX-006
send transaction-capacity STOMP-LIMIT-015
receive not-receiving STOMP-CLIENT-007
receive time-negative STOMP-CLOCK-001
receive time-regression STOMP-CLOCK-003
receive syntax STOMP-CLIENT-006
receive after-error STOMP-ERROR-007
receive after-disconnect STOMP-DISCONNECT-005
receive unexpected-connecting STOMP-CONNECT-017
receive unexpected STOMP-CLIENT-008
receive version-strict STOMP-NEGOTIATE-007
receive version-offered STOMP-NEGOTIATE-008
receive heart-beat-invalid STOMP-HEARTBEAT-001
receive message STOMP-SUBSCRIBE-014
receive message-ack STOMP-SUBSCRIBE-015
receive delivery-capacity STOMP-LIMIT-017
receive delivery-duplicate STOMP-SUBSCRIBE-015
receive delivery-duplicate STOMP-ACK-010
receive receipt STOMP-RECEIPT-005
tick time-negative STOMP-CLOCK-001
tick time-regression STOMP-CLOCK-003
tick timeout STOMP-HEARTBEAT-011
end spent STOMP-CLIENT-009
end truncated STOMP-CLIENT-009
`

// sessionWays is what must happen besides: what is written and heard when all is well.
const sessionWays = `
send CONNECT
send STOMP
send SEND
send SUBSCRIBE
send UNSUBSCRIBE
send ACK
send NACK
send BEGIN
send COMMIT
send ABORT
send DISCONNECT
tick LF
end clean
event heart-beat
event connected
event message
event receipt
event server-error
1.0 NACK is not encoded
fresh 1.2
connecting 1.0
connecting 1.1
connecting 1.2
active 1.0
active 1.1
active 1.2
disconnecting 1.0
disconnecting 1.1
disconnecting 1.2
closed 1.0
closed 1.1
closed 1.2
`

// TestStompSessionReachesEveryReason takes the session and its machine through many random sessions in step, sees no difference, and sees every reason to
// refuse and to close, with its law, on the way. The source of chance is fixed: a failure comes again.
func TestStompSessionReachesEveryReason(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := sessionDrafter{draws: draws{rng.IntN}}
	seen := novelty{}
	reached := ways{}
	var r *sessionRun
	for i := range *steps {
		if r == nil || r.State().Phase() == stompmodel.SessionClosed && d.rarely(3) {
			var err error
			if r, err = newSessionRun(d.config()); err != nil {
				t.Fatal(err)
			}
		}
		a, before := d.favour(r, seen), r.State()
		if err := r.take(a); err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
		seen[wayOf(a, before, r.last)]++
		for _, way := range waysOfSession(a, r.last) {
			reached[way]++
		}
	}
	reached.check(t, append(lines(sessionReasons), lines(sessionWays)...), *steps)
}

// waysOfSession names what a step reached.
func waysOfSession(a stompmodel.SessionAction, o stompmodel.SessionOutput) []string {
	out := []string{string(o.State) + " " + string(o.Version)}
	switch {
	case o.Reason != "":
		out = append(out, string(a.Op)+" "+string(o.Reason)+" "+o.Law)
		if o.Reason == stompmodel.Encoding && a.Frame.Command == "NACK" && o.Rule == stompmodel.RuleUnknownCommand {
			out = append(out, string(o.Version)+" NACK is not encoded")
		}
	case a.Op == stompmodel.SessionSend:
		out = append(out, "send "+a.Frame.Command)
	case a.Op == stompmodel.SessionTick && o.Octets != "":
		out = append(out, "tick LF")
	case a.Op == stompmodel.SessionEnd:
		out = append(out, "end clean")
	}
	for _, e := range o.Events {
		out = append(out, "event "+string(e.Kind))
	}
	return out
}

// A novelty counts what happened in which situation.
type novelty map[novelWay]int

type novelWay struct {
	op      stompmodel.SessionOp
	command string
	reason  stompmodel.SessionReason
	law     string
	counts  stompmodel.SessionCounts
	state   stompmodel.SessionPhase
	staged  int
}

func wayOf(a stompmodel.SessionAction, before stompmodel.SessionState, o stompmodel.SessionOutput) novelWay {
	w := novelWay{a.Op, a.Frame.Command, o.Reason, o.Law, o.Counts, o.State, 0}
	for _, d := range before.Records().Deliveries {
		if d.Staged {
			w.staged++
		}
	}
	return w
}

// favour drafts some actions and chooses: half the time one that goes well, else the one that leads where the runs were seldom.
func (d sessionDrafter) favour(r *sessionRun, seen novelty) stompmodel.SessionAction {
	before, well := r.rest, d.rarely(2)
	best, rest := stompmodel.SessionAction{Op: stompmodel.SessionTick, Now: r.State().Now()}, before
	least := math.MaxInt
	for range 8 {
		r.rest = before
		a := d.next(r)
		o := r.Foresee(a)
		n := seen[wayOf(a, r.State(), o)]
		// An end is the end of all that could have come, and so is a chunk whose rest will be one: it is taken if it is new, or seldom.
		whole := a
		whole.Chunk += r.rest
		ends := r.State().Phase() != stompmodel.SessionClosed && (o.State == stompmodel.SessionClosed || r.Foresee(whole).State == stompmodel.SessionClosed)
		if ends && n > 2 && !d.rarely(15) || o.Reason != "" && well || n >= least {
			continue
		}
		best, rest, least = a, r.rest, n
		if well {
			break
		}
	}
	r.rest = rest
	return best
}
