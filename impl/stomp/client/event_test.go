package client

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// TestEventSizes compares sizes with what an encoder makes of the events.
func TestEventSizes(t *testing.T) {
	// STOMP-WAIT-002
	rapid.Check(t, func(t *rapid.T) {
		f := frame.New(frame.MESSAGE)
		text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\"\\\b\f\n\r\t\x00\x1f<>&é世\u2028😀"))))
		for range rapid.IntRange(0, 4).Draw(t, "headers") {
			f.Headers = append(f.Headers, frame.Header{Name: text.Draw(t, "name"), Value: text.Draw(t, "value")})
		}
		f.Body = rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "body")
		for kind, name := range map[session.Kind]string{session.Message: "message", session.ServerError: "error", session.Connected: "connected"} {
			headers := [][2]string{}
			for _, h := range f.Headers {
				headers = append(headers, [2]string{h.Name, h.Value})
			}
			body := []int{}
			for _, b := range f.Body {
				body = append(body, int(b))
			}
			want := size(t, map[string]any{"event": name, "frame": map[string]any{"command": "MESSAGE", "headers": headers, "body": body}})
			if got := eventSize(Event{Kind: kind, Frame: f}); got != want {
				t.Fatalf("%s %+v: %d, want %d", name, f, got, want)
			}
		}
		id := text.Draw(t, "id")
		want := size(t, map[string]any{"event": "receipt", "id": id})
		if got := eventSize(Event{Kind: session.Receipt, Frame: frame.New(frame.RECEIPT, "receipt-id", id)}); got != want {
			t.Fatalf("receipt %q: %d, want %d", id, got, want)
		}
	})
	if got := eventSize(Event{Kind: session.Receipt, Frame: frame.New(frame.RECEIPT, "receipt-id", "r")}); got != 28 {
		t.Errorf("receipt r: %d", got)
	}
	if got := eventSize(Event{Kind: session.HeartBeat}); got != len(`{"event":"heartbeat"}`) {
		t.Errorf("heart-beat: %d", got)
	}
}

// size is the size of v as JSON with the escapes that are necessary and no other.
func size(t *rapid.T, v any) int {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	// This encoder escapes two more.
	s := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(b.String(), "\n"))
	return len(s)
}
