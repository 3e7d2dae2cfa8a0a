package hub

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

func subscribe(id, dest, mode string) string {
	return "SUBSCRIBE\nid:" + id + "\ndestination:" + dest + "\nack:" + mode + "\n\n"
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// What a MESSAGE says, at its first delivery, when it comes again, and as a dead letter: STOMP-SUBSCRIBE-010,
// STOMP-SUBSCRIBE-011, STOMP-NACK-003, STOMP-SEND-003.
func TestARefusedMessageComesAgainAndIsBuried(t *testing.T) {
	h := newHub(t, Config{MaxDeliveries: 3})
	s := open(t, h, "1.2")
	say(t, h, s, subscribe("s", "/queue/a", "client"))
	const head = "MESSAGE\ndestination:/queue/a\nmessage-id:a-1\nsubscription:s\n"
	const tail = "x:1\nx:2\ncontent-length:2\n\nhi"
	same(t, "first", say(t, h, s, "SEND\ndestination:/queue/a\nx:1\nx:2\nack:no\nreceipt:r\n\nhi"), head+"ack:1\n"+tail+"~RECEIPT\nreceipt-id:r\n\n")
	same(t, "second", say(t, h, s, "NACK\nid:1\n\n"), head+"ack:2\nredelivered:true\ndelivery-count:2\n"+tail)
	same(t, "third", say(t, h, s, "NACK\nid:2\n\n"), head+"ack:3\nredelivered:true\ndelivery-count:3\n"+tail)
	same(t, "buried", say(t, h, s, "NACK\nid:3\n\n"), "")
	if _, there := h.Destination("/queue/a"); !there {
		t.Error("a queue with a subscription is gone")
	}
	d, _ := h.Destination("/queue/dead-letter/queue/a")
	same(t, "grave", d, DestinationStats{Queued: 1, Bytes: overhead + len("/queue/a") + 2 + 2*(2+32)})
	same(t, "dead letter", say(t, h, s, subscribe("d", "/queue/dead-letter/queue/a", "client-individual")),
		"MESSAGE\ndestination:/queue/dead-letter/queue/a\nmessage-id:a-2\nsubscription:d\nack:4\ndead-letter-source:/queue/a\n"+tail)
	// A dead letter that is refused has nowhere to go.
	for ack := 4; ack < 6; ack++ {
		if got := say(t, h, s, "NACK\nid:"+string(rune('0'+ack))+"\n\n"); !strings.Contains(got, "redelivered:true\n") {
			t.Fatalf("refused dead letter %d: %q", ack, got)
		}
	}
	same(t, "refused dead letter", say(t, h, s, "NACK\nid:6\n\n"), "")
	got := h.Stats()
	same(t, "counters", got, Stats{
		Connections: 1, Destinations: 2, Subscriptions: 2, Bytes: got.Bytes, Opened: 1, Connected: 1, Received: 10, Published: 1, Delivered: 6,
		Nacked: 6, DeadLettered: 1, Discarded: 1,
	})
}

// A dead letter without room is dropped.
func TestAFullGraveDropsDeadLetters(t *testing.T) {
	for what, c := range map[string]struct {
		limits Limits
		buried uint64
	}{"queue": {Limits{QueueMessages: 1}, 1}, "hub": {Limits{Destinations: 1}, 0}} {
		t.Run(what, func(t *testing.T) {
			h := newHub(t, Config{MaxDeliveries: 1, Limits: c.limits})
			s := open(t, h, "1.2")
			say(t, h, s, subscribe("a", "/queue/a", "client")+"~"+send("/queue/a", 1)+"~NACK\nid:1\n\n~"+send("/queue/a", 1)+"~NACK\nid:2\n\n")
			same(t, "dead letters", h.Stats().DeadLettered, c.buried)
			same(t, "dropped", h.Stats().Discarded, 2-c.buried)
			same(t, "problem", s.Problem(), nil)
		})
	}
}

// STOMP-NACK-003: a topic keeps nothing, so a refused message can only go to the one who refused it.
func TestARefusedTopicMessageComesAgain(t *testing.T) {
	h := newHub(t, Config{MaxDeliveries: 2})
	s := open(t, h, "1.1")
	const head = "MESSAGE\ndestination:/topic/a\nmessage-id:a-1.1\nsubscription:s\n"
	same(t, "first", say(t, h, s, subscribe("s", "/topic/a", "client")+"~"+send("/topic/a", 1)), head+"content-length:1\n\nb")
	nack := "NACK\nsubscription:s\nmessage-id:a-1.1\n\n"
	same(t, "second", say(t, h, s, nack), head+"redelivered:true\ndelivery-count:2\ncontent-length:1\n\nb")
	same(t, "buried", say(t, h, s, nack), "")
	got := h.Stats()
	same(t, "counters", got, Stats{
		Connections: 1, Destinations: 2, Subscriptions: 1, Messages: 1, Bytes: got.Bytes, Opened: 1, Connected: 1, Received: 5, Published: 1,
		Delivered: 2, Nacked: 2, DeadLettered: 1,
	})
	same(t, "what the grave holds", func() int { d, _ := h.Destination("/queue/dead-letter/topic/a"); return d.Queued }(), 1)
}

// A message to a topic that nobody reads is accepted and forgotten; a SEND needs a destination that says something.
func TestTopicWithoutReaders(t *testing.T) {
	h := newHub(t, Config{})
	s := open(t, h, "1.2")
	say(t, h, s, send("/topic/a", 1)+"~"+send("/topic/b", 1))
	got := h.Stats()
	same(t, "counters", got, Stats{Connections: 1, Opened: 1, Connected: 1, Received: 3, Published: 2})
	if _, there := h.Destination("/topic/a"); there {
		t.Error("a topic that nobody uses is there")
	}
}

// STOMP-SUBSCRIBE-006, STOMP-SUBSCRIBE-007: what an ACK settles, in the three versions, and what it cannot name.
func TestSettling(t *testing.T) {
	for _, c := range []struct {
		version, mode, frame string
		left                 int
		problem              string
	}{
		{"1.2", "client", "ACK\nid:2\n\n", 1, ""},
		{"1.2", "client", "ACK\nid:3\n\n", 0, ""},
		{"1.2", "client-individual", "ACK\nid:2\n\n", 2, ""},
		{"1.2", "client", "ACK\nid:4\n\n", 0, "ACK of a message that waits for none"},
		{"1.2", "client", "ACK\nmessage-id:a-1\n\n", 0, "ACK without id"},
		{"1.2", "auto", "ACK\nid:1\n\n", 0, "ACK of a message that waits for none"},
		{"1.1", "client", "ACK\nsubscription:s\nmessage-id:a-2\n\n", 1, ""},
		{"1.1", "client", "ACK\nsubscription:t\nmessage-id:a-2\n\n", 0, "ACK of a message that waits for none"},
		{"1.1", "client", "ACK\nsubscription:s\nmessage-id:a-9\n\n", 0, "ACK of a message that waits for none"},
		{"1.1", "client", "ACK\nmessage-id:a-2\n\n", 0, "ACK without subscription"},
		{"1.1", "client", "ACK\nsubscription:s\n\n", 0, "ACK without message-id"},
		{"1.0", "client", "ACK\nmessage-id: a-2 \n\n", 1, ""},
		{"1.0", "client-individual", "", 0, "SUBSCRIBE with an unknown ack mode"},
		{"1.2", "Client", "", 0, "SUBSCRIBE with an unknown ack mode"},
	} {
		t.Run(c.version+" "+c.mode+" "+c.frame, func(t *testing.T) {
			h := newHub(t, Config{})
			s := open(t, h, c.version)
			say(t, h, s, subscribe("s", "/queue/a", c.mode))
			if c.frame != "" {
				say(t, h, s, send("/queue/a", 1)+"~"+send("/queue/a", 1)+"~"+send("/queue/a", 1)+"~"+c.frame)
			}
			if p := s.Problem(); c.problem != "" {
				if p == nil || p.Error() != c.problem {
					t.Errorf("problem %v, want %s", p, c.problem)
				}
				return
			} else if p != nil {
				t.Fatal(p)
			}
			d, _ := h.Destination("/queue/a")
			same(t, "left", d, DestinationStats{Subscriptions: 1, Unsettled: c.left, Bytes: c.left * (overhead + len("/queue/a") + 1)})
			same(t, "acknowledged", h.Stats().Acked, uint64(3-c.left))
		})
	}
}

// STOMP-UNSUBSCRIBE-001, STOMP-UNSUBSCRIBE-002, STOMP-UNSUBSCRIBE-003
func TestUnsubscribing(t *testing.T) {
	for _, c := range []struct{ version, frame, problem string }{
		{"1.2", "UNSUBSCRIBE\nid:s\n\n", ""},
		{"1.2", "UNSUBSCRIBE\nid:t\n\n", "UNSUBSCRIBE of an unknown id"},
		{"1.2", "UNSUBSCRIBE\ndestination:/queue/a\n\n", "UNSUBSCRIBE without id"},
		{"1.1", "UNSUBSCRIBE\ndestination:/queue/a\n\n", "UNSUBSCRIBE without id"},
		{"1.0", "UNSUBSCRIBE\ndestination:/queue/a\n\n", ""},
		{"1.0", "UNSUBSCRIBE\ndestination:/queue/b\n\n", "UNSUBSCRIBE of an unknown destination"},
		{"1.0", "UNSUBSCRIBE\n\n", "UNSUBSCRIBE without id"},
	} {
		t.Run(c.version+" "+c.frame, func(t *testing.T) {
			h := newHub(t, Config{})
			s := open(t, h, c.version)
			say(t, h, s, subscribe("s", "/queue/a", "client")+"~"+send("/queue/a", 1))
			say(t, h, s, c.frame)
			if p := s.Problem(); c.problem != "" && (p == nil || p.Error() != c.problem) || c.problem == "" && p != nil {
				t.Fatalf("problem %v, want %s", p, c.problem)
			}
			d, _ := h.Destination("/queue/a")
			same(t, "back in the queue", d, DestinationStats{Queued: 1, Bytes: overhead + len("/queue/a") + 1})
		})
	}
	// In 1.0 a destination names all subscriptions to it, and no others.
	h := newHub(t, Config{})
	s := open(t, h, "1.0")
	say(t, h, s, "SUBSCRIBE\ndestination:/topic/a\n\n~"+subscribe("s", "/topic/a", "auto")+"~"+subscribe("t", "/topic/b", "auto"))
	same(t, "two subscriptions", strings.Count(say(t, h, s, send("/topic/a", 1)), "MESSAGE"), 2)
	say(t, h, s, "UNSUBSCRIBE\ndestination:/topic/a\n\n")
	same(t, "subscriptions", h.Stats().Subscriptions, 1)
	same(t, "after both ended", say(t, h, s, send("/topic/a", 1)+"~"+send("/topic/b", 1)),
		"MESSAGE\ndestination:/topic/b\nmessage-id:a-2.3\nsubscription:t\ncontent-length:1\n\nb")
}

// STOMP-SUBSCRIBE-001, STOMP-SUBSCRIBE-002, STOMP-SEND-001, STOMP-TX-001, STOMP-CONNECT-007, STOMP-FRAME-026
func TestWhatFramesNeed(t *testing.T) {
	for frames, want := range map[string]string{
		"SEND\n\n":                            "SEND without destination",
		"SEND\ndestination:\n\n":              "SEND without destination",
		"SUBSCRIBE\nid:s\n\n":                 "SUBSCRIBE without destination",
		"SUBSCRIBE\nid:s\ndestination:\n\n":   "SUBSCRIBE without destination",
		"SUBSCRIBE\ndestination:/queue/a\n\n": "SUBSCRIBE without id",
		subscribe("s", "/a", "auto") + "~" + subscribe("s", "/b", "auto"): "the subscription exists already",
		"BEGIN\n\n": "BEGIN without transaction",
		"BEGIN\ntransaction:t\n\n~BEGIN\ntransaction:t\n\n": "the transaction exists already",
		"COMMIT\n\n":                "COMMIT without transaction",
		"COMMIT\ntransaction:t\n\n": "unknown transaction",
		"ABORT\n\n":                 "ABORT without transaction",
		"ABORT\ntransaction:t\n\n":  "unknown transaction",
		"SEND\ndestination:/queue/a\ntransaction:t\n\n": "unknown transaction",
		"MESSAGE\n\n":                     "a client must not send MESSAGE",
		"CONNECT\naccept-version:1.2\n\n": "the session is connected already",
	} {
		h := newHub(t, Config{})
		s := open(t, h, "1.2")
		say(t, h, s, frames)
		if p := s.Problem(); p == nil || p.Error() != want {
			t.Errorf("%q gives %v, want %s", frames, p, want)
		}
	}
	h := newHub(t, Config{})
	s, err := h.Open(0, false)
	if err != nil {
		t.Fatal(err)
	}
	h.Handle(s, frame.New(frame.SEND, "destination", "/queue/a"))
	if p := s.Problem(); p == nil || p.Error() != "the first frame must be CONNECT" {
		t.Errorf("a frame before CONNECT: %v", p)
	}
	h.Handle(s, frame.New(frame.SEND))
	h.Connect(s, frame.New(frame.CONNECT), 0, nil)
	same(t, "frames after the end", h.Stats().Received, 1)
	same(t, "answers", h.Stats().Errors, 1)
}

// STOMP-DISCONNECT-003: the receipt of a DISCONNECT comes, and nothing after it. A receipt is also given at COMMIT.
func TestDisconnectIsAnswered(t *testing.T) {
	h := newHub(t, Config{})
	s := open(t, h, "1.2")
	same(t, "answer", say(t, h, s, subscribe("s", "/topic/a", "auto")+"~DISCONNECT\nreceipt:bye\n\n~SEND\ndestination:/topic/a\nreceipt:r\n\n"),
		"RECEIPT\nreceipt-id:bye\n\n")
	same(t, "ended", s.Ended(), true)
	// STOMP-ERROR-007: what goes wrong later is not told.
	h.Dirty()
	h.Fail(s, problem("too late"))
	h.Drain(s)
	same(t, "to be looked at", len(h.Dirty()), 0)
	same(t, "problem", s.Problem(), nil)
}

// STOMP-TX-003, STOMP-TX-004, STOMP-TX-005: a transaction settles and sends at COMMIT, and neither after ABORT.
func TestTransactions(t *testing.T) {
	begin := "BEGIN\ntransaction:t\n\n~"
	for _, c := range []struct {
		what, frames, want string
		acked, nacked      uint64
	}{
		{"commit", begin + "ACK\nid:1\ntransaction:t\n\n~SEND\ndestination:/topic/b\ntransaction:t\n\nx~COMMIT\ntransaction:t\n\n", "/topic/b", 1, 0},
		{"commit of a refusal", begin + "NACK\nid:1\ntransaction:t\n\n~COMMIT\ntransaction:t\n\n", "/queue/a", 0, 1},
		{"abort", begin + "ACK\nid:1\ntransaction:t\n\n~SEND\ndestination:/topic/b\ntransaction:t\n\nx~ABORT\ntransaction:t\n\n", "", 0, 0},
		{"acknowledged after an abort", begin + "ACK\nid:1\ntransaction:t\n\n~ABORT\ntransaction:t\n\n~ACK\nid:1\n\n", "", 1, 0},
		{"abort after the subscription", begin + "ACK\nid:1\ntransaction:t\n\n~UNSUBSCRIBE\nid:a\n\n~ABORT\ntransaction:t\n\n~" + subscribe("c", "/queue/a", "auto"), "/queue/a", 0, 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := newHub(t, Config{})
			s := open(t, h, "1.2")
			say(t, h, s, subscribe("a", "/queue/a", "client")+"~"+subscribe("b", "/topic/b", "auto")+"~"+send("/queue/a", 1))
			got := say(t, h, s, c.frames)
			if s.Problem() != nil {
				t.Fatal(s.Problem())
			}
			if strings.Count(got, "MESSAGE") != min(len(c.want), 1) || !strings.Contains(got, c.want) {
				t.Errorf("messages %q, want %s", got, c.want)
			}
			same(t, "acknowledged", h.Stats().Acked, c.acked)
			same(t, "refused", h.Stats().Nacked, c.nacked)
		})
	}
	h := newHub(t, Config{})
	s := open(t, h, "1.2")
	say(t, h, s, subscribe("a", "/queue/a", "client")+"~"+send("/queue/a", 1)+"~"+begin+"ACK\nid:1\ntransaction:t\n\n~NACK\nid:1\n\n")
	if p := s.Problem(); p == nil || p.Error() != "NACK of a message that a transaction settles already" {
		t.Errorf("settled twice: %v", p)
	}
}

