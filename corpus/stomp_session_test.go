package corpus_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

// sessionSides tells whether a session vector shows calls that succeed, calls that fail, or both.
func sessionSides(v corpus.StompVector) (accepts, refuses bool) {
	if v.Want.Reject {
		return false, true
	}
	for _, s := range v.Session.Script(v.Versions[0]) {
		failed := s.Want != nil && (s.Want.Refused != "" || s.Want.Closes != "")
		accepts, refuses = accepts || !failed && s.Want != nil, refuses || failed
	}
	return accepts, refuses
}

func sessionVectors(t *testing.T) []corpus.StompVector {
	t.Helper()
	return slices.DeleteFunc(vectors(t), func(v corpus.StompVector) bool { return v.Op != corpus.RunSession })
}

// notOfTheSession are the laws of the reference client that a session by itself cannot show.
var notOfTheSession = map[string]string{
	"STOMP-LIMIT-020":      "speaks of reports and documents",
	"STOMP-CLOCK-007":      "speaks of the transport",
	"STOMP-RECEIPT-006":    "speaks of names and documents",
	"STOMP-ERROR-008":      "speaks of the transport",
	"STOMP-ERROR-009":      "speaks of the transport",
	"STOMP-ERROR-010":      "speaks of the transport",
	"STOMP-ERROR-011":      "speaks of the transport",
	"STOMP-DISCONNECT-007": "speaks of the transport",
}

// groups are those whose reference-client laws are about a session.
func groups() []string {
	return []string{
		"LIMIT", "CONNECT", "NEGOTIATE", "HEARTBEAT", "CLOCK", "SEND", "SUBSCRIBE", "UNSUBSCRIBE", "ACK", "NACK", "TX",
		"RECEIPT", "ERROR", "DISCONNECT", "CLIENT",
	}
}

func TestEverySessionLawHasVectors(t *testing.T) {
	var cited []corpus.Citation
	for _, v := range sessionVectors(t) {
		cited = append(cited, v.Citation)
	}
	covers(t, "stomp", cited, func(l spec.Law) bool {
		return l.Role == "reference-client" && slices.Contains(groups(), l.Group)
	}, notOfTheSession, 66)
}

func TestEverySessionReasonIsWanted(t *testing.T) {
	wanted := map[string]bool{}
	for _, v := range sessionVectors(t) {
		if v.Session.Steps == nil {
			continue
		}
		for _, s := range v.Session.Script(v.Versions[0]) {
			if s.Want != nil {
				wanted[s.Want.Refused], wanted[s.Want.Closes] = true, true
			}
		}
	}
	for _, r := range slices.Concat(corpus.SendReasons(), corpus.ReceiveReasons(), corpus.TickReasons(), corpus.EndReasons()) {
		if !wanted[r] {
			t.Errorf("no vector wants the reason %s", r)
		}
	}
}

// goodSession is a session vector that loads.
const goodSession = `- name: one
  laws: [STOMP-CLIENT-001]
  op: session
  versions: ["1.1", "1.2"]
  session:
    profile: multi
    capacities: {subscriptions: 1, transactions: 2, receipts: 3, deliveries: 4}
    tolerance: 7
    open: {now: 5, client: '1,2'}
    steps:
      - send: 'SUBSCRIBE id:s destination:/q'
        now: 9
      - repeat:
          - receive: [{frame: 'MESSAGE message-id:m{i}', body: 'x\0'}, '\n']
            want: {events: [{kind: message, get: [['message-id', 'm{i}']]}, heartbeat], version: '{version}'}
        count: 2
      - tick: true
        now: 11
        want: {octets: '', counts: {deliveries: 2}, intervals: [1, 0]}
`

