package fuzz

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// noAbort is a signal that never comes.
var noAbort = context.Background()

// FuzzEventbusRoundTrip writes messages and comments with the reference and reads them with its parser, cut anywhere, and with the machine: the same
// messages, with LF for each line ending of the data; what no stream can carry is refused.
func FuzzEventbusRoundTrip(f *testing.F) {
	for _, m := range []struct{ id, kind, data string }{
		{"1", "message", "a"},
		{"", "", ""},
		{"é ", " t", " a\n\nb\r\nc\rd\n"},
		{"a\nb", "e", "x"},
		{"a\x00", "e", "x"},
		{"1", "a\rb", "x"},
		{"7", ":e", ":x"},
		{"\ufeff", "\ufeff", "\ufeff"},
		{"x", "e", "\xff\xc3\x28"},
		{" 1", "  e", "  x"},
	} {
		f.Add(m.id, m.kind, []byte(m.data), "c\nd", []byte{3})
	}
	f.Fuzz(func(t *testing.T, id, kind string, data []byte, comment string, cuts []byte) {
		const before = "data: before\n\n"
		body, err := sse.AppendMessage([]byte(before), sse.Message{ID: id, Type: kind, Data: data})
		forbidden := strings.ContainsAny(id, "\r\n\x00") || strings.ContainsAny(kind, "\r\n")
		var unwritable *sse.UnwritableError
		if forbidden != errors.As(err, &unwritable) || !forbidden && err != nil {
			t.Fatalf("%q %q: %v", id, kind, err)
		}
		if err != nil {
			if string(body) != before {
				t.Fatalf("refused, and wrote %q", body)
			}
			return
		}
		body = sse.AppendComment(body, comment)
		body = append(body, "data: after\n\n"...)
		if kind == "" {
			kind = "message"
		}
		text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
		want := []eventbusmodel.StreamEvent{
			{Type: "message", Data: "before"},
			{Type: plainText(kind), Data: plainText(text), LastEventID: plainText(id)},
			{Type: "message", Data: "after", LastEventID: plainText(id)},
		}
		got := eventbusmodel.ParseStream(body)
		if !slices.Equal(got.Events, want) || got.Retried {
			t.Fatalf("wrote %q\n got %q\nwant %q", body, got.Events, want)
		}
		if err := parsesAs(got, body, cuts, ""); err != nil {
			t.Fatalf("%q cut by %v: %v", body, cuts, err)
		}
	})
}

// plainText is what a reader makes of octets that may not be UTF-8.
func plainText(s string) string {
	return eventbusmodel.DecodeText([]byte(s))
}
