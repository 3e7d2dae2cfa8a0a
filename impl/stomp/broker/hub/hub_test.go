package hub

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

func newHub(t *testing.T, cfg Config) *Hub {
	t.Helper()
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func open(t *testing.T, h *Hub, version string, headers ...string) *Session {
	t.Helper()
	s, err := h.Open(0, false)
	if err != nil {
		t.Fatal(err)
	}
	h.Connect(s, frame.New(frame.CONNECT, append([]string{"accept-version", version}, headers...)...), 0, nil)
	if !s.Active() {
		t.Fatalf("not connected: %v", s.Problem())
	}
	take(t, h, s, 0)
	return s
}

// take returns what s has to write, as written at now.
func take(t *testing.T, h *Hub, s *Session, now int64) string {
	t.Helper()
	batch, _, ok := h.Take(s, nil)
	if !ok {
		return ""
	}
	if _, _, again := h.Take(s, nil); again {
		t.Fatal("a second batch before the first is written")
	}
	h.Written(s, now)
	return string(batch)
}

func TestTimesOfASession(t *testing.T) {
	// STOMP-HEARTBEAT-004, STOMP-HEARTBEAT-008, STOMP-HEARTBEAT-016
	h := newHub(t, Config{ConnectTimeout: 50, Tolerance: 10, HeartBeat: heartbeat.Pair{Send: 100, Want: 200}})
	s, err := h.Open(1000, false)
	if err != nil {
		t.Fatal(err)
	}
	if at := h.Deadline(s, 1000); at != 1050 {
		t.Errorf("CONNECT is due at %d", at)
	}
	if h.Tick(s, 1049); s.Ended() {
		t.Error("ended before its time")
	}
	h.Connect(s, frame.New(frame.CONNECT, "accept-version", "1.2", "heart-beat", "200,100"), 1049, nil)
	if got := take(t, h, s, 1049); !strings.Contains(got, "heart-beat:100,200\n") {
		t.Errorf("CONNECTED: %q", got)
	}
	// The beat leaves before the 100 ms are over.
	if at := h.Deadline(s, 1049); at != 1049+75 {
		t.Errorf("the first beat is due at %d", at)
	}
	if h.Tick(s, 1123); !s.Idle() {
		t.Error("a beat before its time")
	}
	h.Tick(s, 1124)
	h.Tick(s, 1124)
	if got := take(t, h, s, 1124); got != "\n" {
		t.Errorf("beat: %q", got)
	}
	// While something is being written no beat is added, and the time to look again is not in the past.
	h.Handle(s, frame.New(frame.BEGIN, "transaction", "t", "receipt", "r"))
	if _, _, ok := h.Take(s, nil); !ok {
		t.Fatal("no receipt")
	}
	h.Received(s, 1130)
	h.Tick(s, 1300)
	if at := h.Deadline(s, 1300); at <= 1300 {
		t.Errorf("look again at %d", at)
	}
	h.Written(s, 1300)
	if h.Tick(s, 1340); s.Ended() {
		t.Error("dead at the interval and the tolerance exactly")
	}
	h.Tick(s, 1341)
	if !s.Ended() || !strings.Contains(s.Problem().Error(), "no heart-beat") {
		t.Errorf("after silence: %v", s.Problem())
	}
	if at := h.Deadline(s, 1341); at != heartbeat.Never {
		t.Errorf("deadline %d after the end", at)
	}

	late, err := h.Open(2000, false)
	if err != nil {
		t.Fatal(err)
	}
	if h.Tick(late, 2050); !late.Ended() {
		t.Error("no CONNECT, and still open")
	}
}

func TestReceiptThat10CannotSay(t *testing.T) {
	// STOMP-HDR-003
	h := newHub(t, Config{})
	s := open(t, h, "1.0")
	h.Handle(s, frame.New(frame.SEND, "destination", "/queue/a", "receipt", "é"))
	if got := take(t, h, s, 0); !strings.HasPrefix(got, "ERROR\nmessage:receipt cannot be said") {
		t.Errorf("got %q", got)
	}
	s = open(t, h, "1.0")
	h.Handle(s, frame.New(frame.SEND, "receipt", "é"))
	if got := take(t, h, s, 0); !strings.HasPrefix(got, "ERROR\nmessage:SEND without destination\n") || strings.Contains(got, "receipt-id") {
		t.Errorf("got %q", got)
	}
}

func TestDirtyNamesEachSessionOnce(t *testing.T) {
	h := newHub(t, Config{})
	a, b := open(t, h, "1.2"), open(t, h, "1.2")
	h.Dirty()
	for _, s := range []*Session{a, b} {
		h.Handle(s, frame.New(frame.SUBSCRIBE, "id", "s", "destination", "/topic/a"))
	}
	if d := h.Dirty(); len(d) != 0 {
		t.Errorf("%d sessions have nothing to write", len(d))
	}
	for range 3 {
		h.Handle(a, frame.New(frame.SEND, "destination", "/topic/a", "receipt", "r"))
	}
	if d := h.Dirty(); len(d) != 2 {
		t.Errorf("%d sessions are dirty", len(d))
	}
	h.Drain(b)
	if d := h.Dirty(); len(d) != 1 || d[0] != b {
		t.Errorf("an ended session must be looked at")
	}
}

func TestUnackedBytesAreLimited(t *testing.T) {
	// STOMP-LIMIT-019
	h := newHub(t, Config{Limits: Limits{UnackedBytes: 1000}})
	s := open(t, h, "1.2")
	h.Handle(s, frame.New(frame.SUBSCRIBE, "id", "s", "destination", "/queue/a", "ack", "client"))
	for range 10 {
		f := frame.New(frame.SEND, "destination", "/queue/a")
		f.Body = make([]byte, 300)
		h.Handle(s, f)
	}
	if len(s.unacked) != 2 {
		t.Errorf("%d deliveries of 600 bytes wait", len(s.unacked))
	}
	h.Handle(s, frame.New(frame.ACK, "id", "2"))
	if len(s.unacked) != 2 || s.deliveries != 4 {
		t.Errorf("after ACK %d deliveries wait, of %d", len(s.unacked), s.deliveries)
	}
	h.Handle(s, frame.New(frame.SUBSCRIBE, "id", "t", "destination", "/topic/a", "ack", "client"))
	h.Handle(s, frame.New(frame.SEND, "destination", "/topic/a"))
	if s.Problem() == nil || !strings.Contains(s.Problem().Error(), "bytes wait for ACK") {
		t.Errorf("a topic message beyond the limit: %v", s.Problem())
	}
}

func TestProblemShowsItsCause(t *testing.T) {
	cause := errors.New("because")
	p := &Problem{Text: "refused", Cause: cause}
	if !errors.Is(p, cause) {
		t.Error("the cause is lost")
	}
	f := p.Frame()
	if !strings.Contains(string(f.Body), "because") {
		t.Errorf("body %q", f.Body)
	}
	long := printable(strings.Repeat("☃", 100), 100)
	if !strings.HasSuffix(long, `\u2603...`) || len(long) != 33*6+3 {
		t.Errorf("cut inside a character: %q", long)
	}
}

func TestCreditIsNotOverOutbound(t *testing.T) {
	if (Limits{Outbound: 10, Credit: 11}).Validate() == nil {
		t.Error("credit over outbound is accepted")
	}
	if l := (Limits{Outbound: 1000}).Defaults(); l.Credit != 500 {
		t.Errorf("credit %d", l.Credit)
	}
	if l := (Limits{}).Defaults(); l != DefaultLimits() {
		t.Errorf("defaults %+v", l)
	}
}
