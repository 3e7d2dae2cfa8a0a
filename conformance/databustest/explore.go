package databustest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/generate"
)

// longestHistory is how many moves no history has.
const longestHistory = 50

// exploreCases are histories that are generated from the run's seed. What must be true in every state is looked for after each move, and
// what must come in the end at the end. With every fault 0.1.0 does not come to rest (DATABUS-RACE-001 and others), so that only the fenced
// version is asked for that.
func exploreCases() []conformance.Case {
	states := laws("DATABUS-INV-001", "DATABUS-INV-002", "DATABUS-INV-003", "DATABUS-INV-006", "DATABUS-KEY-003")
	ends := append(slices.Clone(states), "DATABUS-INV-004", "DATABUS-LIVE-004", "DATABUS-LIVE-005")
	build := func(name, title string, laws, options []string, scene tabScene, rests bool) conformance.Case {
		c := one("explore/"+name, title, laws, options, func(t *busT) { t.histories(scene, rests).Judge(t.T) })
		c.Explores = true
		return c
	}
	faults := needs(Freezes, Failures, Statuses)
	return []conformance.Case{
		build("prompt", "generated histories in which each frame arrives at once", ends, needs(Statuses), tabScene{}, true),
		under(fenced, build("faults", "generated histories with every fault", ends, faults, tabScene{Faults: true}, true)),
		under(fenced, build("late", "generated histories with every fault and writes that come late", ends, append(faults, ManualFlush),
			tabScene{Faults: true, Late: true}, true)),
		under(fenced, build("lagging", "generated histories with every fault and views that stay behind", ends, append(faults, Replicated),
			tabScene{Faults: true, Lags: true}, true)),
		under(v010, build("raced", "generated histories with every fault, which may end in a race", states, faults, tabScene{Faults: true}, false)),
		under(v010, build("lagging-raced", "generated histories with every fault and views that stay behind, which may end in a race", states,
			append(faults, Replicated), tabScene{Faults: true, Lags: true}, false)),
	}
}

// tabSteps are what a replay file keeps of a history.
type tabSteps struct {
	Faults bool      `json:"faults,omitempty"`
	Late   bool      `json:"late,omitempty"`
	Lags   bool      `json:"lags,omitempty"`
	Moves  []tabMove `json:"moves"`
}

func (t *busT) histories(scene tabScene, rests bool) generate.Campaign[tabScene, tabMove] {
	return generate.Campaign[tabScene, tabMove]{
		Runs: 60, Shortest: 8, Longest: longestHistory, Shrinks: 120, Share: 0.4,
		Begin: func(_ *rand.Rand, moves int) tabScene {
			scene.left = moves
			return scene
		},
		Open: func(s tabScene) generate.Play[tabMove] { return t.unfold(s, rests) },
		Save: func(s generate.Sequence[tabScene, tabMove]) any {
			return tabSteps{s.Begin.Faults, s.Begin.Late, s.Begin.Lags, s.Moves}
		},
		Load: func(raw json.RawMessage) (s generate.Sequence[tabScene, tabMove], err error) {
			var steps tabSteps
			if err := json.Unmarshal(raw, &steps); err != nil {
				return s, err
			}
			if steps.Faults != scene.Faults || steps.Late != scene.Late || steps.Lags != scene.Lags {
				return s, errors.New("a history of another case")
			}
			s.Begin, s.Moves = scene, steps.Moves
			s.Begin.left = len(steps.Moves)
			return s, nil
		},
	}
}

// An unfolding is one history being played.
type unfolding struct {
	o     *origin
	scene tabScene
	rests bool // it must come to rest in the end
	shown bool // each tab sees at once what another has written
	tabs  [moveTabs]*unfolded
	sent  int // publications of the server
	broke *conformance.Break

	accepted map[string]int            // how often a publication was accepted by an owner
	called   map[string]map[string]int // how often each handler was called for it
}

// An unfolded is one document of a history.
type unfolded struct {
	*tab
	lives  int
	wants  [moveTopics]bool
	away   bool
	asleep bool
	hidden bool
}

// topicName is that of a topic: a text that must not show in the storage (DATABUS-KEY-003).
func topicName(topic int) string { return fmt.Sprintf("plain-topic-%d", topic) }

