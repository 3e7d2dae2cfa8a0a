package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const adapterSchema = "https://github.com/seed-6f28358b/assay/spec/adapter.schema.json"

// adapterSchemas compiles parts of adapter.schema.json by their pointer.
func adapterSchemas(t *testing.T) func(pointer string) *jsonschema.Schema {
	t.Helper()
	file, err := os.ReadFile("adapter.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(adapterSchema, doc); err != nil {
		t.Fatal(err)
	}
	return func(pointer string) *jsonschema.Schema {
		t.Helper()
		s, err := c.Compile(adapterSchema + "#" + pointer)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// An adapterLine is one line of an example of adapter.md.
type adapterLine struct {
	at       int
	protocol string // that of the block; "frame" for blocks about any
	request  map[string]any
	reply    map[string]any // of a line that is a reply; request is what it answers
}

// adapterExamples reads the blocks of adapter.md whose lines start with > or <.
func adapterExamples(t *testing.T) []adapterLine {
	t.Helper()
	text, err := os.ReadFile("adapter.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []adapterLine
	var block string
	var last map[string]any
	for i, line := range strings.Split(string(text), "\n") {
		if fence, ok := strings.CutPrefix(line, "```"); ok {
			block, last = fence, nil
			continue
		}
		if block == "" {
			continue
		}
		mark, data, _ := strings.Cut(line, " ")
		var v map[string]any
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Fatalf("adapter.md:%d: %v", i+1, err)
		}
		switch {
		case mark == ">" && last == nil:
			last = v
			out = append(out, adapterLine{at: i + 1, protocol: block, request: v})
		case mark == "<" && last != nil:
			if v["n"] != last["n"] {
				t.Errorf("adapter.md:%d: reply %v to request %v", i+1, v["n"], last["n"])
			}
			out = append(out, adapterLine{at: i + 1, protocol: block, request: last, reply: v})
			last = nil
		default:
			t.Fatalf("adapter.md:%d: a request is not followed by one reply", i+1)
		}
	}
	if len(out) == 0 {
		t.Fatal("adapter.md has no examples")
	}
	return out
}

// pointers are the parts of the schema that a line has to satisfy.
func (l adapterLine) pointers() []string {
	op := fmt.Sprint(l.request["op"])
	switch {
	case l.reply == nil && l.protocol == "frame":
		return []string{"", "/$defs/request"}
	case l.reply == nil:
		return []string{"", "/$defs/request", "/$defs/" + l.protocol, "/$defs/" + l.protocol + "/$defs/" + op}
	case l.protocol == "frame":
		return []string{"", "/$defs/reply"}
	}
	return []string{"", "/$defs/reply", "/$defs/" + l.protocol + "-reply/$defs/" + op}
}

func (l adapterLine) value() map[string]any {
	if l.reply != nil {
		return l.reply
	}
	return l.request
}

func TestAdapterExamplesFitTheSchema(t *testing.T) {
	schema := adapterSchemas(t)
	for _, l := range adapterExamples(t) {
		for _, pointer := range l.pointers() {
			if err := schema(pointer).Validate(l.value()); err != nil {
				t.Errorf("adapter.md:%d does not fit #%s: %v", l.at, pointer, err)
			}
		}
	}
}

// TestAdapterSchemaRejects changes each example in ways that make it wrong.
func TestAdapterSchemaRejects(t *testing.T) {
	schema := adapterSchemas(t)
	for _, l := range adapterExamples(t) {
		pointers := l.pointers()
		strictest := schema(pointers[len(pointers)-1])
		spoil := func(what string, change func(map[string]any)) {
			text, err := json.Marshal(l.value())
			if err != nil {
				t.Fatal(err)
			}
			var v map[string]any
			if err := json.Unmarshal(text, &v); err != nil {
				t.Fatal(err)
			}
			change(v)
			if strictest.Validate(v) == nil {
				t.Errorf("adapter.md:%d %s is accepted: %v", l.at, what, v)
			}
		}
		spoil("without n", func(v map[string]any) { delete(v, "n") })
		spoil("with n 0", func(v map[string]any) { v["n"] = 0 })
		if l.reply != nil {
			spoil("with ok and error", func(v map[string]any) {
				v["ok"], v["error"] = map[string]any{}, map[string]any{"name": "a", "message": "b"}
			})
			spoil("with a further member", func(v map[string]any) { v["more"] = 1 })
			continue
		}
		spoil("without op", func(v map[string]any) { delete(v, "op") })
		if l.protocol == "frame" {
			continue
		}
		spoil("with an unknown member", func(v map[string]any) { v["more"] = 1 })
		spoil("with another op", func(v map[string]any) { v["op"] = "frobnicate" })
	}
}

// TestAdapterPageShowsEveryOperation compares the operations of the schema with the examples and the tables.
func TestAdapterPageShowsEveryOperation(t *testing.T) {
	file, err := os.ReadFile("adapter.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(file, &doc); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("adapter.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, l := range adapterExamples(t) {
		// hello is in the frame.
		shown[l.protocol+"/"+fmt.Sprint(l.request["op"])] = true
	}
	for _, protocol := range []string{"eventbus", "databus", "sse-client", "substrate"} {
		if len(doc.Defs[protocol].Defs) == 0 || len(doc.Defs[protocol].Defs) != len(doc.Defs[protocol+"-reply"].Defs) {
			t.Errorf("%s: %d requests, %d replies", protocol, len(doc.Defs[protocol].Defs), len(doc.Defs[protocol+"-reply"].Defs))
		}
		for op := range doc.Defs[protocol].Defs {
			if op == "hello" {
				continue
			}
			if _, ok := doc.Defs[protocol+"-reply"].Defs[op]; !ok {
				t.Errorf("%s: %s has no reply", protocol, op)
			}
			if !bytes.Contains(page, []byte("`"+op+"`")) {
				t.Errorf("adapter.md does not tell of %s", op)
			}
			if !shown[protocol+"/"+op] {
				t.Errorf("adapter.md has no example of %s of %s", op, protocol)
			}
		}
	}
}
