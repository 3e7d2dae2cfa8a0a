package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// catalogue is a small set of laws of its own, so that golden files do not follow the wording of real ones.
func catalogue(t testing.TB) *spec.Catalogue {
	t.Helper()
	law := func(id, group string, level spec.Level, title, statement string) spec.Law {
		return spec.Law{
			ID: id, Protocol: "demo", Group: group, Role: "server", Level: level, Versions: []string{"1.1", "1.2"}, Title: title,
			Statement: statement, Source: "Demo spec, section of " + strings.ToLower(title), Check: "Try it and look.", File: "demo.yaml", Line: 7,
		}
	}
	c, err := spec.New([]spec.Law{
		law("DEMO-FRAME-001", "FRAME", spec.Must, "Frame layout", "A frame is a command, headers, a blank line and a body."),
		law("DEMO-FRAME-002", "FRAME", spec.Should, "First header wins", "Of repeated headers the first should be used."),
		law("DEMO-ACK-001", "ACK", spec.Must, "Cumulative acknowledgement", "An acknowledgement settles every message before it."),
		law("DEMO-ACK-002", "ACK", spec.May, "Unknown acknowledgement", "A server may answer an unknown id with an error."),
		law("DEMO-ACK-003", "ACK", spec.Reference, "Bound of open messages", "The reference keeps at most 64 open messages."),
		law("DEMO-LINK-001", "LINK", spec.Must, "Closing", "After an error the server closes the connection."),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// header holds no value that another package may change, so that golden files follow this package alone.
func header(name string) conformance.Header {
	return conformance.Header{
		Type: "header", Schema: conformance.SchemaVersion, Assay: "0.1.0", Suite: "demo", Target: "tcp://127.0.0.1:61613", Name: name,
		Kind: "real", Profile: "demo-profile", Software: name + "/1.0", Versions: []string{"1.1", "1.2"},
		Started: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC), Seed: 7, Nonce: "k3j9", Timing: conformance.Timing{
			Reply: 2 * time.Second, Close: 4 * time.Second, Quiet: 300 * time.Millisecond, HeartBeat: time.Second, Case: 20 * time.Second,
			RTT: 2 * time.Millisecond,
		},
		Calibration: conformance.Calibration{
			Laws: strings.Repeat("ab", 32), Binary: strings.Repeat("cd", 32), Platform: "linux/amd64 go1.26", Reference: "green", Cases: 7,
			At: "2026-11-29T11:59:00Z",
		},
		Command: "assay test demo tcp://127.0.0.1:61613 --profile demo.yaml --seed 7",
		Scope:   "A bounded result of these cases on this target; it says nothing about persistence or load.",
	}
}

// result makes a whole result of cases: the footer adds up.
func result(h conformance.Header, cases ...conformance.CaseResult) *conformance.Result {
	counts := conformance.Counts{}
	for i := range cases {
		cases[i].Type = "case"
		counts[cases[i].Verdict]++
	}
	return &conformance.Result{Header: h, Cases: cases, Dir: "assay-report", Footer: conformance.Footer{
		Type: "footer", Finished: h.Started.Add(3 * time.Second), Millis: 3000.5, Counts: counts, Total: len(cases), Exit: counts.Exit(),
	}}
}

func plainCase(id string, v conformance.Verdict, laws ...string) conformance.CaseResult {
	c := conformance.CaseResult{
		ID: "demo/server/" + id, Title: "does " + id, Verdict: v, Laws: laws, Version: "1.2", Millis: 12.5, Attempts: 1,
		Command: "assay test demo tcp://127.0.0.1:61613 --only 'demo/server/" + id + "' --seed 7",
		Transcript: []conformance.Record{
			{Millis: 0, Conn: "a", Dir: "-", Text: "connected to 127.0.0.1:61613"},
			{Millis: 0.2, Conn: "a", Dir: ">", Text: `CONNECT\naccept-version:1.2\nhost:x\n\n\0`, Octets: 38},
			{Millis: 1.4, Conn: "a", Dir: "<", Text: `CONNECTED\nversion:1.2\n\n\0\n`, Octets: 25},
			{Millis: 2, Conn: "a", Dir: ">", Text: `SEND\ndestination:/q\n\n\x1b[31m<b>\xff\0`, Octets: 300, Cut: true},
		},
	}
	if v != conformance.Pass {
		c.Reason = "because of " + id
	}
	return c
}

func withFinding(c conformance.CaseResult, f conformance.Finding) conformance.CaseResult {
	c.Findings = append(c.Findings, f)
	if f.Verdict == c.Verdict {
		c.Reason = f.Reason
	}
	return c
}

// mixed has one case of every verdict, and more.
func mixed(name string) *conformance.Result {
	fail := withFinding(plainCase("ack/cumulative@1.2", conformance.Fail, "DEMO-ACK-001", "DEMO-FRAME-001"), conformance.Finding{
		Law: "DEMO-ACK-001", Level: "MUST", Verdict: conformance.Fail, Step: 3, Reason: "an acknowledgement settles what came before it",
		Expected: "no further MESSAGE", Seen: `MESSAGE message-id:1\nredelivered:true`, Timed: true,
	})
	fail.Timing, fail.Replay, fail.WindowMS, fail.Attempts = "steady", "replays/demo_server_ack_cumulative_1.2.json", 300, 3
	lax := withFinding(plainCase("frame/repeated@1.2", conformance.Lax, "DEMO-FRAME-002"), conformance.Finding{
		Law: "DEMO-FRAME-002", Level: "SHOULD", Verdict: conformance.Lax, Step: 1, Reason: "the first of repeated headers is used", Expected: "first", Seen: "last",
	})
	info := withFinding(plainCase("ack/unknown@1.2", conformance.Info, "DEMO-ACK-002"), conformance.Finding{
		Law: "DEMO-ACK-002", Level: "MAY", Verdict: conformance.Info, Step: 2, Reason: "what an unknown id is answered with", Seen: "ERROR of " + name,
	})
	info.Notes = []conformance.Note{{Key: "largest body", Value: "64 KiB on " + name}}
	return result(header(name),
		fail, lax, info,
		plainCase("frame/layout@1.2", conformance.Pass, "DEMO-FRAME-001"),
		plainCase("link/close@1.2", conformance.Inconclusive, "DEMO-LINK-001"),
		plainCase("link/close@1.1", conformance.Blocked, "DEMO-LINK-001"),
		plainCase("ack/bound", conformance.Unsupported, "DEMO-ACK-003"),
		plainCase("frame/unselected", conformance.NotRun, "DEMO-FRAME-001"),
	)
}

func allOf(name string, v conformance.Verdict) *conformance.Result {
	var cases []conformance.CaseResult
	for id, law := range map[string]string{"frame/layout@1.2": "DEMO-FRAME-001", "ack/cumulative@1.2": "DEMO-ACK-001", "link/close@1.2": "DEMO-LINK-001"} {
		c := plainCase(id, v, law)
		if v == conformance.Fail {
			c = withFinding(c, conformance.Finding{Law: law, Level: "MUST", Verdict: v, Step: 1, Reason: "it must hold", Expected: "this", Seen: "that"})
		}
		cases = append(cases, c)
	}
	return result(header(name), cases...)
}

// attack is every kind of text that a form could stumble over, in one string.
const attack = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`]]>--></script><!--<script>" +
	"\x1b[2J\x1b]0;title\x07\r\n::error::forged\n##[error]forged\x00\x9b31m\xff\xfe\xc3(" +
	"\u202egnp.exe\u2066\u200b\u2028\u2029\ufeff" + "| a | ``` ~~~ [x](javascript:alert(1)) ![y](http://x.test/z) @someone #1 $x$ &lt; {{.}} ${x} \\x41 \\| ../../etc/passwd %s %n"

// hostile puts attack wherever a target or a result file can put a text.
func hostile() *conformance.Result {
	h := header(attack)
	h.Target, h.Software, h.Profile, h.Nonce, h.Scope, h.Assay, h.Kind = attack, attack, attack, attack, attack, attack, attack
	h.Versions, h.Selection = []string{attack}, []string{"--only " + attack}
	h.Calibration = conformance.Calibration{Laws: attack, Binary: attack, Platform: attack, Reference: attack, At: attack, Cases: 3}
	var cases []conformance.CaseResult
	for _, v := range conformance.Verdicts() {
		cases = append(cases, conformance.CaseResult{
			ID: "demo/" + attack + "/" + string(v), Title: attack, Verdict: v, Laws: []string{attack, "DEMO-FRAME-001", "../../../x-A-001"}, Version: attack,
			Reason: attack, Timing: attack, Replay: attack, Command: attack,
			Findings: []conformance.Finding{
				{Law: attack, Level: attack, Verdict: v, Step: 1, Reason: attack, Expected: attack, Seen: attack},
				{Law: "DEMO-FRAME-001", Level: "MUST", Verdict: v, Step: -1, Reason: attack, Seen: strings.Repeat(attack, 400)},
				{Law: "DEMO-FRAME-002", Level: "MUST", Verdict: conformance.Verdict(attack), Reason: attack},
			},
			Notes:      []conformance.Note{{Key: attack, Value: attack}},
			Transcript: []conformance.Record{{Conn: attack, Dir: attack, Text: attack}, {Conn: "a", Dir: "<", Text: strings.Repeat(attack, 400), Octets: 1 << 20}},
		})
	}
	r := result(h, cases...)
	r.Footer.Stopped = attack
	r.Footer.Baseline = &conformance.BaselineDelta{New: []string{attack}, Changed: []string{attack}, Fixed: []string{attack}, Expired: []string{attack}, Known: 1}
	return r
}
