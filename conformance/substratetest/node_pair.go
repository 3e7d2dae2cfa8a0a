package substratetest

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/generate"
)

// nodePairCases are runs of two nodes of the target against each other, with opens and closes of both sides that cross in every way, and
// crashes. What is looked for needs no word about who is right: that both ends agree, that every call ends, and that nothing is lost or
// comes twice.
func nodePairCases() []conformance.Case {
	laws := laws(
		"SUBSTRATE-OBJ-010", "SUBSTRATE-OBJ-001", "SUBSTRATE-ANSWER-001", "SUBSTRATE-DEDUPE-001", "SUBSTRATE-ACK-002", "SUBSTRATE-SEQ-003",
		"SUBSTRATE-RECONNECT-001",
	)
	build := func(name, title string, scene pairScene) conformance.Case {
		c := nodeCase("property/"+name, title, laws, needs(Kept), func(t *nodeT) { t.pairs(scene).Judge(t.T) })
		c.Explores = true
		return c
	}
	return []conformance.Case{
		build("pairs", "two nodes open and close the same names, and what they send crosses", pairScene{}),
		build("pairs-that-die", "the same, with processes that die", pairScene{Dies: true}),
	}
}

// A pairSteps is what a replay file keeps of a sequence.
type pairSteps struct {
	Dies  bool       `json:"dies,omitempty"`
	Moves []pairMove `json:"moves"`
}

func (t *nodeT) pairs(scene pairScene) generate.Campaign[pairScene, pairMove] {
	return generate.Campaign[pairScene, pairMove]{
		Runs: 200, Shortest: 8, Longest: longestNodeRun, Shrinks: 300, Share: 0.4,
		Begin: func(_ *rand.Rand, moves int) pairScene { return pairScene{Dies: scene.Dies, left: moves} },
		Open:  func(pairScene) generate.Play[pairMove] { return t.pairUp() },
		Save:  func(s generate.Sequence[pairScene, pairMove]) any { return pairSteps{s.Begin.Dies, s.Moves} },
		Load: func(raw json.RawMessage) (s generate.Sequence[pairScene, pairMove], err error) {
			var steps pairSteps
			if err := json.Unmarshal(raw, &steps); err != nil {
				return s, err
			}
			s.Begin, s.Moves = pairScene{Dies: steps.Dies, left: len(steps.Moves)}, steps.Moves
			return s, nil
		},
	}
}

// A pairRun is one sequence: two nodes, the wire between them, and the applications on them.
type pairRun struct {
	sides [2]*pairSide
	objs  [nodeSlots]string
	broke *conformance.Break
}

// A pairSide is one of the two nodes.
type pairSide struct {
	*node
	wire  []*frame // on the way to this node
	given []*deed
	// What this side has called in its present life and what has become of it, and what of its sends and reqs has come through.
	pending []*nodeCall
	called  []string // ids of sends and reqs, in order
	ended   map[string]*deed
	first   []string // ids in the order in which this side was handed them first
	fresh   map[string]int
	closes  map[string]int // calls of close, by object
	opens   map[string]int // of those there had been when an open was called, by its id
}

func (t *nodeT) pairUp() *pairRun {
	r := &pairRun{}
	for i := range r.objs {
		r.objs[i] = t.Unique("o")
	}
	ids := [2]string{"left", "right"}
	for i := range ids {
		n := t.New(nodeSetup{Local: ids[i], Remote: ids[1-i], Store: t.lasting()})
		r.sides[i] = &pairSide{node: n, ended: map[string]*deed{}, fresh: map[string]int{}, closes: map[string]int{}, opens: map[string]int{}}
	}
	r.connect()
	return r
}

func (r *pairRun) want(ok bool, law, reason, expected, seen string) {
	if !ok && r.broke == nil {
		r.broke = &conformance.Break{Law: law, Reason: reason, Expected: expected, Seen: seen}
	}
}

// connect makes a connection ready on both sides; what was under way is lost.
func (r *pairRun) connect() {
	for i, s := range r.sides {
		s.wire, s.epoch = nil, r.sides[1-i].own
	}
	for i, s := range r.sides {
		r.absorb(i, s.Connect())
	}
}

func (r *pairRun) disconnect() {
	for i, s := range r.sides {
		s.wire = nil
		if s.conn != "" {
			r.absorb(i, s.Disconnect())
		}
	}
}

// die kills the process of a side, and with it the connection and whoever waits.
func (r *pairRun) die(side int) {
	r.disconnect()
	s := r.sides[side]
	s.pending, s.given = nil, nil
	r.absorb(side, s.Restart())
}

// absorb looks at what a side did.
func (r *pairRun) absorb(side int, did deeds) {
	s, other := r.sides[side], r.sides[1-side]
	for _, d := range did {
		switch d.Kind {
		case didTransmit:
			if other.conn != "" || other.conns < s.conns {
				other.wire = append(other.wire, d.frame)
			}
		case didEnd:
			if d.Conn == s.conn {
				s.conn = ""
			}
		case didDeliver:
			s.given = append(s.given, d)
			r.handed(s, other, d)
		case didSettle:
			r.want(s.ended[d.ID] == nil, "SUBSTRATE-ANSWER-001", "a call is settled once", "no second time", d.String())
			s.ended[d.ID] = d
			if before, open := s.opens[d.ID]; open && d.Code == "closed" {
				r.want(s.closes[d.Obj] > before, "SUBSTRATE-OBJ-010", "an open is ended by a close of its own side alone", "no settle", d.String())
			}
			s.pending = slices.DeleteFunc(s.pending, func(c *nodeCall) bool { return c.Name == d.Call })
		}
	}
}

