package substratetest

import (
	"slices"
	"strings"
)

// ofEach makes a hook of what is done about one deed.
func ofEach[D ~[]*deed](instead func(*refNode, *deed) D) func(*refNode, deeds) deeds {
	return func(n *refNode, did deeds) (out deeds) {
		for _, d := range did {
			out = append(out, instead(n, d)...)
		}
		return out
	}
}

// deedwise has something else done for each deed.
func deedwise(instead func(*refNode, *deed) []*deed) nodeHooks {
	return nodeHooks{did: ofEach(instead)}
}

// A measuring says what becomes of a measurement.
type measuring func(*measure) []measure

// measured has a node tell something else of what it measures.
func measured(what measuring) func() nodeHooks {
	return replying(func(r *signalsReply) {
		out := []measure{}
		for i := range r.Measures {
			out = append(out, what(&r.Measures[i])...)
		}
		r.Measures = out
	})
}

// replying changes what an operation replies, as far as it is of a type.
func replying[R any](change func(*R)) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{reply: func(_ string, v any, err error) (any, error) {
			if r, ok := v.(R); ok {
				change(&r)
				v = r
			}
			return v, err
		}}
	}
}

// named is a measuring of the metric of a name, without its prefix.
func named(name string, what measuring) measuring {
	return func(m *measure) []measure {
		if strings.TrimPrefix(m.Name, "substrate.") != name {
			return []measure{*m}
		}
		return what(m)
	}
}

// The measurings of most deviants.
func twice(m *measure) []measure { return []measure{*m, *m} }
func never(*measure) []measure   { return nil }

// asIf tells of a metric as of another.
func asIf(name string) measuring {
	return func(m *measure) []measure {
		m.Name = "substrate." + name
		return []measure{*m}
	}
}

// counting counts something when a deed is done.
func counting(name string, when func(*deed) bool) func() nodeHooks {
	return func() nodeHooks {
		seen := map[string]bool{}
		return deedwise(func(n *refNode, d *deed) []*deed {
			key := string(d.Octets)
			if when(d) || name == "ops.enqueued" && d.Kind == didTransmit && seen[key] && decode(d.Octets).durable() {
				n.seen.got.Measures = append(n.seen.got.Measures, measure{Name: "substrate." + name, As: "count", Value: 1})
			}
			seen[key] = true
			return []*deed{d}
		})
	}
}

// arriving counts something when a frame comes.
func arriving(name string, when func(*frame) bool) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{frame: func(n *refNode, f *frame) *frame {
			if when(f) {
				n.seen.got.Measures = append(n.seen.got.Measures, measure{Name: "substrate." + name, As: "count", Value: 1, Labels: map[string]string{"verb": f.kind()}})
			}
			return f
		}}
	}
}

// refusals are deeds that say of a commit that it was refused.
func refusals(d *deed) bool { return d.Kind == didRefused }

// bounces are errs on the wire that are no ops, answers those that are.
func bounces(d *deed) bool { return d.is("err") && decode(d.Octets).bounce() }
func errs(d *deed) bool    { return d.is("err") && !decode(d.Octets).bounce() }

// measureDeviants measure something else, or at another time.
func measureDeviants() []nodeDeviant {
	plus := func(by float64) measuring {
		return func(m *measure) []measure {
			m.Value += by
			return []measure{*m}
		}
	}
	label := func(name, value string) measuring {
		return func(m *measure) []measure {
			m.Labels[name] = value
			return []measure{*m}
		}
	}
	return []nodeDeviant{
		{law: "SUBSTRATE-OBSERVE-003", name: "counts each enqueue twice", hooks: measured(named("ops.enqueued", twice))},
		{law: "SUBSTRATE-OBSERVE-003", name: "counts resends as enqueued", hooks: counting("ops.enqueued", func(*deed) bool { return false })},
		{law: "SUBSTRATE-OBSERVE-003", name: "counts failed writes as enqueued", hooks: counting("ops.enqueued", refusals)},
		{law: "SUBSTRATE-OBSERVE-003", name: "counts each call as enqueued", hooks: func() nodeHooks {
			return nodeHooks{op: func(n *refNode, op string) {
				if op == "send" || op == "open" {
					n.seen.got.Measures = append(n.seen.got.Measures, measure{Name: "substrate.ops.enqueued", As: "count", Value: 1})
				}
			}}
		}},
		{law: "SUBSTRATE-OBSERVE-003", name: "counts stale acks", hooks: arriving("ops.acked", func(f *frame) bool { return f.kind() == "ack" })},
		{law: "SUBSTRATE-OBSERVE-012", name: "counts answered rows as acked", hooks: measured(named("ops.answered", asIf("ops.acked")))},
		{law: "SUBSTRATE-OBSERVE-012", name: "counts no purge", hooks: measured(named("ops.purged", never))},
		{law: "SUBSTRATE-OBSERVE-011", name: "loses purged rows", hooks: measured(named("ops.purged", never))},
		{law: "SUBSTRATE-OBSERVE-011", name: "counts more than there is", hooks: measured(named("ops.enqueued", twice))},
		{law: "SUBSTRATE-OBSERVE-004", name: "is off by one", hooks: measured(named("outbox.depth", plus(1)))},
		{law: "SUBSTRATE-OBSERVE-005", name: "latencies with a ms too many", hooks: measured(func(m *measure) []measure {
			if m.As == "sample" {
				m.Value++
			}
			return []measure{*m}
		})},
		{law: "SUBSTRATE-OBSERVE-005", name: "latencies by a clock that ran backwards", only: "observe/ack-latency-after-*", hooks: measured(func(m *measure) []measure {
			if m.As == "sample" {
				m.Value = -m.Value - 1
			}
			return []measure{*m}
		})},
		{law: "SUBSTRATE-OBSERVE-005", name: "answer latencies of acks", hooks: measured(func(m *measure) []measure {
			if m.Name == "substrate.ack.latency_ms" {
				m.Name = "substrate.answer.latency_ms"
			}
			return []measure{*m}
		})},
		{law: "SUBSTRATE-OBSERVE-006", name: "ingress by no verb", hooks: measured(named("ingress.op", label("verb", "op")))},
		{law: "SUBSTRATE-OBSERVE-006", name: "ingress of everything", hooks: arriving("ingress.op", func(*frame) bool { return true })},
		{law: "SUBSTRATE-OBSERVE-007", name: "no duplicates", hooks: measured(named("dedupe.duplicate", never))},
		{law: "SUBSTRATE-OBSERVE-007", name: "deferred frames as duplicates", hooks: measured(named("seq.deferred", asIf("dedupe.duplicate")))},
		{law: "SUBSTRATE-OBSERVE-007", name: "each ack is of a duplicate", hooks: counting("dedupe.duplicate", func(d *deed) bool { return d.is("ack") })},
		{law: "SUBSTRATE-OBSERVE-008", name: "names the object of a denial", hooks: measured(named("authorize.denied", label("obj", "o")))},
		{law: "SUBSTRATE-OBSERVE-008", name: "bounces as denials", hooks: counting("authorize.denied", bounces)},
		{law: "SUBSTRATE-OBSERVE-009", name: "each bounce twice", hooks: measured(named("bounce", twice))},
		{law: "SUBSTRATE-OBSERVE-009", name: "answers as bounces", hooks: counting("bounce", errs)},
		{law: "SUBSTRATE-OBSERVE-009", name: "futile by no code", hooks: measured(named("futile", label("code", "closed_or_not")))},
		{law: "SUBSTRATE-OBSERVE-010", name: "no end", hooks: measured(named("conn.ended", never))},
		{law: "SUBSTRATE-OBSERVE-010", name: "each connection is ready twice", hooks: measured(named("conn.ready", twice))},
	}
}

