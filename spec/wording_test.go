package spec_test

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/spec"
)

// Laws speak of verdicts in the words of verdicts, and use no jargon of one program for what has a plain name.
func TestLawsUseTheWordsOfTheHouse(t *testing.T) {
	catalogue, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	laws, err := catalogue.Select(spec.Filter{Withdrawn: true})
	if err != nil {
		t.Fatal(err)
	}
	for word, instead := range map[string]string{
		"non-strict": "lax",
		"breadcrumb": "a line in the log",
	} {
		for _, l := range laws {
			if strings.Contains(strings.ToLower(strings.Join([]string{l.Title, l.Statement, l.Check, l.Notes, l.Withdrawn}, " ")), word) {
				t.Errorf("%s says %q: %s", l.ID, word, instead)
			}
		}
	}
}
