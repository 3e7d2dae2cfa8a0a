package hub

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// check states what must hold between any two calls.
func check(h *Hub, sessions []*Session) error {
	bytes, messages, users := 0, 0, make(map[*destination]int)
	unsettled := make(map[*destination]int)
	for _, s := range sessions {
		if len(s.list) != len(s.subs) {
			return fmt.Errorf("session %s lists %d of %d subscriptions", s.id, len(s.list), len(s.subs))
		}
		if s.state >= ending && len(s.subs)+len(s.unacked)+len(s.txs)+len(s.starved)+s.stagedOps+s.stagedBytes > 0 {
			return fmt.Errorf("session %s has ended and holds something", s.id)
		}
		listed, unacked := 0, 0
		for _, sub := range s.list {
			users[sub.dest]++
			bytes += cost(sub.key)
			for d := sub.first; d != nil; d = d.next {
				if s.unacked[d.key] != d {
					return fmt.Errorf("delivery %s is not in the session's map", d.key)
				}
				listed++
			}
			if !sub.dest.topic && (sub.place != nil) == sub.starved {
				return fmt.Errorf("subscription %s is ready and starved, or neither", sub.id)
			}
			if sub.starved != slices.Contains(s.starved, sub) {
				return fmt.Errorf("subscription %s: starved is %t", sub.id, sub.starved)
			}
			if sub.dest.queue.len() > 0 && h.credit(sub) {
				return fmt.Errorf("queue %s holds %d messages for a subscription that has credit", sub.dest.name, sub.dest.queue.len())
			}
		}
		for _, d := range s.unacked {
			if d.tx == nil && !d.sub.open {
				return fmt.Errorf("delivery %s outlived its subscription", d.key)
			}
			if !d.sub.dest.topic {
				unsettled[d.sub.dest]++
			}
			bytes += d.msg.size
			unacked += d.msg.size
			messages++
		}
		if held := s.unackedBytes; held != unacked {
			return fmt.Errorf("session %s counts %d bytes unacked, has %d", s.id, held, unacked)
		}
		ops, staged := 0, 0
		for _, tx := range s.txs {
			bytes += cost(tx.id)
			ops += len(tx.ops)
			for _, o := range tx.ops {
				if o.send != nil {
					bytes += o.send.size
					staged += o.send.size
					messages++
				}
			}
		}
		if ops != s.stagedOps || staged != s.stagedBytes {
			return fmt.Errorf("session %s counts %d frames and %d bytes staged, has %d and %d", s.id, s.stagedOps, s.stagedBytes, ops, staged)
		}
	}
	for name, d := range h.dests {
		if d.name != name || d.users != users[d] || d.users == 0 && d.count == 0 {
			return fmt.Errorf("destination %s: %d users counted, has %d, and %d messages", name, d.users, users[d], d.count)
		}
		if d.count != d.queue.len()+unsettled[d] {
			return fmt.Errorf("destination %s counts %d messages, has %d and %d unsettled", name, d.count, d.queue.len(), unsettled[d])
		}
		last := uint64(0)
		bytes += cost(name)
		for i := range d.queue.n {
			m := d.queue.ring[(d.queue.head+i)&(len(d.queue.ring)-1)]
			if m.seq <= last {
				return fmt.Errorf("destination %s is out of order at %d", name, i)
			}
			last = m.seq
			bytes += m.size
			messages++
		}
	}
	if bytes != h.bytes || messages != h.stats.Messages {
		return fmt.Errorf("hub counts %d bytes in %d messages, has %d in %d", h.bytes, h.stats.Messages, bytes, messages)
	}
	return nil
}

func TestInvariantsHoldWhateverPeersDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, err := New(Config{
			MaxDeliveries: 2,
			Tolerance:     15,
			HeartBeat:     heartbeat.Pair{Send: 10, Want: 10},
			Limits: Limits{
				Bytes: 8000, QueueMessages: 6, Credit: 300, Outbound: 700, Unacked: 3, UnackedBytes: 1000, Subscriptions: 3,
				Transactions: 2, StagedFrames: 4, Destinations: 6, Connections: 5,
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		now := int64(0)
		var all, live []*Session
		pick := func(t *rapid.T) *Session {
			if len(live) == 0 {
				t.Skip("no session")
			}
			return live[rapid.IntRange(0, len(live)-1).Draw(t, "session")]
		}
		dest := rapid.SampledFrom([]string{"/queue/a", "/queue/b", "/topic/t", "/queue/dead-letter/queue/a", ""})
		id := rapid.SampledFrom([]string{"0", "1", "2"})
		maybe := func(t *rapid.T, f *frame.Frame, name string, value *rapid.Generator[string]) {
			if rapid.IntRange(0, 2).Draw(t, name) > 0 {
				f.Headers = append(f.Headers, frame.Header{Name: name, Value: value.Draw(t, name+" value")})
			}
		}
		// Most frames must be good ones, or every session ends young.
		wild := func(t *rapid.T) bool { return rapid.IntRange(0, 15).Draw(t, "wild") == 0 }
		transacted := func(t *rapid.T, s *Session, f *frame.Frame) {
			tx := id.Draw(t, "transaction")
			if s.txs[tx] != nil || wild(t) {
				f.Headers = append(f.Headers, frame.Header{Name: "transaction", Value: tx})
			}
		}
		do := func(t *rapid.T, s *Session, f *frame.Frame) {
			maybe(t, f, "receipt", id)
			h.Handle(s, f)
		}
		steps := map[string]func(*rapid.T){
			"open": func(t *rapid.T) {
				s, err := h.Open(now, rapid.Bool().Draw(t, "framed"))
				if err != nil {
					return
				}
				all, live = append(all, s), append(live, s)
				v := rapid.SampledFrom([]string{"1.0", "1.1", "1.2", "1.2"}).Draw(t, "version")
				h.Connect(s, frame.New(frame.CONNECT, "accept-version", v, "heart-beat", "10,10"), now, nil)
			},
			"send": func(t *rapid.T) {
				s, name := pick(t), dest.Draw(t, "destination")
				if name == "" && !wild(t) {
					name = "/topic/t"
				}
				f := frame.New(frame.SEND, "destination", name, "x:y", "1")
				transacted(t, s, f)
				f.Body = make([]byte, rapid.IntRange(0, 200).Draw(t, "body"))
				do(t, s, f)
			},
			"subscribe": func(t *rapid.T) {
				mode := rapid.SampledFrom([]string{"auto", "client", "client", "client-individual"}).Draw(t, "mode")
				s, name, sub := pick(t), dest.Draw(t, "destination"), id.Draw(t, "id")
				if (name == "" || s.subs[sub] != nil) && !wild(t) {
					t.Skip("would fail")
				}
				f := frame.New(frame.SUBSCRIBE, "destination", name, "ack", mode)
				if s.version > frame.V10 || rapid.Bool().Draw(t, "named") {
					f.Headers = append(f.Headers, frame.Header{Name: "id", Value: sub})
				}
				do(t, s, f)
			},
			"unsubscribe": func(t *rapid.T) {
				s := pick(t)
				if len(s.list) == 0 {
					t.Skip("no subscription")
				}
				sub := s.list[rapid.IntRange(0, len(s.list)-1).Draw(t, "subscription")]
				f := frame.New(frame.UNSUBSCRIBE, "destination", sub.dest.name)
				if sub.named {
					f = frame.New(frame.UNSUBSCRIBE, "id", sub.id)
				}
				do(t, s, f)
			},
			"settle": func(t *rapid.T) {
				s := pick(t)
				var keys []string
				for _, sub := range s.list {
					for d := sub.first; d != nil; d = d.next {
						keys = append(keys, d.key)
					}
				}
				if len(keys) == 0 {
					t.Skip("nothing to settle")
				}
				key := rapid.SampledFrom(keys).Draw(t, "delivery")
				command := frame.ACK
				if s.version > frame.V10 && rapid.Bool().Draw(t, "nack") {
					command = frame.NACK
				}
				f := frame.New(command, "id", key, "message-id", key, "subscription", s.unacked[key].sub.id)
				transacted(t, s, f)
				do(t, s, f)
			},
			"transact": func(t *rapid.T) {
				s, tx := pick(t), id.Draw(t, "transaction")
				commands := []frame.Command{frame.BEGIN}
				if (s.txs[tx] != nil) != wild(t) {
					commands = []frame.Command{frame.COMMIT, frame.COMMIT, frame.ABORT}
				}
				do(t, s, frame.New(rapid.SampledFrom(commands).Draw(t, "command"), "transaction", tx))
			},
			"write": func(t *rapid.T) {
				s := pick(t)
				if _, _, ok := h.Take(s, nil); ok && rapid.IntRange(0, 5).Draw(t, "slow") > 0 {
					h.Written(s, now)
				} else if s.writing {
					h.Written(s, now)
				}
			},
			"disconnect": func(t *rapid.T) { do(t, pick(t), frame.New(frame.DISCONNECT)) },
			"drain":      func(t *rapid.T) { h.Drain(pick(t)) },
			"gone": func(t *rapid.T) {
				s := pick(t)
				h.Gone(s)
				live = slices.DeleteFunc(live, func(other *Session) bool { return other == s })
			},
			"time": func(t *rapid.T) {
				now += rapid.Int64Range(0, 20).Draw(t, "passes")
				for _, s := range live {
					if rapid.IntRange(0, 3).Draw(t, "alive") > 0 {
						h.Received(s, now)
					}
					h.Tick(s, now)
				}
			},
			"": func(t *rapid.T) {
				if err := check(h, all); err != nil {
					t.Fatal(err)
				}
				h.Dirty()
			},
		}
		steps["transact again"], steps["transact more"] = steps["transact"], steps["transact"]
		steps["send again"], steps["send more"], steps["settle again"] = steps["send"], steps["send"], steps["settle"]
		t.Repeat(steps)
		for _, s := range live {
			h.Gone(s)
		}
		for _, d := range h.dests {
			for d.queue.len() > 0 {
				h.settle(d, d.queue.pop())
			}
			h.tidy(d)
		}
		if s := h.Stats(); s.Bytes+s.Messages+s.Destinations+s.Subscriptions+s.Connections != 0 {
			t.Fatalf("something is left when all are gone: %+v", s)
		}
	})
}

func TestRestoreIsAMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// A slow twin: a sorted slice.
		var q fifo
		var twin, out []*message
		seq := uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(*rapid.T) {
				seq++
				m := &message{seq: seq}
				q.push(m)
				twin = append(twin, m)
			},
			"pop": func(t *rapid.T) {
				if len(twin) == 0 {
					t.Skip("empty")
				}
				if q.pop() != twin[0] {
					t.Fatal("popped another message than the first")
				}
				out, twin = append(out, twin[0]), twin[1:]
			},
			"restore": func(t *rapid.T) {
				var back, keep []*message
				for _, m := range out {
					if rapid.Bool().Draw(t, "back") {
						back = append(back, m)
					} else {
						keep = append(keep, m)
					}
				}
				bySeq := func(a, b *message) int { return int(a.seq) - int(b.seq) }
				slices.SortFunc(back, bySeq)
				q.restore(back)
				out, twin = keep, append(twin, back...)
				slices.SortFunc(twin, bySeq)
			},
			"": func(t *rapid.T) {
				if q.len() != len(twin) {
					t.Fatalf("length %d, want %d", q.len(), len(twin))
				}
			},
		})
		for _, m := range twin {
			if q.pop() != m {
				t.Fatal("order differs from the sorted twin")
			}
		}
	})
}
