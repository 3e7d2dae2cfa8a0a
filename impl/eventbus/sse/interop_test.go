package sse_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gosse "github.com/tmaxmax/go-sse"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// theirs reads a stream with other people's software.
func theirs(stream []byte) (all []heard, err error) {
	gosse.Read(bytes.NewReader(stream), nil)(func(e gosse.Event, fault error) bool {
		if err = fault; err == nil {
			all = append(all, heard{e.LastEventID, e.Type, e.Data})
		}
		return err == nil
	})
	for i := range all {
		if all[i].Type == "" {
			all[i].Type = "message"
		}
	}
	return all, err
}

// What we write, others read, and the other way round.
func TestInteroperates(t *testing.T) {
	text := rapid.StringMatching(`[a-zé日: ]{0,12}`)
	// Theirs writes no line for empty data.
	line := rapid.StringMatching(`[a-zé日: ]{1,12}`)
	rapid.Check(t, func(t *rapid.T) {
		var ours, foreign []byte
		var want []heard
		id := ""
		for range rapid.IntRange(1, 5).Draw(t, "messages") {
			m := sse.Message{ID: text.Draw(t, "id"), Type: strings.TrimSpace(text.Draw(t, "type")), Data: []byte(strings.Join(rapid.SliceOfN(line, 1, 3).Draw(t, "data"), "\n"))}
			var err error
			if ours, err = sse.AppendMessage(ours, m); err != nil {
				t.Fatal(err)
			}
			their := gosse.Message{}
			if m.ID != "" {
				id, their.ID = m.ID, gosse.ID(m.ID)
			}
			if m.Type != "" {
				their.Type = gosse.Type(m.Type)
			}
			their.AppendData(string(m.Data))
			out, err := their.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			foreign = append(foreign, out...)
			if m.Type == "" {
				m.Type = "message"
			}
			want = append(want, heard{id, m.Type, string(m.Data)})
		}
		got, err := theirs(ours)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("what we write, they read: %v (-want +got)\n%s", err, diff)
		}
		if diff := cmp.Diff(want, read(&sse.Parser{}, cut(foreign, 1))); diff != "" {
			t.Fatalf("what they write, we read: (-want +got)\n%s", diff)
		}
	})
}

func TestOthersReadTheBus(t *testing.T) {
	bus := newBus(t, eventbus.Config{})
	publish(t, bus, 3)
	site, stop := serve(t, newHandler(t, bus, sse.Config{}))
	answer := site.get(t.Context(), "", "Last-Event-ID", "1")
	publish(t, bus, 1)
	bus.Close()
	got, err := theirs([]byte(rest(t, answer)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range got {
		names = append(names, m.Type+" "+m.ID)
		if e, err := sse.DecodeEnvelope([]byte(m.Data)); err != nil || e.Type != m.Type {
			t.Errorf("%+v: %v", m, err)
		}
	}
	if diff := cmp.Diff([]string{"t 2", "t 3", "replay_complete 3", "t 4"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	stop()
}