// handed looks at a delivery.
func (r *pairRun) handed(s, from *pairSide, d *deed) {
	if !d.Redelivered {
		s.fresh[d.ID]++
		r.want(s.fresh[d.ID] == 1, "SUBSTRATE-DEDUPE-001", "an op is handed over once", "no second time", d.String())
	}
	if d.Verb == "open" || d.Verb == "close" || slices.Contains(s.first, d.ID) {
		return
	}
	s.first = append(s.first, d.ID)
	at := -1
	for _, id := range s.first {
		if !strings.HasPrefix(from.objOf(id), d.Obj) {
			continue
		}
		next := slices.Index(from.called, d.Obj+" "+id)
		r.want(next > at, "SUBSTRATE-SEQ-003", "ops are handed over in the order in which they were called",
			strings.Join(from.called, ", "), strings.Join(s.first, ", "))
		at = next
	}
}

// objOf returns the object of a call of this side.
func (s *pairSide) objOf(id string) string {
	for _, c := range s.called {
		if obj, of, _ := strings.Cut(c, " "); of == id {
			return obj
		}
	}
	return ""
}

// call makes a call, if nothing speaks against it.
func (r *pairRun) call(side int, verb, obj string) {
	s := r.sides[side]
	q := callRequest{}
	if verb == "open" {
		q.ObjKind = "session"
	}
	c, refused := s.TryCall(verb, obj, q)
	if refused != nil {
		return
	}
	s.pending = append(s.pending, c)
	switch verb {
	case "open":
		s.opens[c.ID] = s.closes[obj]
	case "close":
		s.closes[obj]++
	}
	if verb == "send" || verb == "req" {
		s.called = append(s.called, obj+" "+c.ID)
	}
	r.absorb(side, c.Did)
}

// hear lets a side have the next frame.
func (r *pairRun) hear(side int) {
	s := r.sides[side]
	f := s.wire[0]
	s.wire = s.wire[1:]
	if s.conn != "" {
		r.absorb(side, s.do("frame", nodeFrameRequest{s.name, s.conn, f.raw}))
	}
}

// work has the application of a side do with the next delivery what it is for, or refuse it.
func (r *pairRun) work(side int, refuses bool) {
	s := r.sides[side]
	d := s.given[0]
	s.given = s.given[1:]
	verb := map[string]string{"open": "accept", "req": "respond"}[d.Verb]
	if refuses && verb != "" {
		verb = map[string]string{"open": "reject", "req": "fail"}[d.Verb]
	}
	if verb != "" {
		if did, refused := s.TryAnswer(verb, d, codeFor(verb)); refused == nil {
			r.absorb(side, did)
			return
		}
	}
	if did, refused := s.TryAnswer("handled", d, answerRequest{}); refused == nil {
		r.absorb(side, did)
	}
}

// quiet lets everything happen that can without time.
func (r *pairRun) quiet() {
	for range 10_000 {
		idle := true
		for i, s := range r.sides {
			switch {
			case r.broke != nil:
				return
			case len(s.wire) > 0:
				r.hear(i)
			case len(s.given) > 0:
				r.work(i, false)
			default:
				continue
			}
			idle = false
		}
		if idle {
			return
		}
	}
	r.want(false, "SUBSTRATE-RECONNECT-001", "a dialogue comes to an end", "silence", "10000 frames and more")
}

// finish lets the connection be stable, and wants both sides to have come to the same.
func (r *pairRun) finish() {
	for range 4 {
		r.disconnect()
		r.connect()
		r.quiet()
		for i, s := range r.sides {
			r.absorb(i, s.Advance(70_000))
		}
		r.quiet()
	}
	var states [2]map[string]string
	for i, s := range r.sides {
		kept := s.Kept()
		states[i] = map[string]string{}
		for _, o := range kept.Objects {
			states[i][o.Obj] = o.State
		}
		for _, row := range kept.Outbox {
			r.want(false, "SUBSTRATE-RECONNECT-001", "each row of "+s.local+" is freed", "none is left", row.Verb+" "+row.ID+" on "+row.Obj)
		}
		for _, c := range s.pending {
			r.want(false, "SUBSTRATE-OBJ-010", "each call of "+s.local+" comes to its end", "all are settled", c.Name+" "+c.ID+" waits")
		}
		r.through(s, r.sides[1-i])
	}
	for _, obj := range r.objs {
		a, b := states[0][obj], states[1][obj]
		seen := fmt.Sprintf("%q and %q", a, b)
		r.want((a == "live") == (b == "live"), "SUBSTRATE-OBJ-010", "both ends agree on the state of an object", "the same", seen)
		r.want(a != "opening" && b != "opening", "SUBSTRATE-OBJ-001", "no object is left opening", "live or dead", seen)
	}
}

// through wants what was settled well to have been handed over.
func (r *pairRun) through(s, other *pairSide) {
	for _, c := range s.called {
		_, id, _ := strings.Cut(c, " ")
		if d := s.ended[id]; d != nil && d.Code == "" {
			r.want(slices.Contains(other.first, id), "SUBSTRATE-ACK-002", "what is settled well was handed over", id, strings.Join(other.first, " "))
		}
	}
}
