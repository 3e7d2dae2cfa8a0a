package stomptest

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// serverT is what a case of this suite works with: the T of the runner and STOMP sessions over it.
type serverT struct{ *conformance.T }

// run makes a case of what is written against serverT.
var run = conformance.With(serverOf)

func serverOf(t *conformance.T) *serverT { return &serverT{t} }

// The versions that cases run under.
var (
	every   = []string{"1.0", "1.1", "1.2"}
	since11 = []string{"1.1", "1.2"}
	only10  = []string{"1.0"}
	only11  = []string{"1.1"}
	only12  = []string{"1.2"}
)

// Option names that a profile can declare unsupported.
const (
	Queues           = "queues"            // a destination that keeps messages until one consumer takes each
	Topics           = "topics"            // a destination that gives a message to every subscriber
	Transactions     = "transactions"      // BEGIN, COMMIT, ABORT
	Nack             = "nack"              // NACK
	ClientIndividual = "client-individual" // ack mode client-individual
	Acks             = "ack"               // ack modes other than auto
	HeartBeats       = "heart-beats"       // heart-beating other than 0,0
	Receipts         = "receipts"          // RECEIPT on request
	Loopback         = "loopback-delivery" // delivery to the connection that sent
	Redelivery       = "redelivery"        // redelivery of what was not acknowledged
	BinaryBodies     = "binary-bodies"     // bodies that are not UTF-8
	Prefetch         = "prefetch"          // several unacknowledged messages of a subscription in flight
	Delivery         = "delivery"          // MESSAGE to a subscriber; found out by the probe
)

// Open opens a connection without a CONNECT. Until CONNECTED it speaks by the rules of the case's
// version, or of 1.2 when the case has none.
func (s *serverT) Open(name string) *wire {
	return s.peer(name, s.Dial(name))
}

func (s *serverT) peer(name string, c *conformance.Conn) *wire {
	v := s.Version()
	if v == "" {
		v = "1.2"
	}
	return &wire{Name: name, s: s, conn: c, reader: reader{version: v}, version: v, opened: time.Now()}
}

// section is what the profile says of STOMP.
func (s *serverT) section() Section { return conformance.SectionOf[Section](s.Profile()) }

// Host returns the value for the host header: the profile's, what the probe found to work, or the
// address's host.
func (s *serverT) Host() string {
	if h := s.section().Host; h != "" {
		return h
	}
	if h := s.Capabilities().Settings["host"]; h != "" {
		return h
	}
	host, _, _ := strings.Cut(s.Target().Address, ":")
	if strings.HasPrefix(s.Target().Address, "[") {
		host = strings.TrimPrefix(strings.SplitN(s.Target().Address, "]", 2)[0], "[")
	}
	if host == "" {
		return "localhost"
	}
	return host
}

// ConnectFrame returns the CONNECT that the profile calls for, offering the given versions; with
// more headers appended. A header given twice keeps the first place.
func (s *serverT) ConnectFrame(accept string, kv ...string) *wireFrame {
	f := frameOf("CONNECT", "accept-version", accept, "host", s.Host())
	if p := s.section(); p.Login != "" {
		f.With("login", p.Login).With("passcode", p.Passcode)
	}
	for i := 0; i+1 < len(kv); i += 2 {
		f.With(kv[i], kv[i+1])
	}
	return f
}

// Connect opens a session under the case's version; more headers go into CONNECT. A target that
// does not answer CONNECTED blocks the case: connecting is judged by cases of its own.
func (s *serverT) Connect(name string, kv ...string) *wire {
	v := s.Version()
	if v == "" {
		v = s.Best()
	}
	return s.ConnectAs(name, v, kv...)
}

// Best returns the highest version that the target negotiates.
func (s *serverT) Best() string {
	best := "1.0"
	for _, v := range s.Capabilities().Versions {
		best = max(best, v)
	}
	return best
}

// ConnectAs is Connect under a version of the caller's choice.
func (s *serverT) ConnectAs(name, version string, kv ...string) *wire {
	p := s.Open(name)
	p.Send(s.ConnectFrame(version, kv...))
	f := p.Expect("", "connecting as "+name, "CONNECTED", is("CONNECTED"))
	got := f.Get("version")
	if got == "" {
		got = "1.0"
	}
	if got != version {
		s.Blocked("stomp/server/negotiate/single-version", "offered %s alone, got %s", version, got)
	}
	p.version = version
	return p
}

