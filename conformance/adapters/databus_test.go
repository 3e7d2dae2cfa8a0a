package adapters_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// node returns the command of an adapter of this folder, and skips the test where it cannot run.
func node(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	out, err := exec.CommandContext(t.Context(), program, "-p", "typeof require('node:module').register").Output()
	if err != nil || strings.TrimSpace(string(out)) != "function" {
		t.Skip("node is older than the adapter of the data bus needs: 20.6")
	}
	return exec.Command(program, args...)
}

const standIn = "databus/testdata"

// converse starts the adapter of the data bus.
func converse(t *testing.T, path string) *adapter.Conn {
	t.Helper()
	cmd := node(t, "databus/adapter.mjs", path)
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	c := adapter.New(out, in, adapter.Config{Record: func(_ byte, line []byte) { lines = append(lines, bytes.Clone(line)) }})
	t.Cleanup(func() {
		_ = c.Close()
		fits(t, lines)
		if err := cmd.Wait(); err != nil && !t.Failed() {
			t.Errorf("%v: %s", err, said.String())
		}
	})
	return c
}

// fits holds the lines of a conversation against the schema, as far as that knows the operations.
func fits(t *testing.T, lines [][]byte) {
	t.Helper()
	const name = "https://example.invalid/adapter.schema.json"
	file, err := os.ReadFile("../../spec/adapter.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	var op string
	for _, line := range lines {
		var value map[string]any
		if err := json.Unmarshal(line, &value); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if asked, ok := value["op"].(string); ok {
			op = asked
			continue
		}
		if value["ok"] == nil {
			continue
		}
		schema, err := compiler.Compile(name + "#/$defs/databus-reply/$defs/" + op)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("the reply to %s does not fit: %v: %s", op, err, line)
		}
	}
}

// A step is a request, and what must come of it in short.
type step struct{ op, members, want string }

// answered makes requests and returns what came of each in short: for each deed its kind, its tab and the most important of its members.
func answered(t *testing.T, c *adapter.Conn, steps []step) []string {
	t.Helper()
	out := make([]string, len(steps))
	for i, s := range steps {
		var reply struct{ Did []map[string]any }
		err := c.Call(t.Context(), s.op, json.RawMessage("{"+s.members+"}"), &reply)
		if err != nil {
			out[i] = err.Error()
			continue
		}
		var words []string
		for _, d := range reply.Did {
			words = append(words, short(t, d))
		}
		out[i] = strings.Join(words, "; ")
	}
	return out
}

func short(t *testing.T, d map[string]any) string {
	t.Helper()
	words := []string{d["kind"].(string), d["tab"].(string)}
	for _, member := range []string{"key", "value", "message", "frames", "name", "topic", "data", "handler", "status", "error", "call"} {
		if v, ok := d[member]; ok {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, strings.Trim(string(text), `"`))
		}
	}
	return strings.Join(words, " ")
}

func run(t *testing.T, path string, steps []step) {
	t.Helper()
	for i, got := range answered(t, converse(t, path), steps) {
		s := steps[i]
		if !strings.Contains(got, s.want) || s.want == "" && got != "" {
			t.Errorf("%d %s {%s}:\n got %s\nwant %s", i+1, s.op, s.members, got, s.want)
		}
	}
}

func TestDatabusFrame(t *testing.T) {
	for _, broken := range adapter.Check(t.Context(), converse(t, standIn), "databus") {
		t.Error(broken)
	}
}

