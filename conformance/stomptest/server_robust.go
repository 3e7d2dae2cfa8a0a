package stomptest

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// served is the law that every robustness case judges.
const served = "STOMP-DISCONNECT-004"

func robustCases() []conformance.Case {
	return slices.Concat(robustForeignCases(), robustEndCases(), robustLoadCases())
}

// stillDials opens a connection that the target must accept whatever was done to it before.
func (s *serverT) stillDials(name, after string) *wire {
	s.Step()
	c, err := s.TryDial(name)
	if err != nil {
		s.Stopped(conformance.Break{
			Law: served, Reason: "the server goes on serving others after " + after, Expected: "a connection", Seen: err.Error(),
			Timed: !errors.Is(err, syscall.ECONNREFUSED),
		})
	}
	p := s.peer(name, c)
	if s.Version() == "" {
		p.version = s.Best()
	}
	return p
}

// stillConnects opens a session that the target must grant whatever was done to it before.
func (s *serverT) stillConnects(name, after string) *wire {
	p := s.stillDials(name, after)
	p.Send(s.ConnectFrame(p.version))
	p.Expect(served, "the server goes on serving others after "+after, "CONNECTED", is("CONNECTED"))
	return p
}

// serves checks that the target serves a new session: CONNECTED, and a message from one connection to
// another where it delivers at all.
func (s *serverT) serves(after string) {
	reason := "the server goes on serving others after " + after
	p := s.stillConnects("after", after)
	if !s.has(Delivery) || !s.has(Receipts) {
		return
	}
	place := s.Place()
	p.Send(frameOf("SUBSCRIBE", "id", "after", "destination", place))
	id := s.Unique("sync")
	p.Send(frameOf("SEND", "destination", s.Topic(), "receipt", id))
	p.Receipt(served, reason, id)
	sender := s.stillConnects("after-sender", after)
	sender.Deliver(place, "still served")
	p.MessageOf(served, reason, "still served")
	p.Close()
	sender.Close()
}

func robustForeignCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:    "stomp/server/robustness/garbage",
			Title: "octets that are no STOMP at all",
			Laws:  []string{served},
			Alone: true,
			Run: run(func(s *serverT) {
				for range 20 {
					garbage := make([]byte, 1+s.Rand().IntN(2000))
					for i := range garbage {
						garbage[i] = byte(s.Rand().UintN(256))
					}
					s.stillDials("garbage", "random octets").Raw(garbage)
					p := s.stillConnects("garbage-inside", "random octets")
					p.Raw(garbage)
					p.RawString("\x00\n\x00")
				}
				s.serves("random octets")
			}),
		},
		{
			ID:    "stomp/server/robustness/mangled-frames",
			Title: "frames with octets changed, dropped and doubled",
			Laws:  []string{served},
			Alone: true,
			Run: run(func(s *serverT) {
				frames := string(frameOf("SUBSCRIBE", "id", "1", "destination", s.Topic(), "ack", "client").Encode(s.Best())) +
					string(frameOf("BEGIN", "transaction", "t").Encode(s.Best())) +
					string(frameOf("SEND", "destination", s.Topic(), "transaction", "t").Carrying("body").Encode(s.Best())) +
					string(frameOf("COMMIT", "transaction", "t").Encode(s.Best())) + string(frameOf("UNSUBSCRIBE", "id", "1").Encode(s.Best()))
				for range 40 {
					octets := []byte(frames)
					for range 1 + s.Rand().IntN(3) {
						at := s.Rand().IntN(len(octets))
						switch s.Rand().IntN(3) {
						case 0:
							octets[at] = byte(s.Rand().UintN(256))
						case 1:
							octets = slices.Delete(octets, at, at+1)
						default:
							octets = slices.Insert(octets, at, octets[at])
						}
					}
					p := s.stillConnects("mangled", "mangled frames")
					p.Raw(octets)
					p.Close()
				}
				s.serves("mangled frames")
			}),
		},
		{
			ID:    "stomp/server/robustness/tls-client-hello",
			Title: "a TLS handshake on a port without TLS",
			Laws:  []string{served},
			Needs: conformance.Needs{Transports: []string{"tcp"}},
			Alone: true,
			Run: run(func(s *serverT) {
				s.Open("tls").Raw(clientHello())
				s.serves("a TLS handshake")
			}),
		},
		{
			ID:    "stomp/server/robustness/http-request",
			Title: "an HTTP request on a STOMP port",
			Laws:  []string{served},
			Needs: conformance.Needs{Transports: []string{"tcp", "tls"}},
			Alone: true,
			Run: run(func(s *serverT) {
				s.Open("http").RawString("GET / HTTP/1.1\r\nHost: " + s.Host() + "\r\nUser-Agent: x\r\n\r\n")
				s.Open("http").RawString("POST /q HTTP/1.1\r\nHost: " + s.Host() + "\r\nContent-Length: 3\r\n\r\nabc")
				s.serves("an HTTP request")
			}),
		},
		{
			ID:    "stomp/server/robustness/every-client-frame-bare",
			Title: "every client command without any header, and with every header empty",
			Laws:  []string{served},
			Alone: true,
			Run: run(func(s *serverT) {
				for _, command := range []string{"SEND", "SUBSCRIBE", "UNSUBSCRIBE", "BEGIN", "COMMIT", "ABORT", "ACK", "NACK", "DISCONNECT", "CONNECT", "STOMP"} {
					for _, lines := range []string{"", "destination:\nid:\ntransaction:\nmessage-id:\nsubscription:\nack:\nreceipt:\naccept-version:\nhost:\nheart-beat:\n"} {
						p := s.stillConnects("bare", "a frame without headers, or with empty ones")
						p.RawString(command + "\n" + lines + "\n\x00")
						p.Await(anyFrame, s.Timing().Quiet/3)
						p.Close()
					}
				}
				s.serves("frames without headers and with empty ones")
			}),
		},
		{
			ID:    "stomp/server/robustness/error-of-one-is-no-matter-of-others",
			Title: "an ERROR to one client leaves the sessions of others alone",
			Laws:  []string{served},
			Needs: conformance.Needs{Options: []string{Delivery, Receipts}},
			Alone: true,
			Run: run(func(s *serverT) {
				r := s.relay()
				sender := s.Connect("sender")
				for _, octets := range []string{"BOGUS\n\n\x00", "BEGIN\n\n\x00", "SUBSCRIBE\nid:w\n\n\x00", "UNSUBSCRIBE\nid:w\n\n\x00", "COMMIT\ntransaction:none\n\n\x00"} {
					p := s.stillConnects("wrong", "an ERROR")
					p.RawString(octets)
					p.Await(is("ERROR"), s.Timing().Quiet)
				}
				sender.Deliver(r.place, "undisturbed")
				r.gets(served, "a session that was open before goes on when others err", sender, "undisturbed")
			}),
		},
	}
}

// clientHello returns the first octets that a TLS client sends.
func clientHello() []byte {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	go func() {
		_ = tls.Client(ours, &tls.Config{ServerName: "localhost"}).Handshake()
		_ = ours.Close()
	}()
	_ = theirs.SetReadDeadline(time.Now().Add(time.Second))
	buf := make([]byte, 4096)
	n, _ := theirs.Read(buf)
	return buf[:n]
}

func robustLoadCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:    "stomp/server/robustness/idle-connections",
			Title: "200 connections that say nothing",
			Laws:  []string{served},
			Alone: true,
			Run: run(func(s *serverT) {
				for i := range 200 {
					c, err := s.TryDial("idle")
					if err != nil {
						s.Note("idle connections", "%d opened, then %v", i, err)
						break
					}
					if i%2 == 0 {
						s.peer("idle", c).Send(s.ConnectFrame(s.Best()))
					}
				}
				s.serves("200 idle connections")
			}),
		},
		{
			ID:    "stomp/server/robustness/half-open-handshakes",
			Title: "50 connections with half a CONNECT",
			Laws:  []string{served},
			Alone: true,
			Run: run(func(s *serverT) {
				octets := s.ConnectFrame(s.Best()).Encode(s.Best())
				for i := range 50 {
					s.Open("half").Raw(octets[:len(octets)*(i+1)/51])
				}
				s.serves("50 connections with half a CONNECT")
			}),
		},
		{
			ID:    "stomp/server/robustness/slow-reader",
			Title: "a subscriber that does not read does not stop others",
			Laws:  []string{served},
			Needs: conformance.Needs{Options: []string{Delivery, Receipts}},
			Alone: true,
			Run: run(func(s *serverT) {
				place := s.Place()
				slow := s.Connect("slow")
				slow.Subscribe("slow", place, "auto")
				sender := s.Connect("sender")
				piece := frameOf("SEND", "destination", place).Carrying(strings.Repeat("z", 64<<10)).Encode(sender.version)
				sent := 0
				for sent < 384 {
					// A server may hold up a sender whose messages nobody takes.
					if _, err := sender.conn.Write(piece); err != nil {
						break
					}
					sent++
				}
				s.Note("sent to a subscriber that does not read", "%d messages of 64 KiB", sent)
				s.serves("a subscriber that does not read")
				slow.Reset()
				s.serves("the reset of a subscriber that did not read")
			}),
		},
		{
			ID:       "stomp/server/robustness/flood-of-heart-beats",
			Title:    "1000 and up to 64000 EOLs between two frames",
			Laws:     []string{"STOMP-FRAME-010", served},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Alone:    true,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				for n := 1000; n <= 100000; n *= 2 {
					start := time.Now()
					o := p.behind(strings.Repeat("\n", n))
					took := time.Since(start)
					if o.Frame == nil {
						p.miss("STOMP-FRAME-010", "any number of EOLs may stand between frames", fmt.Sprintf("RECEIPT of the frame behind %d EOLs", n), o)
					}
					// A target whose work grows with the square of the number is slow, which no law forbids: the next step
					// would take it four times as long, or far more where this one came in a single read.
					if 32*took > s.Timing().Reply {
						s.Note("EOLs", "%d took %v; more were not tried", n, took.Round(time.Millisecond))
						break
					}
				}
				s.serves("a flood of EOLs")
			}),
		},
		{
			ID:    "stomp/server/robustness/flood-of-nuls",
			Title: "a mebibyte of NULs",
			Laws:  []string{served},
			Alone: true,
			Run: run(func(s *serverT) {
				s.Open("before").RawString(strings.Repeat("\x00", mib))
				s.Connect("inside").RawString(strings.Repeat("\x00", mib))
				s.serves("a flood of NULs")
			}),
		},
		{
			ID:    "stomp/server/robustness/flood-of-sends",
			Title: "5000 SENDs with receipts, sent before any receipt is read",
			Laws:  []string{served},
			Needs: conformance.Needs{Options: []string{Receipts}},
			Alone: true,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				topic := s.Topic()
				var b strings.Builder
				for i := range 5000 {
					b.Write(frameOf("SEND", "destination", topic, "receipt", fmt.Sprint(i)).Carrying("flood").Encode(p.version))
				}
				p.RawString(b.String())
				s.serves("a flood of SENDs")
				last := p.Await(is("RECEIPT", "receipt-id", "4999"), s.Timing().Reply)
				s.Note("receipt of the last SEND", "%s", last)
			}),
		},
		{
			ID:    "stomp/server/robustness/many-subscriptions",
			Title: "50 subscriptions on one connection, then a reset",
			Laws:  []string{served},
			Needs: conformance.Needs{Options: []string{Receipts}},
			Alone: true,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				for i := range 50 {
					p.Send(frameOf("SUBSCRIBE", "id", fmt.Sprint(i), "destination", s.Topic(), "ack", "client"))
				}
				p.Sync()
				p.Reset()
				s.serves("the reset of a connection with 50 subscriptions")
			}),
		},
	}
}
