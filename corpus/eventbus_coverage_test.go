package corpus_test

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

func eventbusVectors(t *testing.T) []corpus.EventbusVector {
	t.Helper()
	vs, err := corpus.EventbusVectors()
	if err != nil {
		t.Fatal(err)
	}
	return vs
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
	covers(t, "eventbus", citations(t), func(l spec.Law) bool { return l.Role != "bus" }, notInAStream, 48)
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
		op     corpus.EventbusOp
		octets string
		end    bool
		limit  int
	}
	agree(t, eventbusVectors(t), func(v corpus.EventbusVector) corpus.Citation { return v.Citation },
		func(v corpus.EventbusVector) (key, bool) {
			k := key{op: v.Op, octets: string(v.Stream()), end: v.End}
			switch {
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
			return k, v.Op != corpus.ReduceFrames && len(k.octets) <= 1<<20
		},
		func(a, b corpus.EventbusVector) string {
			switch {
			case !sameResult(a.Want, b.Want):
				return "give the same octets different results"
			case a.Op != corpus.ParseStream:
				return "are the same"
			}
			return ""
		})
}

func sameResult(a, b corpus.EventbusWant) bool {
	return len(a.Events) == len(b.Events) && string(a.LastEventID) == string(b.LastEventID) && a.Retry.String() == b.Retry.String() &&
		(a.Error == nil) == (b.Error == nil) && a.Dropped == b.Dropped && a.Live == b.Live && a.Refused == b.Refused
}
