//go:build linux

package lab

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
)

// These tests hold the profiles to the truth: what a profile says of credentials, versions and
// destinations is so. They do not judge the brokers; the suites do.

func TestProfileCredentialsAndVersionsAreRight(t *testing.T) {
	mustLogIn := []string{"activemq-classic", "go-stomp"}
	forEachBroker(t, "stomp", func(t *testing.T, b Broker) {
		r := startBroker(t, b, Options{Dir: t.TempDir()})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		for _, e := range r.Targets {
			for _, v := range r.Profile.Versions {
				p := r.Profile
				p.Versions = []string{v}
				c, err := Probe(ctx, b.Suite, e, p)
				if err != nil || c.Version != v && (v != "1.0" || c.Version != "") {
					t.Errorf("%s speaks %s when asked for nothing else: got %q, %v", e.URL, v, c.Version, err)
				}
			}
			p := r.Profile
			if s := conformance.SectionOf[stomptest.Section](p); s.Login != "" {
				s.Passcode = "wrong"
				p.Sections = []conformance.Section{s}
				if c, err := Probe(ctx, b.Suite, e, p); err == nil {
					t.Errorf("%s refuses a wrong passcode: got %+v", e.URL, c)
				}
			}
			s := conformance.SectionOf[stomptest.Section](p)
			s.Login, s.Passcode = "", ""
			p.Sections = []conformance.Section{s}
			c, err := Probe(ctx, b.Suite, e, p)
			if refused := err != nil; refused != slices.Contains(mustLogIn, b.Name) {
				t.Errorf("%s without a login: got %+v, %v", e.URL, c, err)
			}
		}
	})
}

// session is a connection that a test writes frames to by hand.
type session struct {
	t    *testing.T
	conn io.ReadWriteCloser
	r    *bufio.Reader
}

func openSession(t *testing.T, ctx context.Context, r *Running) *session {
	t.Helper()
	conn, err := dial(ctx, r.Targets[0])
	if err != nil {
		t.Fatal(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	t.Cleanup(func() {
		stop()
		_ = conn.Close()
	})
	s := &session{t: t, conn: conn, r: bufio.NewReader(conn)}
	s.send(string(connectFrame(r.Profile)))
	s.expect("CONNECTED")
	return s
}

func (s *session) send(frame string) {
	s.t.Helper()
	if _, err := io.WriteString(s.conn, frame); err != nil {
		s.t.Fatalf("send %.40q: %v", frame, err)
	}
}

// expect reads frames until one has the command, and returns it.
func (s *session) expect(command string) string {
	s.t.Helper()
	for {
		frame, err := s.r.ReadBytes(0)
		if err != nil {
			s.t.Fatalf("wait for %s: %v, after %q", command, err, frame)
		}
		frame = bytes.Trim(frame, "\r\n\x00")
		if bytes.HasPrefix(frame, []byte(command+"\n")) {
			return string(frame)
		}
		if bytes.HasPrefix(frame, []byte("ERROR")) {
			s.t.Fatalf("wait for %s: %.300q", command, frame)
		}
	}
}

// A topic gives each subscriber its copy; a queue keeps what has no subscriber yet.
func TestProfileDestinationsAreAQueueAndATopic(t *testing.T) {
	forEachBroker(t, "stomp", func(t *testing.T, b Broker) {
		r := startBroker(t, b, Options{Dir: t.TempDir()})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		of := conformance.SectionOf[stomptest.Section](r.Profile)
		topic, queue := of.TopicName("assay-lab"), of.QueueName("assay-lab")
		subscribe := func(s *session, dest string) {
			s.send(fmt.Sprintf("SUBSCRIBE\nid:1\ndestination:%s\nack:auto\n\n\x00", dest))
		}
		one, two, sender := openSession(t, ctx, r), openSession(t, ctx, r), openSession(t, ctx, r)
		subscribe(one, topic)
		subscribe(two, topic)
		// Not every broker gives a receipt for SUBSCRIBE or SEND, so the message is sent until both have it.
		both := make(chan struct{})
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			again := time.NewTicker(50 * time.Millisecond)
			defer again.Stop()
			for {
				_, _ = fmt.Fprintf(sender.conn, "SEND\ndestination:%s\n\nto all\x00", topic)
				select {
				case <-again.C:
				case <-both:
					return
				case <-ctx.Done():
					return
				}
			}
		}()
		defer func() { <-sent }()
		defer close(both)
		for _, s := range []*session{one, two} {
			if got := s.expect("MESSAGE"); !strings.HasSuffix(got, "to all") {
				t.Errorf("each subscriber of a topic gets the message: %q", got)
			}
		}
		if of.Queue == "" {
			return
		}
		early, late := openSession(t, ctx, r), openSession(t, ctx, r)
		early.send(fmt.Sprintf("SEND\ndestination:%s\nreceipt:1\n\nkept\x00", queue))
		early.expect("RECEIPT")
		subscribe(late, queue)
		if got := late.expect("MESSAGE"); !strings.HasSuffix(got, "kept") {
			t.Errorf("a queue keeps what has no subscriber yet: %q", got)
		}
	})
}
