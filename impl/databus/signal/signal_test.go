package signal

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

func control() Control {
	return Control{
		Action: Publish, Topic: "x", TopicKey: record.Hash("x"), SourceWorkerID: "w1", TargetWorkerID: "w2", Data: json.RawMessage(`{"a":1}`),
	}
}

func released() RouteReleased { return RouteReleased{"x", record.Hash("x"), "w1", "w2", 3} }

// DATABUS-CONTROL-001: the members of each type.
func TestWire(t *testing.T) {
	subscribe := control()
	subscribe.Action, subscribe.Data = Subscribe, nil
	const named = `"topic":"x","topicKey":"350cf08ecd12bd0d7f41ee7a93db2dd5","sourceWorkerId":"w1","targetWorkerId":"w2"`
	for want, f := range map[string]Frame{
		`{"type":"CONTROL","action":"PUBLISH",` + named + `,"data":{"a":1}}`:   control(),
		`{"type":"CONTROL","action":"SUBSCRIBE",` + named + `}`:                subscribe,
		`{"type":"ROUTE_RELEASED",` + named + `,"generation":3}`:               released(),
		`{"type":"EVENT","sourceWorkerId":"w1","eventType":"E","payload":[1]}`: Event{"w1", "E", json.RawMessage("[1]")},
		`{"type":"EVENT","sourceWorkerId":"w1","eventType":"E"}`:               Event{"w1", "E", nil},
		`{"type":"REGISTRY","sourceWorkerId":"w1"}`:                            Registry{"w1"},
	} {
		got, err := Encode(f)
		if err != nil || string(got) != want {
			t.Errorf("Encode(%+v) = %s, %v, want %s", f, got, err, want)
		}
		back, err := Decode([]byte(want))
		if diff := cmp.Diff(f, back); err != nil || diff != "" {
			t.Errorf("Decode(%s): %v %s", want, err, diff)
		}
		if f.Source() != "w1" || !strings.Contains(want, `"type":"`+f.Type()+`"`) || !Keyed(f) {
			t.Errorf("%+v is from %s, of type %s, keyed %t", f, f.Source(), f.Type(), Keyed(f))
		}
	}
}

func TestKeyed(t *testing.T) {
	c, r := control(), released()
	c.TopicKey, r.TopicKey = record.Hash("y"), record.Hash("y")
	if Keyed(c) || Keyed(r) {
		t.Error("a frame with the key of another topic counts as keyed")
	}
}

// DATABUS-CONTROL-005: what is none of the four is told apart, whatever it holds.
func TestUnknown(t *testing.T) {
	for text, want := range map[string]Unknown{
		`{"type":"NEWS","sourceWorkerId":"w1","more":[]}`: {"w1", "NEWS"},
		`{"type":""}`: {"", ""},
		`{"type":"NEWS","topic":7,"generation":"3","sourceWorkerId":{}}`:                    {"", "NEWS"},
		`{"type":"REGISTRY","sourceWorkerId":"w1","type":"NEWS"}`:                           {"w1", "NEWS"},
		`{"type":"control","sourceWorkerId":"` + strings.Repeat("w", record.MaxID+1) + `"}`: {"", "control"},
	} {
		got, err := Decode([]byte(text))
		if err != nil || got != Frame(want) {
			t.Errorf("Decode(%.60s) = %+v, %v", text, got, err)
		}
		if _, err := Encode(want); err == nil {
			t.Errorf("an unknown frame was encoded")
		}
	}
}

// DATABUS-CONTROL-001: each member missing or out of bounds is named.
func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ from, to, member string }{
		{`"type":"CONTROL"`, `"type":null`, "type"},
		{`"type":"CONTROL"`, `"type":"` + strings.Repeat("T", 65) + `"`, "type"},
		{`"action":"PUBLISH"`, `"action":"publish"`, "action"},
		{`"action":"PUBLISH",`, ``, "action"},
		{`"topic":"x",`, ``, "topic"},
		{`"topic":"x"`, `"topic":"` + strings.Repeat("x", MaxTopic+1) + `"`, "topic"},
		{`350cf`, `350CF`, "topicKey"},
		{`"sourceWorkerId":"w1"`, `"sourceWorkerId":""`, "sourceWorkerId"},
		{`"targetWorkerId":"w2"`, `"target":"w2"`, "targetWorkerId"},
		{`"action":"PUBLISH"`, `"action":7`, "action"},
		{`"type":"CONTROL"`, `"TYPE":"CONTROL"`, "type"},
		{`"topic":`, `"Topic":`, "topic"},
		{`}}`, `}`, ""},
	} {
		octets, err := Encode(control())
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(octets), c.from, c.to, 1)
		if text == string(octets) {
			t.Fatalf("%s does not occur", c.from)
		}
		refused(t, text, c.member)
	}
	refused(t, `{"type":"EVENT","sourceWorkerId":"w1"}`, "eventType")
	refused(t, `{"type":"REGISTRY"}`, "sourceWorkerId")
	octets, _ := Encode(released())
	refused(t, strings.Replace(string(octets), `,"generation":3`, ``, 1), "generation")
	refused(t, strings.Replace(string(octets), `"generation":3`, `"generation":0`, 1), "generation")
	refused(t, strings.Replace(string(octets), `"topic":"x",`, ``, 1), "topic")
	refused(t, `{"type":"REGISTRY","sourceWorkerId":"w1","pad":"`+strings.Repeat(" ", MaxFrame)+`"}`, "")
}

