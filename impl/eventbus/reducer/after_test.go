package reducer_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/eventbus/reducer"
)

// like compares views, their dialect left aside.
var like = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".dialect" }, cmp.Ignore())

func event(id int64, kind, data string) reducer.Event {
	e := reducer.Event{ID: id, Type: kind}
	if data != "" {
		e.Data = json.RawMessage(data)
	}
	return e
}

func after(v reducer.View, events ...reducer.Event) reducer.View {
	for _, e := range events {
		v = v.After(e)
	}
	return v
}

const (
	resync  = `{"reason":"ring_evicted","lastDeliveredId":1,"earliestAvailableId":5}`
	request = `{"requestId":"r","sessionId":"q","toolCall":{},"options":[]}`
)

// EVENTBUS-REDUCER-001
func TestResyncKeepsTheStreamAlive(t *testing.T) {
	before := after(reducer.New(reducer.Seed), event(1, "permission_request", request))
	got := before.After(event(0, "state_resync_required", resync))
	want := before
	want.AwaitingResync, want.ResyncRequiredCount, want.LastResyncRequired = true, 1, json.RawMessage(resync)
	if diff := cmp.Diff(want, got, like); diff != "" {
		t.Errorf("after a resync: (-want +got)\n%s", diff)
	}
	if again := got.After(event(0, "state_resync_required", resync)); again.ResyncRequiredCount != 2 {
		t.Errorf("%d resyncs counted after the second", again.ResyncRequiredCount)
	}
}

// EVENTBUS-REDUCER-002, EVENTBUS-REDUCER-004
func TestOnlySomeTypesPassAResync(t *testing.T) {
	for _, d := range []reducer.Dialect{reducer.Seed, reducer.Later} {
		passing := []string{"state_resync_required", "session_died", "session_closed", "client_evicted", "stream_error", "session_snapshot"}
		if d == reducer.Later {
			passing = append(passing, "history_truncated", "session_recording_degraded")
		}
		for kind, list := range samples() {
			for _, data := range list {
				before := after(reducer.New(d), event(1, "permission_request", request), event(0, "state_resync_required", resync))
				got := before.After(event(7, kind, data))
				if !got.AwaitingResync {
					t.Errorf("%v: %s ended the wait for a resync", d, kind)
				}
				if got.LastEventID != 7 {
					t.Errorf("%v: %s left the cursor at %d, want 7", d, kind, got.LastEventID)
				}
				got.LastEventID = before.LastEventID
				if applied := !cmp.Equal(before, got, like); applied != slices.Contains(passing, kind) {
					t.Errorf("%v: %s %s applied: %t, want %t", d, kind, data, applied, !applied)
				}
			}
		}
		if reducer.New(d).AwaitingResync {
			t.Errorf("%v: a new view awaits a resync", d)
		}
	}
}

// EVENTBUS-REDUCER-003
func TestCursorIsTheLargestID(t *testing.T) {
	for _, c := range []struct {
		why   string
		first []reducer.Event
		kind  string
		data  string
	}{
		{"applied", nil, "session_update", "{}"},
		{"skipped", []reducer.Event{event(0, "state_resync_required", resync)}, "session_update", "{}"},
		{"malformed", nil, "client_evicted", "{}"},
		{"unknown", nil, "never_heard_of", "{}"},
	} {
		v := after(reducer.New(reducer.Seed), c.first...)
		var got []int64
		for _, id := range []int64{5, 3, 9, 0, 1} {
			v = v.After(event(id, c.kind, c.data))
			got = append(got, v.LastEventID)
		}
		if diff := cmp.Diff([]int64{5, 5, 9, 9, 9}, got); diff != "" {
			t.Errorf("%s: ids 5 3 9 none 1: (-want +got)\n%s", c.why, diff)
		}
	}
}

// EVENTBUS-REDUCER-005, EVENTBUS-REDUCER-006
func TestTerminals(t *testing.T) {
	terminals := map[string]string{
		"client_evicted": `{"reason":"queue_overflow"}`, "stream_error": `{"error":"e"}`,
		"session_died": `{"sessionId":"s","reason":"r"}`, "session_closed": `{"sessionId":"s","reason":"r"}`,
	}
	ofSession := func(kind string) bool { return kind == "session_died" || kind == "session_closed" }
	for first, data := range terminals {
		for _, awaiting := range []bool{false, true} {
			v := after(reducer.New(reducer.Seed), event(1, "permission_request", request))
			if awaiting {
				v = v.After(event(0, "state_resync_required", resync))
			}
			v = v.After(event(2, first, data))
			if v.Alive || len(v.PendingPermissions) > 0 || v.TerminalEvent == nil || v.TerminalEvent.Type != first || v.AwaitingResync != awaiting {
				t.Errorf("%s while awaiting %t: %+v", first, awaiting, v)
			}
			for second, data := range terminals {
				want := first
				if ofSession(second) && !ofSession(first) {
					want = second
				}
				if got := v.After(event(3, second, data)).TerminalEvent.Type; got != want {
					t.Errorf("%s then %s: the end is %s, want %s", first, second, got, want)
				}
			}
		}
	}
}

