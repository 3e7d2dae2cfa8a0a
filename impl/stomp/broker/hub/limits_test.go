package hub

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// say gives frames of s, written without their NULs and apart by a tilde, to the hub, and returns what s gets to read,
// written the same way. It fails if the invariants do not hold then.
func say(t *testing.T, h *Hub, s *Session, text string) string {
	t.Helper()
	for _, one := range strings.Split(text, "~") {
		speak(t, h, s, one+"\x00")
	}
	return read(t, h, s)
}

func read(t *testing.T, h *Hub, s *Session) string {
	t.Helper()
	got := take(t, h, s, 0)
	if err := check(h, []*Session{s}); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.ReplaceAll(got, "\x00", "~"), "~")
}

func send(dest string, body int) string {
	return "SEND\ndestination:" + dest + "\n\n" + strings.Repeat("b", body)
}

// STOMP-LIMIT-019: what meets a limit is done, what exceeds it by one is answered with ERROR and the numbers.
func TestEveryLimitIsMetExactly(t *testing.T) {
	// A message of this body on a destination of eight octets counts as 300.
	const body = 300 - overhead - len("/queue/a")
	subscribe := func(id string) string { return "SUBSCRIBE\nid:" + id + "\ndestination:/topic/a\n\n" }
	begin := func(id string) string { return "BEGIN\ntransaction:" + id + "\n\n" }
	staged := func(dest string) string {
		return "SEND\ndestination:" + dest + "\ntransaction:t\n\n" + strings.Repeat("b", body)
	}
	short := frame.Limits{Line: 40, Headers: 10, Body: 1 << 10, Events: 9}
	for _, c := range []struct {
		what, version string
		limits        Limits
		good, bad     string
		want          string
	}{
		{"subscriptions", "1.2", Limits{Subscriptions: 2}, subscribe("a") + "~" + subscribe("b"), subscribe("c"), "subscriptions: limit 2, found 3"},
		{"transactions", "1.2", Limits{Transactions: 2}, begin("a") + "~" + begin("b"), begin("c"), "transactions: limit 2, found 3"},
		{
			"staged frames", "1.2",
			Limits{StagedFrames: 2},
			begin("t") + "~" + staged("/topic/a") + "~" + staged("/topic/a"), staged("/topic/a"),
			"frames in transactions: limit 2, found 3",
		},
		{
			"staged bytes", "1.2",
			Limits{StagedBytes: 600},
			begin("t") + "~" + staged("/topic/a") + "~" + staged("/topic/a"), staged("/topic/a"),
			"bytes in transactions: limit 600, found 900",
		},
		{
			"queue messages", "1.2",
			Limits{QueueMessages: 2},
			send("/queue/a", 1) + "~" + send("/queue/a", 1), send("/queue/a", 1),
			"messages in a queue: limit 2, found 3",
		},
		{
			"queue bytes", "1.2",
			Limits{QueueBytes: 600},
			send("/queue/a", body) + "~" + send("/queue/a", body), send("/queue/a", body),
			"bytes in a queue: limit 600, found 900",
		},
		{
			"queue messages at COMMIT", "1.2",
			Limits{QueueMessages: 3},
			send("/queue/a", body) + "~" + begin("t") + "~" + staged("/queue/a") + "~" + staged("/queue/a") + "~COMMIT\ntransaction:t\n\n~" + begin("t") + "~" + staged("/queue/a"),
			"COMMIT\ntransaction:t\n\n", "messages in a queue: limit 3, found 4",
		},
		{
			"queue bytes at COMMIT", "1.2",
			Limits{QueueBytes: 600},
			begin("t") + "~" + staged("/queue/a") + "~" + staged("/queue/a") + "~COMMIT\ntransaction:t\n\n~" + begin("t") + "~" + staged("/queue/b") + "~" + staged("/queue/b") + "~" + staged("/queue/b"),
			"COMMIT\ntransaction:t\n\n", "bytes in a queue: limit 600, found 900",
		},
		{"destinations", "1.2", Limits{Destinations: 2}, send("/queue/a", 1) + "~" + send("/queue/b", 1), send("/queue/c", 1), "destinations: limit 2, found 3"},
		{
			"destinations at COMMIT", "1.2",
			Limits{Destinations: 2},
			begin("t") + "~" + staged("/queue/a") + "~" + staged("/queue/a") + "~" + staged("/queue/b") + "~COMMIT\ntransaction:t\n\n~" + begin("t") + "~" + staged("/queue/b") + "~" + staged("/queue/c"),
			"COMMIT\ntransaction:t\n\n", "destinations: limit 2, found 3",
		},
		{
			"destinations of subscriptions", "1.2",
			Limits{Destinations: 1},
			subscribe("a") + "~" + subscribe("b"),
			"SUBSCRIBE\nid:c\ndestination:/queue/a\n\n", "destinations: limit 1, found 2",
		},
		// A name costs its octets and the overhead.
		{
			"bytes of messages", "1.2",
			Limits{Bytes: 264 + 600},
			send("/queue/a", body) + "~" + send("/queue/a", body), send("/queue/a", body),
			"bytes in the broker: limit 864, found 1164",
		},
		{"bytes of a destination", "1.2", Limits{Bytes: 264 + 300}, send("/queue/a", body), send("/queue/b", 0), "bytes in the broker: limit 564, found 828"},
		{"bytes of a subscription", "1.2", Limits{Bytes: 264 + 2*257}, subscribe("a") + "~" + subscribe("b"), subscribe("c"), "bytes in the broker: limit 778, found 1035"},
		{
			"bytes of a subscription to a new destination", "1.2",
			Limits{Bytes: 264 + 257 + 264},
			subscribe("a"),
			"SUBSCRIBE\nid:b\ndestination:/queue/a\n\n", "bytes in the broker: limit 785, found 1042",
		},
		{"bytes of a transaction", "1.2", Limits{Bytes: 2 * 257}, begin("a") + "~" + begin("b"), begin("c"), "bytes in the broker: limit 514, found 771"},
		{"bytes staged", "1.2", Limits{Bytes: 257 + 300}, begin("t") + "~" + staged("/topic/a"), staged("/topic/a"), "bytes in the broker: limit 557, found 857"},
		{
			"subscription id", "1.2",
			Limits{Frame: short},
			subscribe(strings.Repeat("i", 27)), subscribe(strings.Repeat("i", 28)),
			"octets in a subscription id: limit 27, found 28",
		},
		{
			"escaped subscription id", "1.2",
			Limits{Frame: short},
			subscribe(strings.Repeat("i", 23) + `\c\n`), subscribe(strings.Repeat("i", 24) + `\c\n`),
			"octets in a subscription id: limit 27, found 28",
		},
		// A header that needs escapes on its way out only.
		{
			"header line", "1.0",
			Limits{Frame: short},
			"SEND\ndestination:/queue/a\nx:" + strings.Repeat("v", 36) + ":\n\n",
			"SEND\ndestination:/queue/a\nx:" + strings.Repeat("v", 37) + ":\n\n", "header line octets: limit 40, found 41",
		},
		{
			"headers", "1.2",
			Limits{Frame: short},
			"SEND\ndestination:/queue/a\nx:1\ny:2\nreceipt:r\n\n",
			"SEND\ndestination:/queue/a\nx:1\ny:2\nz:3\n\n", "headers that a MESSAGE can hand on: limit 2, found 3",
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := newHub(t, Config{Limits: c.limits})
			s := open(t, h, c.version)
			if got := say(t, h, s, c.good); s.Problem() != nil {
				t.Fatalf("within the limit: %v, %q", s.Problem(), got)
			}
			say(t, h, s, c.bad)
			if p := s.Problem(); p == nil || p.Error() != "too many "+c.want {
				t.Fatalf("beyond the limit: %v, want too many %s", p, c.want)
			}
		})
	}
}

