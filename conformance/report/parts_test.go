package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
)

func part(v conformance.Verdict, selection ...string) *conformance.Result {
	r := allOf("Alpha", v)
	r.Header.Selection = selection
	return r
}

// A set of parts that is not whole is not green, and names what it lacks.
func TestMissingPartsAreTold(t *testing.T) {
	pass := func(s ...string) *conformance.Result { return part(conformance.Pass, s...) }
	for name, tt := range map[string]struct {
		results []*conformance.Result
		missing []string
		exit    int
	}{
		"all three":          {[]*conformance.Result{pass("--shard 1/3"), pass("--shard 3/3"), pass("--shard 2/3")}, nil, 0},
		"the second is gone": {[]*conformance.Result{pass("--shard 1/3"), pass("--shard 3/3")}, []string{"2/3"}, 2},
		"one alone":          {[]*conformance.Result{pass("--shard 2/3")}, []string{"1/3", "3/3"}, 2},
		"one twice":          {[]*conformance.Result{pass("--shard 1/2"), pass("--shard 1/2")}, []string{"2/2"}, 2},
		"beside a whole run": {[]*conformance.Result{pass("--shard 1/3"), pass()}, nil, 0},
		"of another selection": {
			[]*conformance.Result{pass("--version 1.2", "--shard 1/2"), pass("--version 1.2", "--shard 2/2"), pass("--shard 1/2")},
			[]string{"2/2"},
			2,
		},
		"a broken law outweighs it": {[]*conformance.Result{part(conformance.Fail, "--shard 1/2")}, []string{"2/2"}, 1},
	} {
		m := report.Join(catalogue(t), tt.results...)
		if d := cmp.Diff(tt.missing, m.Targets[0].Missing); d != "" || m.Exit() != tt.exit {
			t.Errorf("%s: exit %d, want %d; missing (-want +got):\n%s", name, m.Exit(), tt.exit, d)
		}
		if tt.missing == nil {
			continue
		}
		for _, f := range []string{"terminal", "md", "html", "junit", "sarif", "json"} {
			if out := write(t, f, tt.results...); !strings.Contains(out, "of the run") || !strings.Contains(out, tt.missing[0]) {
				t.Errorf("%s: %s does not tell that %s is missing", name, f, tt.missing[0])
			}
		}
	}
	if m := report.Join(nil, pass("--shard 1/1000000000")); len(m.Targets[0].Missing) > 30 {
		t.Errorf("%d parts are named", len(m.Targets[0].Missing))
	}
}

// A run that was asked for one part reports on that part.
func TestPartStandsAloneWhenMeant(t *testing.T) {
	var b bytes.Buffer
	if err := report.Terminal(&b, report.Options{Part: true}, part(conformance.Pass, "--shard 1/3")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "exit 0: every law that was decided held") || strings.Contains(b.String(), "missing") {
		t.Errorf("the report of a part:\n%s", b.String())
	}
}
