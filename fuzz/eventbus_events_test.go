package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// eventSeeds are events of many shapes.
var eventSeeds = []struct{ kind, data, originator, meta string }{
	{"session_update", `{"a":[1,2.50,-0,1e5,"é€😀\u00e9\ud83d\ude00<&>\u2028"],"b":null}`, "client-1", `{"a":1}`},
	{"", `null`, "", ``},
	{"a\nb\r\x00\"", `"\u0000\u001f\\\"\/\b\f\n\r\t"`, "é\n", `{"serverTimestamp":5}`},
	{"e", ` { "x" : [ ] } `, "", `{"serverTimestamp":"nope","z":{"<":">"}}`},
	{"e", `"\ud800"`, "", `{"serverTimestamp":-1.5}`},
	{"e", "\"\xff\xc3\"", "\xff", `{"serverTimestamp":1e400}`},
	{"client_evicted", `{"id":7,"v":2}`, "", `{"serverTimestamp":1e21}`},
	{"e", `{"a":1,"a":2}`, "", `{"serverTimestamp":0.0000001}`},
	{"e", `12345678901234567890123`, "", `{"serverTimestamp":null}`},
	{"e", ``, "", `{}`},
	{"e", `{`, "", `[]`},
	{"e", ` [ 2E4907890123 ] `, "", `{"serverTimestamp":2E4907890123}`},
}

// FuzzEventbusEvents publishes events of any shape, encoded before and as values, in both dialects, to one who waits, one who does not and one who
// resumes: all get the same compact JSON, of the size that the bus counts and the machine foresees, and it says what was published.
func FuzzEventbusEvents(f *testing.F) {
	for _, s := range eventSeeds {
		f.Add(s.kind, []byte(s.data), s.originator, []byte(s.meta))
	}
	f.Fuzz(func(t *testing.T, kind string, data []byte, originator string, meta []byte) {
		if !utf8.ValidString(kind) || !utf8.ValidString(originator) {
			t.Skip("a name of an event is text")
		}
		payload, err := eventbus.Raw(data)
		if (err == nil) != json.Valid(data) {
			t.Fatalf("%q: %v", data, err)
		}
		if err != nil {
			t.Skip("no JSON")
		}
		if again, err := eventbus.Raw(payload.JSON()); err != nil || again.String() != payload.String() {
			t.Fatalf("%q becomes %q and then %q: %v", data, payload, again, err)
		}
		if !sayTheSame(data, payload.JSON()) {
			t.Fatalf("%q becomes %q", data, payload)
		}
		var members map[string]any
		if json.Unmarshal(meta, &members) != nil {
			members = nil
		}
		for _, dialect := range []eventbus.Dialect{eventbus.Seed, eventbus.Later} {
			for _, in := range []eventbus.Input{
				{Type: kind, Data: payload, Originator: originator, Meta: members},
				{Type: kind, Value: json.RawMessage(data), Originator: originator, Meta: members},
			} {
				if err := publishes(dialect, in, payload); err != nil {
					t.Fatalf("%s: %q %q %q %q: %v", dialect, kind, data, originator, meta, err)
				}
			}
		}
	})
}