// Consumers of a queue take turns, and what an ended one had goes to the next, in its old order.
func TestConsumersTakeTurns(t *testing.T) {
	h := newHub(t, Config{})
	a, b := open(t, h, "1.2"), open(t, h, "1.2")
	for _, s := range []*Session{a, b} {
		speak(t, h, s, subscribe("s", "/queue/a", "client")+"\x00")
	}
	for range 4 {
		speak(t, h, a, send("/queue/a", 1)+"\x00")
	}
	ids := func(s *Session) (all []string) {
		for _, part := range strings.Split(take(t, h, s, 0), "message-id:")[1:] {
			id, _, _ := strings.Cut(part, "\n")
			all = append(all, id)
		}
		return all
	}
	same(t, "first", strings.Join(ids(a), " "), "a-1 a-3")
	same(t, "second", strings.Join(ids(b), " "), "a-2 a-4")
	h.Gone(a)
	same(t, "after the first is gone", strings.Join(ids(b), " "), "a-1 a-3")
	// STOMP-DISCONNECT-004
	h.Gone(b)
	d, _ := h.Destination("/queue/a")
	same(t, "left", d, DestinationStats{Queued: 4, Bytes: 4 * (overhead + len("/queue/a") + 1)})
	c := open(t, h, "1.2")
	speak(t, h, c, subscribe("s", "/queue/a", "auto")+"\x00")
	same(t, "third", strings.Join(ids(c), " "), "a-1 a-2 a-3 a-4")
	if got := h.Stats(); got.Messages != 0 || got.Bytes != cost("s")+cost("/queue/a") {
		t.Errorf("left: %+v", got)
	}
}

