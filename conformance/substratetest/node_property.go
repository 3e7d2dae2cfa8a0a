package substratetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/generate"
)

// longestNodeRun is how many moves no sequence has.
const longestNodeRun = 60

// nodePropertyCases are runs of one node that are generated from the run's seed: frames, losses, crashes, refusals and time. What must be
// true of them whatever happens is looked for at every step, and what must come in the end at the end; a sequence that breaks it is made
// as small as it can be.
func nodePropertyCases() []conformance.Case {
	build := func(name, title string, options []string, scene nodeScene) conformance.Case {
		c := nodeCase("property/"+name, title, invariants(), options, func(t *nodeT) { t.campaign(scene).Judge(t.T) })
		c.Explores = true
		return c
	}
	return []conformance.Case{
		build("crashes", "generated dialogues with losses, crashes, refusals and time", needs(Refusing), nodeScene{Dies: true}),
		build("pipelines", "generated dialogues with a peer that sends ahead, with losses, refusals and time", needs(Refusing),
			nodeScene{Early: true}),
	}
}

// nodeSteps are what a replay file keeps of a sequence.
type nodeSteps struct {
	Dies  bool       `json:"dies,omitempty"`
	Early bool       `json:"early,omitempty"`
	Moves []nodeMove `json:"moves"`
}

func (t *nodeT) campaign(scene nodeScene) generate.Campaign[nodeScene, nodeMove] {
	return generate.Campaign[nodeScene, nodeMove]{
		Runs: 120, Shortest: 8, Longest: longestNodeRun, Shrinks: 300, Share: 0.4,
		Begin: func(_ *rand.Rand, moves int) nodeScene {
			return nodeScene{Dies: scene.Dies, Early: scene.Early, left: moves}
		},
		Open: func(nodeScene) generate.Play[nodeMove] { return t.play() },
		Save: func(s generate.Sequence[nodeScene, nodeMove]) any {
			return nodeSteps{s.Begin.Dies, s.Begin.Early, s.Moves}
		},
		Load: func(raw json.RawMessage) (s generate.Sequence[nodeScene, nodeMove], err error) {
			var steps nodeSteps
			if err := json.Unmarshal(raw, &steps); err != nil {
				return s, err
			}
			if steps.Dies == steps.Early {
				return s, errors.New("a sequence either dies or is early")
			}
			s.Begin, s.Moves = nodeScene{Dies: steps.Dies, Early: steps.Early, left: len(steps.Moves)}, steps.Moves
			return s, nil
		},
	}
}

// A nodeRun is one sequence on a node of its own, between an honest peer and an application.
type nodeRun struct {
	h    *honest
	objs [nodeSlots]*honestObj
}

// play begins a sequence: one object is opened by the peer, and one by the node.
func (t *nodeT) play() *nodeRun {
	h := newHonest(t.New(nodeSetup{Store: t.lasting()}))
	h.connect()
	r := &nodeRun{h: h}
	r.objs[0] = h.object(t.Unique("o"), "session")
	h.queue(r.objs[0], r.objs[0].Make("open", ""))
	h.quiet()
	r.objs[1] = h.object(t.Unique("o"), "session")
	h.call("open", r.objs[1], "")
	h.quiet()
	return r
}

// Play plays one move. One for which there is nothing at hand does nothing.
func (r *nodeRun) Play(m nodeMove) *conformance.Break {
	h, o := r.h, r.objs[m.Obj]
	switch m.Op {
	case moveCall:
		h.call(m.Verb, o, fmt.Sprint(len(h.calls)))
	case moveQueue:
		h.queue(o, o.Make(m.Verb, fmt.Sprint(len(o.asked))))
	case moveHear:
		for range m.Count {
			if len(h.toNode) > 0 {
				h.hear()
			}
		}
	case moveTell:
		for range m.Count {
			if len(h.toPeer) > 0 {
				h.tell()
			}
		}
	case moveWork:
		if len(h.given) > 0 {
			h.work()
		}
	case moveLose, moveTwice, moveSwap:
		r.wire(m)
	case moveEarly:
		if len(o.out) > 1 && h.n.conn != "" {
			h.toNode = append(h.toNode, o.out[min(m.Count, len(o.out)-1)])
		}
	case moveDrop:
		h.disconnect()
	case moveConnect:
		h.connect()
	case moveDie:
		h.crash()
	case moveRefuse:
		h.n.Refuse(m.Count, m.Times)
	case movePass:
		h.see(h.n.Advance(m.MS))
	case moveFinish:
		h.quiet()
		h.finish()
	}
	return h.broke
}

// wire is what happens to a frame on its way.
func (r *nodeRun) wire(m nodeMove) {
	queue := &r.h.toNode
	if m.Back {
		queue = &r.h.toPeer
	}
	*queue = onTheWay(m.Op, *queue)
}
