package eventbustest

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"time"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/commands"

	"github.com/seed-6f28358b/assay/conformance"
)

// How much one case generates.
const (
	busRuns        = 100 // sequences
	shortestBusRun = 6   // moves of the first sequence, the end included
	longestBusRun  = 40  // no sequence has as many
	busShrinkRuns  = 200 // tries to make a finding smaller
	busShare       = 0.4 // of an ordinary case's deadline, after which no sequence is begun
)

// busPropertyCases are runs of one bus that are generated from the run's seed, compared with a list step by step, and made as
// small as they can be when the two part.
func busPropertyCases() []conformance.Case {
	build := func(name, title string, history bool) conformance.Case {
		return conformance.Case{
			ID: "eventbus/bus/property/" + name, Title: title, Laws: twinLaws(), Versions: bothDialects, Explores: true,
			Run: onBus(func(b *busT) {
				c := &busCampaign{b: b, start: time.Now(), seed: int64(b.Rand().Uint64()), history: history}
				_, seedless := b.hello.Options[Seeding]
				c.seeds = history && b.Version() == "later" && !seedless
				c.run()
			}),
		}
	}
	return []conformance.Case{
		build("resumes", "generated publishes, resumes and departures do what a list does", false),
		build("history", "the same with seeded history, wrong epoch tokens and the end of the bus", true),
	}
}

// A busCampaign is all the sequences of one case.
type busCampaign struct {
	b              *busT
	start          time.Time
	seed           int64
	history, seeds bool

	runs, shrinks int
	worst         *busFind
}

// A busFind is where bus and list part, and how they got there.
type busFind struct {
	conformance.Break
	steps busSteps
}

// busSteps are what a replay file keeps of a sequence.
type busSteps struct {
	RingSize int       `json:"ringSize"`
	Moves    []busMove `json:"moves"`
}

func (c *busCampaign) run() {
	if raw := c.b.Replaying(); raw != nil {
		var steps busSteps
		if err := json.Unmarshal(raw, &steps); err != nil {
			c.b.Inconclusive("the steps of the replay cannot be read: %v", err)
		}
		c.again(steps)
	} else if c.generate(); c.worst != nil {
		// Once more, so that the evidence is the wire of the smallest sequence.
		small := *c.worst
		if c.again(small.steps); c.worst == nil {
			c.b.Note("again", "played once more, the sequence did not show it")
			c.worst = &small
		}
	}
	c.b.Note("sequences", "%d played, %d more to shrink", c.runs, c.shrinks)
	if f := c.worst; f != nil {
		c.b.Note("ring", "of %d", f.steps.RingSize)
		for i, m := range f.steps.Moves[:min(len(f.steps.Moves), 30)] {
			c.b.Note(fmt.Sprintf("move %02d", i+1), "%s", m)
		}
		c.b.Steps(f.steps)
		c.b.Step()
		c.b.Broken(f.Break)
	}
}

func (c *busCampaign) generate() {
	params := gopter.DefaultTestParametersWithSeed(c.seed)
	params.Rng = rand.New(rand.NewSource(c.seed))
	params.MinSuccessfulTests, params.MinSize, params.MaxSize = busRuns, shortestBusRun, longestBusRun
	params.MaxShrinkCount = busShrinkRuns
	result := commands.Prop(&commands.ProtoCommands{
		InitialStateGen: func(params *gopter.GenParameters) *gopter.GenResult {
			return gopter.NewGenResult(c.scene(drawRingSize(params.Rng), params.MaxSize), gopter.NoShrinker)
		},
		GenCommandFunc: func(state commands.State) gopter.Gen { return state.(busScene).generate },
		NewSystemUnderTestFunc: func(state commands.State) commands.SystemUnderTest {
			return c.begin(state.(busScene).ringSize)
		},
	}).Check(params)
	if result.Status == gopter.TestError {
		panic(fmt.Sprintf("property: %v\n%s", result.Error, result.ErrorStack))
	}
}

