package fuzz

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// pairActions is every action of the machine, and pairWays what must come of them.
const (
	pairActions = `
enqueue
enqueue fails
connect
disconnect
takeover
transmit A
transmit B
deliver A
deliver B
deliver, commit fails A
deliver, commit fails B
deliver old A
deliver old B
resend A
resend B
spurious resend A
spurious resend B
escalate A
escalate B
handover A
handover B
handled A
handled B
drop A
drop B
duplicate A
duplicate B
reorder A
reorder B
crash A
crash B
app opens
app closes
app asks
flip
stale ack 0
stale ack 1
expire
foreign 0
foreign 1
foreign 2
foreign 3
tick
`
	pairWays = `
sent open
sent close
sent send
sent req
sent accept
sent reject open_conflict
sent reject already_exists
sent res
sent err app_error
sent ack
sent resync
sent resync base
sent bounce unauthorized
sent bounce no_such_object
sent bounce closed
sent bounce not_accepted
sent bounce out_of_seq
sent bounce queue_full
sent bounce store_unavailable
sent bounce busy
handed open
handed close
handed send
handed req
handed again
settled open
settled open unauthorized
settled open already_exists
settled open open_conflict
settled open closed
settled open expired
settled close
settled close unauthorized
settled close no_such_object
settled close closed
settled close expired
settled send
settled send unauthorized
settled send no_such_object
settled send closed
settled send not_accepted
settled send out_of_seq
settled send expired
settled send busy
settled send queue_full
settled send store_unavailable
settled req
settled req unauthorized
settled req no_such_object
settled req closed
settled req not_accepted
settled req app_error
settled req expired
settled req busy
settled req queue_full
settled req store_unavailable
futile unauthorized
futile no_such_object
futile closed
futile not_accepted
futile out_of_seq
futile app_error
futile busy
futile queue_full
futile store_unavailable
futile unknown busy
futile expired
futile answer no_such_object
futile answer closed
futile answer expired
ended ack_timeout
ended gap_timeout
failed open
failed close
failed send
failed req
committed open
committed close
committed send
committed req
committed accept
committed reject
committed res
committed err
acked open
acked close
acked send
acked req
acked accept
acked reject
acked res
acked err
answered open
answered req
duplicate
below
denied open
denied close
denied send
denied req
swallowed
bounce of a row before
buffered
second gap
second gap ages
second gap asks
dropped old
dropped ack
dropped bounce
dropped err
dropped resync
dropped copy
died closed
died no_such_object
orphan accept
orphan reject
orphan res
orphan err
A idle to opening
A opening to live
A opening to closed
A opening to rejected
A live to closed
A closed to opening
A closed to idle
A rejected to opening
A rejected to idle
B idle to opening
B opening to live
B opening to closed
B opening to rejected
B live to closed
B live to opening
B closed to opening
B closed to idle
B rejected to opening
B rejected to idle
`
)

// TestSubstratePairReachesEveryWay takes engines and machine through many random lives in step, looking for what has been seldom, sees no difference, and sees every action
// of the machine and every way that one can go. The source of chance is fixed: a failure comes again.
func TestSubstratePairReachesEveryWay(t *testing.T) {
	reached := ways{}
	d := pairDrafter{draws{rand.New(rand.NewPCG(3, 4)).IntN}}
	for taken := 0; taken < 4**steps; {
		r, err := newPairRun(d.config())
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			a, ok := d.favour(r, reached)
			if !ok {
				break
			}
			taken++
			if err := r.take(a); errors.Is(err, errNoRoom) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			waysOfPair(a, r.machine.steps, reached)
		}
	}
	reached.check(t, slices.Concat(lines(pairActions), lines(pairWays)), 4**steps)
}

// favour drafts some actions and chooses the one that leads where the runs were seldom.
func (d pairDrafter) favour(r *pairRun, seen ways) (substratemodel.PairAction, bool) {
	best, ok := d.next(r)
	if !ok || d.rarely(3) {
		return best, ok
	}
	least := math.MaxInt
	for range 5 {
		a, _ := d.next(r)
		if r.Foresee(a) == nil {
			continue
		}
		there := ways{}
		waysOfPair(a, r.machine.steps, there)
		for way := range there {
			if seen[way] < least {
				best, least = a, seen[way]
			}
		}
	}
	return best, true
}
