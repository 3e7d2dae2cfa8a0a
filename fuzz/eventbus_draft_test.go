package fuzz

import (
	"strings"

	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// A busDrafter drafts configurations and actions. Its mood is to fill queues or to drain them, for a while.
type busDrafter struct {
	draws
	mood busMood
}

type busMood int

const (
	anyMood busMood = iota
	filling
	draining
	busMoods
)

// config drafts a bus whose limits are within reach.
func (d *busDrafter) config() eventbusmodel.BusConfig {
	cfg := eventbusmodel.BusConfig{
		Dialect:        eventbusmodel.Dialect(d.draw(2)),
		RingSize:       1 + d.draw(20),
		MaxSubscribers: 1 + d.draw(4),
		MaxQueuedBytes: one[int64](d.draws, 0, 0, 0, 1, 72, 160, 320, 640, 1280),
		Slots:          5,
		Asks:           one(d.draws, 1, 3),
	}
	if cfg.Dialect == eventbusmodel.Later {
		cfg.ReplayBudgetBytes = one[int64](d.draws, 0, 1, 120, 200, 500)
	}
	return cfg
}

// next drafts an action for a state.
func (d *busDrafter) next(s eventbusmodel.BusState, cfg eventbusmodel.BusConfig) eventbusmodel.BusAction {
	slot := d.draw(cfg.Slots)
	a := eventbusmodel.BusAction{Sub: slot, Now: float64(1_719_000_000_000 + d.draw(1000))}
	sub := s.Sub(slot)
	if d.rarely(20) {
		d.mood = busMood(d.draw(int(busMoods)))
	}
	k := d.draw(100)
	switch {
	case d.mood == filling && k%3 != 0:
		a.Op, a.Input = eventbusmodel.OpPublish, d.publish(s, sub, a.Now, cfg)
	case d.mood == draining && k%4 != 0 && sub.Buffered > 0:
		a.Op = eventbusmodel.OpNext
	case sub.Asks > 1 && k < 15:
		a.Op = one(d.draws, eventbusmodel.OpAbort, eventbusmodel.OpReturn)
	case !sub.Opened && k < 70, !sub.Attached && k < 30:
		a.Op = eventbusmodel.OpSubscribe
		d.subscribe(&a, s)
	case k < 45:
		a.Op, a.Input = eventbusmodel.OpPublish, d.publish(s, sub, a.Now, cfg)
	case k < 84 && sub.Opened && sub.Asks < cfg.Asks:
		a.Op = eventbusmodel.OpNext
	case k < 88 && sub.Asks > 0:
		a.Op = eventbusmodel.OpWithdraw
	case k < 91 && sub.Opened:
		a.Op = eventbusmodel.OpAbort
	case k < 93 && sub.Opened:
		a.Op = eventbusmodel.OpReturn
	case k < 95 && cfg.Dialect == eventbusmodel.Later:
		a.Op = eventbusmodel.OpSeed
		for range d.draw(4) {
			a.Inputs = append(a.Inputs, eventbusmodel.Input{Type: "h", Data: "1"})
		}
	case k == 95 && d.rarely(4):
		a.Op = eventbusmodel.OpClose
	default:
		a.Op, a.Input = eventbusmodel.OpPublish, d.publish(s, sub, a.Now, cfg)
	}
	return a
}

func (d *busDrafter) subscribe(a *eventbusmodel.BusAction, s eventbusmodel.BusState) {
	a.MaxQueued = one(d.draws, 1, 2, 3, 4, 5, 7, 8, 8, 8, 16, 1+d.draw(16), 0)
	a.Epoch = eventbusmodel.Epoch(one(d.draws, 0, 0, 1, 2))
	a.Callback = eventbusmodel.Callback(one(d.draws, 0, 0, 1, 2, 3))
	a.Aborted = d.rarely(12)
	if d.rarely(4) {
		return
	}
	last := s.LastEventID()
	a.Cursor = true
	switch d.draw(6) {
	case 0:
		a.After = 0
	case 1:
		a.After = max(0, last+int64(d.draw(5))-2)
	case 2:
		if ring := s.Ring(); len(ring) > 0 {
			a.After = max(0, ring[0].ID+int64(d.draw(4))-3)
		}
	case 3:
		a.After = 1<<53 - 1
	default:
		a.After = int64(d.draw(int(last) + 1))
	}
}

// publish drafts an event; now and then one whose size brings the octets of a subscriber right to a line, or next to it.
func (d *busDrafter) publish(s eventbusmodel.BusState, sub eventbusmodel.SubView, now float64, cfg eventbusmodel.BusConfig) eventbusmodel.Input {
	line := cfg.MaxQueuedBytes / 8 * one[int64](d.draws, 3, 6, 8)
	if d.rarely(2) || line > 2000 {
		return d.input()
	}
	in := eventbusmodel.Input{Type: "e", Data: `""`}
	f := eventbusmodel.Frame{V: eventbusmodel.SchemaVersion, ID: s.LastEventID() + 1, Type: in.Type, Data: in.Data, Timestamp: now}
	if missing := line - sub.Bytes - int64(len(f.JSON())) + one[int64](d.draws, 0, 0, -1, 1); missing >= 0 {
		in.Data = `"` + strings.Repeat("x", int(missing)) + `"`
	}
	return in
}

func (d *busDrafter) input() eventbusmodel.Input {
	in := eventbusmodel.Input{Type: one(d.draws, "e", "tick", "", "a \"b\" é")}
	if d.rarely(10) {
		in.Unserialisable = true
		return in
	}
	in.Data = one(d.draws,
		``, `null`, `1`, `"é€😀<&>"`, `{"a":[1,2,{"b":null}]}`, `"0123456789012345678901234567890123456789"`, `[]`, `{"id":7,"v":2,"_meta":{}}`,
		"\"\u2028\\u0000\\\"\"", `-1.5e-7`)
	if d.rarely(4) {
		in.Originator = one(d.draws, "client-1", "é\n")
	}
	if d.rarely(4) {
		in.Meta = one(d.draws, `"a":1`, `"a":{"b":"<é>"},"z":null`)
	}
	switch d.draw(8) {
	case 0:
		in.Stamp = eventbusmodel.Stamp{Kind: eventbusmodel.StampNumber, Value: one(d.draws, 0, -1.5, 5, 1e21, 1e-7, 1234567890123.25)}
	case 1:
		in.Stamp = eventbusmodel.Stamp{Kind: eventbusmodel.StampOther}
	}
	return in
}
