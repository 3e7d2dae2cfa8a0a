package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// A jsonObject is a JSON object as a browser reads it, and its numbers as they are written.
type jsonObject map[string]any

// readObject reads one, or reports that the octets are none.
func readObject(octets []byte) (jsonObject, bool) {
	d := json.NewDecoder(bytes.NewReader(octets))
	d.UseNumber()
	var o jsonObject
	if !json.Valid(octets) || d.Decode(&o) != nil || o == nil {
		return nil, false
	}
	return o, true
}

// text returns a member that is a text of from least to most octets.
func (o jsonObject) text(name string, least, most int) (string, bool) {
	text, ok := o[name].(string)
	return text, ok && len(text) >= least && len(text) <= most
}

// integer returns a member that is written as an integer.
func (o jsonObject) integer(name string) (int64, bool) {
	number, ok := o[name].(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	return n, ok && err == nil
}

var hashForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// readFrame reads a frame from the rules of DATABUS-CONTROL-001 alone. Data and payload are left out.
func readFrame(octets []byte) (signal.Frame, bool) {
	o, ok := readObject(octets)
	if !ok {
		return nil, false
	}
	kind, ok := o.text("type", 0, 64)
	source, sent := o.text("sourceWorkerId", 1, record.MaxID)
	topic, named := o.text("topic", 0, signal.MaxTopic)
	key, _ := o["topicKey"].(string)
	target, addressed := o.text("targetWorkerId", 1, record.MaxID)
	addressed = addressed && named && hashForm.MatchString(key)
	switch {
	case !ok:
		return nil, false
	case kind == "CONTROL":
		action, _ := o["action"].(string)
		known := action == "SUBSCRIBE" || action == "UNSUBSCRIBE" || action == "PUBLISH"
		return signal.Control{
			Action: signal.Action(action), Topic: topic, TopicKey: key, SourceWorkerID: source, TargetWorkerID: target,
		}, sent && addressed && known
	case kind == "ROUTE_RELEASED":
		generation, ok := o.integer("generation")
		return signal.RouteReleased{
			Topic: topic, TopicKey: key, SourceWorkerID: source, TargetWorkerID: target, Generation: generation,
		}, ok && generation >= 1 && sent && addressed
	case kind == "EVENT":
		of, ok := o.text("eventType", 0, 64)
		return signal.Event{SourceWorkerID: source, EventType: of}, ok && sent
	case kind == "REGISTRY":
		return signal.Registry{SourceWorkerID: source}, sent
	case !sent:
		source = ""
	}
	return signal.Unknown{SourceWorkerID: source, Named: kind}, true // DATABUS-CONTROL-005
}

// withoutData parts a frame from its data or payload.
func withoutData(f signal.Frame) (signal.Frame, json.RawMessage) {
	switch f := f.(type) {
	case signal.Control:
		data := f.Data
		f.Data = nil
		return f, data
	case signal.Event:
		payload := f.Payload
		f.Payload = nil
		return f, payload
	}
	return f, nil
}

// frameReadings compares what two readers make of octets, and what becomes of the frame on the way back.
func frameReadings(octets []byte) (signal.Frame, error) {
	f, err := signal.Decode(octets)
	want, ok := readFrame(octets)
	if ok != (err == nil) {
		return nil, fmt.Errorf("DATABUS-CONTROL-001: it is a frame: %t, and Decode says %w", ok, err)
	}
	if !ok {
		return nil, nil
	}
	got, data := withoutData(f)
	if diff := cmp.Diff(want, got); diff != "" {
		return nil, fmt.Errorf("DATABUS-CONTROL-001: %s", diff)
	}
	o, _ := readObject(octets)
	for kind, member := range map[string]string{"CONTROL": "data", "EVENT": "payload"} {
		if value, there := o[member]; f.Type() == kind && (there != (data != nil) || there && cmp.Diff(value, anyOf(data)) != "") {
			return nil, fmt.Errorf("DATABUS-CONTROL-001: %s is %s", member, data)
		}
	}
	if _, unknown := f.(signal.Unknown); unknown {
		return f, nil
	}
	out, err := signal.Encode(f)
	if err != nil {
		return nil, err
	}
	again, err := signal.Decode(out)
	if err != nil {
		return nil, err
	}
	back, dataBack := withoutData(again)
	if diff := cmp.Diff(got, back) + cmp.Diff(anyOf(data), anyOf(dataBack)); diff != "" {
		return nil, fmt.Errorf("%s comes back as %s: %s", octets, out, diff)
	}
	return f, nil
}

func anyOf(raw json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

// hostileRules are the versions that have hostile guests.
func hostileRules() []cluster.Rules {
	careful, mending := cluster.Fenced(), cluster.Fenced()
	careful.IgnoreUnknown = true
	mending.Reclaim, mending.AskAgain = true, true
	return []cluster.Rules{cluster.Fenced(), cluster.V010(), cluster.Drifted(), careful, mending}
}

// hostRig returns two tabs of which A owns x, that both want, and B y, that it wants alone, and what they want.
func hostRig(rules cluster.Rules) (*raceRig, ledger, error) {
	first := []string{"subscribe A x", "subscribe B x", "subscribe B y"}
	r, err := newRaceRig(&raceSetup{tabs: 2, first: first}, rules)
	return r, newLedger(first), err
}

// standing is all that a tab and the storage hold, but the count of what was ignored.
func (r *raceRig) standing(t *raceTab) string {
	s := t.c.Snapshot()
	s.Ignored = 0
	return fmt.Sprintf("%+v %v %v %v", s, t.held, r.disk, r.wire)
}

// receiveHostile has both tabs receive a frame that none of them sent.
func receiveHostile(f signal.Frame, rules cluster.Rules) error {
	r, want, err := hostRig(rules)
	if err != nil {
		return err
	}
	for range 2 {
		for _, t := range r.tabs {
			r.now++
			before := r.standing(t)
			t.c.Receive(f)
			t.flush()
			foreign := raceTarget(f) != "" && raceTarget(f) != t.name || f.Source() == t.name
			if after := r.standing(t); foreign && after != before {
				return fmt.Errorf("DATABUS-CONTROL-002: %s, which it does not concern, goes from\n\t%s\nto\n\t%s", t.name, before, after)
			}
			if s := t.c.Snapshot(); len(s.Known) > cluster.MaxKnown+len(s.Assigned) {
				return fmt.Errorf("DATABUS-CACHE-001: %s knows %d topics", t.name, len(s.Known))
			}
			// What a forged event dispatches nobody accepted: DATABUS-LIMIT-005.
			r.seen = nil
			if err := want.check(r, "hear "+t.name, false); err != nil {
				return err
			}
		}
	}
	return r.atRest(rules.AuthorizeUnsubscribe)
}

// FuzzDatabusFrame: what octets say is what a second reading says, and comes back from the wire; and whatever a frame that nobody of the
// cluster sent asks for, tabs that run stay sound, are not concerned by what is for others, and in the fenced version serve what they served.
func FuzzDatabusFrame(f *testing.F) {
	key := record.Hash("x")
	named := `"topic":"x","topicKey":"` + key + `","sourceWorkerId":"B","targetWorkerId":"A"`
	for i, text := range []string{
		`{"type":"CONTROL","action":"SUBSCRIBE",` + named + `}`, `{"type":"CONTROL","action":"UNSUBSCRIBE",` + named + `}`,
		`{"type":"CONTROL","action":"PUBLISH",` + named + `,"data":{"a":[1.50]}}`, `{"type":"ROUTE_RELEASED",` + named + `,"generation":1}`,
		`{"type":"EVENT","sourceWorkerId":"B","eventType":"DATABUS_PUBLICATION","payload":{"topic":"x","data":null}}`,
		`{"type":"REGISTRY","sourceWorkerId":"Z"}`, `{"type":"NEWS","topic":{}}`, `{"type":"REGISTRY","sourceWorkerId":7}`,
		`{"TYPE":"REGISTRY","sourceWorkerId":"B"}`, `{"type":"REGISTRY","type":"EVENT","sourceWorkerId":"B","eventType":""}`,
		`{"type":"CONTROL","action":"SUBSCRIBE",` + strings.Replace(named, key, record.Hash("y"), 1) + `}`,
		`{"type":"ROUTE_RELEASED",` + named + `,"generation":9223372036854775807}`,
		`{"type":"CONTROL","action":"PUBLISH",` + strings.Replace(named, `"B"`, `"A"`, 1) + `,"data":null}`, `null`, `{`,
		`{"type":"CONTROL","action":"UNSUBSCRIBE",` + strings.Replace(named, `"x"`, `"\ud800"`, 1) + "}\n",
	} {
		f.Add([]byte(text), uint8(i))
	}
	f.Fuzz(func(t *testing.T, octets []byte, version uint8) {
		frame, err := frameReadings(octets)
		if err != nil {
			t.Fatal(err)
		}
		if frame == nil {
			return
		}
		rules := hostileRules()
		if err := receiveHostile(frame, rules[int(version)%len(rules)]); err != nil {
			t.Fatal(err)
		}
	})
}
