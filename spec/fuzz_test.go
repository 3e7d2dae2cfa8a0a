package spec_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/spec"
)

// FuzzParse demands of any text that Parse neither panics nor accepts what breaks the promises of its laws.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/malformed/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("seeds: %d, error %v", len(paths), err)
	}
	for _, p := range paths {
		archive, err := txtar.ParseFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.TrimSuffix(archive.Files[0].Name, ".yaml"), archive.Files[0].Data)
	}
	for _, protocol := range spec.KnownProtocols() {
		f.Add(protocol, head(f, protocol))
	}
	f.Fuzz(checkParse)
}

// head returns the first laws of a file of the catalogue.
func head(t testing.TB, protocol string) []byte {
	t.Helper()
	data, err := os.ReadFile(protocol + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(data), "-003\n")
	return []byte(text[:strings.LastIndex(text, "- id: ")])
}

func checkParse(t *testing.T, protocol string, data []byte) {
	laws, err := spec.Parse("f.yaml", protocol, data)
	if err != nil {
		var faults spec.Errors
		var unknown *spec.UnknownError
		if laws != nil || !errors.As(err, &faults) && !errors.As(err, &unknown) || err.Error() == "" {
			t.Fatalf("laws %d, error of type %T: %q", len(laws), err, err)
		}
		for _, e := range faults {
			if e.Line < 1 || e.Reason == "" {
				t.Fatalf("fault without line or reason: %+v", *e)
			}
		}
		return
	}
	if len(laws) == 0 {
		t.Fatal("accepted a file without laws")
	}
	c, err := spec.New(laws)
	if err != nil {
		t.Fatalf("accepted laws make no catalogue: %v", err)
	}
	for _, l := range laws {
		for _, text := range []string{l.ID, l.Group, l.Role, string(l.Level), l.Title, l.Statement, l.Source, l.Check} {
			if text == "" || strings.TrimSpace(text) != text || strings.ContainsAny(text, "\n\x00") {
				t.Fatalf("%s holds the text %q", l.ID, text)
			}
		}
		if l.Protocol != protocol || !strings.HasPrefix(l.ID, strings.ToUpper(protocol)+"-"+l.Group+"-") || l.Line < 1 {
			t.Fatalf("law in the wrong place: %+v", l)
		}
		if found, err := c.Select(spec.Filter{Globs: []string{l.ID}, Withdrawn: true}); err != nil || len(found) != 1 {
			t.Fatalf("%s cannot be selected: %d found, error %v", l.ID, len(found), err)
		}
	}
}

// A short run of what FuzzParse does for longer: cut, repeat and overwrite pieces of real law files.
func TestParseSurvivesDamage(t *testing.T) {
	heads := map[string][]byte{}
	for _, p := range spec.KnownProtocols() {
		heads[p] = head(t, p)
	}
	rapid.Check(t, func(rt *rapid.T) {
		protocol := rapid.SampledFrom(spec.KnownProtocols()).Draw(rt, "protocol")
		data := append([]byte(nil), heads[protocol]...)
		for range rapid.IntRange(1, 4).Draw(rt, "edits") {
			i := rapid.IntRange(0, len(data)).Draw(rt, "from")
			j := min(len(data), i+rapid.IntRange(0, 40).Draw(rt, "length"))
			piece := rapid.SampledFrom([]string{"", "-", "- ", ": ", "\n", "\r", "[", "]", "{", "&a ", "*a", "\"", "'", "? ", "|\n", "#", "\t", "  ", "é", "\xff", "---\n"}).Draw(rt, "piece")
			data = append(data[:i:i], append([]byte(piece), data[j:]...)...)
		}
		checkParse(t, protocol, data)
	})
}

// Depth must cost a fault and not the stack, whatever it is made of.
func TestParseRefusesDepth(t *testing.T) {
	for _, piece := range []string{"[", "{", "- ", "? ", "a: ", "[a: ", "!t ", "&a ", "{a: [", "]]]][", "\"", "'", "-\n", "? - ", "|", "- |\n "} {
		data := strings.Repeat(piece, 20_000/len(piece))
		if laws, err := spec.Parse("f.yaml", "stomp", []byte(data)); err == nil {
			t.Errorf("%q repeated: accepted with %d laws", piece, len(laws))
		}
	}
}
