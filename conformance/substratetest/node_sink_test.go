package substratetest

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/relay/natsstream"
)

// A backed is a sink behind the edges of the reference, in the place of the one that the suite plays.
type backed struct {
	t    *testing.T
	sink relay.Sink

	mu         sync.Mutex
	calls      int
	duplicates int
}

// hooks have what an edge asks for stored, and tell the edge what the sink says of it. A call that the suite has fail reaches the sink or
// not, by turns, as it does when a sink is away.
func (b *backed) hooks() nodeHooks {
	g := haunting()
	return g.over(nodeHooks{stored: func(_ *refNode, q *storedRequest) {
		d := g.calls[q.Token]
		if d == nil || q.Failed && !b.turn() {
			return
		}
		s, err := b.sink.Store(context.WithoutCancel(b.t.Context()), relay.Op{
			Peer: d.Peer, Obj: d.Obj, ObjKind: d.ObjKind, Kind: d.Verb, ID: d.ID, Seq: d.Seq, Code: d.Code, Msg: d.Msg, Body: d.Body,
			Answer: d.Verb == "accept" || d.Verb == "reject" || d.Verb == "res" || d.Verb == "end" || d.Verb == "err",
		})
		if err != nil {
			b.t.Errorf("store %s: %v", d.ID, err)
		}
		q.Seq, q.Duplicate = s.Seq, s.Duplicate
		b.mu.Lock()
		defer b.mu.Unlock()
		b.calls++
		if s.Duplicate {
			b.duplicates++
		}
	}})
}

// turn counts calls that fail and reports every other of them.
func (b *backed) turn() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	return b.calls%2 == 0
}

// An edge of the reference keeps the laws of its form in front of real sinks, and what lies there lies there once and in order.
func TestEdgesBeforeRealSinks(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		m := &relay.Memory{}
		judgeBacked(t, m, m.Ops)
	})
	t.Run("JetStream", func(t *testing.T) {
		s, lies := jetSink(t)
		judgeBacked(t, s, lies)
	})
}

// judgeBacked runs the cases of edges in front of a sink, and looks at what lies there in the end.
func judgeBacked(t *testing.T, sink relay.Sink, lies func() []relay.Op) {
	t.Helper()
	if err := relay.Check(sink); err != nil {
		t.Fatal(err)
	}
	b := &backed{t: t, sink: sink}
	cfg := conformance.Config{
		Target: suitetest.InGo(), Adapter: nodeDeviant{hooks: b.hooks}.adapter(), Profile: conformance.Profile{Deadlines: patient()}, Parallel: 2,
		Selection: conformance.Selection{Only: []string{"substrate/node/relay/*"}},
	}
	res, err := conformance.Run(t.Context(), nodeSuite(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Cases {
		if c.Verdict != conformance.Pass && c.Verdict != conformance.NotRun {
			t.Errorf("%s is %s", c.ID, suitetest.Told(c))
		}
	}
	type key struct{ obj, id string }
	seen, last := map[key]bool{}, map[string]uint64{}
	all := lies()
	for _, op := range all {
		if k := (key{op.Obj, op.ID}); seen[k] {
			t.Errorf("%s of %s lies there twice", op.ID, op.Obj)
		} else {
			seen[k] = true
		}
		if op.Seq <= last[op.Obj] {
			t.Errorf("%s has seq %d behind %d", op.Obj, op.Seq, last[op.Obj])
		}
		last[op.Obj] = op.Seq
	}
	if len(all) < 200 || b.duplicates < 20 {
		t.Errorf("%d ops lie there, %d calls were duplicates: too few to tell", len(all), b.duplicates)
	}
}

// jetSink returns a sink on JetStream in a server of its own, and what reads it.
func jetSink(t *testing.T) (relay.Sink, func() []relay.Op) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := server.NewServer(&server.Options{JetStream: true, StoreDir: t.TempDir(), DontListen: true, NoLog: true, NoSigs: true})
	must(err)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	c, err := nats.Connect("", nats.InProcessServer(s))
	must(err)
	t.Cleanup(c.Close)
	js, err := jetstream.New(c)
	must(err)
	stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "IN", Subjects: []string{"in.>"}, Duplicates: relay.Window})
	must(err)
	sink, err := natsstream.NewSink(t.Context(), js, "IN", "in")
	must(err)
	return sink, func() (ops []relay.Op) {
		info, err := stream.Info(t.Context())
		must(err)
		for at := uint64(1); at <= info.State.LastSeq; at++ {
			m, err := stream.GetMsg(t.Context(), at)
			must(err)
			seq, err := strconv.ParseUint(m.Header.Get(natsstream.HeaderSeq), 10, 64)
			must(err)
			ops = append(ops, relay.Op{Obj: m.Header.Get(natsstream.HeaderObj), ID: m.Header.Get(natsstream.HeaderID), Seq: seq})
		}
		return ops
	}
}
