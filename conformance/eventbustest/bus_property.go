package eventbustest

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/generate"
)

// longestBusRun is how many moves no sequence has.
const longestBusRun = 40

// busPropertyCases are runs of one bus that are generated from the run's seed, compared with a list step by step, and made as
// small as they can be when the two part.
func busPropertyCases() []conformance.Case {
	build := func(name, title string, history bool) conformance.Case {
		return conformance.Case{
			ID: "eventbus/bus/property/" + name, Title: title, Laws: twinLaws(), Versions: bothDialects, Explores: true,
			Run: onBus(func(b *busT) { b.campaign(history).Judge(b.T) }),
		}
	}
	return []conformance.Case{
		build("resumes", "generated publishes, resumes and departures do what a list does", false),
		build("history", "the same with seeded history, wrong epoch tokens and the end of the bus", true),
	}
}

// busSteps are what a replay file keeps of a sequence.
type busSteps struct {
	RingSize int       `json:"ringSize"`
	Moves    []busMove `json:"moves"`
}

func (b *busT) campaign(history bool) generate.Campaign[busScene, busMove] {
	_, seedless := b.hello.Options[Seeding]
	later := b.Version() == "later"
	scene := func(ringSize, moves int) busScene {
		return busScene{ringSize: ringSize, left: moves, history: history, seeds: history && later && !seedless, later: later}
	}
	return generate.Campaign[busScene, busMove]{
		Runs: 100, Shortest: 6, Longest: longestBusRun, Shrinks: 200, Share: 0.4,
		Begin: func(r *rand.Rand, moves int) busScene { return scene(drawRingSize(r), moves) },
		Open: func(s busScene) generate.Play[busMove] {
			return &busRun{bus: b.New(options{RingSize: s.ringSize}), twin: busTwin{ringSize: s.ringSize}}
		},
		Save: func(s generate.Sequence[busScene, busMove]) any { return busSteps{s.Begin.ringSize, s.Moves} },
		Load: func(raw json.RawMessage) (s generate.Sequence[busScene, busMove], err error) {
			var steps busSteps
			if err := json.Unmarshal(raw, &steps); err != nil {
				return s, err
			}
			if steps.RingSize < 1 {
				return s, fmt.Errorf("a ring of %d", steps.RingSize)
			}
			s.Begin, s.Moves = scene(steps.RingSize, len(steps.Moves)), steps.Moves
			return s, nil
		},
	}
}

// A busRun is one sequence on a bus of its own, with the list beside it.
type busRun struct {
	bus  *drivenBus
	twin busTwin
	subs [busSlots]*drivenSub
}

// Play plays one move on bus and list.
func (r *busRun) Play(m busMove) *conformance.Break {
	switch m.Op {
	case movePublish:
		r.bus.Burst(m.Count)
		r.twin.publish(m.Count)
	case moveSeed:
		r.bus.Seed(slices.Repeat([]string{`{"k":0}`}, m.Count)...)
		r.twin.seed(m.Count)
	case moveClose:
		r.bus.Close()
		r.twin.close()
	case moveSubscribe:
		options := []subOption{maxQueued(4 * longestBusRun * 2)}
		cursor := max(0, r.twin.last-int64(m.Back))
		if !m.Live {
			options = append(options, resumeAfter(cursor))
		}
		if m.Wrong {
			options = append(options, withEpoch("of-another-bus"))
		}
		r.subs[m.Sub] = r.bus.Subscribe(options...)
		r.twin.subscribe(m, cursor)
	case moveTake:
		return r.agree(m.Sub, r.twin.take(m.Sub, m.Count), r.subs[m.Sub].Next(m.Count))
	case moveAbort:
		r.subs[m.Sub].Abort()
		r.twin.abort(m.Sub)
		if parted := r.agree(m.Sub, r.twin.take(m.Sub, 2), r.subs[m.Sub].Next(2)); parted != nil {
			return parted
		}
	case moveReturn:
		r.subs[m.Sub].Return()
		r.twin.leave(m.Sub)
	case moveEnd:
		for i, sub := range r.subs {
			if sub == nil || r.twin.subs[i].left {
				continue
			}
			if parted := r.agree(i, r.twin.take(i, 1<<20), sub.Drain()); parted != nil {
				return parted
			}
		}
	}
	return r.counts()
}

// agree compares what an ask gave.
func (r *busRun) agree(sub int, want []string, got handedItems) *conformance.Break {
	seen := twinWords(got)
	if slices.Equal(want, seen) {
		return nil
	}
	return parted(r.twin.blame(sub, want, seen), fmt.Sprintf("subscription %d yields what the list does", sub), want, seen)
}

// counts compares the numbers that a bus shows.
func (r *busRun) counts() *conformance.Break {
	state := r.bus.state()
	if state.LastEventID != r.twin.last {
		return parted("EVENTBUS-ID-001", "each event takes the next id, and nothing else does", r.twin.last, state.LastEventID)
	}
	if attached := r.twin.attached(); state.SubscriberCount != attached {
		return parted("EVENTBUS-SUBSCRIBE-007", "subscriptions that were made and have not left are counted", attached, state.SubscriberCount)
	}
	return nil
}

func parted(law, reason string, want, seen any) *conformance.Break {
	return &conformance.Break{Law: law, Reason: reason, Expected: fmt.Sprint(want), Seen: fmt.Sprint(seen)}
}
