package corpus_test

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
)

func eventbusVectors(t *testing.T) []corpus.EventbusVector {
	t.Helper()
	vs, err := corpus.EventbusVectors()
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

func TestEventbusVectorsCiteLawsThatDecide(t *testing.T) {
	c := catalogue(t)
	for _, v := range eventbusVectors(t) {
		cited(t, c, v.Name, v.Laws, v.Versions)
	}
}

// A vector may cite the laws of those whose doing it shows, and of the bus that wrote what is read.
func TestEventbusVectorsCiteLawsOfTheirRole(t *testing.T) {
	roles := map[corpus.EventbusOp][]string{
		corpus.ParseStream:   {"sse-client", "sse-server"},
		corpus.ReadEnvelope:  {"sse-client", "bus"},
		corpus.ReadEnvelopes: {"sse-client", "bus"},
		corpus.ReduceFrames:  {"reducer"},
		corpus.ReadCursor:    {"sse-server", "bus"},
		corpus.ReadMaxQueued: {"sse-server", "bus"},
	}
	c := catalogue(t)
	for _, v := range eventbusVectors(t) {
		first := ""
		for _, id := range v.Laws {
			l, _ := c.Law(id)
			if !slices.Contains(roles[v.Op], l.Role) {
				t.Errorf("%s cites %s, which binds a %s", v.Name, id, l.Role)
			}
			if l.Role == roles[v.Op][0] {
				first = id
			}
		}
		if first == "" {
			t.Errorf("%s cites no law of a %s: %v", v.Name, roles[v.Op][0], v.Laws)
		}
	}
}

// notInAStream are laws of readers of streams, of servers and of reducers that no body and no header text can show.
var notInAStream = map[string]string{
	"EVENTBUS-SSE-014":    "records how the seed's own client differs from the standard",
	"EVENTBUS-HTTP-006":   "speaks of the frames of a bus that has events",
	"EVENTBUS-HTTP-007":   "speaks of the epoch header",
	"EVENTBUS-HTTP-008":   "speaks of a frame that the server adds",
	"EVENTBUS-HTTP-009":   "speaks of answers without a stream",
	"EVENTBUS-HTTP-010":   "speaks of the capabilities",
	"EVENTBUS-HTTP-011":   "speaks of a reconnect",
	"EVENTBUS-HTTP-012":   "speaks of a reconnect",
	"EVENTBUS-HTTP-013":   "speaks of the capabilities",
	"EVENTBUS-WHATWG-025": "speaks of a reconnect",
	"EVENTBUS-WHATWG-026": "speaks of a reconnect",
	"EVENTBUS-WHATWG-027": "speaks of a reconnect",
	"EVENTBUS-WHATWG-029": "speaks of a reconnect",
	"EVENTBUS-WHATWG-030": "speaks of the status",
	"EVENTBUS-WHATWG-031": "speaks of the status",
	"EVENTBUS-WHATWG-032": "speaks of the type of the body",
	"EVENTBUS-WHATWG-033": "speaks of redirects",
	"EVENTBUS-WHATWG-034": "speaks of the request",
	"EVENTBUS-WHATWG-035": "speaks of the request",
	"EVENTBUS-WHATWG-036": "speaks of the state of a source",
	"EVENTBUS-WHATWG-037": "speaks of the state of a source",
	"EVENTBUS-LIMIT-004":  "speaks of many streams",
	"EVENTBUS-LIMIT-005":  "speaks of many streams",
	"EVENTBUS-CLOSE-004":  "speaks of a daemon",
	"EVENTBUS-RING-005":   "speaks of a daemon",
	"EVENTBUS-SSE-002":    "speaks of what a server writes",
	"EVENTBUS-SSE-004":    "speaks of what a server writes",
	"EVENTBUS-SSE-005":    "speaks of what a server writes",
	"EVENTBUS-SSE-006":    "speaks of what a server writes",
	"EVENTBUS-SSE-007":    "speaks of what a server writes",
	"EVENTBUS-SSE-008":    "speaks of what a server writes",
	"EVENTBUS-SSE-009":    "speaks of what a server writes",
}

func TestEveryLawOfStreamsHasVectors(t *testing.T) {
	cited := map[string]map[string]bool{}
	for _, v := range eventbusVectors(t) {
		for _, l := range v.Laws {
			if cited[l] == nil {
				cited[l] = map[string]bool{}
			}
			for _, version := range v.Versions {
				cited[l][version] = true
			}
		}
	}
	n := 0
	for _, l := range catalogue(t).Laws("eventbus") {
		_, other := notInAStream[l.ID]
		if l.Role == "bus" || !l.Active() {
			continue
		}
		n++
		if other && cited[l.ID] != nil {
			t.Errorf("%s is listed as out of reach, but has vectors", l.ID)
		}
		for _, version := range l.Versions {
			if !other && !cited[l.ID][version] {
				t.Errorf("%s (%s) has no vector for %s", l.ID, l.Title, version)
			}
		}
	}
	if n < 75 {
		t.Errorf("%d laws of streams were found, not the 75 and more that there are", n)
	}
	for id := range notInAStream {
		if l, ok := catalogue(t).Law(id); !ok || l.Role == "bus" {
			t.Errorf("%s is listed as out of reach, but is no law of a stream", id)
		}
	}
}

func TestEventbusVectorsAreMany(t *testing.T) {
	count := map[corpus.EventbusOp]int{}
	for _, v := range eventbusVectors(t) {
		count[v.Op]++
	}
	for op, least := range map[corpus.EventbusOp]int{
		corpus.ParseStream: 150, corpus.ReadEnvelope: 55, corpus.ReadEnvelopes: 9, corpus.ReduceFrames: 70,
		corpus.ReadCursor: 35, corpus.ReadMaxQueued: 40,
	} {
		if count[op] < least {
			t.Errorf("%d vectors of %s, want at least %d", count[op], op, least)
		}
	}
}

// TestEventbusVectorsAgreeWithEachOther holds that no two vectors give one body, text or request two results.
func TestEventbusVectorsAgreeWithEachOther(t *testing.T) {
	type key struct {
		op      corpus.EventbusOp
		version string
		octets  string
		end     bool
		limit   int
	}
	first := map[key]corpus.EventbusVector{}
	for _, v := range eventbusVectors(t) {
		k := key{op: v.Op, octets: string(v.Stream()), end: v.End}
		switch {
		case v.Op == corpus.ReduceFrames || len(v.Stream()) > 1<<20:
			continue
		case v.Text != nil:
			k.octets = string(*v.Text)
		case v.Query != nil:
			k.octets = string(*v.Query)
		}
		if v.Limit != nil {
			k.limit = *v.Limit
		}
		for _, h := range v.Headers {
			k.octets += string(h) + "\n"
		}
		for _, k.version = range v.Versions {
			other, ok := first[k]
			if ok && !sameResult(v.Want, other.Want) {
				t.Errorf("%s and %s give the same octets in %s different results", v.Name, other.Name, k.version)
			}
			if ok && v.Op != corpus.ParseStream {
				t.Errorf("%s and %s are the same in %s", v.Name, other.Name, k.version)
			}
			first[k] = v
		}
	}
}

func sameResult(a, b corpus.EventbusWant) bool {
	return len(a.Events) == len(b.Events) && string(a.LastEventID) == string(b.LastEventID) && a.Retry.String() == b.Retry.String() &&
		(a.Error == nil) == (b.Error == nil) && a.Dropped == b.Dropped && a.Live == b.Live && a.Refused == b.Refused
}
