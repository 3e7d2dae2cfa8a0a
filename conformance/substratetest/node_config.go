package substratetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// Meet has two sides meet.
func (t *nodeT) Meet(q greetRequest) (r greetReply) {
	t.MustAsk("greet", q, &r)
	return r
}

// Backoff returns how long a side that dials waits before each attempt of its life, in ms.
func (t *nodeT) Backoff(life ...backoffAttempt) []float64 {
	var r backoffReply
	t.MustAsk("backoff", backoffRequest{life}, &r)
	if len(r.Waits) != len(life) {
		t.Inconclusive("%d waits for %d attempts", len(r.Waits), len(life))
	}
	return r.Waits
}

// nodeConfigCases are about what a side is made of, and how it comes to a connection.
func nodeConfigCases() []conformance.Case {
	return slices.Concat(configFieldCases(), configAuthCases())
}

// configFieldCases are about what has to be given.
func configFieldCases() []conformance.Case {
	var out []conformance.Case
	for _, entry := range []string{"listener", "dialer"} {
		remote := map[string]string{"dialer": "peer"}[entry]
		out = append(out,
			nodeCase("config/auth-"+entry, "a "+entry+" cannot be made without a choice of auth", laws("SUBSTRATE-AUTH-001"), needs(Construct), func(t *nodeT) {
				for auth, wants := range map[string]bool{"": false, "null": false, "nothing": false, "none": true, "keys": true} {
					field := t.Config(configRequest{Entry: entry, Local: "node", Remote: remote, Auth: auth, Authorize: "all"})
					t.Check((field == "") == wants, "SUBSTRATE-AUTH-001", "there is no default and no third option: "+auth, fmt.Sprint("it can be made: ", wants), "speaks against it: "+field)
					t.Check(wants || strings.EqualFold(field, "auth"), "SUBSTRATE-AUTH-001", "the error names what is missing", "auth", field)
				}
			}),
			nodeCase("config/authorize-"+entry, "a "+entry+" cannot be made without an interceptor", laws("SUBSTRATE-AUTHZ-001"), needs(Construct), func(t *nodeT) {
				for authorize, wants := range map[string]bool{"": false, "null": false, "all": true} {
					for _, auth := range []string{"none", "keys"} {
						field := t.Config(configRequest{Entry: entry, Local: "node", Remote: remote, Auth: auth, Authorize: authorize})
						t.Check((field == "") == wants, "SUBSTRATE-AUTHZ-001", "authorize is required with no default: "+authorize, fmt.Sprint("it can be made: ", wants), "speaks against it: "+field)
						t.Check(wants || strings.EqualFold(field, "authorize"), "SUBSTRATE-AUTHZ-001", "the error names what is missing", "authorize", field)
					}
				}
			}))
	}
	return out
}

// side returns one side with a choice of auth, that allows everything.
func side(local, auth string) configRequest {
	return configRequest{Local: local, Auth: auth, Authorize: "all"}
}

// warned counts the lines at warn.
func warned(lines []logLine) (count int) {
	for _, l := range lines {
		if l.Level == "warn" {
			count++
		}
	}
	return count
}

// configAuthCases have two sides meet.
func configAuthCases() []conformance.Case {
	var out []conformance.Case
	for _, x := range []struct {
		listens, dials string
		law            string
		ready          bool
	}{
		{"none", "none", "SUBSTRATE-AUTH-002", true},
		{"keys", "keys", "SUBSTRATE-AUTH-002", true},
		{"none", "keys", "SUBSTRATE-AUTH-003", false},
		{"keys", "none", "SUBSTRATE-AUTH-003", false},
	} {
		out = append(out, nodeCase("config/meet-"+x.listens+"-"+x.dials, "a listener with "+x.listens+" and one that dials with "+x.dials+" meet, and none is logged at warn each time",
			laws("SUBSTRATE-AUTH-001", x.law), needs(Meeting), func(t *nodeT) {
				const attempts = 3
				r := t.Meet(greetRequest{Listener: side("node", x.listens), Dialer: side("peer", x.dials), Times: attempts})
				ready, codes := attempts, []int{}
				if !x.ready {
					ready, codes = 0, slices.Repeat([]int{4002}, attempts)
				}
				t.Equal(x.law, "the name that is offered and the provider that runs are of one value", ready, r.Ready)
				t.Equal(x.law, "the sides that do not fit part with 4002", codes, r.Codes)
				for who, lines := range map[string][]logLine{x.listens + " that listens": r.Listen, x.dials + " that dials": r.Dial} {
					want := 0
					if strings.HasPrefix(who, "none") {
						want = attempts
					}
					t.Check(warned(lines) == want, "SUBSTRATE-AUTH-001", "one warn entry each time none resolves, and none for a real provider: "+who, fmt.Sprint(want), fmt.Sprint(lines))
				}
			}))
	}
	return out
}