func TestSessionScript(t *testing.T) {
	got, err := load(goodSession)
	if err != nil {
		t.Fatal(err)
	}
	s := got[0].Session
	if s.Capacities == nil || *s.Capacities != (corpus.Capacities{Subscriptions: 1, Transactions: 2, Receipts: 3, Deliveries: 4}) {
		t.Errorf("capacities are %v", s.Capacities)
	}
	if s.Tolerance == nil || *s.Tolerance != 7 {
		t.Errorf("tolerance is %v", s.Tolerance)
	}
	script := s.Script("1.1")
	if again := s.Script("1.1"); cmp.Diff(script, again) != "" {
		t.Error("a second script differs from the first")
	}
	type call struct {
		Now                int64
		Send, Receive, Get string
		Tick               bool
	}
	var calls []call
	for _, step := range script {
		c := call{Now: *step.Now, Tick: step.Tick}
		if step.Send != nil {
			c.Send = string(step.Send.Command)
			for _, h := range step.Send.Headers {
				c.Send += " " + string(h.Name) + "=" + string(h.Value)
			}
		}
		if step.Receive != nil {
			c.Receive = corpus.Quote(*step.Receive)
		}
		if step.Want != nil && len(step.Want.Events) > 0 {
			c.Get = string(step.Want.Events[0].Get[0].Value) + " " + step.Want.Version
		}
		calls = append(calls, c)
	}
	want := []call{
		{Now: 5, Send: "CONNECT accept-version=1.1 host=h heart-beat=1,2"},
		{Now: 5, Receive: `CONNECTED\nversion:1.1\n\n\0`},
		{Now: 9, Send: "SUBSCRIBE id=s destination=/q"},
		{Now: 9, Receive: `MESSAGE\nmessage-id:m1\n\nx\0\0\n`, Get: "m1 1.1"},
		{Now: 9, Receive: `MESSAGE\nmessage-id:m2\n\nx\0\0\n`, Get: "m2 1.1"},
		{Now: 11, Tick: true},
	}
	if d := cmp.Diff(want, calls); d != "" {
		t.Errorf("the script differs (-want +got):\n%s", d)
	}
}

func TestLoadStompVectorsRefusesSessions(t *testing.T) {
	refuses(t, goodSession, load, []refusal{
		{"unknown profile", "profile: multi", "profile: lenient", 1, "lenient"},
		{"strict in 1.1", "profile: multi", "profile: strict", 1, "1.2 only"},
		{"unknown key", "tolerance: 7", "tolerence: 7", 8, "tolerence"},
		{"capacities with a gap", "receipts: 3, ", "", 7, "all of its 4"},
		{"unknown key in open", "open: {now: 5", "open: {then: 5", 9, "then"},
		{"steps of another op", "  session:", "  steps: [{poll: 1, due: true}]\n  session:", 1, "steps"},
		{"no session", "op: session", "op: judge", 1, "session"},
		{"two calls in one step", "- tick: true", "- tick: true\n        end: true", 17, "exactly one"},
		{"no call in a step", "- tick: true", "- count: 0", 17, "exactly one"},
		{"unknown key in a step", "now: 9", "time: 9", 12, "time"},
		{"count of nothing", "now: 9", "count: 9", 11, "count"},
		{"no rounds", "count: 2", "count: 0", 13, "count 0"},
		{"too many rounds", "count: 2", "count: 4097", 13, "count 4097"},
		{"time of a repetition", "count: 2", "count: 2\n        now: 1", 13, "neither"},
		{"round outside a repetition", "id:s ", "id:s{i} ", 1, "{i}"},
		{"short frame without colon", "id:s ", "id ", 11, "no colon"},
		{"frame with look-ups", "'SUBSCRIBE id:s destination:/q'", "{command: SEND, absent: [x]}", 11, "look-ups"},
		{"unknown key in a frame of octets", "body: 'x\\0'", "tail: x", 14, "tail"},
		{"empty want", "want: {octets: '', counts: {deliveries: 2}, intervals: [1, 0]}", "want: {}", 19, "empty"},
		{"unknown key in want", "octets: ''", "bytes: ''", 19, "bytes"},
		{"unknown state", "octets: ''", "state: open", 19, "open"},
		{"unknown count", "deliveries: 2}", "delivered: 2}", 19, "delivered"},
		{"no count", "{deliveries: 2}", "{}", 19, "nothing"},
		{"unknown counts", "{deliveries: 2}", "all", 19, "all"},
		{"half an interval", "[1, 0]", "[1]", 19, "1 numbers"},
		{"unknown version", "version: '{version}'", "version: '1.3'", 15, "1.3"},
		{"unknown kind", "heartbeat]", "heart-beat]", 15, "heart-beat"},
		{"event with a client's command", "heartbeat]", "{command: SEND}]", 15, "SEND"},
		{"events of tick", "octets: ''", "events: []", 17, "only receive"},
		{"octets of receive", "version: '{version}'", "octets: ''", 14, "only send and tick"},
		{"frame of tick", "octets: ''", "decodes: true", 17, "only what a send"},
		{"refused tick", "octets: '', counts: {deliveries: 2}, intervals: [1, 0]", "refused: closed", 17, "only a send"},
		{"tick closed by a frame", "octets: '', counts: {deliveries: 2}, intervals: [1, 0]", "closes: syntax", 17, "syntax"},
		{"closed with octets", "octets: ''", "closes: timeout, octets: ''", 19, "nothing"},
		{"unknown rule", "octets: ''", "closes: timeout, rule: x", 19, "nothing"},
		{"rule without failure", "octets: ''", "rule: escape", 19, "escape"},
		{"steps for what is rejected", "  session:", "  want: {reject: true}\n  session:", 1, "takes no steps"},
	})
}
