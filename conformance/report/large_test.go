package report_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// large makes runs of the real catalogue's size: targets that do not exist, verdicts by chance from a fixed seed.
func large(t testing.TB, targets, cases int) (*spec.Catalogue, []*conformance.Result) {
	t.Helper()
	laws, err := spec.Load()
	if err != nil {
		t.Skipf("the catalogue cannot be loaded: %v", err)
	}
	names := []string{"Heron MQ 3.10.8", "Plover Broker Classic", "Avocet", "dunlin-server", "stint-js 1.3", "Curlew", "Sanderling Go", "Whimbrel 2"}
	all := laws.Laws("stomp")
	var out []*conformance.Result
	for i := range targets {
		rng := rand.New(rand.NewPCG(uint64(i)+1, 42))
		h := header(names[i%len(names)])
		h.Suite, h.Target = "stomp", fmt.Sprintf("tcp://127.0.0.1:%d", 61613+i)
		h.Software = strings.ReplaceAll(strings.ToLower(h.Name), " ", "-") + "/" + fmt.Sprint(i+1) + ".2"
		h.Versions = []string{"1.0", "1.1", "1.2"}
		h.Started = h.Started.Add(time.Duration(i) * time.Minute)
		var list []conformance.CaseResult
		for k := range cases {
			law := all[k%len(all)]
			version := "1.2"
			if n := len(law.Versions); n > 0 {
				version = law.Versions[(k/len(all))%n]
			}
			list = append(list, chance(rng, h, law, version, k))
		}
		out = append(out, result(h, list...))
	}
	return laws, out
}

func chance(rng *rand.Rand, h conformance.Header, law spec.Law, version string, k int) conformance.CaseResult {
	id := fmt.Sprintf("stomp/server/%s/%s-%d@%s", strings.ToLower(law.Group), slug(law.Title), k, version)
	c := conformance.CaseResult{
		Type: "case", ID: id, Title: strings.ToLower(law.Title), Laws: []string{law.ID}, Version: version, Verdict: conformance.Pass,
		Millis: rng.Float64() * 40, Attempts: 1, Command: "assay test stomp " + h.Target + " --only '" + id + "' --seed 7",
		Transcript: []conformance.Record{
			{Millis: 0.1, Conn: "a", Dir: "-", Text: "connected to " + h.Target},
			{Millis: 0.4, Conn: "a", Dir: ">", Text: `CONNECT\naccept-version:1.0,1.1,1.2\nhost:/\nlogin:guest\npasscode:guest\n\n\0`, Octets: 78},
			{Millis: 3.2, Conn: "a", Dir: "<", Text: `CONNECTED\nserver:` + strings.ReplaceAll(h.Software, " ", "") + `\nsession:s-1\nheart-beat:0,0\nversion:` + version + `\n\n\0\n`, Octets: 96},
			{Millis: 3.6, Conn: "a", Dir: ">", Text: `SUBSCRIBE\nid:0\ndestination:/queue/q-k3j9-1\nack:client\nreceipt:r1\n\n\0`, Octets: 74},
			{Millis: 5.9, Conn: "b", Dir: ">", Text: `SEND\ndestination:/queue/q-k3j9-1\ncontent-length:5\n\nhe\0lo\0`, Octets: 60},
			{Millis: 9.5, Conn: "a", Dir: "<", Text: `MESSAGE\nsubscription:0\nmessage-id:T_0@@session-1@@1\ndestination:/queue/q-k3j9-1\ncontent-length:5\n\nhe\0lo\0\n`, Octets: 121},
			{Millis: 312.7, Conn: "a", Dir: "-", Text: "nothing more for 300 ms"},
		},
	}
	f := conformance.Finding{Law: law.ID, Level: string(law.Level), Step: 1 + rng.IntN(5)}
	p := rng.Float64()
	switch {
	case p < 0.05 && law.Level == spec.Must:
		c.Verdict = conformance.Fail
		f.Reason, f.Expected, f.Seen = "the specification asks for it in as many words, and clients rely on it", "ERROR, then the end of the connection", `MESSAGE\nsubscription:0\nmessage-id:1\n\nhe`
		c.Replay, c.WindowMS = "replays/"+slug(id)+".json", 300
	case p < 0.10:
		c.Verdict = conformance.Lax
		f.Reason, f.Expected, f.Seen = "a well-behaved server should do so", "the first of the repeated headers", "the last of the repeated headers"
	case p < 0.14:
		c.Verdict = conformance.Info
		f.Reason, f.Seen = "what the target does with "+strings.ToLower(law.Title), []string{"ERROR frame", "ignored", "connection closed"}[rng.IntN(3)]
	case p < 0.155:
		c.Verdict, c.Reason = conformance.Inconclusive, "verdict moved: fail at first, pass at 2 times the deadlines"
	case p < 0.165:
		c.Verdict, c.Reason = conformance.Blocked, "stomp/server/subscribe: no MESSAGE ever arrived"
	case p < 0.20:
		c.Verdict, c.Reason = conformance.Unsupported, "profile: transactions: the product does not have them"
	case p < 0.21:
		c.Verdict, c.Reason = conformance.NotRun, "not selected"
		c.Transcript = nil
	}
	f.Verdict = c.Verdict
	if c.Verdict == conformance.Fail || c.Verdict == conformance.Lax || c.Verdict == conformance.Info {
		c.Findings, c.Reason = []conformance.Finding{f}, f.Reason
	}
	if k%37 == 0 {
		c.Notes = []conformance.Note{{Key: "largest frame that was accepted", Value: fmt.Sprint(1<<(14+rng.IntN(3))) + " octets"}}
	}
	return c
}

func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return len(w) < 2 }), "-")
}