// publishes publishes one event and returns what is wrong with it.
func publishes(dialect eventbus.Dialect, in eventbus.Input, payload eventbus.Payload) error {
	const now = 1_719_000_000_123
	machine, err := eventbusmodel.NewBus(eventbusmodel.BusConfig{Dialect: eventbusmodel.Dialect(dialect)})
	if err != nil {
		return err
	}
	bus, err := eventbus.New(eventbus.Config{Dialect: dialect, Now: func() time.Time { return timeOf(now) }})
	if err != nil {
		return err
	}
	defer bus.Close()
	live, err := bus.Subscribe(noAbort, eventbus.Options{})
	if err != nil {
		return err
	}
	e, ok := bus.Publish(in)
	if !ok {
		return fmt.Errorf("it was refused")
	}
	resumed, err := bus.Subscribe(noAbort, eventbus.Options{After: eventbus.After(0)})
	if err != nil {
		return err
	}
	text, err := e.AppendJSON(nil)
	if err != nil {
		return err
	}
	for _, sub := range []*eventbus.Subscription{live, resumed} {
		got, ok := sub.TryNext()
		if !ok {
			return fmt.Errorf("it was not delivered")
		}
		// EVENTBUS-PUBLISH-001, EVENTBUS-PUBLISH-004
		if other, err := got.AppendJSON(nil); err != nil || !bytes.Equal(other, text) {
			return fmt.Errorf("published %s, delivered %s, %w", text, other, err)
		}
	}
	f, err := frameOf(e)
	if err != nil {
		return err
	}
	input := eventbusmodel.Input{Type: in.Type, Data: payload.String(), Originator: in.Originator}
	rest := map[string]any{}
	for name, value := range in.Meta {
		if name != "serverTimestamp" {
			rest[name] = value
		} else if n, ok := value.(float64); ok && !math.IsInf(n, 0) {
			input.Stamp = eventbusmodel.Stamp{Kind: eventbusmodel.StampNumber, Value: n}
		} else {
			input.Stamp = eventbusmodel.Stamp{Kind: eventbusmodel.StampOther}
		}
	}
	if input.Meta, err = metaText(rest); err != nil {
		return err
	}
	_, o, _ := machine.Do(machine.Init(), eventbusmodel.BusAction{Op: eventbusmodel.OpPublish, Now: now, Input: input})
	// A number may be spelt in several ways among the members of _meta, so that only its value counts there.
	if !sayTheSame([]byte("{"+f.Meta+"}"), []byte("{"+o.Event.Meta+"}")) {
		return fmt.Errorf("_meta %s, want %s", f.Meta, o.Event.Meta)
	}
	want := *o.Event
	want.Size += int64(len(f.Meta) - len(want.Meta))
	want.Meta = f.Meta
	if f != want {
		return fmt.Errorf("it is %s, want %s", f.JSON(), want.JSON())
	}
	return carriedBy(e, text)
}

// carriedBy writes an event as a frame and reads it back, with the reference and with the machine.
func carriedBy(e *eventbus.Event, text []byte) error {
	frame, err := sse.AppendFrame(nil, e, timeOf(0))
	if err != nil {
		return err
	}
	stream := eventbusmodel.ParseStream(frame)
	if len(stream.Events) != 1 {
		return fmt.Errorf("the frame %q has %d events", frame, len(stream.Events))
	}
	m := stream.Events[0]
	// EVENTBUS-SSE-001, EVENTBUS-SSE-002
	if m.Data != string(text) || m.LastEventID != fmt.Sprint(e.ID) {
		return fmt.Errorf("the frame %q says %q with id %s", frame, m.Data, m.LastEventID)
	}
	if plain := strings.NewReplacer("\n", "\ufffd", "\r", "\ufffd").Replace(e.Type); m.Type != plain && (e.Type != "" || m.Type != "message") {
		return fmt.Errorf("the frame %q has type %q", frame, m.Type)
	}
	envelope, ok := eventbusmodel.DecodeEnvelope(m.Data)
	if !ok || envelope.ID != e.ID || envelope.Type != e.Type {
		return fmt.Errorf("the frame %q is no envelope of %d %q: %+v", frame, e.ID, e.Type, envelope)
	}
	return parsesAs(stream, frame, []byte{1}, "")
}

// sayTheSame says whether two texts say the same: numbers by their value, and those that no float holds as they are spelt.
func sayTheSame(a, b []byte) bool {
	var said [2]any
	for i, text := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&said[i]) != nil {
			return bytes.Equal(a, b)
		}
		said[i] = valued(said[i])
	}
	return reflect.DeepEqual(said[0], said[1])
}

// valued returns what was decoded with its numbers by value, where a float holds it.
func valued(decoded any) any {
	switch x := decoded.(type) {
	case json.Number:
		if f, err := x.Float64(); err == nil {
			return f
		}
	case []any:
		for i := range x {
			x[i] = valued(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = valued(x[k])
		}
	}
	return decoded
}
