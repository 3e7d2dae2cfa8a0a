package session_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// script drives one session and says where it does something else than expected.
type script struct {
	t   testing.TB
	s   *session.Session
	now int64
}

var multi = session.Config{Profile: session.MultiVersion}

func fresh(t testing.TB, cfg session.Config) *script {
	t.Helper()
	s, err := session.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &script{t: t, s: s}
}

// dial returns a session of the profile in which offer was sent.
func dial(t testing.TB, cfg session.Config, offer string, kv ...string) *script {
	t.Helper()
	p := fresh(t, cfg)
	p.send(frame.New(frame.CONNECT, append([]string{"accept-version", offer, "host", "h"}, kv...)...))
	p.state(session.Connecting)
	return p
}

// active returns a session in which version was agreed on.
func active(t testing.TB, cfg session.Config, version string) *script {
	t.Helper()
	p := dial(t, cfg, version)
	p.receive("CONNECTED\nversion:"+version+"\n\n\x00", session.Connected)
	p.state(session.Active)
	return p
}

// with returns an active session after sending frames written as "SUBSCRIBE id=s destination=/q".
func with(t testing.TB, cfg session.Config, version string, frames ...string) *script {
	t.Helper()
	p := active(t, cfg, version)
	p.say(frames...)
	return p
}

// line reads a frame written as "SEND destination=/q".
func line(t testing.TB, text string) *frame.Frame {
	t.Helper()
	words := strings.Split(text, " ")
	c, ok := frame.ParseCommand(words[0])
	if !ok {
		t.Fatalf("no command in %q", text)
	}
	f := frame.New(c)
	for _, w := range words[1:] {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			t.Fatalf("no header in %q of %q", w, text)
		}
		f.Headers = append(f.Headers, frame.Header{Name: name, Value: strings.ReplaceAll(value, "_", " ")})
	}
	return f
}

// wire returns the octets of frames written as for line.
func wire(t testing.TB, v frame.Version, frames ...string) string {
	t.Helper()
	var out []byte
	for _, text := range frames {
		var err error
		if text == "" {
			out = append(out, '\n')
			continue
		}
		if out, err = frame.Append(out, v, line(t, text)); err != nil {
			t.Fatal(err)
		}
	}
	return string(out)
}

func (p *script) say(frames ...string) {
	p.t.Helper()
	for _, f := range frames {
		p.send(line(p.t, f))
	}
}

func (p *script) hear(frames ...string) {
	p.t.Helper()
	for _, f := range frames {
		p.receive(wire(p.t, p.s.Version(), f), kindOf(f))
	}
}

func kindOf(text string) session.Kind {
	switch name, _, _ := strings.Cut(text, " "); name {
	case "":
		return session.HeartBeat
	case "CONNECTED":
		return session.Connected
	case "MESSAGE":
		return session.Message
	case "RECEIPT":
		return session.Receipt
	}
	return session.ServerError
}

// send must pass.
func (p *script) send(f *frame.Frame) []byte {
	p.t.Helper()
	out, err := p.s.Send([]byte("kept"), p.now, f)
	if err != nil {
		p.t.Fatalf("send %s %.80q: %v", f.Command, fmt.Sprint(f.Headers), err)
	}
	if !strings.HasPrefix(string(out), "kept"+f.Command.String()) || out[len(out)-1] != 0 {
		p.t.Fatalf("send %s appended %.80q", f.Command, out)
	}
	p.check()
	return out[len("kept"):]
}

// refuse must be refused and change nothing.
func (p *script) refuse(f *frame.Frame, want session.Reason, law string) *session.Error {
	p.t.Helper()
	return p.refuseAt(p.now, f, want, law)
}

func (p *script) refuseAt(now int64, f *frame.Frame, want session.Reason, law string) *session.Error {
	p.t.Helper()
	before := p.s.Snapshot()
	out, err := p.s.Send([]byte("kept"), now, f)
	e := p.failed(err, session.OpSend, want, law)
	if string(out) != "kept" {
		p.t.Errorf("%s: the refusal returned %.80q", want, out)
	}
	// STOMP-CLIENT-002
	if after := p.s.Snapshot(); after != before {
		p.t.Errorf("%s: the refusal changed\n%s\nto\n%s", want, before, after)
	}
	p.check()
	return e
}

func (p *script) refuseLine(text string, want session.Reason, law string) {
	p.t.Helper()
	p.refuse(line(p.t, text), want, law)
}

// receive must give these events.
func (p *script) receive(chunk string, want ...session.Kind) []session.Event {
	p.t.Helper()
	got, err := p.s.Receive(p.now, []byte(chunk))
	if err != nil {
		p.t.Fatalf("receive %.80q: %v", chunk, err)
	}
	if len(got) != len(want) {
		p.t.Fatalf("receive %.80q gave %d events %v, want %v", chunk, len(got), got, want)
	}
	for i, e := range got {
		if e.Kind != want[i] || (e.Frame == nil) != (e.Kind == session.HeartBeat) {
			p.t.Fatalf("receive %.80q: event %d is %v, want %s", chunk, i, e, want[i])
		}
	}
	p.check()
	return got
}

// closes must fail, give no events and leave nothing.
func (p *script) closes(chunk string, want session.Reason, law string) *session.Error {
	p.t.Helper()
	got, err := p.s.Receive(p.now, []byte(chunk))
	e := p.failed(err, session.OpReceive, want, law)
	if len(got) != 0 {
		p.t.Errorf("%s: events %v", want, got)
	}
	p.closed()
	return e
}

func (p *script) tick(now int64, want string) {
	p.t.Helper()
	out, err := p.s.Tick([]byte("kept"), now)
	if err != nil {
		p.t.Fatalf("tick(%d): %v", now, err)
	}
	if string(out) != "kept"+want {
		p.t.Fatalf("tick(%d) appended %q, want %q", now, out, "kept"+want)
	}
	p.check()
}

func (p *script) tickCloses(now int64, want session.Reason, law string) *session.Error {
	p.t.Helper()
	out, err := p.s.Tick([]byte("kept"), now)
	e := p.failed(err, session.OpTick, want, law)
	if string(out) != "kept" {
		p.t.Errorf("tick(%d) failed and appended %q", now, out)
	}
	p.closed()
	return e
}

func (p *script) failed(err error, op session.Op, want session.Reason, law string) *session.Error {
	p.t.Helper()
	var e *session.Error
	if !errors.As(err, &e) {
		p.t.Fatalf("%s: got error %v, want %s", op, err, want)
	}
	if e.Op != op || e.Reason != want || e.Law != law {
		p.t.Fatalf("%s: got %q, want %s [%s]", op, e, want, law)
	}
	return e
}

func (p *script) state(want session.State) {
	p.t.Helper()
	if got := p.s.State(); got != want {
		p.t.Fatalf("state %s, want %s", got, want)
	}
	p.check()
}

func (p *script) closed() {
	p.t.Helper()
	p.state(session.Closed)
	if got := p.s.Counts(); got != (session.Counts{}) {
		p.t.Errorf("a closed session counts %+v", got)
	}
}

func (p *script) counts(want session.Counts) {
	p.t.Helper()
	if got := p.s.Counts(); got != want {
		p.t.Fatalf("counts %+v, want %+v", got, want)
	}
}

func (p *script) pending(want int) {
	p.t.Helper()
	if got := p.s.Counts().Deliveries; got != want {
		p.t.Fatalf("%d deliveries pending, want %d", got, want)
	}
}

func (p *script) check() {
	p.t.Helper()
	if err := p.s.Check(); err != nil {
		p.t.Fatal(err)
	}
}
