package stomptest

import (
	"context"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// probe finds out which versions the target negotiates and whether receipts and delivery, which most
// cases stand on, work at all.
func probe(_ context.Context, t *conformance.T) conformance.Capabilities {
	caps := conformance.Capabilities{Missing: map[string]string{}, Absent: map[string]string{}, Settings: map[string]string{}}
	s := serverOf(t)
	host := s.probeVersions(&caps)
	if len(caps.Versions) == 0 {
		t.Inconclusive("the target answers CONNECT but opens no session in 1.0, 1.1 or 1.2 when that version alone is offered")
	}
	s.probeSession(&caps, host)
	return caps
}

// probeVersions finds out which versions the target negotiates, and how fast it answers. It returns the host to ask for.
func (s *serverT) probeVersions(caps *conformance.Capabilities) string {
	host, connected := s.probeHost(caps)
	caps.Settings["host"] = host
	caps.Software = connected.Get("server")
	for _, v := range every {
		if claimed := s.Profile().Versions; claimed != nil && !slices.Contains(claimed, v) {
			continue
		}
		p := s.Open("probe-" + v)
		start := time.Now()
		p.Send(s.probeConnect(v, host))
		o := p.Await(is("CONNECTED"), s.Timing().Reply)
		p.Close()
		if o.Frame == nil {
			continue
		}
		// The first session of a target can be slow for reasons that never come again.
		caps.RTT = min(caps.RTT, time.Since(start))
		if got := o.Frame.Get("version"); got == v || (got == "" && v == "1.0") {
			caps.Versions = append(caps.Versions, v)
		}
	}
	return host
}

func (s *serverT) probeConnect(version, host string) *wireFrame {
	f := frameOf("CONNECT", "accept-version", version, "host", host)
	if p := s.section(); p.Login != "" {
		f.With("login", p.Login).With("passcode", p.Passcode)
	}
	return f
}

// probeHost connects with the host of the profile or, when there is none, with the usual ones until
// one is accepted, and measures the round trip.
func (s *serverT) probeHost(caps *conformance.Capabilities) (string, *wireFrame) {
	hosts := []string{s.Host()}
	if s.section().Host == "" {
		hosts = append(hosts, "/", "localhost")
	}
	var last reply
	for _, host := range hosts {
		p := s.Open("probe")
		start := time.Now()
		p.Send(s.probeConnect("1.0,1.1,1.2", host))
		last = p.Await(is("CONNECTED"), s.Timing().Reply)
		p.Close()
		if last.Frame != nil {
			caps.RTT = time.Since(start)
			return host, last.Frame
		}
		if last.Timed {
			break
		}
	}
	s.Inconclusive("CONNECT is not answered with CONNECTED; seen: %s%s", last, s.refused(last))
	return "", nil
}

// refused returns what to look at when no session was opened.
func (s *serverT) refused(o reply) string {
	switch {
	case o.Error != nil && s.section().Login == "":
		return "; a profile says how to log in: login, passcode, host (--profile)"
	case o.Error != nil:
		return "; are login, passcode and host of the profile right?"
	case o.Ended != conformance.Open && s.Target().Scheme == "tcp":
		return "; does the port speak STOMP, and without TLS?"
	default:
		return ""
	}
}

// probeSession tries a receipt and a delivery in the best version.
func (s *serverT) probeSession(caps *conformance.Capabilities, host string) {
	version := caps.Versions[len(caps.Versions)-1]
	open := func(name string) *wire {
		p := s.Open(name)
		p.Send(s.probeConnect(version, host))
		p.Expect("", "connecting once more", "CONNECTED", is("CONNECTED"))
		p.version = version
		return p
	}
	_, queueless := s.Profile().Unsupported[Queues]
	_, ackless := s.Profile().Unsupported[Acks]
	sender, receiver := open("probe-sender"), open("probe-receiver")
	sender.Send(frameOf("SEND", "destination", s.Topic(), "receipt", "probe").Carrying("probe"))
	if o := sender.Await(is("RECEIPT", "receipt-id", "probe"), s.Timing().Reply); o.Frame == nil {
		caps.Missing[Receipts] = "stomp/server/receipt/send: a SEND with receipt was answered with " + o.String()
		sender = open("probe-sender-2")
	}
	place := s.Place()
	receiver.Send(frameOf("SUBSCRIBE", "id", "probe", "destination", place))
	for deadline := time.Now().Add(s.Timing().Quiet); receiver.pull(deadline); {
	}
	sender.Send(frameOf("SEND", "destination", place).Carrying("probe"))
	if o := receiver.Await(is("MESSAGE"), s.Timing().Reply); o.Frame == nil {
		caps.Missing[Delivery] = "stomp/server/send/is-delivered: a subscriber of a destination did not get what was sent there: " + o.String()
	}
	if len(caps.Missing) == 0 && !queueless && !ackless {
		s.probePrefetch(caps, open("probe-prefetch"))
	}
	if len(caps.Missing) == 2 {
		s.Inconclusive("the target answers CONNECT and nothing after it: %s; %s", caps.Missing[Receipts], caps.Missing[Delivery])
	}
}

// probePrefetch finds out whether a second message is delivered while the first is unacknowledged. A
// server may wait: no version says how many messages may be in flight.
func (s *serverT) probePrefetch(caps *conformance.Capabilities, p *wire) {
	q := s.Queue()
	p.Deliver(q, "1", "2")
	p.Send(frameOf("SUBSCRIBE", "id", "probe", "destination", q, "ack", "client"))
	var got []*wireFrame
	for len(got) < 2 {
		o := p.Await(is("MESSAGE"), s.Timing().Reply)
		if o.Frame == nil {
			break
		}
		got = append(got, o.Frame)
	}
	if len(got) == 1 {
		caps.Absent[Prefetch] = "a second message is not delivered before the first is acknowledged"
	}
	for _, m := range got {
		p.Send(p.AckFrame("ACK", m))
	}
	p.Send(frameOf("DISCONNECT"))
	p.Ends(s.Timing().Quiet)
}

// alive opens a session and waits for a receipt, the least that a target in working order does.
func alive(_ context.Context, t *conformance.T) {
	s := serverOf(t)
	p := s.Connect("alive")
	p.Sync()
	p.Close()
}
