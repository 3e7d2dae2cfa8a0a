package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// BenchmarkEngineRatios sets the whole engine beside bare SQLite and beside JetStream. An op is a send of 256 octets from a side that
// keeps its outbox in SQLite to one in memory: written, sent, committed there, acked, and freed.
func BenchmarkEngineRatios(b *testing.B) {
	if b.N > 1 {
		return
	}
	dir := b.TempDir()
	compare(b, 5, 400*time.Millisecond, []contender{
		{"bare SQLite, insert and delete", bare(b, filepath.Join(dir, "bare.db")), 1},
		{"one object", sends(b, filepath.Join(dir, "1.db"), 1, 1), 1},
		{"64 objects in parallel", sends(b, filepath.Join(dir, "64.db"), 64, 64), 64},
		{"64 of 100000 objects in parallel", sends(b, filepath.Join(dir, "many.db"), 100_000, 64), 64},
		{"JetStream, file, publish with a message id", published(b), 1},
	})
}

// side is an engine that is driven by hand.
type side struct {
	*engine.Engine
	peer *side
	b    *testing.B
	now  time.Time
}

// settle commits what s was told and does what follows, on both sides, until nothing does.
func (s *side) settle() {
	if err := s.Commit(s.now, nil); err != nil {
		s.b.Fatal(err)
	}
	// What one side was told in a row is committed by the other at once.
	for effects := s.Take(); len(effects) > 0; effects = s.Take() {
		sent := false
		for _, x := range effects {
			switch x := x.(type) {
			case engine.Transmit:
				s.peer.Receive(s.now, x.Conn, x.Bytes)
				sent = true
			case engine.Deliver:
				var err error
				if x.Kind == "open" {
					err = s.Accept(s.now, x.Delivery)
				} else {
					err = s.Handled(s.now, x.Delivery)
				}
				if err != nil {
					s.b.Fatal(err)
				}
			case engine.Settle:
				if !x.OK() {
					s.b.Fatalf("%s on %s: %s, %v", x.Call.Kind, x.Call.Obj, x.Code, x.Err)
				}
			}
		}
		if err := s.Commit(s.now, nil); err != nil {
			s.b.Fatal(err)
		}
		if sent {
			s.peer.settle()
		}
	}
}

// sends returns a round in which so many of the objects each send an op.
func sends(b *testing.B, path string, objects, atOnce int) func(int) {
	now := time.Now()
	limits := engine.Limits{Objects: 1 << 18, Names: 1 << 18}
	make1 := func(local, remote string, s store.Store) *side {
		e, err := engine.New(now, engine.Config{Local: local, Remote: remote, Authorize: engine.AllowAll, Store: s, Limits: limits})
		if err != nil {
			b.Fatal(err)
		}
		return &side{Engine: e, b: b, now: now}
	}
	from, to := make1("a", "b", open(b, path, sqlite.Options{})), make1("b", "a", store.NewMemory())
	from.peer, to.peer = to, from
	from.Connected(now, engine.Conn{ID: "c", Epoch: to.Epoch()})
	to.Connected(now, engine.Conn{ID: "c", Epoch: from.Epoch()})
	names := make([]string, objects)
	for i := range names {
		names[i] = fmt.Sprint("o", i)
		if _, err := from.Open(now, "session", names[i], nil); err != nil {
			b.Fatal(err)
		}
		if i%1000 == 999 || i == objects-1 {
			from.settle()
		}
	}
	row, next := make([]byte, body), 0
	return func(rounds int) {
		for range rounds {
			from.now = time.Now()
			to.now = from.now
			for range atOnce {
				if _, err := from.Send(from.now, names[next%objects], row); err != nil {
					b.Fatal(err)
				}
				next++
			}
			from.settle()
		}
	}
}

// published returns a publication into a stream on the disk, which knows messages again by their id.
func published(b *testing.B) func(int) {
	s, err := server.NewServer(&server.Options{JetStream: true, StoreDir: b.TempDir(), DontListen: true, NoLog: true, NoSigs: true})
	if err != nil {
		b.Fatal(err)
	}
	s.Start()
	b.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		b.Fatal("the server is not ready")
	}
	c, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	js, err := jetstream.New(c)
	if err != nil {
		b.Fatal(err)
	}
	_, err = js.CreateStream(b.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}, Storage: jetstream.FileStorage})
	if err != nil {
		b.Fatal(err)
	}
	row, n := make([]byte, body), 0
	return func(rounds int) {
		for range rounds {
			n++
			if _, err := js.Publish(b.Context(), "s.o", row, jetstream.WithMsgID(fmt.Sprint(n))); err != nil {
				b.Fatal(err)
			}
		}
	}
}
