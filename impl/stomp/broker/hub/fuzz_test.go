package hub

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// FuzzSessions feeds octets to two sessions of one hub, in turn, and checks the hub's invariants and that what it
// says is well formed: CONNECTED or ERROR first, nothing after ERROR.
func FuzzSessions(f *testing.F) {
	connect := "CONNECT\naccept-version:1.2\nhost:h\n\n\x00"
	f.Add(connect+"SUBSCRIBE\nid:1\ndestination:/queue/a\nack:client\n\n\x00SEND\ndestination:/queue/a\nreceipt:r\n\nx\x00", connect+"NACK\nid:1\n\n\x00")
	f.Add(connect+"BEGIN\ntransaction:t\n\n\x00SEND\ndestination:/topic/a\ntransaction:t\n\nx\x00COMMIT\ntransaction:t\n\n\x00", connect+"SUBSCRIBE\nid:1\ndestination:/topic/a\n\n\x00")
	f.Add("CONNECT\n\n\x00SUBSCRIBE\ndestination: /queue/a\n\n\x00", connect+"SEND\ndestination:/queue/a\n\n\x00DISCONNECT\n\n\x00")
	f.Add(connect+"ACK\nid:1\n\n\x00", "SEND\n\n\x00")
	f.Fuzz(func(t *testing.T, one, two string) {
		h, err := New(Config{MaxDeliveries: 1, Limits: Limits{Bytes: 20000, Credit: 500, Outbound: 5000, Unacked: 2}})
		if err != nil {
			t.Fatal(err)
		}
		var all []*Session
		said := make([]strings.Builder, 2)
		for i, text := range []string{two, one} {
			s, err := h.Open(0, false)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
			speak(t, h, s, text)
			for j, other := range all {
				if batch, _, ok := h.Take(other, nil); ok {
					said[j].Write(batch)
					h.Written(other, int64(i))
				}
			}
			if err := check(h, all); err != nil {
				t.Fatal(err)
			}
		}
		for i, s := range all {
			listen(t, s, said[i].String())
			h.Gone(s)
		}
		if err := check(h, all); err != nil {
			t.Fatal(err)
		}
	})
}

func speak(t *testing.T, h *Hub, s *Session, text string) {
	limits := h.Config().Limits.Frame
	limits.Events = max(1, len(text))
	dec, err := frame.NewDecoder(frame.DecoderConfig{
		Version: s.Version(), Limits: limits, Borrow: true,
		Switch: func(f *frame.Frame) frame.Version {
			v, _ := h.Negotiate(f)
			return v
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	events, err := dec.Feed([]byte(text))
	if err != nil {
		h.Fail(s, &Problem{Text: "frame refused", Cause: err})
	}
	for _, e := range events {
		switch {
		case e.Frame == nil:
		case e.Frame.Command == frame.CONNECT || e.Frame.Command == frame.STOMP:
			h.Connect(s, e.Frame, 0, nil)
		default:
			h.Handle(s, e.Frame)
		}
	}
}

func listen(t *testing.T, s *Session, text string) {
	dec, err := frame.NewDecoder(frame.DecoderConfig{Version: s.Version()})
	if err != nil {
		t.Fatal(err)
	}
	events, err := dec.Feed([]byte(text))
	if err == nil {
		err = dec.End()
	}
	if err != nil {
		t.Fatalf("the hub said %q: %v", text, err)
	}
	for i, e := range events {
		switch c := e.Frame.Command; {
		case i == 0 && c != frame.CONNECTED && c != frame.ERROR, i > 0 && c == frame.CONNECTED:
			t.Fatalf("frame %d is %v in %q", i, c, text)
		case c == frame.ERROR && i < len(events)-1:
			t.Fatalf("ERROR is followed by more: %q", text)
		}
	}
}