// Three tabs, and whatever the browser, the server and time do to them.
func TestDatabusOperations(t *testing.T) {
	const wake = `"tab":"A","tabId":"a"`
	run(t, standIn, []step{
		{"hello", `"protocol":"databus"`, ""},
		{"origin", `"version":"fenced","now":5`, `not support "origin": version fenced`},
		{"origin", `"version":"v010","now":5000,"later":1`, "member later of origin"},
		{"origin", `"version":"v010","now":5000`, ""},
		{"tab", wake, ""},
		{"start", `"tab":"A","call":"A1"`, "open A stand-in:; tstart A; status A connected; settled A A1"},
		{"tab", `"tab":"B","opens":"manual"`, ""},
		{"start", `"tab":"B","call":"B1"`, "open B stand-in:; tstart B"},
		{"opened", `"tab":"B","fail":true`, "settled B the connection is refused B1"},
		{"tab", `"tab":"C","clusterKey":"other","autoStart":true`, "open C stand-in:other; tstart C"},
		{"subscribe", `"tab":"A","topic":"x","handler":"h"`, "tsub A x; write A stand-in::x wanted"},
		{"subscribe", `"tab":"B","topic":"x","handler":"h","throws":true`, "tsub B x; write B stand-in::x wanted"},
		{"subscribe", `"tab":"B","topic":"","handler":"h"`, "RangeError: the topic is empty"},
		{
			"server", `"topic":"x","data":{"k":[1]}`,
			`post A {"payload":{"data":{"k":[1]},"topic":"x"},"type":"EVENT"} [{"frame":"f1","to":"B"}]; dispatch A x {"k":[1]} h`,
		},
		{"deliver", `"frame":"f1"`, `dispatch B x {"k":[1]} h; error B the handler h throws`},
		{"publish", `"tab":"A","topic":"y","data":null`, "tpub A y null"},
		{
			"batch", `"tab":"A","ops":[{"op":"subscribe","topic":"y","handler":"h"},{"op":"unsubscribe","topic":"y","handler":"h"}]`,
			"tsub A y; tunsub A y; write A",
		},
		{"batch", `"tab":"A","ops":[{"op":"stop"}]`, `not support "batch": batch of stop`},
		{"visibility", `"tab":"A","state":"hidden"`, "write A stand-in::visible hidden"},
		{"inject", `"tab":"A","message":{"type":"broken"}`, "error A uncaught TypeError: it is broken"},
		{"fail", `"tab":"A","writes":2`, ""},
		{"advance", `"ms":1000`, "refused A stand-in::beat; write B stand-in::beat 6000"},
		{"advance", `"ms":50`, "refused A stand-in::beat"},
		{"advance", `"ms":50`, "write A stand-in::beat 6000"},
		{"freeze", `"tab":"A"`, ""},
		{"advance", `"ms":2000`, "write B stand-in::beat 7000; write C stand-in:other:beat 7000; write B stand-in::beat 8000"},
		{"subscribe", `"tab":"C","topic":"x","handler":"h","takes":40`, "tsub C x"},
		{"emit", `"tab":"A","topic":"x","data":1`, ""},
		{"thaw", `"tab":"A"`, `write A stand-in::beat 8100; post A`},
		{"inject", `"tab":"A","message":{"type":"ping"}`, `post A {"type":"ping"} [{"frame":"f3","to":"B"}]`},
		{"drain", `"max":2`, `post B {"type":"ping"} [{"frame":"f4","to":"A"}]`},
		{"drain", ``, "Restless: frames that beget frames do not end"},
		{"crash", `"tab":"A"`, "lost A ["},
		{"tab", `"tab":"A","session":"A"`, ""},
		{"start", `"tab":"A","call":"A2"`, "settled A A2"},
		{"pagehide", `"tab":"B"`, "close B stand-in:; tstop B"},
		{"ready", `"tab":"B","call":"B2"`, "settled B it does not run B2"},
	})
}

// What names nothing is the fault of who asks.
func TestDatabusFaults(t *testing.T) {
	const origin = `"version":"v010","now":5000`
	for name, steps := range map[string][]step{
		"no origin":    {{"snapshot", ``, "there is no origin yet"}},
		"a late tab":   {{"origin", origin, ""}, {"tab", `"tab":"A"`, ""}, {"origin", origin, ""}, {"freeze", `"tab":"A"`, "no tab A"}},
		"no tab":       {{"origin", origin, ""}, {"start", `"tab":"A","call":"A1"`, "no tab A"}},
		"the same tab": {{"origin", origin, ""}, {"tab", `"tab":"A"`, ""}, {"tab", `"tab":"A"`, "there is a tab A already"}},
		"no frame":     {{"origin", origin, ""}, {"drop", `"frame":"f1"`, "no frame f1 is under way"}},
		"back in time": {{"origin", origin, ""}, {"advance", `"ms":-1`, "time does not pass by -1 ms"}},
	} {
		t.Run(name, func(t *testing.T) { run(t, standIn, steps) })
	}
}

// What a tab writes waits for its flush, and what it wrote for the sync of the others.
func TestDatabusStorage(t *testing.T) {
	run(t, standIn, []step{
		{"origin", `"version":"v010","now":5000,"flush":"manual","storage":"replicated","lossyClose":true`, ""},
		{"tab", `"tab":"A"`, ""},
		{"start", `"tab":"A","call":"A1"`, "settled A A1"},
		{"tab", `"tab":"B"`, ""},
		{"start", `"tab":"B","call":"B1"`, "settled B B1"},
		{"subscribe", `"tab":"A","topic":"x","handler":"h"`, "tsub A x"},
		{"put", `"key":"k","value":"v"`, ""},
		{"sync", `"tab":"B"`, ""},
		{"flush", `"tab":"A"`, "write A stand-in::x wanted"},
		{"flush", `"tab":"A"`, ""},
		{"emit", `"tab":"A","topic":"x","data":1`, "post A"},
		{"stop", `"tab":"A","call":"A2"`, `close A stand-in:; lost A [{"frame":"f1","to":"B"}]`},
	})
}

