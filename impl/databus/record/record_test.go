package record

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func worker() Worker {
	return Worker{
		WorkerID: "w1", TabID: "t1", Load: 2, Role: Active, Status: Connected, Visibility: Visible, HeartbeatAt: 4000, RegisteredAt: 1000,
	}
}

func route() Route {
	return Route{TopicKey: Hash("x"), WorkerID: "w1", TabID: "t1", UpdatedAt: 1000, Generation: 2, HandoffFrom: "w0", ConfirmedAt: 1001}
}

// DATABUS-RECORD-001, -003: the names of the wire.
func TestEncode(t *testing.T) {
	w, r := worker(), route()
	s := Subscriber{Hash("x"), "t1", 7}
	plain := r
	plain.HandoffFrom, plain.ConfirmedAt = "", 0
	for got, want := range map[string]string{
		w.Encode(): `{"workerId":"w1","tabId":"t1","load":2,"role":"active","status":"connected","visibilityState":"visible",` +
			`"heartbeatAt":4000,"registeredAt":1000}`,
		r.Encode(): `{"topicKey":"350cf08ecd12bd0d7f41ee7a93db2dd5","workerId":"w1","tabId":"t1","updatedAt":1000,"generation":2,` +
			`"handoffFromWorkerId":"w0","confirmedAt":1001}`,
		plain.Encode(): `{"topicKey":"350cf08ecd12bd0d7f41ee7a93db2dd5","workerId":"w1","tabId":"t1","updatedAt":1000,"generation":2}`,
		s.Encode():     `{"topicKey":"350cf08ecd12bd0d7f41ee7a93db2dd5","tabId":"t1","updatedAt":7}`,
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// DATABUS-RECORD-001: each field in turn out of its domain.
func TestWorkerValidate(t *testing.T) {
	for field, spoil := range map[string]func(*Worker){
		"workerId":        func(w *Worker) { w.WorkerID = "" },
		"tabId":           func(w *Worker) { w.TabID = strings.Repeat("t", MaxID+1) },
		"load":            func(w *Worker) { w.Load = -1 },
		"role":            func(w *Worker) { w.Role = "leader" },
		"status":          func(w *Worker) { w.Status = "" },
		"visibilityState": func(w *Worker) { w.Visibility = "prerender" },
	} {
		w := worker()
		if err := w.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(&w)
		refused(t, w.Validate(), WorkerFamily, field)
		_, err := DecodeWorker(w.Encode())
		refused(t, err, WorkerFamily, field)
	}
}

// DATABUS-RECORD-003, DATABUS-INV-001: each field in turn out of its domain.
func TestRouteValidate(t *testing.T) {
	for field, spoil := range map[string]func(*Route){
		"topicKey":            func(r *Route) { r.TopicKey = "x" },
		"workerId":            func(r *Route) { r.WorkerID = "\xff" },
		"tabId":               func(r *Route) { r.TabID = "" },
		"generation":          func(r *Route) { r.Generation = 0 },
		"handoffFromWorkerId": func(r *Route) { r.HandoffFrom = strings.Repeat("w", MaxID+1) },
		"confirmedAt":         func(r *Route) { r.ConfirmedAt = -1 },
	} {
		r := route()
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(&r)
		refused(t, r.Validate(), RouteFamily, field)
	}
	r := route()
	_, err := DecodeRoute(Hash("y"), r.Encode())
	refused(t, err, RouteFamily, "topicKey")
}

func refused(t *testing.T, err error, family Family, field string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Family != family || e.Field != field || !strings.Contains(e.Error(), family.String()) {
		t.Errorf("got %v, want a fault of %s.%s", err, family, field)
	}
}

// DATABUS-RECORD-005: what is no record is an error, not a panic and not a record.
func TestDecodeCorrupt(t *testing.T) {
	w, r := worker(), route()
	for _, value := range []string{
		"", "{", "null", "[]", "7", `"w"`, "{}", `{"workerId":"w1"}`, w.Encode()[1:], w.Encode() + "}",
		strings.Replace(w.Encode(), `"load":2`, `"load":"2"`, 1), strings.Replace(w.Encode(), `"load":2`, `"load":2.5`, 1),
		strings.Replace(w.Encode(), `"load":2`, `"load":null`, 1), strings.Replace(w.Encode(), `"load":2,`, "", 1),
		strings.Replace(w.Encode(), "w1", strings.Repeat("w", MaxRecord), 1),
	} {
		if got, err := DecodeWorker(value); err == nil || got != (Worker{}) {
			t.Errorf("DecodeWorker(%.60q) = %+v, %v", value, got, err)
		}
	}
	null := strings.Replace(r.Encode(), `"generation":2`, `"generation":null`, 1)
	for _, value := range []string{"", "{", "null", "{}", r.Encode()[:20], null} {
		if got, err := DecodeRoute(Hash("x"), value); err == nil || got != (Route{}) {
			t.Errorf("DecodeRoute(%q) = %+v, %v", value, got, err)
		}
	}
	key := Key{SubscriberFamily, "", Hash("x"), "t1"}
	for _, value := range []string{
		"", "{}", "true", (&Subscriber{Hash("y"), "t1", 1}).Encode(), (&Subscriber{Hash("x"), "t2", 1}).Encode(),
	} {
		if got, err := DecodeSubscriber(key, value); err == nil || got != (Subscriber{}) {
			t.Errorf("DecodeSubscriber(%q) = %+v, %v", value, got, err)
		}
	}
}

// DATABUS-RECORD-005: names are told apart by case, as a browser does, and numbers are those that a browser holds exactly.
func TestDecodeReadsAsBrowsers(t *testing.T) {
	w, r := worker(), route()
	for from, c := range map[string]struct{ to, field string }{
		`"load"`:          {`"Load"`, "load"},
		`"heartbeatAt":`:  {`"heartbeatAt":-9223372036854775808,"was":`, "heartbeatAt"},
		`"registeredAt":`: {`"registeredAt":9007199254740993,"was":`, "registeredAt"},
	} {
		_, err := DecodeWorker(strings.Replace(w.Encode(), from, c.to, 1))
		refused(t, err, WorkerFamily, c.field)
	}
	for _, generation := range []string{"9007199254740993", "9223372036854775807"} {
		_, err := DecodeRoute(Hash("x"), strings.Replace(r.Encode(), `"generation":2`, `"generation":`+generation, 1))
		refused(t, err, RouteFamily, "generation")
	}
	r.ConfirmedAt, r.HandoffFrom = 0, ""
	got, err := DecodeRoute(Hash("x"), strings.Replace(r.Encode(), "{", `{"ConfirmedAt":5,"HANDOFFFROMWORKERID":"w",`, 1))
	if err != nil || got != r {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Members of a later release do not make a record unreadable.
func TestDecodeKeepsLaterMembers(t *testing.T) {
	w := worker()
	got, err := DecodeWorker(strings.Replace(w.Encode(), "{", `{"later":[1],`, 1))
	if err != nil || got != w {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestRoundTrip(t *testing.T) {
	id := rapid.StringN(1, 40, MaxID)
	at := rapid.Int64Range(1, 1<<53)
	rapid.Check(t, func(t *rapid.T) {
		w := Worker{
			id.Draw(t, "worker"), id.Draw(t, "tab"), rapid.IntRange(0, 1000).Draw(t, "load"),
			rapid.SampledFrom([]Role{Active, Standby}).Draw(t, "role"),
			rapid.SampledFrom([]Status{Connecting, Connected, Disconnected, Failed}).Draw(t, "status"),
			rapid.SampledFrom([]Visibility{Visible, Hidden}).Draw(t, "visibility"), at.Draw(t, "beat"), at.Draw(t, "registered"),
		}
		if got, err := DecodeWorker(w.Encode()); err != nil || got != w {
			t.Fatalf("got %+v, %v, want %+v", got, err, w)
		}
		r := Route{
			Hash(w.TabID), w.WorkerID, w.TabID, w.HeartbeatAt, at.Draw(t, "generation"), rapid.SampledFrom([]string{"", "old"}).Draw(t, "from"),
			rapid.SampledFrom([]int64{0, w.HeartbeatAt}).Draw(t, "confirmed"),
		}
		if got, err := DecodeRoute(r.TopicKey, r.Encode()); err != nil || got != r {
			t.Fatalf("got %+v, %v, want %+v", got, err, r)
		}
		s := Subscriber{r.TopicKey, w.TabID, w.HeartbeatAt}
		if got, err := DecodeSubscriber(Key{SubscriberFamily, "", r.TopicKey, w.TabID}, s.Encode()); err != nil || got != s {
			t.Fatalf("got %+v, %v, want %+v", got, err, s)
		}
	})
}

// The reader of what is usually written takes nothing that the other one refuses, and reads it the same.
func TestFlat(t *testing.T) {
	w, r := worker(), route()
	s := Subscriber{Hash("x"), "t1", 7}
	agree(t, w.Encode())
	agree(t, r.Encode())
	var load int64
	ofWorker, ofRoute, ofSubscriber := w.fields(&load), r.fields(), s.fields()
	if !flat(w.Encode(), ofWorker[:]) || !flat(r.Encode(), ofRoute[:]) || !flat(s.Encode(), ofSubscriber[:]) {
		t.Error("a record as it is written is not read")
	}
	stored := r.Encode()
	if n := testing.AllocsPerRun(10, func() { _, _ = DecodeRoute(r.TopicKey, stored) }); n > 1 {
		t.Errorf("a route as it is written takes %v allocations", n)
	}
	text := w.Encode()
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		to := rapid.IntRange(at, min(at+12, len(text))).Draw(t, "to")
		put := rapid.SampledFrom([]string{"", "0", "-", `"`, ",", "}", " ", `\\`, "é", `,"load":3`, `"LOAD":4,`, "null"}).Draw(t, "new")
		agree(t, text[:at]+put+text[to:])
	})
}

// A record has the octets that package json gives it, whatever is in its texts and numbers.
func TestEncodeBesideJSON(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "x", "w-1", "<&>\x7f", `"`, `\`, "\x00", "é", "\u2028", "\xff", strings.Repeat("w", 600)})
	number := rapid.Int64Range(-3, 3)
	rapid.Check(t, func(t *rapid.T) {
		w := worker()
		w.WorkerID, w.TabID = text.Draw(t, "worker"), text.Draw(t, "tab")
		w.Load, w.HeartbeatAt = int(number.Draw(t, "load")), number.Draw(t, "beat")
		r := Route{
			text.Draw(t, "topic"), w.WorkerID, w.TabID, number.Draw(t, "updated"), number.Draw(t, "generation"), text.Draw(t, "from"),
			number.Draw(t, "confirmed"),
		}
		s := Subscriber{r.TopicKey, w.TabID, r.UpdatedAt}
		for got, v := range map[string]any{w.Encode(): w, r.Encode(): r, s.Encode(): s} {
			var want strings.Builder
			enc := json.NewEncoder(&want)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(v); err != nil || got+"\n" != want.String() {
				t.Fatalf("got %s, want %s, %v", got, &want, err)
			}
		}
	})
}

func agree(t interface{ Errorf(string, ...any) }, value string) {
	var fast, slow Worker
	var load, slowLoad int64
	fields, slowFields := fast.fields(&load), slow.fields(&slowLoad)
	if flat(value, fields[:]) {
		if err := general(WorkerFamily, value, slowFields[:]); err != nil || fast != slow || load != slowLoad {
			t.Errorf("%s: got %+v, want %+v, %v", value, fast, slow, err)
		}
	}
	var fastRoute, slowRoute Route
	routeFields, slowRouteFields := fastRoute.fields(), slowRoute.fields()
	if flat(value, routeFields[:]) {
		if err := general(RouteFamily, value, slowRouteFields[:]); err != nil || fastRoute != slowRoute {
			t.Errorf("%s: got %+v, want %+v, %v", value, fastRoute, slowRoute, err)
		}
	}
}

// What is stored by anybody makes no reader panic, and what is read can be written again.
func FuzzDecode(f *testing.F) {
	w, r := worker(), route()
	f.Add(w.Encode())
	f.Add(r.Encode())
	f.Add(`{"topicKey":null}`)
	f.Fuzz(func(t *testing.T, value string) {
		agree(t, value)
		if w, err := DecodeWorker(value); err == nil {
			if again, err := DecodeWorker(w.Encode()); err != nil || again != w {
				t.Errorf("%+v became %+v, %v", w, again, err)
			}
		}
		if r, err := DecodeRoute(Hash("x"), value); err == nil {
			if again, err := DecodeRoute(Hash("x"), r.Encode()); err != nil || again != r {
				t.Errorf("%+v became %+v, %v", r, again, err)
			}
		}
		_, _ = DecodeSubscriber(Key{Family: SubscriberFamily}, value)
	})
}
