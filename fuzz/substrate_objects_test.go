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
)

// An objectStep is one of what can happen to an object between two engines; a wait of ten seconds happens to all.
type objectStep struct {
	op     string
	object int
}

var objectOps = []string{"send", "req", "to b", "to b", "to a", "to a", "lose", "handled", "wait"}

// objectsRun takes two engines through the steps that are about one of the objects, and returns what came of each object.
func objectsRun(steps []objectStep, only ...int) (logs [2]string) {
	now := pairEpoch
	var eng [2]*engine.Engine
	var under [2][2][][]byte // by side and object
	var given [2]*engine.Delivery
	for x, names := range [2][2]string{{"a", "b"}, {"b", "a"}} {
		kept := store.NewMemory()
		b := &store.Batch{Durable: true}
		for _, obj := range feedNames {
			b.Objects = append(b.Objects, store.Object{Obj: obj, Kind: wire.Session, State: "live", Opener: "a", OpenID: "open", Incarnation: 1, Participants: []string{"a", "b"}})
		}
		if _, err := kept.Load(names[1]); err != nil {
			panic(err)
		}
		if err := kept.Apply(names[1], b); err != nil {
			panic(err)
		}
		var err error
		cfg := engine.Config{Local: names[0], Remote: names[1], Store: kept, Authorize: engine.AllowAll, Rand: octets{rand.NewPCG(uint64(x), 1)}, Limits: engine.Limits{Inbox: 2}}
		if eng[x], err = engine.New(now, cfg); err != nil {
			panic(err)
		}
		eng[x].Connected(now, engine.Conn{ID: "conn"})
	}
	commit := func() {
		for x, e := range eng {
			if err := e.Commit(now, nil); err != nil {
				panic(err)
			}
			for _, what := range e.Take() {
				switch what := what.(type) {
				case engine.Transmit:
					f, err := wire.Decode(what.Bytes)
					object := int(feedObject(f.Obj))
					logs[object] += fmt.Sprintf("%d %s %s %d %d %s %q %v; ", x, f.Kind, f.ID, f.Seq, f.Prev, f.Code, f.Body, err)
					under[1-x][object] = append(under[1-x][object], what.Bytes)
				case engine.Deliver:
					logs[feedObject(what.Obj)] += fmt.Sprintf("has %s %s; ", what.Kind, what.ID)
					given[feedObject(what.Obj)] = &what.Delivery
				case engine.Settle:
					logs[feedObject(what.Call.Obj)] += fmt.Sprintf("ends %s %s %s; ", what.Call.ID, what.Kind, what.Code)
				case engine.Event:
					logs[feedObject(what.Obj)] += what.Name + "; "
				default:
					panic(fmt.Sprintf("%T", what))
				}
			}
		}
	}
	commit()
	for i, s := range steps {
		if s.op != "wait" && !slices.Contains(only, s.object) {
			continue
		}
		objectDo(&now, eng, &under, &given, s, i)
		commit()
	}
	return logs
}

func objectDo(now *time.Time, eng [2]*engine.Engine, under *[2][2][][]byte, given *[2]*engine.Delivery, s objectStep, i int) {
	to := map[string]int{"to b": 1, "lose": 1}[s.op]
	switch queue := &under[to][s.object]; s.op {
	case "send", "req":
		// What is refused leaves nothing.
		_, _ = eng[0].Enqueue(*now, engine.Op{Kind: s.op, Obj: feedNames[s.object], ID: fmt.Sprint("id-", i), Body: []byte{byte(i)}})
	case "to a", "to b", "lose":
		if len(*queue) == 0 {
			return
		}
		raw := (*queue)[0]
		if *queue = (*queue)[1:]; s.op != "lose" {
			eng[to].Receive(*now, "conn", raw)
		}
	case "handled":
		d := given[s.object]
		if d == nil {
			return
		}
		if given[s.object] = nil; d.Kind != wire.Req || eng[1].Respond(*now, *d, []byte("re")) != nil {
			_ = eng[1].Handled(*now, *d)
		}
	case "wait":
		*now = now.Add(10 * time.Second)
		for _, e := range eng {
			e.Tick(*now)
		}
	}
}

// TestSubstrateObjectsAreIndependent: what comes of an object is the same whether there is another or not, whatever is lost of that, waits for its application or is not answered.
// The connection ends for all of them when one is silent for too long, and is given no time for that. SUBSTRATE-SEQ-014
func TestSubstrateObjectsAreIndependent(t *testing.T) {
	d := draws{rand.New(rand.NewPCG(14, 1)).IntN}
	said := 0
	for range *steps / 100 {
		var steps []objectStep
		waits := 0
		for range 100 {
			s := objectStep{one(d, objectOps...), d.draw(2)}
			if s.op == "wait" {
				if waits++; waits > 10 {
					continue
				}
			}
			steps = append(steps, s)
		}
		both := objectsRun(steps, 0, 1)
		for object := range both {
			alone := objectsRun(steps, object)
			if said += len(alone[object]); alone[object] != both[object] {
				t.Fatalf("%v\nobject %d alone:\n%s\nbeside another:\n%s", steps, object, alone[object], both[object])
			}
		}
	}
	if said == 0 {
		t.Error("nothing was said")
	}
}