// observerDeviants do with their observers what they should not.
func observerDeviants() []nodeDeviant {
	watched := func(n *refNode, word string) bool { return slices.Contains(n.q.Observe, word) }
	return []nodeDeviant{
		{law: "SUBSTRATE-OBSERVE-002", name: "acks nothing while it is observed otherwise", hooks: func() nodeHooks {
			return deedwise(func(n *refNode, d *deed) []*deed {
				if len(n.q.Observe) > 0 && d.is("ack") {
					return nil
				}
				return []*deed{d}
			})
		}},
		{law: "SUBSTRATE-OBSERVE-002", name: "a panic ends the turn of all", only: "observe/later-members-run", hooks: func() nodeHooks {
			return deedwise(func(n *refNode, d *deed) []*deed {
				if watched(n, "panics") {
					n.seen.got.Measures = nil
				}
				return []*deed{d}
			})
		}},
		{law: "SUBSTRATE-OBSERVE-001", name: "measures for nobody", only: "observe/none-is-told-nothing", hooks: counting("conn.ready", func(*deed) bool { return true })},
		{law: "SUBSTRATE-OBSERVE-001", name: "members in another order", only: "observe/composite", hooks: measured(func(m *measure) []measure {
			m.By = (m.By + 1) % 3
			return []measure{*m}
		})},
		{law: "SUBSTRATE-OBSERVE-001", name: "one member is left out", only: "observe/composite", hooks: replying(func(r *signalsReply) {
			r.Events = slices.DeleteFunc(r.Events, func(e seenEvent) bool { return e.By == 2 })
		})},
		{law: "SUBSTRATE-OBSERVE-001", name: "events of one level", only: "observe/events", hooks: replying(func(r *signalsReply) {
			for i := range r.Events {
				r.Events[i].Level = "info"
			}
		})},
		{law: "SUBSTRATE-OBSERVE-001", name: "spans without an end", only: "observe/spans", hooks: replying(func(r *signalsReply) {
			r.Spans = slices.DeleteFunc(r.Spans, func(s seenSpan) bool { return s.Ends })
		})},
	}
}

// sinkDeviants have sinks that are not bounded, or lose what is in them.
func sinkDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-OBSERVE-013", name: "keeps every series", hooks: replying(func(r *sinkReply) { r.Kept, r.Dropped = r.Kept+r.Dropped, 0 })},
		{law: "SUBSTRATE-OBSERVE-013", name: "keeps every set", only: "observe/telemetry-sink-is-bounded", hooks: replying(func(r *sinkReply) { r.Kept = r.Handed })},
		{law: "SUBSTRATE-OBSERVE-013", name: "begins anew when it is full", only: "observe/memory-sink-goes-on", hooks: replying(func(r *sinkReply) {
			for i := range r.Series {
				r.Series[i].Value = 1
			}
		})},
		{law: "SUBSTRATE-OBSERVE-013", name: "has room for nothing", only: "observe/memory-sink-makes-room", hooks: replying(func(r *sinkReply) { r.Dropped = 10 })},
		{law: "SUBSTRATE-OBSERVE-001", name: "a snapshot that is no copy", only: "observe/snapshot", hooks: replying(func(r *sinkReply) {
			for i := range r.Series {
				r.Series[i].Value = 0
			}
		})},
	}
}
