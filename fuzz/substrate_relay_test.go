package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// A relayRig is an edge, which takes what the machine's browser sends; each connection is to another one. The sink is the test's: it resolves calls as the actions say.
type relayRig struct {
	eng    *engine.Engine
	now    time.Time
	conns  int
	conn   string
	token  uint64 // of the call that is out
	in     []uint8
	spoken uint8 // what the machine's browser sends in this step
	seen   relaySeen
	late   bool // the clock moves on in this step
}

// A relaySeen is what an edge does in a step: the seqs of the calls that it makes and of the acks that it sends.
type relaySeen struct {
	Called, Acked []uint8
	Fault         string
}

// Do takes an action and returns what the edge did.
func (r *relayRig) Do(a substratemodel.RelayAction) relaySeen {
	r.seen, r.late = relaySeen{}, false
	switch a.Op {
	case substratemodel.RelayConnect:
		r.connect()
	case substratemodel.RelayArrive:
		seq := r.in[0]
		r.in = r.in[1:]
		r.receive(seq)
	case substratemodel.RelayStored, substratemodel.RelayFails:
		var err error
		if a.Op == substratemodel.RelayFails {
			err = errDisk
		}
		r.eng.Stored(r.now, r.token, 0, false, err)
		r.commit()
	case substratemodel.RelayLate:
		// SUBSTRATE-RELAY-008: the edge gives the call up, and hears of its success too late.
		late := r.token
		r.late = true
		r.now = r.now.Add(30*time.Second + time.Millisecond)
		r.eng.Tick(r.now)
		r.commit()
		r.eng.Stored(r.now, late, 0, false, nil)
		r.commit()
	case substratemodel.RelayDrop, substratemodel.RelayDropLate, substratemodel.RelayEscalate:
		late := r.token
		r.eng.Disconnected(r.now, r.conn)
		r.commit()
		if a.Op == substratemodel.RelayDropLate {
			// SUBSTRATE-ACK-007: nobody hears of it.
			r.eng.Stored(r.now, late, 0, false, nil)
			r.commit()
		}
		r.in = nil
	}
	if r.spoken != 0 {
		r.in = append(r.in, r.spoken)
	}
	return r.seen
}

func (r *relayRig) connect() {
	r.conns++
	r.conn = fmt.Sprint("conn-", r.conns)
	eng, err := engine.New(r.now, engine.Config{Local: "edge", Remote: "a", Authorize: engine.AllowAll, Rand: octets{rand.NewPCG(1, 2)}, Relay: &engine.Relay{Remembers: store.Horizon}})
	if err != nil {
		panic(err)
	}
	r.eng, r.in = eng, nil
	r.eng.Connected(r.now, engine.Conn{ID: r.conn})
	r.commit()
}

func (r *relayRig) receive(seq uint8) {
	w := toWire(substratemodel.Frame{Kind: substratemodel.KindSend, ID: seq, Seq: seq, Prev: seq - 1, Receipt: seq})
	raw, err := wire.Append(nil, &w)
	if err != nil {
		panic(err)
	}
	r.eng.Receive(r.now, r.conn, raw)
	r.commit()
}

func (r *relayRig) commit() {
	if err := r.eng.Commit(r.now, nil); err != nil {
		r.seen.Fault = err.Error()
	}
	for _, x := range r.eng.Take() {
		switch x := x.(type) {
		case engine.StoreOp:
			r.token = x.Token
			r.seen.Called = append(r.seen.Called, uint8(x.Row.Seq))
		case engine.Transmit:
			f, err := wire.Decode(x.Bytes)
			// SUBSTRATE-SEQ-006: a gap is as old as the call that is given up. For the machine that is no time.
			if err == nil && r.late && f.Kind == wire.Resync {
				continue
			}
			// SUBSTRATE-RELAY-003
			if err != nil || f.Kind != wire.Ack || f.Level != "stored" || x.Conn != r.conn || string(f.Receipt) != fmt.Sprint("receipt-", numberOf(f.ID)) {
				r.seen.Fault = fmt.Sprintf("sends %s %s %q on %s: %v", f.Kind, f.ID, f.Level, x.Conn, err)
			}
			r.seen.Acked = append(r.seen.Acked, numberOf(f.ID))
		default:
			r.seen.Fault = fmt.Sprintf("%T", x)
		}
	}
}

// A relayMachine is the machine in the terms of the rig.
type relayMachine struct {
	*substratemodel.Relay
	rig *relayRig
}

// Do takes an action, and leaves to the rig what the browser sends.
func (m *relayMachine) Do(s substratemodel.RelayState, a substratemodel.RelayAction) (substratemodel.RelayState, relaySeen, bool) {
	for after, o := range m.Step(s, a) {
		var seen relaySeen
		if o.Called != 0 {
			seen.Called = []uint8{o.Called}
		}
		if o.Acked != 0 {
			seen.Acked = []uint8{o.Acked}
		}
		m.rig.spoken = o.Sent
		return after, seen, true
	}
	return s, relaySeen{}, false
}

func sameRelay(a, b relaySeen) bool {
	return slices.Equal(a.Called, b.Called) && slices.Equal(a.Acked, b.Acked) && a.Fault == b.Fault
}

// relaysTogether lets edges and their machine live through one run.
func relaysTogether(d draws, limit int, reached ways) error {
	for i := 0; i < limit; {
		cfg := substratemodel.RelayConfig{
			Ops: uint8(1 + d.draw(4)), Flight: uint8(1 + d.draw(2)), StoreFail: uint8(d.draw(4)), Disconnect: uint8(d.draw(4)), Spurious: uint8(d.draw(3)),
		}
		machine, err := substratemodel.NewRelay(cfg)
		if err != nil {
			return err
		}
		m := &relayMachine{machine, &relayRig{now: pairEpoch}}
		r := model.NewTandem(m, m.rig, sameRelay)
		for more := true; more && i < limit; i++ {
			var possible []substratemodel.RelayAction
			for a := range machine.Actions(r.State()) {
				for range machine.Step(r.State(), a) {
					possible = append(possible, a)
				}
			}
			if more = len(possible) > 0; !more {
				continue
			}
			a := one(d, possible...)
			_, want, err := r.Take(a)
			if err != nil {
				return fmt.Errorf("%+v: %w", cfg, err)
			}
			reached[a.String()]++
			if len(want.Acked) > 0 {
				reached["acked"]++
			}
			if len(want.Called) > 0 {
				reached["called"]++
			}
		}
	}
	return nil
}

// TestSubstrateRelayReachesEveryWay takes edges and the machine through many random lives in step, and sees every action that an edge can see.
func TestSubstrateRelayReachesEveryWay(t *testing.T) {
	reached := ways{}
	if err := relaysTogether(draws{rand.New(rand.NewPCG(7, 1)).IntN}, *steps, reached); err != nil {
		t.Fatal(err)
	}
	reached.check(t, lines(`
connect
send
arrive
ack
stored
resend
escalate
store fails
store succeeds late
disconnect
disconnect, store succeeds late
spurious resend
acked
called
`), *steps)
}

// FuzzSubstrateRelay drives an edge and its machine with the same actions, drafted from the script.
func FuzzSubstrateRelay(f *testing.F) {
	for i := range uint64(20) {
		f.Add(randomScript(6000 + i))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		limit := min(len(script), pairSteps)
		if err := relaysTogether(drawFrom(&script), limit, ways{}); err != nil {
			t.Fatal(err)
		}
	})
}