// configBackoffCases are about the wait before an attempt to dial.
func configBackoffCases() []conformance.Case {
	const law, bound = "SUBSTRATE-RECONNECT-007", "[0, min(30 s, 250 ms x 2^n)]"
	backoff := laws(law)
	full, half, least := 1.0, 0.5, 0.0
	failing := func(draw *float64, count int) []backoffAttempt {
		return slices.Repeat([]backoffAttempt{{Draw: draw}}, count)
	}
	return []conformance.Case{
		nodeCase("config/backoff-bounds", "the wait before attempt n is drawn from "+bound, backoff, needs(Waits), func(t *nodeT) {
			most := []float64{250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000}
			t.Equal(law, "the longest waits", most, t.Backoff(failing(&full, len(most))...))
			t.Equal(law, "the shortest waits", make([]float64, len(most)), t.Backoff(failing(&least, len(most))...))
			want := make([]float64, len(most))
			for i, v := range most {
				want[i] = v / 2
			}
			t.Equal(law, "half way between", want, t.Backoff(failing(&half, len(most))...))
		}),
		nodeCase("config/backoff-has-no-end", "there is no attempt limit", backoff, needs(Waits), func(t *nodeT) {
			got := t.Backoff(failing(&full, 300)...)
			t.Equal(law, "the three hundredth attempt waits like the tenth", 30_000.0, got[299])
			t.Equal(law, "and so does each between", []float64{30_000, 30_000}, []float64{slices.Min(got[7:]), slices.Max(got[7:])})
		}),
		nodeCase("config/backoff-begins-anew", "n begins anew after 10 s of ready, and not before", backoff, needs(Waits), func(t *nodeT) {
			for _, x := range []struct {
				ready int64
				next  float64
			}{{0, 2000}, {1, 2000}, {9_999, 2000}, {10_000, 250}, {10_001, 250}, {3_600_000, 250}} {
				life := append(failing(&full, 2), backoffAttempt{Draw: &full, Ready: &x.ready}, backoffAttempt{Draw: &full}, backoffAttempt{Draw: &full})
				want := []float64{250, 500, 1000, x.next, 2 * x.next}
				t.Equal(law, fmt.Sprintf("n resets after 10 s of ready, here %d ms", x.ready), want, t.Backoff(life...))
			}
		}),
		nodeCase("config/backoff-is-spread", "the target's own draws are spread over the whole range", backoff, needs(Waits), func(t *nodeT) {
			const draws = 400
			got := t.Backoff(make([]backoffAttempt, 7+draws)...)
			for n, wait := range got {
				most := min(30_000, 250*float64(uint64(1)<<min(n, 20)))
				if !t.Check(wait >= 0 && wait <= most, law, fmt.Sprintf("the wait before attempt %d", n), fmt.Sprint("at most ", most), fmt.Sprint(wait)) {
					return
				}
			}
			// Of 400 uniform draws none is in some eighth of the range less than once in 10^22 runs.
			for eighth := range 8 {
				lo := float64(eighth) * 30_000 / 8
				some := slices.ContainsFunc(got[7:], func(w float64) bool { return w >= lo && w <= lo+30_000/8 })
				t.Check(some, law, "a uniformly random time: every part of the range is drawn", fmt.Sprintf("a wait from %v ms on", lo), "none")
			}
		}),
	}
}
