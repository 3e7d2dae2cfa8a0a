package report_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-6f28358b/assay/conformance"
)

var schemaFile = filepath.Join("..", "..", "spec", "result.schema.json")

func resultSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t *testing.T, s *jsonschema.Schema, line []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// lines writes a result as the runner does.
func lines(t *testing.T, r *conformance.Result) [][]byte {
	t.Helper()
	var b bytes.Buffer
	w := conformance.NewWriter(&b)
	if err := w.Header(r.Header); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cases {
		if err := w.Case(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Footer(r.Footer); err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	sc := bufio.NewScanner(&b)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		out = append(out, bytes.Clone(sc.Bytes()))
	}
	return out
}

func TestResultsFollowTheSchema(t *testing.T) {
	s := resultSchema(t)
	_, big := large(t, 1, 60)
	for name, results := range scenarios() {
		if name == "hostile" {
			continue // it breaks every rule that a text can break
		}
		for _, r := range append(results, big...) {
			for i, line := range lines(t, r) {
				if err := check(t, s, line); err != nil {
					t.Errorf("%s line %d: %v\n%s", name, i+1, err, line)
				}
			}
		}
	}
}

func TestSchemaRefusesOtherLines(t *testing.T) {
	s := resultSchema(t)
	all := lines(t, mixed("Alpha"))
	header, failing, footer := all[0], all[1], all[len(all)-1]
	type object = map[string]any
	for name, tt := range map[string]struct {
		line   []byte
		change func(object)
	}{
		"no type":                 {header, func(o object) { delete(o, "type") }},
		"unknown type":            {header, func(o object) { o["type"] = "heading" }},
		"type of another line":    {header, func(o object) { o["type"] = "case" }},
		"another format":          {header, func(o object) { o["schema"] = 2 }},
		"unknown key":             {header, func(o object) { o["extra"] = 1 }},
		"no scope":                {header, func(o object) { delete(o, "scope") }},
		"no date":                 {header, func(o object) { delete(o, "started") }},
		"date that is none":       {header, func(o object) { o["started"] = "yesterday" }},
		"impossible date":         {header, func(o object) { o["started"] = "2026-13-41T00:00:00Z" }},
		"unknown kind":            {header, func(o object) { o["kind"] = "historical" }},
		"negative seed":           {header, func(o object) { o["seed"] = -1 }},
		"seed as text":            {header, func(o object) { o["seed"] = "7" }},
		"calibration without law": {header, func(o object) { delete(o["calibration"].(object), "laws") }},
		"unknown calibration":     {header, func(o object) { o["calibration"].(object)["reference"] = "blue" }},
		"binary is no hash":       {header, func(o object) { o["calibration"].(object)["binary"] = "abc" }},
		"deadline missing":        {header, func(o object) { delete(o["timing"].(object), "quiet") }},
		"deadline of half a ns":   {header, func(o object) { o["timing"].(object)["quiet"] = 0.5 }},
		"unknown verdict":         {failing, func(o object) { o["verdict"] = "ok" }},
		"no verdict":              {failing, func(o object) { delete(o, "verdict") }},
		"no laws":                 {failing, func(o object) { delete(o, "laws") }},
		"null laws":               {failing, func(o object) { o["laws"] = nil }},
		"law that is none":        {failing, func(o object) { o["laws"] = []any{"DEMO-1"} }},
		"empty id":                {failing, func(o object) { o["id"] = "" }},
		"negative duration":       {failing, func(o object) { o["ms"] = -1 }},
		"unknown timing":          {failing, func(o object) { o["timing"] = "flaky" }},
		"finding without reason":  {failing, func(o object) { delete(o["findings"].([]any)[0].(object), "reason") }},
		"finding with more":       {failing, func(o object) { o["findings"].([]any)[0].(object)["x"] = 1 }},
		"finding of no level":     {failing, func(o object) { o["findings"].([]any)[0].(object)["level"] = "MIGHT" }},
		"record of no direction":  {failing, func(o object) { o["transcript"].([]any)[0].(object)["dir"] = "?" }},
		"counts of a word":        {footer, func(o object) { o["counts"].(object)["ok"] = 1 }},
		"negative count":          {footer, func(o object) { o["counts"].(object)["pass"] = -1 }},
		"exit of usage":           {footer, func(o object) { o["exit"] = 64 }},
		"no total":                {footer, func(o object) { delete(o, "total") }},
		"baseline of a word":      {footer, func(o object) { o["baseline"] = "none" }},
		"baseline without known":  {footer, func(o object) { o["baseline"] = object{"new": []any{"x"}} }},
	} {
		if err := check(t, s, tt.line); err != nil {
			t.Fatalf("%s: the line is refused before it is changed: %v", name, err)
		}
		var o object
		if err := json.Unmarshal(tt.line, &o); err != nil {
			t.Fatal(err)
		}
		tt.change(o)
		changed, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if check(t, s, changed) == nil {
			t.Errorf("%s is accepted: %s", name, changed)
		}
	}
	for _, line := range []string{`null`, `[]`, `"header"`, `{}`, `1`} {
		if check(t, s, []byte(line)) == nil {
			t.Errorf("%s is accepted", line)
		}
	}
}

// Fields of the Go types and of the schema are the same, required ones are those that are always written, and every
// enumeration holds exactly the words of the code.
func TestSchemaAndTypesAgree(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Properties           map[string]json.RawMessage `json:"properties"`
			Required             []string                   `json:"required"`
			AdditionalProperties any                        `json:"additionalProperties"`
			Enum                 []string                   `json:"enum"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	for def, value := range map[string]any{
		"header": conformance.Header{}, "timing": conformance.Timing{}, "calibration": conformance.Calibration{}, "case": conformance.CaseResult{},
		"finding": conformance.Finding{}, "note": conformance.Note{}, "record": conformance.Record{}, "footer": conformance.Footer{},
		"baseline": conformance.BaselineDelta{}, "excuse": conformance.Excuse{},
	} {
		var fields, required, properties []string
		typ := reflect.TypeOf(value)
		for i := range typ.NumField() {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				t.Errorf("%s.%s has no JSON name", typ, f.Name)
				continue
			}
			fields = append(fields, name)
			if !strings.Contains(options, "omitempty") {
				required = append(required, name)
			}
		}
		d := schema.Defs[def]
		for p := range d.Properties {
			properties = append(properties, p)
		}
		for _, list := range [][]string{fields, required, properties, d.Required} {
			slices.Sort(list)
		}
		if diff := cmp.Diff(fields, properties); diff != "" {
			t.Errorf("%s: fields of %s and properties (-type +schema):\n%s", def, typ, diff)
		}
		if diff := cmp.Diff(required, d.Required); diff != "" {
			t.Errorf("%s: what is always written and what is required (-type +schema):\n%s", def, diff)
		}
		if d.AdditionalProperties != false {
			t.Errorf("%s allows other properties", def)
		}
	}
	var words []string
	for _, v := range conformance.Verdicts() {
		words = append(words, string(v))
	}
	if diff := cmp.Diff(words, schema.Defs["verdict"].Enum); diff != "" {
		t.Errorf("verdicts (-code +schema):\n%s", diff)
	}
}