// A page with an opener does not take over the identity that it inherits; one that comes back has its own.
func TestDatabusIdentity(t *testing.T) {
	c := converse(t, standIn)
	var s struct {
		Tabs    map[string]struct{ TabID, WorkerID string }
		Storage map[string]string
	}
	answered(t, c, []step{
		{op: "origin", members: `"version":"v010","now":5000`},
		{op: "tab", members: `"tab":"A","autoStart":true`},
		{op: "tab", members: `"tab":"B","session":"A","opener":true,"autoStart":true`},
		{op: "tab", members: `"tab":"C","session":"A","autoStart":true`},
		{op: "tab", members: `"tab":"D","autoStart":true,"prefix":"p","noStorage":true`},
	})
	if err := c.Call(t.Context(), "snapshot", struct{}{}, &s); err != nil {
		t.Fatal(err)
	}
	a, b := s.Tabs["A"], s.Tabs["B"]
	// Each document has modules of its own, in which it counts its buses.
	if a.TabID == "" || a.WorkerID != a.TabID+"-1" || b.WorkerID != b.TabID+"-1" || b.TabID == a.TabID || s.Tabs["C"].TabID != a.TabID {
		t.Errorf("%+v", s.Tabs)
	}
}

// The same requests have the same replies, with the library too, whose path ASSAY_DATABUS_ORIGINAL names.
func TestDatabusRepeats(t *testing.T) {
	for name, path := range map[string]string{"stand-in": standIn, "original": os.Getenv("ASSAY_DATABUS_ORIGINAL")} {
		t.Run(name, func(t *testing.T) {
			if path == "" {
				t.Skip("ASSAY_DATABUS_ORIGINAL names no folder of the package, which is on no registry")
			}
			script := wanderings()
			first := answered(t, converse(t, path), script)
			if second := answered(t, converse(t, path), script); !slices.Equal(first, second) {
				t.Errorf("%q\n%q", first, second)
			}
			if all := strings.Join(first, "\n"); !strings.Contains(all, "dispatch B") || strings.Contains(all, "adapter:") {
				t.Errorf("%q", first)
			}
		})
	}
}

// wanderings is a script in which three tabs do a bit of everything.
func wanderings() []step {
	script := []step{{op: "origin", members: `"version":"v010","now":5000`}}
	add := func(op, members string) { script = append(script, step{op: op, members: members}) }
	for _, tab := range []string{"A", "B", "C"} {
		add("tab", `"tab":"`+tab+`"`)
		add("start", `"tab":"`+tab+`","call":"`+tab+`"`)
	}
	for i := range 60 {
		tab := `"tab":"` + string("ABC"[i%3]) + `"`
		add("drain", "")
		switch i % 7 {
		case 0, 4:
			add("subscribe", tab+`,"topic":"x","handler":"h"`)
		case 1:
			add("publish", tab+`,"topic":"x","data":1`)
		case 2:
			add("server", `"topic":"x","data":{"i":2}`)
		case 3:
			add("pagehide", tab)
		case 5:
			add("pageshow", tab)
		case 6:
			add("advance", `"ms":4000,"drain":true`)
		}
	}
	return script
}

// A folder without a module is told of, and nothing is built.
func TestDatabusWithoutAModule(t *testing.T) {
	dir := t.TempDir()
	out, err := node(t, "databus/adapter.mjs", dir).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "a folder of sources must be built first") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestDatabusBench(t *testing.T) {
	script := t.TempDir() + "/script.jsonl"
	const lines = `{"op":"origin","version":"v010","now":5000}
{"op":"tab","tab":"A"}

{"op":"start","tab":"A","call":"A1"}
{"op":"advance","ms":5000,"drain":true}
`
	if err := os.WriteFile(script, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := node(t, "databus/bench.mjs", standIn, script).Output()
	var measured struct {
		Ops     int
		Seconds float64
	}
	if err != nil || json.Unmarshal(out, &measured) != nil || measured.Ops != 4 || measured.Seconds <= 0 {
		t.Errorf("%v: %s", err, out)
	}
}