func refused(t *testing.T, text, member string) {
	t.Helper()
	got, err := Decode([]byte(text))
	var e *Error
	if got != nil || !errors.As(err, &e) || e.Member != member || !strings.HasPrefix(e.Error(), "databus: decode frame") {
		t.Errorf("Decode(%.80s) = %+v, %v, want a fault of %q", text, got, err, member)
	}
}

func TestEncodeRefuses(t *testing.T) {
	big, badTopic, badData := control(), control(), control()
	big.Data = json.RawMessage(`"` + strings.Repeat("x", MaxFrame) + `"`)
	badTopic.Topic = "\xff"
	badData.Data = json.RawMessage("{")
	for name, f := range map[string]Frame{"big": big, "topic": badTopic, "data": badData, "source": Registry{}} {
		if octets, err := Encode(f); err == nil || octets != nil {
			t.Errorf("%s: encoded", name)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	id := rapid.StringN(1, 20, record.MaxID)
	data := rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage("null"), json.RawMessage("7"), json.RawMessage(`{"<&>":"é"}`)})
	rapid.Check(t, func(t *rapid.T) {
		topic := rapid.StringN(0, 20, MaxTopic).Draw(t, "topic")
		source, target := id.Draw(t, "source"), id.Draw(t, "target")
		generation := rapid.Int64Range(1, 1<<53).Draw(t, "generation")
		f := rapid.SampledFrom([]Frame{
			Control{Subscribe, topic, record.Hash(topic), source, target, nil},
			Control{Publish, topic, record.Hash(topic), source, target, data.Draw(t, "data")},
			RouteReleased{topic, record.Hash(topic), source, target, generation},
			Event{source, PublicationType, data.Draw(t, "payload")},
			Registry{source},
		}).Draw(t, "frame")
		octets, err := Encode(f)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(octets)
		if diff := cmp.Diff(f, back); err != nil || diff != "" {
			t.Fatalf("%s: %v %s", octets, err, diff)
		}
	})
}

// What comes over the channel makes no reader panic, and what was read is written the same.
func FuzzDecode(f *testing.F) {
	for _, frame := range []Frame{control(), released(), Registry{"w"}, Event{"w", "E", nil}} {
		octets, _ := Encode(frame)
		f.Add(octets)
	}
	f.Add([]byte(`{"type":"X"}`))
	f.Fuzz(func(t *testing.T, octets []byte) {
		frame, err := Decode(octets)
		if err != nil {
			return
		}
		if _, unknown := frame.(Unknown); unknown {
			return
		}
		first, err := Encode(frame)
		if err != nil {
			if len(octets) < MaxFrame/8 {
				t.Fatalf("%s: %v", octets, err)
			}
			return // an escape made it longer
		}
		again, err := Decode(first)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := Encode(again); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s became %s, %v", first, second, err)
		}
	})
}

