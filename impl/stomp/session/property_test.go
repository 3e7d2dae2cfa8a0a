package session_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// outcome is what a stream did to a session.
type outcome struct {
	events []string
	end    string // the reason of the fault, or ""
	final  string
}

// play feeds segments, each at its own time, cut where cut says, until the session closes.
func play(t *testing.T, segments []string, cut func(left int) int) outcome {
	p := fresh(t, multi)
	p.send(frame.New(frame.CONNECT, "accept-version", "1.1,1.2", "host", "h", "heart-beat", "50,50"))
	var o outcome
	for i, text := range segments {
		now := int64(i) * 20
		for text != "" {
			n := cut(len(text))
			events, err := p.s.Receive(now, []byte(text[:n]))
			text = text[n:]
			var e *session.Error
			if errors.As(err, &e) {
				o.end = e.Reason.String()
			}
			for _, e := range events {
				o.events = append(o.events, fmt.Sprint(e.Kind, e.Frame))
			}
			if err := p.s.Check(); err != nil {
				t.Fatal(err)
			}
			if p.s.State() == session.Closed {
				o.final = "closed"
				return o
			}
		}
		if i == 0 {
			p.now = now
			p.say("SUBSCRIBE id=s destination=/q ack=client", "SUBSCRIBE id=t destination=/q", "SEND destination=/q receipt=r1", "UNSUBSCRIBE id=t receipt=r2")
		}
	}
	o.final = p.s.Snapshot()
	return o
}

// STOMP-FRAME-012 for the session: where the server's octets are cut makes no difference, except that a fault loses the
// events of its chunk, and that what follows the end of a session is seen only if it shares a chunk with it.
func TestChunking(t *testing.T) {
	var whole, lost, faults int
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SampledFrom([]string{"1.1", "1.2"}).Draw(rt, "version")
		segments := []string{"\nCONNECTED\nversion:" + v + "\nheart-beat:50,50\n\n\x00"}
		n := 0
		for range rapid.IntRange(0, 4).Draw(rt, "segments") {
			var b strings.Builder
			for range rapid.IntRange(0, 5).Draw(rt, "frames") {
				n++
				switch fairly(rt, 40) - 1 {
				case 0:
					b.WriteString("ERROR\nmessage:no\n\n\x00")
				case 1:
					b.WriteString("MESSAGE\nsubscription:none\n\n\x00")
				case 2:
					b.WriteString("bad\n")
				case 3, 4, 5:
					b.WriteString("RECEIPT\nreceipt-id:r1\n\n\x00")
				case 6, 7:
					b.WriteString("RECEIPT\nreceipt-id:r2\n\n\x00")
				case 8, 9, 10, 11, 12:
					b.WriteString("\n\n")
				case 13, 14, 15, 16:
					b.WriteString("MESSAGE\nsubscription:t\nmessage-id:1\ndestination:/q\n\nauto\x00")
				case 17:
					b.WriteString("MESSAGE\nsubscription:s\nmessage-id:1\nack:again\ndestination:/q\n\n\x00")
				default:
					fmt.Fprintf(&b, "MESSAGE\nsubscription:s\nmessage-id:%d\nack:%[1]d\ndestination:/q\ncontent-length:3\n\n\x00a\n\x00", n)
				}
			}
			segments = append(segments, b.String())
		}
		octets := play(t, segments, func(int) int { return 1 })
		size := rapid.IntRange(2, 200)
		cut := play(t, segments, func(left int) int { return min(left, size.Draw(rt, "size")) })
		all := play(t, segments, func(left int) int { return left })
		for _, o := range []outcome{cut, all} {
			same := slices.Equal(o.events, octets.events)
			switch {
			case octets.end == "" && octets.final != "closed":
				whole++
				if !same || o.end != "" || o.final != octets.final {
					rt.Fatalf("cut otherwise: %+v, octet by octet %+v", o, octets)
				}
				continue
			case o.final != "closed":
				rt.Fatalf("not closed: %+v, octet by octet %+v", o, octets)
			case o.end == "":
				// It ended by ERROR, and what was read with it are heart-beats.
				tail := o.events[min(len(o.events), len(octets.events)):]
				if octets.end != "" || !slices.Equal(o.events[:len(o.events)-len(tail)], octets.events) {
					rt.Fatalf("cut otherwise: %+v, octet by octet %+v", o, octets)
				}
				for _, e := range tail {
					if !strings.HasPrefix(e, "heart-beat") {
						rt.Fatalf("after the end: %s", e)
					}
				}
				continue
			}
			faults++
			if len(o.events) > len(octets.events) || !slices.Equal(o.events, octets.events[:len(o.events)]) {
				rt.Fatalf("cut otherwise: %+v, octet by octet %+v", o, octets)
			}
			if !same {
				lost++
			}
			if o.end != octets.end && o.end != "syntax" && (octets.end != "" || o.end != "after-error") {
				rt.Fatalf("cut otherwise: %q, octet by octet %q", o.end, octets.end)
			}
		}
	})
	if whole == 0 || faults == 0 || lost == 0 {
		t.Errorf("%d good streams, %d faults, %d with events lost: the streams are too tame", whole, faults, lost)
	}
}

