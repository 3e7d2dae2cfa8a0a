package fuzz

import (
	"testing"

	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// longestClient bounds the calls of one input.
const longestClient = 120

// FuzzStompClientSession drives a client session and its machine with the same calls: what the caller sends and when is drawn from the script, and what
// the server says is the stream, cut by the script, with frames of the script's own in between. After each call they must agree on all that a caller sees.
func FuzzStompClientSession(f *testing.F) {
	for i, s := range streamSeeds(f) {
		if len(s.stream) <= longestSession {
			f.Add(randomScript(uint64(i)), s.stream)
		}
	}
	for i := range uint64(150) {
		f.Add(randomScript(1000+i), []byte{})
	}
	f.Fuzz(func(t *testing.T, script, stream []byte) {
		if len(stream) > longestSession {
			t.Skip("longer than a session may be")
		}
		if err := converse(script, stream); err != nil {
			t.Fatal(err)
		}
	})
}

// converse makes session and machine live through one input, and returns how they differ.
func converse(script, stream []byte) error {
	d := sessionDrafter{draws: drawFrom(&script)}
	r, err := newSessionRun(d.config())
	if err != nil {
		return err
	}
	hear := func(n int) stompmodel.SessionAction {
		a := stompmodel.SessionAction{Op: stompmodel.SessionReceive, Now: r.later(1), Chunk: string(stream[:n])}
		stream = stream[n:]
		return a
	}
	for range longestClient {
		if len(script) == 0 || r.State().Phase() == stompmodel.SessionClosed && d.rarely(3) {
			break
		}
		a := d.next(r)
		switch k := d.draw(8); {
		// A session that would end has not said all that it might.
		case k < 4 && r.Foresee(a).State == stompmodel.SessionClosed && r.State().Phase() != stompmodel.SessionClosed:
			a, r.rest = stompmodel.SessionAction{Op: stompmodel.SessionTick, Now: r.State().Now()}, ""
		case k == 7 && r.rest == "" && r.State().Phase() != stompmodel.SessionFresh:
			a = hear(d.draw(len(stream) + 1))
		}
		if err := r.take(a); err != nil {
			return err
		}
	}
	for _, a := range []stompmodel.SessionAction{hear(len(stream)), {Op: stompmodel.SessionEnd}, {Op: stompmodel.SessionFail}} {
		if err := r.take(a); err != nil {
			return err
		}
	}
	return nil
}
