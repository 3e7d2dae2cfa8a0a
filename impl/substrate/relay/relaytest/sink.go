// Package relaytest checks sinks and feeds, our own and those of people who bring theirs. Start with [Sink] and [Feed].
package relaytest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/relay"
)

// Sink checks what open returns, an empty sink for each call, and reads it back with stored, in the order of the stream.
func Sink(t *testing.T, open func(t *testing.T) (s relay.Sink, stored func() []relay.Op)) {
	t.Helper()
	t.Run("an op is stored once, whoever asks and however often (SUBSTRATE-RELAY-006)", func(t *testing.T) {
		s, stored := open(t)
		first := store(t, s, op("p", "a", "id-1", 1))
		if first.Duplicate {
			t.Error("the first store of an op comes back as a duplicate")
		}
		for range 3 {
			again := store(t, s, op("p", "a", "id-1", 1))
			if want := (relay.Stored{Seq: first.Seq, Duplicate: true}); again != want {
				t.Errorf("an op that lies there already: %+v, want %+v", again, want)
			}
		}
		same(t, stored(), op("p", "a", "id-1", 1))
	})
	t.Run("the key is peer, class and id (SUBSTRATE-DEDUPE-005, SUBSTRATE-ANSWER-003)", func(t *testing.T) {
		s, stored := open(t)
		answer := op("p", "a", "id-1", 2)
		answer.Answer, answer.Kind = true, "res"
		all := []relay.Op{op("p", "a", "id-1", 1), answer, op("q", "a", "id-1", 1), op("p", "a", "id-2", 3), op("p", "a", "ID-2", 4)}
		for _, o := range all {
			if store(t, s, o).Duplicate {
				t.Errorf("%+v is taken for another op", o)
			}
		}
		if again := store(t, s, op("p", "other", "id-1", 9)); !again.Duplicate {
			t.Error("an id in another object is a fresh op: the object is no part of the key")
		}
		same(t, stored(), all...)
	})
	t.Run("all of an op comes back, its body untouched (SUBSTRATE-WIRE-004)", func(t *testing.T) {
		s, stored := open(t)
		var all []relay.Op
		for i, body := range [][]byte{nil, {}, {0}, []byte("text\r\n\x00"), {0xff, 0xfe}, bytes.Repeat([]byte{7}, 983040)} {
			o := op("peer.with-dots", "a.b/c_d-e", fmt.Sprint("id-", i), uint64(i)+1)
			o.Body = body
			store(t, s, o)
			all = append(all, o)
		}
		refused := op("peer.with-dots", "a.b/c_d-e", "id-r", 7)
		refused.Answer, refused.Kind, refused.Code, refused.Msg, refused.Body = true, "reject", "app_error", "no: \u00fc", nil
		store(t, s, refused)
		same(t, stored(), append(all, refused)...)
	})
	t.Run("order is that of the calls, and seqs grow (SUBSTRATE-RELAY-002)", func(t *testing.T) {
		s, stored := open(t)
		var all []relay.Op
		var last uint64
		for i := range 50 {
			o := op("p", "a", fmt.Sprint("id-", i), uint64(i)+1)
			at := store(t, s, o)
			if at.Seq <= last {
				t.Fatalf("op %d lies at %d, the one before it at %d", i, at.Seq, last)
			}
			last, all = at.Seq, append(all, o)
		}
		same(t, stored(), all...)
	})
	t.Run("objects store side by side", func(t *testing.T) {
		s, stored := open(t)
		var wg sync.WaitGroup
		for obj := range 8 {
			wg.Go(func() {
				for i := range 20 {
					// The same op from two replicas at once.
					o := op("p", fmt.Sprint("o", obj/2), fmt.Sprint("id-", obj/2, "-", i), uint64(i)+1)
					if _, err := s.Store(t.Context(), o); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if n := len(stored()); n != 80 {
			t.Errorf("%d ops are stored, each of 80 was offered twice", n)
		}
	})
	t.Run("a call that was given up stores nothing or all", func(t *testing.T) {
		s, stored := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Store(ctx, op("p", "a", "id-1", 1))
		if err == nil {
			t.Error("a store with an ended context succeeds")
		}
		store(t, s, op("p", "a", "id-1", 1))
		same(t, stored(), op("p", "a", "id-1", 1))
	})
	t.Run("ids are known as long as the ledger knows them (SUBSTRATE-RELAY-007)", func(t *testing.T) {
		s, _ := open(t)
		if err := relay.Check(s); err != nil {
			t.Error(err)
		}
	})
}

func op(peer, obj, id string, seq uint64) relay.Op {
	return relay.Op{Peer: peer, Obj: obj, ObjKind: "session", Kind: "send", ID: id, Seq: seq, Body: []byte(id)}
}

func store(t *testing.T, s relay.Sink, o relay.Op) relay.Stored {
	t.Helper()
	at, err := s.Store(t.Context(), o)
	if err != nil {
		t.Fatalf("store %s: %v", o.ID, err)
	}
	return at
}

// same compares what lies in the sink with what was stored; nil and empty bodies differ.
func same(t *testing.T, got []relay.Op, want ...relay.Op) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d ops are stored, want %d", len(got), len(want))
		return
	}
	for i := range got {
		g, w := fmt.Sprintf("%#v", got[i]), fmt.Sprintf("%#v", want[i])
		if g != w {
			t.Errorf("op %d:\n got %.300s\nwant %.300s", i, g, w)
		}
	}
}