// EVENTBUS-REDUCER-007
func TestWarningOnlyCounts(t *testing.T) {
	first, second := `{"queueSize":6,"maxQueued":8,"lastEventId":6}`, `{"queueSize":7,"maxQueued":8,"lastEventId":9,"more":1}`
	got := after(reducer.New(reducer.Seed), event(0, "slow_client_warning", first), event(0, "slow_client_warning", second))
	want := reducer.New(reducer.Seed)
	want.SlowClientWarningCount, want.LastSlowClientWarning = 2, json.RawMessage(second)
	if diff := cmp.Diff(want, got, like); diff != "" {
		t.Errorf("after two warnings: (-want +got)\n%s", diff)
	}
}

// EVENTBUS-REDUCER-008
func TestUnknownAndMalformed(t *testing.T) {
	v := reducer.New(reducer.Seed)
	if got := v.After(event(0, "totally_unknown", "{}")); !cmp.Equal(v, got, like) {
		t.Errorf("an unknown type changed the view: %s", cmp.Diff(v, got, like))
	}
	for _, data := range []string{"", "null", "7", `"x"`, "[]", "{}"} {
		got := v.After(event(0, "client_evicted", data))
		if got.UnrecognizedKnownEventCount != 1 || !got.Alive {
			t.Errorf("client_evicted %q: counted %d, alive %t", data, got.UnrecognizedKnownEventCount, got.Alive)
		}
	}
	// A type that only the later list has is unknown to the older.
	if got := v.After(event(0, "git_status_changed", "{}")); got.UnrecognizedKnownEventCount != 0 {
		t.Error("the seed list knows git_status_changed")
	}
	if got := reducer.New(reducer.Later).After(event(0, "git_status_changed", "{}")); got.UnrecognizedKnownEventCount != 1 {
		t.Error("the later list does not know git_status_changed")
	}
}

// EVENTBUS-REDUCER-009
func TestStreamControlPayloads(t *testing.T) {
	numbers := []string{`"1"`, "null", "true", "1e999", "{}", "[]"}
	for _, c := range []struct {
		kind, format string
		bad          []string
		good         []string
	}{
		{"state_resync_required", `{"reason":%s,"lastDeliveredId":1,"earliestAvailableId":1}`, []string{`""`, "null", "1"}, []string{`"never heard of"`, `" "`}},
		{"state_resync_required", `{"reason":"r","lastDeliveredId":%s,"earliestAvailableId":1}`, numbers, []string{"0", "-1", "1.5", "1e3"}},
		{"state_resync_required", `{"reason":"r","lastDeliveredId":1,"earliestAvailableId":%s}`, numbers, []string{"0", "-1", "1.5"}},
		{"client_evicted", `{"reason":%s}`, []string{`""`, "null"}, []string{`"x"`}},
		{"client_evicted", `{"reason":"r","droppedAfter":%s}`, numbers, []string{"0", "2.5"}},
		{"client_evicted", `{"reason":"r","eventBytes":%s}`, numbers, []string{"0"}},
		{"slow_client_warning", `{"queueSize":%s,"maxQueued":1,"lastEventId":1}`, numbers, []string{"0"}},
		{"slow_client_warning", `{"queueSize":1,"maxQueued":1,"lastEventId":1,"threshold":%s}`, []string{`"Frames"`, `""`, "null", "1"}, []string{`"frames"`, `"bytes"`, `"frames_and_bytes"`}},
		{"slow_client_warning", `{"queueSize":1,"maxQueued":1,"lastEventId":1,"extra":%s}`, nil, []string{"null", "[1]"}},
	} {
		for want, values := range map[int][]string{0: c.good, 1: c.bad} {
			for _, value := range values {
				data := fmt.Sprintf(c.format, value)
				if got := reducer.New(reducer.Seed).After(event(0, c.kind, data)).UnrecognizedKnownEventCount; got != want {
					t.Errorf("%s %s: counted %d, want %d", c.kind, data, got, want)
				}
			}
		}
	}
	for kind, data := range map[string]string{
		"state_resync_required": `{"reason":"r","lastDeliveredId":1}`, "slow_client_warning": `{"queueSize":1,"maxQueued":1}`, "client_evicted": `{"droppedAfter":1}`,
	} {
		if got := reducer.New(reducer.Seed).After(event(0, kind, data)).UnrecognizedKnownEventCount; got != 1 {
			t.Errorf("%s %s: a missing member is not counted", kind, data)
		}
	}
}