// STOMP-LIMIT-019: the limits of what waits to be written.
func TestOutboundIsMetExactly(t *testing.T) {
	ask := "BEGIN\ntransaction:a\nreceipt:r\n\n~ABORT\ntransaction:a\nreceipt:r\n\n"
	const receipt = len("RECEIPT\nreceipt-id:r\n\n\x00")
	for want, limits := range map[string]Limits{
		"frames wait to be written: limit 2, found 3":   {OutboundFrames: 2},
		"octets wait to be written: limit 46, found 69": {Outbound: 2 * receipt},
	} {
		h := newHub(t, Config{Limits: limits})
		s := open(t, h, "1.2")
		for _, text := range strings.Split(ask, "~") {
			speak(t, h, s, text+"\x00")
		}
		if s.Problem() != nil {
			t.Errorf("two receipts: %v", s.Problem())
		}
		// What is being written counts, too.
		if _, _, ok := h.Take(s, nil); !ok {
			t.Fatal("nothing to write")
		}
		speak(t, h, s, "BEGIN\ntransaction:b\nreceipt:r\n\n\x00")
		if frames := limits.OutboundFrames > 0; (s.Problem() == nil) != frames {
			t.Errorf("%s: while two receipts are written: %v", want, s.Problem())
		} else if !frames {
			if got := s.Problem().Error(); got != "too many "+want {
				t.Errorf("got %s, want %s", got, want)
			}
			continue
		}
		speak(t, h, s, strings.Split(ask, "~")[0]+"\x00")
		speak(t, h, s, strings.Split(ask, "~")[1]+"\x00")
		if got := s.Problem(); got == nil || got.Error() != "too many "+want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

// STOMP-CONNECT-013: a place is taken from Open to Gone.
func TestConnectionsAreCounted(t *testing.T) {
	h := newHub(t, Config{Limits: Limits{Connections: 2}})
	first, second := open(t, h, "1.2"), open(t, h, "1.2")
	if first.ID() != "a-1" || second.ID() != "a-2" {
		t.Errorf("sessions %s and %s", first.ID(), second.ID())
	}
	if _, err := h.Open(0, false); err == nil || err.Error() != "too many connections: limit 2, found 3" {
		t.Errorf("a third connection: %v", err)
	}
	h.Drain(first)
	if _, err := h.Open(0, false); err == nil {
		t.Error("a third connection while one ends")
	}
	h.Gone(first)
	h.Gone(first)
	if n := h.Stats(); n.Connections != 1 || n.Opened != 2 {
		t.Errorf("%d of %d are connected", n.Connections, n.Opened)
	}
	if third := open(t, h, "1.2"); third.ID() != "a-3" {
		t.Errorf("session %s", third.ID())
	}
}

// Messages stay in their queue while a connection has more to write than its credit.
func TestCreditIsMetExactly(t *testing.T) {
	one := len("MESSAGE\ndestination:/queue/a\nmessage-id:a-1\nsubscription:s\ncontent-length:5\n\nbbbbb\x00")
	for _, c := range []struct {
		what   string
		limits Limits
		want   int
	}{
		{"credit of an octet", Limits{Credit: 1}, 1},
		{"credit of a message", Limits{Credit: one}, 1},
		{"credit of a message and an octet", Limits{Credit: one + 1}, 2},
		{"two frames", Limits{OutboundFrames: 2}, 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := newHub(t, Config{Limits: c.limits})
			s := open(t, h, "1.2")
			say(t, h, s, "SUBSCRIBE\nid:s\ndestination:/queue/a\n\n")
			for range 5 {
				speak(t, h, s, send("/queue/a", 5)+"\x00")
			}
			if d, _ := h.Destination("/queue/a"); d.Queued != 5-c.want {
				t.Errorf("%d messages are held back, want %d", d.Queued, 5-c.want)
			}
			sum := 0
			for range 5 {
				sum += strings.Count(read(t, h, s), "MESSAGE")
			}
			if sum != 5 {
				t.Errorf("%d messages came", sum)
			}
		})
	}
}

// A subscription that waits for an ACK holds up no other that needs none, and one that ended gets nothing any more.
func TestWhoIsServedWhenThereIsRoomAgain(t *testing.T) {
	h := newHub(t, Config{Limits: Limits{Credit: 1, Unacked: 1}})
	s := open(t, h, "1.2")
	say(t, h, s, subscribe("acks", "/queue/a", "client")+"~"+subscribe("none", "/queue/b", "auto"))
	for _, dest := range []string{"/queue/a", "/queue/a", "/queue/b"} {
		speak(t, h, s, send(dest, 1)+"\x00")
	}
	for _, want := range []string{"acks", "none", ""} {
		if got := read(t, h, s); strings.Count(got, "MESSAGE") != min(len(want), 1) || !strings.Contains(got, "subscription:"+want) && want != "" {
			t.Errorf("got %q, want a message of subscription %s", got, want)
		}
	}
	h = newHub(t, Config{Limits: Limits{Credit: 1}})
	s = open(t, h, "1.2")
	for _, text := range []string{subscribe("a", "/queue/a", "auto"), send("/queue/a", 1), send("/queue/a", 1), "UNSUBSCRIBE\nid:a\n\n"} {
		speak(t, h, s, text+"\x00")
	}
	if got := read(t, h, s) + read(t, h, s); strings.Count(got, "MESSAGE") != 1 {
		t.Errorf("an ended subscription got %q", got)
	}
	if got := say(t, h, s, subscribe("b", "/queue/a", "auto")); !strings.Contains(got, "subscription:b\n") {
		t.Errorf("the next subscription got %q", got)
	}
}

// STOMP-LIMIT-019: unsettled deliveries hold queues back and end a connection that reads a topic.
func TestUnackedIsMetExactly(t *testing.T) {
	for _, c := range []struct {
		what   string
		limits Limits
		want   string
	}{
		{"messages", Limits{Unacked: 2}, "subscriber is too slow, too many messages wait for ACK: limit 2, found 3"},
		{"bytes", Limits{UnackedBytes: 600}, "subscriber is too slow, too many bytes wait for ACK: limit 600, found 600"},
	} {
		t.Run(c.what, func(t *testing.T) {
			const body = 300 - overhead - len("/queue/a")
			h := newHub(t, Config{Limits: c.limits})
			s := open(t, h, "1.2")
			say(t, h, s, subscribe("q", "/queue/a", "client")+"~"+subscribe("t", "/topic/a", "client"))
			if got := say(t, h, s, send("/queue/a", body)+"~"+send("/topic/a", body)); strings.Count(got, "MESSAGE") != 2 {
				t.Fatalf("two messages: %q", got)
			}
			if got := say(t, h, s, send("/queue/a", body)); got != "" {
				t.Fatalf("a message beyond the limit: %q", got)
			}
			if got := say(t, h, s, "ACK\nid:1\n\n"); !strings.Contains(got, "\nack:3\n") {
				t.Fatalf("after an ACK: %q", got)
			}
			say(t, h, s, send("/topic/a", body))
			if p := s.Problem(); p == nil || p.Error() != c.want {
				t.Errorf("a topic's message beyond the limit: %v", p)
			}
		})
	}
}
