package report

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// sarifKnown says how a finding stands to the baseline, if there is one: what it excuses is unchanged and suppressed.
func sarifKnown(r *sarif.Result, d Deviation) {
	b, id := d.Target.Baseline, d.Case.ID
	switch {
	case b == nil || !d.Case.Verdict.Deviation():
	case d.Case.Excuse != nil:
		r.WithBaselineState("unchanged").AddSuppression(
			sarif.NewSuppression().WithKind("external").WithStatus("accepted").WithJustification(d.Case.known()))
	case slices.Contains(b.New, id):
		r.WithBaselineState("new")
	case slices.Contains(b.Changed, id):
		r.WithBaselineState("updated")
	case slices.Contains(b.Expired, id):
		r.WithBaselineState("unchanged")
	}
}

// withoutDefaults encodes a log and leaves out what says nothing: empty lists, and indexes and offsets of -1, which the
// format takes as absent. The list of results stays, since its absence would say that nothing was looked for.
func withoutDefaults(log *sarif.Report) ([]byte, error) {
	data, err := json.Marshal(log)
	if err != nil {
		return nil, err
	}
	var tree any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	prune(tree)
	data, err = json.MarshalIndent(tree, "", "  ")
	return append(data, '\n'), err
}

// absentAtMinusOne are the numbers for which the format takes -1 as not given.
var absentAtMinusOne = []string{"id", "index", "parentIndex", "byteOffset", "charOffset", "rank"}

func prune(node any) {
	switch n := node.(type) {
	case []any:
		for _, v := range n {
			prune(v)
		}
	case map[string]any:
		for key, v := range n {
			list, isList := v.([]any)
			number, isNumber := v.(json.Number)
			switch {
			case isList && len(list) == 0 && key != "results" && key != "runs" && key != "rules":
				delete(n, key)
			case isNumber && number == "-1" && slices.Contains(absentAtMinusOne, key):
				delete(n, key)
			default:
				prune(v)
			}
		}
	}
}
