package fuzz

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// eventbusStreams are bodies that show what a parser may get wrong.
var eventbusStreams = []string{
	"", "\n", "data", "data\n\n", "data: a\ndata: b\n\ndata\n\n", "data: a\n\ndata: b", "\ufeffdata: a\n\n", "\ufeff\ufeffdata: a\n\ndata: b\n\n",
	"data: a\r\rdata: b\r\n\r\ndata: c\n\r", "id: 1\ndata: a\n\nid: 2\x003\ndata\n\nid\ndata\n\n", "event: t\ndata:  x:y \n\nevent\ndata\n\n",
	": c\nretry: 2500\nretry: 1x\nretry:\nretry: 99999999999999999999\nretry: 007\n", "data: \xff\xe2\x82\n\ndata: \xf0\x9f\x98\r\n\r\n",
	"id: a\n\nid: b", "retry: 3000\n\nid: 42\nevent: session_update\ndata: {\"id\":42,\"v\":1,\"type\":\"session_update\",\"data\":{}}\n\n: heartbeat\n\n",
	"data: {\"v\":1,\ndata: \"type\":\"a\"}\n\ndata: {\"v\":2,\"type\":\"a\"}\n\ndata: {\"v\":1,\"type\":\"a\",\"id\":9007199254740992}\n\n",
	"Data: a\n data: a\ndata : a\ndata\x00: a\nda\xefta: b\n\n", "data: \xed\xa0\x80\xc0\xaf\xf4\x90\x80\x80\xe0\x80\n\n", "\xef\xbb", "\xef\xbbdata: a\n\n",
}

// FuzzEventbusParser reads a body with the reference parser, cut anywhere, and with the machine, whole: the same messages, the same last event id and the
// same reconnection time; and of each message the same envelope, or none.
func FuzzEventbusParser(f *testing.F) {
	for i, body := range eventbusStreams {
		f.Add([]byte(body), []byte{byte(i), 1}, "")
		f.Add([]byte(body), []byte{1}, "5")
	}
	for _, v := range eventbusVectors(f) {
		if body := v.Stream(); len(body) > 0 && len(body) <= largestSeed {
			f.Add(body, []byte{7, 1, 2}, "")
		}
	}
	f.Fuzz(func(t *testing.T, body, cuts []byte, lastEventID string) {
		want := eventbusmodel.ParseStreamAfter(lastEventID, body)
		for _, cuts := range [][]byte{cuts, nil, {1}} {
			if err := parsesAs(want, body, cuts, lastEventID); err != nil {
				t.Fatalf("%q cut by %v after %q: %v", body, cuts, lastEventID, err)
			}
		}
	})
}

// parsesAs feeds a parser with a body in chunks whose lengths are those of cuts, over and over; no cuts: whole.
func parsesAs(want eventbusmodel.Stream, body, cuts []byte, lastEventID string) error {
	p, err := sse.NewParser(sse.Limits{}, lastEventID)
	if err != nil {
		return err
	}
	var events []eventbusmodel.StreamEvent
	for turn := 0; len(body) > 0; turn++ {
		n := len(body)
		if len(cuts) > 0 {
			n = min(n, int(cuts[turn%len(cuts)])+turn/(len(cuts)*300))
		}
		// What was fed is only lent: it is spoilt once it was read.
		chunk := slices.Clone(body[:n])
		body = body[n:]
		p.Feed(chunk)
		for {
			m, ok := p.Next()
			if !ok {
				break
			}
			events = append(events, eventbusmodel.StreamEvent{Type: m.Type, Data: string(m.Data), LastEventID: m.ID})
			if err := decodesAs(m.Data); err != nil {
				return err
			}
		}
		overwrite(chunk)
	}
	if p.Err() != nil {
		return p.Err()
	}
	if !slices.Equal(events, want.Events) {
		return fmt.Errorf("events %q, want %q", events, want.Events)
	}
	if p.LastEventID() != want.LastEventID {
		return fmt.Errorf("last event id %q, want %q", p.LastEventID(), want.LastEventID)
	}
	retry, retried := p.Retry()
	longest := uint64(sse.MaxRetry / time.Millisecond)
	if got := uint64(retry / time.Millisecond); retried != want.Retried || got != min(want.Retry, longest) {
		return fmt.Errorf("retry %d %t, want %d %t", got, retried, want.Retry, want.Retried)
	}
	return nil
}

// decodesAs compares what the reference and the machine make of the data of a message.
func decodesAs(data []byte) error {
	want, ok := eventbusmodel.DecodeEnvelope(string(data))
	got, err := sse.DecodeEnvelope(data)
	switch {
	case ok != (err == nil):
		return fmt.Errorf("envelope %q: %v, want one: %t", data, err, ok)
	case !ok:
		return nil
	case got.ID != want.ID || got.Type != want.Type || string(got.Data) != string(want.Members["data"]):
		return fmt.Errorf("envelope %q: %d %q %s, want %d %q %s", data, got.ID, got.Type, got.Data, want.ID, want.Type, want.Members["data"])
	case math.IsNaN(got.Timestamp) || math.IsInf(got.Timestamp, 0):
		return fmt.Errorf("envelope %q: timestamp %v", data, got.Timestamp)
	}
	return nil
}

// FuzzEventbusEnvelope decodes any data with the reference and with the machine.
func FuzzEventbusEnvelope(f *testing.F) {
	for _, data := range []string{
		`{"v":1,"type":"a"}`, `{"v":1.0,"type":"a","id":3e0}`, `{"v":1,"type":"a","id":0}`, `{"v":1,"type":"a","id":null}`, `{"v":1,"type":"a","id":"3"}`,
		`{"v":1,"type":"a","id":9007199254740992}`, `{"v":1,"type":"a","v":2}`, `{"v":2,"type":"a","v":1}`, `{"V":1,"Type":"a"}`, `{"v":1,"type":"\ud800"}`,
		`{"v":1,"type":"a","id":1.5}`, `{"v":1,"type":"a","id":1e-400}`, `{"v":1,"type":"a","id":1e400}`, `[]`, `null`, ``, ` {"v":1,"type":"a"} `, `{"v":1,"type":"a"}x`,
		`{"v":1,"type":"a","data":{"x":[1, 2]},"originatorClientId":"c","_meta":{"serverTimestamp":-1.5}}`, `{"v":1,"type":"a","data" : null }`,
		`{"v":1,"type":"a","\u0069d":7}`, "{\"v\":1,\"type\":\"\xff\"}", `{"v":0.1e1,"type":"a","id":1E2}`, `{"v":1.00000000000000000001,"type":"a"}`,
		`{"v":1,"type":"a","id":9007199254740991.5}`, `{"v":1,"type":"a","id":10000000000000000000e-4}`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := decodesAs(data); err != nil {
			t.Fatal(err)
		}
	})
}
