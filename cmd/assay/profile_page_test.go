package main

import (
	"bufio"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/eventbustest"
	"github.com/seed-6f28358b/assay/conformance/lab"
	"github.com/seed-6f28358b/assay/conformance/suites"
)

// profilePage is spec/profile.md: the first column of each section's table, and the examples.
func profilePage(t *testing.T) (tables map[string][]string, examples []string) {
	t.Helper()
	f, err := os.Open("../../spec/profile.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tables = map[string][]string{}
	row := regexp.MustCompile("^\\| `([^`]+)` \\| .+ \\|$")
	section, inside := "", false
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := sc.Text()
		switch {
		case line == "```profile":
			inside, examples = true, append(examples, "")
		case line == "```":
			inside = false
		case inside:
			examples[len(examples)-1] += line + "\n"
		case strings.HasPrefix(line, "#"):
			section = strings.TrimLeft(line, "# ")
		case row.MatchString(line):
			tables[section] = append(tables[section], row.FindStringSubmatch(line)[1])
		}
	}
	return tables, examples
}

// keys returns the keys that a profile can have, those of nested mappings after a dot.
func keys(of reflect.Type) (out []string) {
	for i := range of.NumField() {
		f := of.Field(i)
		key := f.Tag.Get("yaml")
		switch nested := f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[eventbustest.Request](); {
		case key == "-":
		case nested:
			for _, k := range keys(f.Type) {
				out = append(out, key+"."+k)
			}
		default:
			out = append(out, key)
		}
	}
	return out
}

// The page about profiles and the code know the same keys and the same options, and its examples can be read.
func TestProfilePageSaysWhatTheCodeTakes(t *testing.T) {
	tables, examples := profilePage(t)
	all := keys(reflect.TypeFor[conformance.Profile]())
	for _, section := range suites.Sections() {
		all = append(all, keys(reflect.TypeOf(section))...)
	}
	for section, code := range map[string][]string{"Keys": all, "Requests": keys(reflect.TypeFor[eventbustest.Request]())} {
		if diff := cmp.Diff(slices.Sorted(slices.Values(code)), slices.Sorted(slices.Values(tables[section]))); diff != "" {
			t.Errorf("%s (-code +page):\n%s", section, diff)
		}
	}
	for _, suite := range suites.All() {
		if diff := cmp.Diff(suite.Options(), tables[suite.Name]); diff != "" {
			t.Errorf("options of %s (-code +page):\n%s", suite.Name, diff)
		}
	}
	if len(examples) == 0 {
		t.Error("the page has no example")
	}
	for _, text := range examples {
		if _, err := conformance.ParseProfile([]byte(text), suites.Sections()...); err != nil {
			t.Errorf("example: %v\n%s", err, text)
		}
	}
}

// The profiles of the lab excuse only what there is.
func TestLabProfilesKnowTheirOptions(t *testing.T) {
	of := map[string]string{}
	for _, b := range lab.All() {
		of[b.Name] = b.Suite
	}
	files, err := filepath.Glob("../../conformance/lab/profiles/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d profiles: %v", len(files), err)
	}
	for _, file := range files {
		p, err := conformance.LoadProfile(file, suites.Sections()...)
		if err != nil {
			t.Error(err)
			continue
		}
		suite, ok := suites.Named(of[strings.TrimSuffix(filepath.Base(file), ".yaml")])
		if !ok {
			t.Errorf("%s belongs to no broker of the lab", file)
			continue
		}
		if err := suite.Understands(p); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