// unfold begins a history: three tabs run, and nothing is under way.
func (t *busT) unfold(s tabScene, rests bool) *unfolding {
	q := originRequest{}
	if s.Late {
		q.Flush = flushManual
	}
	if s.Lags {
		q.Storage = storageReplicated
	}
	u := &unfolding{o: t.OriginWith(q), scene: s, rests: rests, shown: true, accepted: map[string]int{}, called: map[string]map[string]int{}}
	for i := range u.tabs {
		u.tabs[i] = &unfolded{}
		u.born(i)
	}
	u.calm()
	u.shown = !s.Lags
	return u
}

// born opens a document in the place of a tab.
func (u *unfolding) born(tab int) {
	x := u.tabs[tab]
	x.lives++
	name := fmt.Sprintf("%s%d", tabName(tab), x.lives)
	*x = unfolded{tab: u.o.TabWith(name, tabRequest{}), lives: x.lives}
	u.saw(x.Start())
}

// Play plays one move. One for which there is nothing at hand does nothing.
func (u *unfolding) Play(m tabMove) *conformance.Break {
	x, topic := u.tabs[m.Tab], topicName(m.Topic)
	switch m.Op {
	case moveWant, movePublish, moveHide, moveLook, moveFreeze, moveCrash, moveBreak, moveRefuse:
		u.flush(x)
	}
	switch m.Op {
	case moveWant:
		x.wants[m.Topic] = !x.wants[m.Topic]
		if x.wants[m.Topic] {
			u.saw(x.Subscribe(topic))
		} else {
			u.saw(x.Unsubscribe(topic))
		}
	case movePublish:
		u.saw(x.Publish(topic, `"plain-data"`))
	case moveServer:
		u.server(topic)
	case moveDeliver, moveLose:
		u.frame(m)
	case moveDrain:
		u.calm()
	case movePass:
		u.pass(m.MS)
	case moveSync:
		u.saw(x.Sync(m.Pick))
	case moveFinish:
		u.finish()
	default:
		u.page(x, m)
	}
	if !u.scene.Faults {
		u.calm()
	}
	u.look()
	return u.broke
}

// page is what happens to a page, its transport or its storage.
func (u *unfolding) page(x *unfolded, m tabMove) {
	switch m.Op {
	case moveHide:
		if x.away = !x.away; x.away {
			u.saw(x.PageHide())
		} else {
			u.saw(x.PageShow())
		}
	case moveLook:
		x.hidden = !x.hidden
		u.saw(x.Visibility(map[bool]string{true: "hidden", false: "visible"}[x.hidden]))
	case moveFreeze:
		if x.asleep = !x.asleep; x.asleep {
			u.saw(x.Freeze())
		} else {
			u.saw(x.Thaw())
		}
	case moveCrash:
		u.saw(x.Crash())
		u.born(m.Tab)
	case moveBreak:
		u.saw(x.Status("error"))
	case moveRefuse:
		u.saw(x.FailWrites(m.Pick))
	}
}

// flush has what a tab has written reach the storage, before it does something else.
func (u *unfolding) flush(x *unfolded) {
	if u.scene.Late {
		u.saw(x.Flush())
	}
}

func (u *unfolding) flushAll() {
	for _, x := range u.tabs {
		u.flush(x)
	}
	u.sync()
}

// sync shows all tabs what was written, in a time when views are not behind.
func (u *unfolding) sync() {
	if !u.scene.Lags || !u.shown {
		return
	}
	for _, x := range u.tabs {
		u.saw(x.Sync(0))
	}
}

// heads are the frames that can arrive: the oldest of each sender and receiver that is awake.
func (u *unfolding) heads() []flying {
	var out []flying
	seen := map[[2]string]bool{}
	for _, f := range u.o.Wire() {
		pair := [2]string{f.From, f.To}
		if to := u.named(f.To); !seen[pair] && to != nil && !to.asleep {
			out = append(out, f)
		}
		seen[pair] = true
	}
	return out
}

// named returns the document of that name, if it lives.
func (u *unfolding) named(name string) *unfolded {
	for _, x := range u.tabs {
		if x.name == name {
			return x
		}
	}
	return nil
}

func (u *unfolding) frame(m tabMove) {
	heads := u.heads()
	if len(heads) == 0 {
		return
	}
	f := heads[m.Pick%len(heads)]
	if m.Op == moveLose {
		u.o.Drop(f)
		return
	}
	u.arrive(f)
}

func (u *unfolding) arrive(f flying) {
	u.flush(u.named(f.To))
	u.sync()
	u.saw(u.o.Deliver(f))
}
