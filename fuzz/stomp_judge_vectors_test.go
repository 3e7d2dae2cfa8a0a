package fuzz

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

func findings(t *testing.T, version string, server bool, stream []byte) []corpus.Finding {
	t.Helper()
	got, err := judgeStream(modelVersion(versionNamed(t, version)), server, stream)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Every judge vector has its findings, and is clear of the laws that it names, under each of its versions.
func TestJudgeVectors(t *testing.T) {
	for _, v := range stompVectors(t, corpus.Judge) {
		for _, version := range v.Versions {
			got := findings(t, version, v.From == "server", v.Stream())
			for _, want := range v.Want.Findings {
				if !slices.Contains(got, want) {
					t.Errorf("%s in %s: findings %v, want %v", v.Name, version, got, want)
				}
			}
			for _, f := range got {
				if slices.Contains(v.Want.Clear, f.Law) {
					t.Errorf("%s in %s: finding %v, want none on %s", v.Name, version, f, f.Law)
				}
			}
		}
	}
}

// The sender's faults among the bug reports are found, and what should have been sent is not at fault.
func TestJudgeBugs(t *testing.T) {
	for _, b := range corpusBugs(t) {
		if b.Fault != "sender" {
			continue
		}
		for _, version := range b.Versions {
			server := b.Direction == "server-to-client"
			got := findings(t, version, server, slices.Concat(b.Packets...))
			for _, want := range b.Findings {
				if !slices.Contains(got, want) {
					t.Errorf("%s in %s: findings %v, want %v", b.Name, version, got, want)
				}
			}
			for _, f := range findings(t, version, server, slices.Concat(b.Corrected...)) {
				if f.Verdict == "fail" {
					t.Errorf("%s in %s, corrected: %v", b.Name, version, f)
				}
			}
		}
	}
}

// A judge must not invent laws, nor use one where it does not hold.
func TestJudgeNamesLawsOfTheVersion(t *testing.T) {
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streamSeeds(t) {
		for _, v := range s.in.versions() {
			for _, f := range slices.Concat(findings(t, v.String(), false, s.stream), findings(t, v.String(), true, s.stream)) {
				if law, ok := laws.Law(f.Law); !ok || !law.Active() {
					t.Errorf("%q: %s is not a law in force", s.stream, f.Law)
				}
			}
		}
	}
}
