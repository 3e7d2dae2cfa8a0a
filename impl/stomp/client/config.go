package client

import (
	"context"
	"crypto/tls"
	"math"
	"net"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// Config says how to connect. The zero Config offers STOMP 1.2 without login and without heart-beats.
type Config struct {
	// Host is the virtual host asked for. Empty: the host of the address.
	Host string
	// Login and Passcode are sent if they are not empty (STOMP-TLS-001).
	Login, Passcode string
	// PlainLogin allows them on a connection without TLS to a host that is not this one.
	PlainLogin bool
	// Headers are further headers of CONNECT.
	Headers []frame.Header
	// Versions are the versions offered, in increasing order. Nil: 1.2 alone (STOMP-NEGOTIATE-007, STOMP-NEGOTIATE-008).
	Versions []frame.Version
	// HeartBeat is what the client can send and wants to receive, in milliseconds. Zero: no heart-beats.
	HeartBeat heartbeat.Pair
	// Tolerance is how long beyond its interval a silent server is given, in whole milliseconds. 0: 100 ms.
	Tolerance time.Duration
	// TLS configures tls:// and wss://. Nil: the roots of the system. An empty ServerName stands for the host of the
	// address. The certificate is always verified: InsecureSkipVerify is refused (STOMP-TLS-002).
	TLS *tls.Config
	// Dialer makes the network connection. Nil: [net.Dialer.DialContext].
	Dialer func(ctx context.Context, network, address string) (net.Conn, error)
	// Limits bounds what the client holds. The zero value means [DefaultLimits]; in any other every field counts as it
	// stands.
	Limits Limits
	// Timing holds intervals. The zero value means [DefaultTiming]; in any other every field counts as it stands.
	Timing Timing
}

// Limits bounds what a client holds. Every field is at least 1 (STOMP-WAIT-017, STOMP-LIMIT-018).
type Limits struct {
	// Subscriptions, Transactions, Receipts and Deliveries are those of [session.Limits].
	Subscriptions, Transactions, Receipts, Deliveries int
	// Events is the largest number of events that nobody took yet (STOMP-WAIT-001).
	Events int
	// EventBytes is the largest sum of the sizes that these would have as JSON, where an octet of a body is a decimal
	// number: it is not a limit of body octets (STOMP-WAIT-002, STOMP-WAIT-003).
	EventBytes int
	// Waiters is the largest number of calls that wait for an event and of receipts that did not arrive (STOMP-WAIT-004).
	Waiters int
	// WriteBuffer is the largest number of octets that wait to be written (STOMP-WAIT-005).
	WriteBuffer int
}

// DefaultLimits returns 256 subscriptions, transactions and receipts, 1024 deliveries, 1024 events, 4194304 octets of
// events, 256 waiters and 2097152 octets to write.
func DefaultLimits() Limits {
	return Limits{
		Subscriptions: 256, Transactions: 256, Receipts: 256, Deliveries: 1024,
		Events: 1024, EventBytes: 4 << 20, Waiters: 256, WriteBuffer: 2 << 20,
	}
}

// Timing holds the intervals of a client. Every field is 1 to 2147483647 ms (STOMP-CLOCK-007, STOMP-WAIT-017).
type Timing struct {
	// Connect bounds the whole of connecting: dialing, the handshakes of TLS and WebSocket, and the wait for CONNECTED.
	Connect time.Duration
	// Receipt bounds the wait for a receipt.
	Receipt time.Duration
	// Tick is the longest time between two looks at the heart-beats, which begin once the session is Active.
	Tick time.Duration
	// Write bounds how long a write of at most 64 KiB may make no end.
	Write time.Duration
}

// DefaultTiming returns 5 s to connect and for a receipt, a tick of 25 ms, and 60 s for a write.
func DefaultTiming() Timing {
	return Timing{Connect: 5 * time.Second, Receipt: 5 * time.Second, Tick: 25 * time.Millisecond, Write: time.Minute}
}

// longest is the longest interval.
const longest = math.MaxInt32 * time.Millisecond

// inRange reports whether d is an interval that can be waited for (STOMP-WAIT-014).
func inRange(d time.Duration) bool { return d >= time.Millisecond && d <= longest }

// Validate returns an [*Error] with code [Argument] that names the first field out of range, or nil.
func (c Config) Validate() error {
	if err := c.validate(); err != nil {
		return err
	}
	if _, _, err := c.open("validated"); err != nil {
		return err
	}
	return nil
}

func (c Config) validate() *Error {
	const op = "connect"
	// STOMP-WAIT-017
	if c.Host != "" && strings.TrimSpace(c.Host) == "" {
		return argument(op, "host", "Host is blank")
	}
	for _, t := range [...]struct{ name, value string }{{"Host", c.Host}, {"Login", c.Login}, {"Passcode", c.Passcode}} {
		// STOMP-TLS-001
		if strings.ContainsAny(t.value, "\x00\r\n") {
			return argument(op, strings.ToLower(t.name), "%s holds CR, LF or NUL", t.name)
		}
	}
	for _, h := range c.Headers {
		switch h.Name {
		case "host", "login", "passcode", "accept-version", "heart-beat", "receipt":
			return argument(op, "headers", "Headers may not hold %s", h.Name)
		}
	}
	for i, v := range c.Versions {
		if v > frame.V12 || i > 0 && v <= c.Versions[i-1] {
			return argument(op, "versions", "Versions are not in increasing order")
		}
	}
	if c.Versions != nil && len(c.Versions) == 0 {
		return argument(op, "versions", "Versions is empty")
	}
	if err := c.HeartBeat.Validate(); err != nil {
		e := argument(op, "heart-beat", "HeartBeat is out of range")
		e.Cause = err
		return e
	}
	if c.Tolerance != 0 && !inRange(c.Tolerance) {
		return argument(op, "tolerance", "Tolerance: %v is outside 1ms to %v", c.Tolerance, longest)
	}
	if c.TLS != nil && c.TLS.InsecureSkipVerify {
		// STOMP-TLS-002
		return argument(op, "tls", "TLS.InsecureSkipVerify is set: the certificate is always verified")
	}
	return c.validateNumbers(op)
}

func (c Config) validateNumbers(op string) *Error {
	l := c.limits()
	for _, f := range [...]struct {
		name  string
		value int
	}{
		{"Subscriptions", l.Subscriptions},
		{"Transactions", l.Transactions},
		{"Receipts", l.Receipts},
		{"Deliveries", l.Deliveries},
		{"Events", l.Events},
		{"EventBytes", l.EventBytes},
		{"Waiters", l.Waiters},
		{"WriteBuffer", l.WriteBuffer},
	} {
		if f.value < 1 {
			return argument(op, "limits", "Limits.%s: %d is less than 1", f.name, f.value)
		}
	}
	t := c.timing()
	for _, f := range [...]struct {
		name  string
		value time.Duration
	}{{"Connect", t.Connect}, {"Receipt", t.Receipt}, {"Tick", t.Tick}, {"Write", t.Write}} {
		// STOMP-CLOCK-007
		if !inRange(f.value) {
			return argument(op, "timing", "Timing.%s: %v is outside 1ms to %v", f.name, f.value, longest)
		}
	}
	return nil
}

func (c Config) limits() Limits {
	if c.Limits == (Limits{}) {
		return DefaultLimits()
	}
	return c.Limits
}

func (c Config) timing() Timing {
	if c.Timing == (Timing{}) {
		return DefaultTiming()
	}
	return c.Timing
}

// open returns a session that has sent CONNECT, at time 0, and the octets of that: whatever is wrong with it is found
// before any I/O.
func (c Config) open(host string) (*session.Session, []byte, error) {
	const op = "connect"
	limits := c.limits()
	cfg := session.Config{
		Limits: session.Limits{
			Subscriptions: limits.Subscriptions, Transactions: limits.Transactions,
			Receipts: limits.Receipts, Deliveries: limits.Deliveries,
		},
		Tolerance: c.Tolerance.Milliseconds(),
	}
	offer := []string{frame.V12.String()}
	if c.Versions != nil {
		offer = offer[:0]
		for _, v := range c.Versions {
			offer = append(offer, v.String())
		}
		if len(offer) > 1 || c.Versions[0] != frame.V12 {
			cfg.Profile = session.MultiVersion
		}
	}
	s, err := session.New(cfg)
	if err != nil {
		return nil, nil, &Error{Op: op, Code: Argument, Reason: "config", Cause: err}
	}
	// STOMP-CONNECT-001, STOMP-CONNECT-006, STOMP-NEGOTIATE-001
	f := frame.New(frame.CONNECT, "accept-version", strings.Join(offer, ","), "host", host)
	if c.Login != "" {
		f.Headers = append(f.Headers, frame.Header{Name: "login", Value: c.Login})
	}
	if c.Passcode != "" {
		f.Headers = append(f.Headers, frame.Header{Name: "passcode", Value: c.Passcode})
	}
	if c.HeartBeat != (heartbeat.Pair{}) {
		f.Headers = append(f.Headers, frame.Header{Name: "heart-beat", Value: c.HeartBeat.String()})
	}
	f.Headers = append(f.Headers, c.Headers...)
	octets, err := s.Send(nil, 0, f)
	if err != nil {
		return nil, nil, declined(op, err)
	}
	return s, octets, nil
}