// Queue returns the destination of a fresh queue.
func (s *serverT) Queue() string { return s.section().QueueName(s.Unique("q")) }

// Topic returns the destination of a fresh topic.
func (s *serverT) Topic() string { return s.section().TopicName(s.Unique("t")) }

// Place returns a fresh destination for cases that subscribe before they send: a queue, or a topic
// where the target has no queues.
func (s *serverT) Place() string {
	if _, none := s.Profile().Unsupported[Queues]; none {
		return s.Topic()
	}
	return s.Queue()
}

// has reports whether the target manages an option as far as profile and probe know.
func (s *serverT) has(option string) bool {
	_, unsupported := s.Profile().Unsupported[option]
	_, missing := s.Capabilities().Missing[option]
	_, absent := s.Capabilities().Absent[option]
	return !unsupported && !missing && !absent
}

// Sync waits until the target has dealt with what p sent: it sends a message that nobody wants with
// a receipt, since frames of one connection are processed in order. A target without receipts is
// given the quiet window instead.
func (p *wire) Sync() { p.SyncUnder("", "the target deals with the frames sent so far") }

// SyncUnder is Sync where a refusal of what was sent breaks law.
func (p *wire) SyncUnder(law, reason string) {
	if !p.s.has(Receipts) {
		for deadline := time.Now().Add(p.s.Timing().Quiet); p.pull(deadline); {
		}
		return
	}
	id := p.s.Unique("sync")
	p.Send(frameOf("SEND", "destination", p.s.Topic(), "receipt", id).Carrying("sync"))
	p.Receipt(law, reason, id)
}

// Subscribe subscribes and waits until the target has dealt with it. Extra headers follow.
func (p *wire) Subscribe(id, destination, ack string, kv ...string) {
	f := frameOf("SUBSCRIBE", "id", id, "destination", destination)
	if ack != "" {
		f.With("ack", ack)
	}
	for i := 0; i+1 < len(kv); i += 2 {
		f.With(kv[i], kv[i+1])
	}
	p.Send(f)
	p.Sync()
}

// Deliver sends one message for each body.
func (p *wire) Deliver(destination string, bodies ...string) {
	for _, b := range bodies {
		p.Send(frameOf("SEND", "destination", destination).Carrying(b))
	}
}

// Confirmed sends a frame with a receipt and waits for it, as a prerequisite.
func (p *wire) Confirmed(f *wireFrame) {
	id := p.s.Unique("r")
	p.Send(f.With("receipt", id))
	p.Receipt("", f.Command+" is processed", id)
}

// AckFrame returns the ACK or NACK of a message by the session's version (STOMP-ACK-001 to -003).
func (p *wire) AckFrame(command string, m *wireFrame) *wireFrame {
	switch p.version {
	case "1.0":
		return frameOf(command, "message-id", m.Get("message-id"))
	case "1.1":
		return frameOf(command, "message-id", m.Get("message-id"), "subscription", m.Get("subscription"))
	default:
		return frameOf(command, "id", m.Get("ack"))
	}
}

// Collect waits for n messages of a destination's test and returns them; a message that does not
// come breaks law, or blocks when law is empty.
func (p *wire) Collect(law, reason string, n int) []*wireFrame {
	var out []*wireFrame
	for i := range n {
		out = append(out, p.Expect(law, reason, fmt.Sprintf("MESSAGE %d of %d", i+1, n), is("MESSAGE")))
	}
	return out
}

// Bodies of n numbered messages: prefix-1 to prefix-n.
func numbered(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s-%d", prefix, i+1)
	}
	return out
}

// CheckEqual breaks law unless seen is expected; the case goes on. Both may hold any octets.
func (s *serverT) CheckEqual(law, reason, expected, seen string) bool {
	show := func(v string) string { return `"` + conformance.EscapeMax([]byte(v), 200) + `"` }
	return s.Check(expected == seen, law, reason, show(expected), show(seen))
}

// answered records a choice of the target by its kind alone, so that two targets can be compared, and
// notes the answer itself, which is full of names made for this run.
func (s *serverT) answered(law, reason string, o reply) {
	s.Chose(law, reason, o.Kind())
	s.Note("answer", "%s", o)
}