func (c *busCampaign) scene(ringSize, moves int) busScene {
	return busScene{ringSize: ringSize, left: moves, history: c.history, seeds: c.seeds, later: c.b.Version() == "later"}
}

// begin makes the bus of the next run, or none when there is no more time.
func (c *busCampaign) begin(ringSize int) *busRun {
	used := time.Since(c.start)
	switch {
	case c.worst != nil && used > c.b.Deadline()*8/10, c.worst == nil && float64(used) > busShare*float64(c.b.Timing().Case):
		return &busRun{}
	case c.worst != nil:
		c.shrinks++
	default:
		c.runs++
	}
	return c.open(ringSize)
}

func (c *busCampaign) open(ringSize int) *busRun {
	c.b.Rewind()
	return &busRun{
		campaign: c, bus: c.b.New(options{RingSize: ringSize}), twin: busTwin{ringSize: ringSize},
		steps: busSteps{RingSize: ringSize},
	}
}

// again plays a known sequence.
func (c *busCampaign) again(steps busSteps) {
	c.worst = nil
	state := c.scene(steps.RingSize, len(steps.Moves))
	if steps.RingSize < 1 {
		c.b.Inconclusive("the replay has a ring of %d", steps.RingSize)
	}
	run := c.open(steps.RingSize)
	for i, m := range steps.Moves {
		if !state.allows(m) {
			c.b.Inconclusive("step %d of the replay (%s) makes no sense there, or the target cannot do it", i+1, m)
		}
		if !run.play(m) {
			return
		}
		state = state.after(m)
	}
}

// A busRun is one sequence on a bus of its own, with the list beside it.
type busRun struct {
	campaign *busCampaign // nil: nothing is played
	bus      *drivenBus
	twin     busTwin
	subs     [busSlots]*drivenSub
	steps    busSteps
}

// play plays one move on bus and list, and reports whether they agree.
func (r *busRun) play(m busMove) bool {
	if r.campaign == nil {
		return true
	}
	r.steps.Moves = append(r.steps.Moves, m)
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
		return r.agree(m.Sub, r.twin.take(m.Sub, 2), r.subs[m.Sub].Next(2)) && r.counts()
	case moveReturn:
		r.subs[m.Sub].Return()
		r.twin.leave(m.Sub)
	case moveEnd:
		for i, sub := range r.subs {
			if sub != nil && !r.twin.subs[i].left && !r.agree(i, r.twin.take(i, 1<<20), sub.Drain()) {
				return false
			}
		}
	}
	return r.counts()
}

// agree compares what an ask gave.
func (r *busRun) agree(sub int, want []string, got handedItems) bool {
	seen := twinWords(got)
	if slices.Equal(want, seen) {
		return true
	}
	return r.part(r.twin.blame(sub, want, seen), fmt.Sprintf("subscription %d yields what the list does", sub), fmt.Sprint(want), fmt.Sprint(seen))
}

// counts compares the numbers that a bus shows.
func (r *busRun) counts() bool {
	state := r.bus.state()
	if state.LastEventID != r.twin.last {
		return r.part("EVENTBUS-ID-001", "each event takes the next id, and nothing else does", fmt.Sprint(r.twin.last), fmt.Sprint(state.LastEventID))
	}
	if attached := r.twin.attached(); state.SubscriberCount != attached {
		return r.part("EVENTBUS-SUBSCRIBE-007", "subscriptions that were made and have not left are counted", fmt.Sprint(attached), fmt.Sprint(state.SubscriberCount))
	}
	return true
}

// part takes in where bus and list part, and reports false unless another law is being made small.
func (r *busRun) part(law, reason, want, seen string) bool {
	c := r.campaign
	if c == nil {
		return true
	}
	if c.worst != nil && c.worst.Law != law {
		// The bus is beyond the list from here on.
		r.campaign = nil
		return true
	}
	c.worst = &busFind{conformance.Break{Law: law, Reason: reason, Expected: want, Seen: seen}, busSteps{r.steps.RingSize, slices.Clone(r.steps.Moves)}}
	return false
}