// A frame that is plain has the octets that package json gives it, and one that is out of bounds is never plain.
func TestPlain(t *testing.T) {
	text := rapid.SampledFrom([]string{
		"", "x", "w-1", "<&>\x7f", `"`, `\`, "\x00", "é", "\u2028", "\xff", strings.Repeat("w", record.MaxID+1), strings.Repeat("t", MaxTopic+1),
	})
	key := rapid.SampledFrom([]string{record.Hash("x"), "", "X"})
	data := rapid.SampledFrom([]json.RawMessage{
		nil, {}, json.RawMessage("null"), json.RawMessage(` { "a" : [ 1 , "<é\u2028" ] } `), json.RawMessage("{"),
	})
	action := rapid.SampledFrom([]Action{Subscribe, Unsubscribe, Publish, "", "publish"})
	for _, f := range []Frame{control(), Registry{"w"}} {
		if _, ok := encodePlain(f); !ok {
			t.Errorf("%+v is not plain", f)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		topic, source, target := text.Draw(t, "topic"), text.Draw(t, "source"), text.Draw(t, "target")
		generation := rapid.Int64Range(-1, 2).Draw(t, "generation")
		f := rapid.SampledFrom([]Frame{
			Control{action.Draw(t, "action"), topic, key.Draw(t, "key"), source, target, data.Draw(t, "data")},
			RouteReleased{topic, key.Draw(t, "key"), source, target, generation},
			Event{source, text.Draw(t, "eventType"), data.Draw(t, "payload")},
			Registry{source},
			Unknown{source, "NEWS"},
		}).Draw(t, "frame")
		got, ok := encodePlain(f)
		want, err := encodeAny(f)
		if ok && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("%+v: got %s, want %s, %v", f, got, want, err)
		}
	})
}

// changed puts something else in a few places of a text.
func changed(t *rapid.T, text string, put *rapid.Generator[string]) string {
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		to := rapid.IntRange(at, min(at+3, len(text))).Draw(t, "to")
		text = text[:at] + put.Draw(t, "new") + text[to:]
	}
	return text
}

// The reader of plain frames takes nothing that the other one refuses, reads it the same, and takes what a browser writes.
func TestDecodePlain(t *testing.T) {
	plainly := 0
	texts := []string{`{"type":"EVENT","sourceWorkerId":"w","eventType":"E","payload":{"a":"}\\"]","b":[-1.5e3,null]}}`}
	for _, f := range []Frame{control(), released(), Event{"w1", "E", json.RawMessage(`"x,}"`)}, Registry{"w1"}} {
		octets, err := Encode(f)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := decodePlain(octets)
		if diff := cmp.Diff(f, got); !ok || diff != "" {
			t.Errorf("%s is plain: %t %s", octets, ok, diff)
		}
		texts = append(texts, string(octets))
	}
	put := rapid.SampledFrom([]string{
		"", "0", "-", `"`, ",", "}", "]", " ", `\\`, "é", "null", `,"generation":7`, `,"type":"REGISTRY"`, `,"data":[`, `,"data":{"a":1}`,
		`,"payload":7 `,
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		text = changed(t, text, put)
		got, ok := decodePlain([]byte(text))
		want, err := decodeAny([]byte(text))
		if diff := cmp.Diff(want, got); ok && (err != nil || diff != "") {
			t.Fatalf("%s: %v %s", text, err, diff)
		}
		if ok {
			plainly++
		}
	})
	if plainly == 0 {
		t.Error("no text is plain")
	}
}

// The reader of plain publications takes nothing that the other one refuses, and reads it the same.
func TestPublicationPlain(t *testing.T) {
	plainly := 0
	put := rapid.SampledFrom([]string{"", "0", "-", `"`, ",", "}", "]", " ", `\\`, "é", "\xff", "null", `,"data":2`, `,"topic":"y"`, `{"a":1}`})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{`{"topic":"x","data":1}`, `{"topic":"","data":{"a":["}",-1.5e3]}}`}).Draw(t, "text")
		text = changed(t, text, put)
		got, ok := publicationPlain([]byte(text))
		want, there := publicationAny([]byte(text))
		if diff := cmp.Diff(want, got); ok && (!there || diff != "") {
			t.Fatalf("%s: %v %s", text, there, diff)
		}
		if ok {
			plainly++
		}
	})
	if plainly == 0 {
		t.Error("no text is plain")
	}
}

// DATABUS-GATE-002: a publication comes back as it was, whatever its topic, and what names none is none.
func TestPublication(t *testing.T) {
	for _, topic := range []string{"", "x", `"`, "é\u2028<", strings.Repeat("t", MaxTopic+1)} {
		for _, data := range []string{"null", "7", `{"a":["}",{}]}`} {
			p := Publication{topic, json.RawMessage(data)}
			octets, err := EncodePublication(p)
			if err != nil || !json.Valid(octets) {
				t.Fatalf("%s: %v", octets, err)
			}
			if back, ok := DecodePublication(octets); !ok || cmp.Diff(p, back) != "" {
				t.Errorf("%s becomes %+v, %t", octets, back, ok)
			}
		}
	}
	if p, ok := DecodePublication([]byte(` {"data" : [1], "topic":"x","more":{}} `)); !ok || p.Topic != "x" || string(p.Data) != "[1]" {
		t.Errorf("got %+v, %t", p, ok)
	}
	for _, text := range []string{
		"", "{", "null", "7", "{}", `{"topic":"x"}`, `{"data":1}`, `{"topic":7,"data":1}`, `{"topic":"x","Data":1}`, `{"topic":"x","data":1}}`,
	} {
		if p, ok := DecodePublication([]byte(text)); ok {
			t.Errorf("%s is %+v", text, p)
		}
	}
	if _, err := EncodePublication(Publication{"x", json.RawMessage("{")}); err == nil {
		t.Error("no JSON is encoded")
	}
}