// STOMP-LIMIT-013: a default decoder reads every frame that Send accepts, as it was.
func TestAcceptedFramesDecode(t *testing.T) {
	var accepted, refused, long int
	short := rapid.StringMatching(`[ -~]{0,12}`)
	odd := rapid.StringOfN(rapid.RuneFrom([]rune{':', '\\', '\n', '\r', 'é', '中', '😀', 'a'}), 0, 8, -1)
	texts := rapid.Custom(func(t *rapid.T) string {
		switch fairly(t, 3) {
		case 1:
			return short.Draw(t, "text")
		case 2:
			return odd.Draw(t, "text")
		default:
			return strings.Repeat(word(t, ": \\ \n é a"), []int{20, 300, 1010, 1017, 2030, 2033, 2040, 2047}[fairly(t, 8)-1])
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		vs := []string{"1.0", "1.1", "1.2"}
		p := active(t, multi, rapid.SampledFrom(vs).Draw(rt, "version"))
		f := frame.New(frame.SEND, "destination", "/q")
		for range []int{0, 1, 3, 125, 126, 127}[fairly(rt, 6)-1] {
			f.Headers = append(f.Headers, frame.Header{Name: "n"})
		}
		for range fairly(rt, 4) {
			h := frame.Header{Name: "n" + short.Draw(rt, "name"), Value: texts.Draw(rt, "value")}
			if p.s.Version() == frame.V10 {
				h.Value = strings.Map(func(r rune) rune { return r & 127 }, strings.ReplaceAll(h.Value, "\n", ""))
			}
			if n := len(f.Headers); n > 3 {
				f.Headers[fairly(rt, n-1)] = h
			} else {
				f.Headers = append(f.Headers, h)
			}
		}
		if p.s.Version() == frame.V10 {
			for i := range f.Headers {
				f.Headers[i].Value += "."
			}
		}
		f.Body = []byte(texts.Draw(rt, "body"))
		out, err := p.s.Send(nil, 0, f)
		if err != nil {
			refused++
			return
		}
		accepted++
		got := decodes(t, out, p.s.Version())
		want := f.Headers
		if len(f.Body) > 0 {
			want = append(slices.Clone(want), frame.Header{Name: "content-length", Value: fmt.Sprint(len(f.Body))})
		}
		if got.Command != f.Command || !slices.Equal(got.Headers, want) || string(got.Body) != string(f.Body) {
			rt.Fatalf("%.200q reads as %v, sent as %v", out, got, f)
		}
		for _, h := range f.Headers {
			if len(h.Name)+len(h.Value) > 1900 {
				long++
			}
		}
	})
	if accepted == 0 || refused == 0 || long == 0 {
		t.Errorf("%d accepted, %d refused, %d long headers", accepted, refused, long)
	}
	// The worst case: the longest line that may be written.
	p := active(t, session.Config{}, "1.2")
	f := frame.New(frame.SEND, "destination", "/q")
	for len(f.Headers) < 127 {
		f.Headers = append(f.Headers, frame.Header{Name: ":", Value: strings.Repeat(":", 2046)})
	}
	f.Body = make([]byte, 1048576)
	decodes(t, p.send(f), frame.V12)
}

// Whatever the octets, a session keeps its records in order, or closes and keeps none.
func FuzzReceive(f *testing.F) {
	for _, s := range []string{
		"MESSAGE\nsubscription:s\nmessage-id:1\nack:a\ndestination:/q\n\nx\x00RECEIPT\nreceipt-id:r\n\n\x00\n",
		"ERROR\n\n\x00\n", "RECEIPT\nreceipt-id:u\n\n\x00MESSAGE\nsubscription:s\n\n\x00", "CONNECTED\n\n\x00", "\x00", "\n\r\n",
		"MESSAGE\nmessage-id: 1\ndestination:/q \n\n\x00MESSAGE\nmessage-id:1\ndestination:/q\n\n\x00",
	} {
		f.Add(s, uint8(0), uint8(3))
		f.Add(s, uint8(2), uint8(100))
	}
	f.Fuzz(func(t *testing.T, octets string, version, size uint8) {
		p := with(t, multi, []string{"1.0", "1.1", "1.2"}[version%3],
			"SUBSCRIBE id=s destination=/q ack=client", "SEND destination=/q receipt=r", "SUBSCRIBE id=u destination=/u", "UNSUBSCRIBE id=u receipt=u")
		for octets != "" {
			n := min(len(octets), int(size)+1)
			events, err := p.s.Receive(0, []byte(octets[:n]))
			octets = octets[n:]
			p.check()
			if err != nil && (len(events) > 0 || p.s.State() != session.Closed) {
				t.Fatalf("%v with %d events, state %s", err, len(events), p.s.State())
			}
			if p.s.State() == session.Closed {
				return
			}
		}
		p.state(session.Active)
	})
}