// A framed session knows where each frame ends.
func TestFramedSessions(t *testing.T) {
	h := newHub(t, Config{HeartBeat: heartbeat.Pair{Send: 100}})
	s, err := h.Open(0, true)
	if err != nil {
		t.Fatal(err)
	}
	h.Connect(s, frame.New(frame.CONNECT, "accept-version", "1.2", "heart-beat", "0,100"), 0, nil)
	speak(t, h, s, "BEGIN\ntransaction:t\nreceipt:r\n\n\x00")
	batch, ends, ok := h.Take(s, nil)
	if !ok || len(ends) != 2 || ends[1] != len(batch) || batch[ends[0]-1] != 0 || !strings.HasPrefix(string(batch[ends[0]:]), "RECEIPT\n") {
		t.Fatalf("%q ends at %v", batch, ends)
	}
	h.Written(s, 0)
	h.Tick(s, 80)
	if batch, ends, _ := h.Take(s, nil); string(batch) != "\n" || len(ends) != 1 || ends[0] != 1 {
		t.Errorf("a heart-beat: %q ends at %v", batch, ends)
	}
}

// A queue that held many messages lets their room go when it is empty, and one that held few keeps it.
func TestEmptyQueuesLetTheirRoomGo(t *testing.T) {
	for many, kept := range map[int]int{0: 0, 1: 8, 9: 16, 1024: 1024, 1025: 0} {
		var q fifo
		for i := range many {
			q.push(&message{seq: uint64(i)})
		}
		for range many {
			q.pop()
		}
		same(t, "room", len(q.ring), kept)
	}
}