// EVENTBUS-REDUCER-010
func TestLists(t *testing.T) {
	for d, want := range map[reducer.Dialect]int{reducer.Seed: 47, reducer.Later: 58} {
		if got := len(d.Types()); got != want {
			t.Errorf("%v: %d types, want %d", d, got, want)
		}
		mapped := samples()
		for _, kind := range d.Types() {
			if v := reducer.New(d).After(event(0, kind, "7")); v.UnrecognizedKnownEventCount != 1 {
				t.Errorf("%v: %s is listed and not known", d, kind)
			}
			if v := reducer.New(d).After(event(0, kind, `{"replayedCount":0}`)); mapped[kind] == nil && v.UnrecognizedKnownEventCount != 1 {
				t.Errorf("%v: %s has a meaning", d, kind)
			}
		}
	}
	for kind, list := range samples() {
		for _, data := range list {
			if v := reducer.New(reducer.Later).After(event(0, kind, data)); v.UnrecognizedKnownEventCount != 0 {
				t.Errorf("%s %s: well-formed and counted", kind, data)
			}
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	v := reducer.New(reducer.Seed)
	for i := range 200 {
		id := fmt.Sprintf(`"requestId":"r%d","sessionId":"s"`, i)
		v = after(
			v, event(0, "permission_request", `{`+id+`,"toolCall":{},"options":[]}`),
			event(0, "permission_partial_vote", `{`+id+`,"votesReceived":1,"votesNeeded":1,"quorum":1,"optionTallies":{}}`),
			event(0, "permission_forbidden", `{`+id+`,"reason":"remote_not_allowed"}`))
	}
	if len(v.PendingPermissions) != 64 || v.DroppedPermissionRequestCount != 136 || v.LastDroppedPermissionRequestID != "r199" {
		t.Errorf("%d pending, %d dropped, last %q", len(v.PendingPermissions), v.DroppedPermissionRequestCount, v.LastDroppedPermissionRequestID)
	}
	if len(v.PermissionVoteProgress) != 64 || len(v.ForbiddenVotes) != 32 || v.ForbiddenVoteCount != 200 {
		t.Errorf("%d votes, %d forbidden, %d counted", len(v.PermissionVoteProgress), len(v.ForbiddenVotes), v.ForbiddenVoteCount)
	}
}

// A view never changes, whatever comes after it, and no event makes the reducer fail.
func TestViewsAreValues(t *testing.T) {
	var kinds []string
	data := []string{"", "null", "{}", "[]", "{", "\xff", `{"requestId":"r","requestId":7}`}
	for kind, list := range samples() {
		kinds = append(kinds, kind)
		data = append(data, list...)
	}
	slices.Sort(kinds)
	slices.Sort(data)
	kinds = append(kinds, "unknown", "")
	rapid.Check(t, func(t *rapid.T) {
		v := reducer.New(rapid.SampledFrom([]reducer.Dialect{reducer.Seed, reducer.Later}).Draw(t, "dialect"))
		type moment struct {
			view reducer.View
			json string
		}
		var history []moment
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			kind := rapid.SampledFrom(kinds).Draw(t, "type")
			e := event(rapid.Int64Range(0, 9).Draw(t, "id"), kind, rapid.SampledFrom(data).Draw(t, "data"))
			if list := samples()[kind]; list != nil && rapid.IntRange(0, 3).Draw(t, "well-formed") > 0 {
				e.Data = json.RawMessage(rapid.SampledFrom(list).Draw(t, "sample"))
			}
			next := v.After(e)
			if next.LastEventID != max(v.LastEventID, e.ID) {
				t.Fatalf("cursor %d after %d and %d", next.LastEventID, v.LastEventID, e.ID)
			}
			if v.AwaitingResync && !next.AwaitingResync || !v.Alive && next.Alive {
				t.Fatalf("%s brought a view back", kind)
			}
			out, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			history = append(history, moment{v, string(out)})
			v = next
		}
		for _, m := range history {
			if out, _ := json.Marshal(m.view); string(out) != m.json {
				t.Fatalf("a view changed from %s to %s", m.json, out)
			}
		}
	})
}
