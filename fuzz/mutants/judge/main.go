// Command judge tells which of the laws named on its command line the reference breaks, by running the
// corpus vectors and the suites' cases that cite them. It is built once for each mutant, with the
// mutant's edit laid over the reference, and prints one JSON object.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suites"
	"github.com/seed-6f28358b/assay/fuzz/mutants"
	"github.com/seed-6f28358b/assay/spec"
)

var patience = flag.Int("patience", 1, "multiplies the deadlines of the suites")

func main() {
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	v, err := judge(ctx, flag.Args())
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(v)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func judge(ctx context.Context, laws []string) (mutants.Verdict, error) {
	v, err := mutants.ByVectors(laws)
	if err != nil {
		return v, err
	}
	catalogue, err := spec.Load()
	if err != nil {
		return v, err
	}
	// Generated dialogues take long, and longer when they shrink what they found.
	for _, explores := range []bool{false, true} {
		for _, s := range suites.All() {
			if err := suite(ctx, s, catalogue, laws, v.Caught, explores); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}

// suite runs the cases of s, exploring ones or the others, that cite a law which nothing has decided yet.
func suite(ctx context.Context, s *conformance.Suite, catalogue *spec.Catalogue, laws []string, caught map[string]string, explores bool) error {
	undecided := slices.DeleteFunc(slices.Clone(laws), func(law string) bool { return caught[law] != "" })
	s.Reference = hasty(s.Reference)
	s.Cases = slices.DeleteFunc(s.Cases, func(c conformance.Case) bool { return c.Explores != explores || !cites(c.Laws, undecided) })
	if len(s.Cases) == 0 {
		return nil
	}
	target, err := conformance.ParseTarget("ref")
	if err != nil {
		return err
	}
	res, err := conformance.Run(ctx, s, conformance.Config{Target: target})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		// What was not run has decided nothing.
		return ctx.Err()
	}
	// Cases end in any order; the record should name the same one every time.
	slices.SortFunc(res.Cases, func(a, b conformance.CaseResult) int { return strings.Compare(a.ID, b.ID) })
	for _, c := range res.Cases {
		for _, f := range c.Findings {
			if slices.Contains(undecided, f.Law) && caught[f.Law] == "" && broken(catalogue, f) && c.Verdict == f.Verdict {
				caught[f.Law] = "case " + c.ID
			}
		}
	}
	return nil
}

// hasty gives the reference the deadlines of somebody in a hurry: it answers within a millisecond, and most
// of what a judge waits for is what a mutant never sends.
func hasty(start func(context.Context) (*conformance.Reference, error)) func(context.Context) (*conformance.Reference, error) {
	return func(ctx context.Context) (*conformance.Reference, error) {
		ref, err := start(ctx)
		if err == nil {
			ref.Profile.Deadlines = conformance.ProfileDeadlines{
				Reply: conformance.Duration(*patience) * conformance.Duration(700*time.Millisecond),
				Close: conformance.Duration(*patience) * conformance.Duration(time.Second),
				Quiet: conformance.Duration(*patience) * conformance.Duration(150*time.Millisecond),
			}
		}
		return ref, err
	}
}

// broken reports whether a finding says that its law is broken, to the verdict that a break comes to on
// the reference. A choice that a law leaves open is recorded too, with nothing expected, and is no break.
func broken(catalogue *spec.Catalogue, f conformance.Finding) bool {
	law, _ := catalogue.Law(f.Law)
	want := conformance.Fail
	switch law.Level {
	case spec.Should:
		want = conformance.Lax
	case spec.May:
		want = conformance.Info
	}
	return f.Verdict == want && f.Expected != ""
}

func cites(have, want []string) bool {
	return slices.ContainsFunc(have, func(law string) bool { return slices.Contains(want, law) })
}
