package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// longestSession bounds the octets of one hostile session, so that thousands of them run in seconds.
const longestSession = 4 << 10

// FuzzStompBrokerSession throws octets at a live reference broker, in pieces, while another session works. The broker must answer
// with well-formed frames in a right order, hold no more than the octets can account for, show what was sent or committed and
// nothing else, serve the other session as if nothing were, and leave nothing behind.
func FuzzStompBrokerSession(f *testing.F) {
	for _, s := range streamSeeds(f) {
		if len(s.stream) <= longestSession {
			versions := s.in.versions()
			f.Add(s.stream, cutsOf(s.feeds), byte(versions[len(versions)-1]))
		}
	}
	for _, s := range sessionSeeds() {
		for v := range byte(3) {
			f.Add([]byte(s), []byte{20, 40}, v)
		}
		f.Add([]byte(s), []byte{1, 0, 30}, byte(3))
	}
	for i := range byte(len(script())) {
		// Each piece behind some that make a state for it, in the three versions.
		f.Add([]byte{0, 3, 6, 9, i, i + 1, 1, 12, i}, []byte{100, 100, 100}, scripted+i%3)
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte, mode byte) {
		if len(stream) > longestSession {
			t.Skip("longer than a session may be")
		}
		if mode >= scripted {
			stream = spoken(stream)
		}
		chunks := cutBy(append(greeting(mode), stream...), cuts[:min(len(cuts), 12)])
		synctest.Test(t, func(t *testing.T) {
			if err := besiege(chunks); err != nil {
				t.Fatalf("%v\nchunks %q", err, chunks)
			}
		})
	})
}

// greeting is a CONNECT for one of the versions, or nothing, so that the octets are not spent on getting in.
func greeting(mode byte) []byte {
	v := frame.Version(mode % 4) // after the last one: none
	if v > frame.V12 {
		return nil
	}
	return fmt.Appendf(nil, "CONNECT\naccept-version:%s\nhost:h\n\n\x00", v)
}

// besiege runs one hostile session among an honest one and an auditor that sees what becomes visible. It must be called in a bubble
// of virtual time, which sees to it that no goroutine is left.
func besiege(chunks [][]byte) (err error) {
	b, err := broker.New(broker.Config{})
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	var parties []*party
	defer func() {
		for _, p := range parties {
			_ = p.conn.Close()
		}
		_ = b.Close()
		wait.Wait()
	}()
	for range 3 {
		parties = append(parties, join(b, &wait))
	}
	honest, auditor, hostile := parties[0], parties[1], parties[2]

	stream := bytes.Join(chunks, nil)
	told := listen(stream)
	place := unnamed(stream)
	if err := honest.open(place); err != nil {
		return err
	}
	if err := auditor.audit(told.topics()); err != nil {
		return err
	}
	for _, chunk := range chunks {
		if _, err := hostile.conn.Write(chunk); err != nil {
			// The broker closed it, which what it said must explain.
			break
		}
		if err := honest.work(place); err != nil {
			return err
		}
		if err := bounded(b.Stats(), len(stream), len(chunks)); err != nil {
			return err
		}
	}
	synctest.Wait()
	said, err := told.answered(hostile)
	if err != nil {
		return err
	}
	_ = hostile.conn.Close()
	synctest.Wait()
	if n := b.Stats().Connections; n != 2 {
		return fmt.Errorf("%d connections where two are open", n)
	}
	if err := told.settled(auditor, ended(said)); err != nil {
		return err
	}
	// STOMP-DISCONNECT-004
	if err := honest.work(place); err != nil {
		return err
	}
	return told.forgotten(b, honest, auditor)
}

// settled checks what has become visible when the session is over.
func (a *account) settled(auditor *party, ended bool) error {
	if err := auditor.audit(a.queues()); err != nil {
		return err
	}
	seen, err := auditor.frames(frame.V12)
	if err != nil {
		return err
	}
	return a.accounts(seen, ended)
}

// answered returns what the broker said to the hostile session, which what that has told must explain.
func (a *account) answered(hostile *party) ([]*frame.Frame, error) {
	said, err := hostile.frames(a.start)
	if err != nil {
		return nil, err
	}
	if err := a.explains(said); err != nil {
		return nil, err
	}
	hostile.mu.Lock()
	heard, closed := slices.Clone(hostile.heard), hostile.closed
	hostile.mu.Unlock()
	// STOMP-ERROR-001
	if ended(said) && !closed {
		return nil, errors.New("the broker said ERROR and keeps the connection open")
	}
	return said, blameless(a.start, true, heard)
}

// unnamed returns a queue that the stream does not name.
func unnamed(stream []byte) string {
	for i := 0; ; i++ {
		if name := fmt.Sprintf("/queue/honest%d", i); !bytes.Contains(stream, []byte(name)) {
			return name
		}
	}
}

func (p *party) open(place string) error {
	return errors.Join(
		p.say(frame.CONNECT, "accept-version", "1.2", "host", "h"),
		p.say(frame.SUBSCRIBE, "destination", place, "id", "honest"))
}

// work sends one more message and sees it arrive, with its receipt.
func (p *party) work(place string) error {
	body, receipt := fmt.Sprintf("message %d", p.sent), fmt.Sprintf("receipt %d", p.sent)
	p.sent++
	if err := p.say(frame.SEND, body, "destination", place, "receipt", receipt); err != nil {
		return fmt.Errorf("the other session cannot send: %w", err)
	}
	synctest.Wait()
	heard, err := p.frames(frame.V12)
	if err != nil {
		return err
	}
	var got []string
	for _, f := range heard {
		id, _ := f.Get("receipt-id")
		switch {
		case f.Command == frame.MESSAGE:
			got = append(got, string(f.Body))
		case f.Command == frame.RECEIPT && id == receipt:
			got = append(got, id)
		case f.Command == frame.ERROR:
			return fmt.Errorf("the other session got ERROR: %q %q", f.Headers, f.Body)
		}
	}
	n := 0
	for _, g := range got {
		if strings.HasPrefix(g, "message ") {
			if g != fmt.Sprintf("message %d", n) {
				return fmt.Errorf("the other session got %q for its message %d", g, n)
			}
			n++
		}
	}
	if n != p.sent || !slices.Contains(got, receipt) {
		return fmt.Errorf("the other session got %d messages of %d, and %q", n, p.sent, got)
	}
	return nil
}

// audit subscribes to all names; the first call connects.
func (p *party) audit(names []string) error {
	synctest.Wait()
	p.mu.Lock()
	fresh := len(p.heard) == 0
	p.mu.Unlock()
	if fresh {
		if err := p.say(frame.CONNECT, "accept-version", "1.2", "host", "h"); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := p.say(frame.SUBSCRIBE, "destination", name, "id", name); err != nil {
			return fmt.Errorf("the auditor cannot subscribe to %q: %w", name, err)
		}
	}
	synctest.Wait()
	return nil
}

// bounded checks that what the broker holds is accounted for by what it was sent: a message, a name or a subscription costs some
// hundred octets beside its own, and the shortest frame has about twenty.
func bounded(s broker.Stats, octets, chunks int) error {
	const each, own = 32, 16 << 10
	if s.Bytes > each*octets+own {
		return fmt.Errorf("the broker holds %d bytes after %d octets", s.Bytes, octets)
	}
	if s.Connections > 3 || s.Messages > octets/10+chunks || s.Subscriptions > octets/10+octets/10+1 {
		return fmt.Errorf("after %d octets the broker holds %+v", octets, s)
	}
	return nil
}
