package spec_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/seed-6f28358b/assay/spec"
)

var update = flag.Bool("update", false, "rewrite the wanted errors under testdata/malformed")

// Each archive holds one malformed law file, named after its protocol, and the whole error text that it must give.
func TestParseRefusesMalformedFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/malformed/*.txtar")
	if err != nil || len(paths) < 30 {
		t.Fatalf("malformed files found: %d, error %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil || len(archive.Files) != 2 {
				t.Fatalf("want a law file and its errors, found %d files, error %v", len(archive.Files), err)
			}
			in, want := archive.Files[0], &archive.Files[1]
			laws, err := spec.Parse(in.Name, strings.TrimSuffix(in.Name, ".yaml"), in.Data)
			if err == nil {
				t.Fatalf("a malformed file was accepted with %d laws", len(laws))
			}
			if laws != nil {
				t.Errorf("laws returned beside an error: %d", len(laws))
			}
			checkPositions(t, err, in.Name, in.Data)
			if *update {
				want.Data = []byte(err.Error() + "\n")
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want.Data), err.Error()+"\n"); diff != "" {
				t.Errorf("error text differs (-want +got):\n%s", diff)
			}
		})
	}
}

// checkPositions asserts that every fault names the file and a line inside it, in order.
func checkPositions(t *testing.T, err error, file string, data []byte) {
	t.Helper()
	var faults spec.Errors
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("want a non-empty spec.Errors, got %T: %v", err, err)
	}
	last := 0
	for _, f := range faults {
		if f.File != file || f.Line < 1 || f.Line > strings.Count(string(data), "\n")+1 || f.Column < 0 || f.Reason == "" {
			t.Errorf("fault outside its file or without reason: %+v", *f)
		}
		if f.Line < last {
			t.Errorf("faults out of order: line %d after line %d", f.Line, last)
		}
		last = f.Line
	}
	var one *spec.Error
	if !errors.As(err, &one) || one != faults[0] {
		t.Errorf("the first fault is not reachable by errors.As")
	}
}

func TestParseRefusesWhatIsNoText(t *testing.T) {
	for name, tc := range map[string]struct {
		data []byte
		want string
	}{
		"invalid utf-8": {[]byte("# ok\n- id: \xff\n"), "x.yaml:2: text is not valid UTF-8"},
		"many keys": {
			[]byte("- a: b\n" + strings.Repeat("  a: b\n", 100_000)),
			"x.yaml:65:4: a law of more than 64 keys is not part of the law file format",
		},
		"over the size": {[]byte(strings.Repeat("#", spec.MaxFileSize+1)), "x.yaml:1: file has 1048577 bytes, at most 1048576 are read"},
	} {
		if _, err := spec.Parse("x.yaml", "stomp", tc.data); err == nil || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %s", name, err, tc.want)
		}
	}
}

func TestParseRefusesUnknownProtocol(t *testing.T) {
	_, err := spec.Parse("mqtt.yaml", "mqtt", nil)
	const want = `unknown protocol "mqtt", known: stomp, eventbus, substrate, databus`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestParseKeepsEveryField(t *testing.T) {
	const text = `# header
- id: STOMP-FRAME-001
  role: codec
  versions: ["1.0", "1.2"]
  level: SHOULD
  title: "a \\0 b"
  statement: 'it''s "so": yes'
  source: plain text over
    two lines
  check: >-
    folded
    text
  notes: 'n'
- id: STOMP-FRAME-002
  role: server
  versions:
    - "1.1"
  level: MAY
  title: t
  statement: s
  source: s
  check: c
  withdrawn: replaced by STOMP-FRAME-001
`
	got, err := spec.Parse("stomp.yaml", "stomp", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []spec.Law{
		{
			ID: "STOMP-FRAME-001", Protocol: "stomp", Group: "FRAME", Role: "codec", Level: spec.Should,
			Versions: []string{"1.0", "1.2"}, Title: `a \0 b`, Statement: `it's "so": yes`,
			Source: "plain text over two lines", Check: "folded text", Notes: "n", File: "stomp.yaml", Line: 2,
		},
		{
			ID: "STOMP-FRAME-002", Protocol: "stomp", Group: "FRAME", Role: "server", Level: spec.May,
			Versions: []string{"1.1"}, Title: "t", Statement: "s", Source: "s", Check: "c",
			Withdrawn: "replaced by STOMP-FRAME-001", File: "stomp.yaml", Line: 14,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("laws differ (-want +got):\n%s", diff)
	}
	if !got[0].Active() || got[1].Active() {
		t.Error("the law with a reason for its withdrawal, and only that one, is inactive")
	}
	if !got[0].AppliesTo("1.2") || got[0].AppliesTo("1.1") {
		t.Error("a law applies to the versions it names and to no other")
	}
}

func TestParseReadsCRLF(t *testing.T) {
	const text = "- id: SUBSTRATE-WIRE-001\n  role: peer\n  level: MUST\n  title: t\n  statement: s\n  kind: safety\n  source: decision\n  decision: true\n  check: c\n"
	lf, err := spec.Parse("f", "substrate", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	crlf, err := spec.Parse("f", "substrate", []byte(strings.ReplaceAll(text, "\n", "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lf, crlf); diff != "" || !lf[0].Decision {
		t.Errorf("line ends change the laws (-lf +crlf):\n%s", diff)
	}
}
