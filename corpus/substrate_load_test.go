package corpus_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/corpus"
)

// zeros returns so many zero octets in digits.
func zeros(n int) string { return strings.Repeat("00", n) }

// goodWire are vectors that load, one of each op but for dial.
var goodWire = `# head
- name: one
  laws: [SUBSTRATE-WIRE-001]
  op: decode
  note: why
  octets: ['a1 63', {repeat: '65', count: 2}]
  feeds: true
  want:
    frame: {v: 18446744073709551615, obj: 'a\n', receipt: '00ff', odd: [seq], unknown: 2, body: ''}
    fault: {code: bad_frame, reply: true}
- name: two
  laws: [SUBSTRATE-CODEC-003]
  op: decode
  octets: ''
  want: {refused: [truncated, shape], closes: 4004}
- name: three
  laws: [SUBSTRATE-CODEC-001]
  op: encode
  frame: {msg: 'm'}
  want: {octets: 'a0'}
- name: four
  laws: [SUBSTRATE-FINALITY-002]
  op: class
  code: 'busy'
  want: {class: retryable}
- name: five
  laws: [SUBSTRATE-HANDSHAKE-001]
  op: listen
  side: {peer: 'b', epoch: '` + zeros(8) + `', keys: {a: '` + zeros(32) + `'}, features: ['f'], nonce: '` + zeros(16) + `', challenge: '` + zeros(32) + `', decoy: '` + zeros(32) + `'}
  hears: ['01']
  age: 5
  want: {sends: [], ready: {version: 1, connId: '07', peer: a}}
`

func loadWire(vectors string) ([]corpus.SubstrateVector, error) {
	return inFile(corpus.LoadSubstrateVectors, "v", vectors)
}

func TestLoadSubstrateVectors(t *testing.T) {
	got, err := loadWire(goodWire)
	if err != nil {
		t.Fatal(err)
	}
	cited := func(name string, line int, law string) corpus.Citation {
		return corpus.Citation{Name: name, Laws: []string{law}, Place: corpus.Place{File: "v/a.yaml", Line: line}}
	}
	octets := func(b ...byte) *corpus.Hex { h := corpus.Hex(append([]byte{}, b...)); return &h }
	text := func(s string) *corpus.Text { t := corpus.Text(s); return &t }
	v := uint64(1<<64 - 1)
	want := []corpus.SubstrateVector{
		{
			Citation: cited("one", 2, "SUBSTRATE-WIRE-001"), Op: corpus.DecodeFrame, Note: "why", Octets: octets(0xa1, 0x63, 0x65, 0x65), Feeds: true,
			Want: corpus.SubstrateWant{
				Frame: &corpus.WireFrame{V: &v, Obj: text("a\n"), Receipt: octets(0, 0xff), Odd: []string{"seq"}, Unknown: 2, Body: octets()},
				Fault: &corpus.WireFault{Code: "bad_frame", Reply: true},
			},
		},
		{
			Citation: cited("two", 11, "SUBSTRATE-CODEC-003"), Op: corpus.DecodeFrame, Octets: octets(),
			Want: corpus.SubstrateWant{Refused: corpus.Rules{"truncated", "shape"}, Closes: 4004},
		},
		{
			Citation: cited("three", 16, "SUBSTRATE-CODEC-001"), Op: corpus.EncodeFrame, Frame: &corpus.WireFrame{Msg: text("m")},
			Want: corpus.SubstrateWant{Octets: octets(0xa0)},
		},
		{
			Citation: cited("four", 21, "SUBSTRATE-FINALITY-002"), Op: corpus.ClassOfCode, Code: text("busy"),
			Want: corpus.SubstrateWant{Class: "retryable"},
		},
		{
			Citation: cited("five", 26, "SUBSTRATE-HANDSHAKE-001"), Op: corpus.ListenHandshake,
			Side: &corpus.Side{
				Peer: corpus.Text("b"), Epoch: make([]byte, 8), Keys: map[string]corpus.Hex{"a": make([]byte, 32)}, Features: []string{"f"},
				Nonce: make([]byte, 16), Challenge: make([]byte, 32), Decoy: make([]byte, 32),
			},
			Hears: []corpus.Hex{{1}}, Age: 5,
			Want: corpus.SubstrateWant{Sends: []corpus.Hex{}, Ready: &corpus.Agreed{Version: 1, ConnID: corpus.Hex{7}, Peer: "a"}},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the loaded vectors differ (-want +got):\n%s", d)
	}
}

func TestLoadSubstrateVectorsRefuses(t *testing.T) {
	refuses(t, goodWire, loadWire, []refusal{
		{"unknown key", "note: why", "colour: red", 5, "colour"},
		{"unknown key in a frame", "odd: [seq]", "even: [seq]", 9, "even"},
		{"half an octet", "'00ff'", "'00f'", 9, "hexadecimal"},
		{"no digit", "'00ff'", "'00fg'", 9, "hexadecimal"},
		{"octets as a number", "octets: 'a0'", "octets: 10", 20, "quote it"},
		{"name used twice", "name: two", "name: one", 11, "already used at v/a.yaml:2"},
		{"law of another protocol", "SUBSTRATE-CODEC-001", "STOMP-FRAME-001", 16, "STOMP-FRAME-001"},
		{"a version", "op: encode", "op: encode\n  versions: ['1']", 16, "unknown version"},
		{"unknown op", "op: class", "op: classes", 21, "classes"},
		{"field of another op", "code: 'busy'", "code: 'busy'\n  age: 5", 21, "age"},
		{"result of another op", "{class: retryable}", "{class: retryable, closes: 4004}", 21, "want.closes"},
		{"unknown class", "class: retryable", "class: terminal", 21, "terminal"},
		{"no code", "  code: 'busy'\n", "", 21, "needs a code"},
		{"frame and refused", "frame: {v:", "refused: shape\n    frame: {v:", 2, "exactly one"},
		{"refused with a fault", "refused: [truncated, shape]", "fault: {code: x}, refused: shape", 11, "has no fault"},
		{"refused and goes on", ", closes: 4004", "", 11, "closes the connection"},
		{"unknown rule", "[truncated, shape]", "[cut, shape]", 11, "cut"},
		{"rule twice", "[truncated, shape]", "[shape, shape]", 11, "twice"},
		{"no octets", "  octets: ''\n", "", 11, "octets: ''"},
		{"fault without a code", "{code: bad_frame, reply: true}", "{reply: true}", 2, "without a code"},
		{"odd field that is none", "odd: [seq]", "odd: [body]", 2, "body"},
		{"unknown keys less than none", "unknown: 2", "unknown: -2", 2, "-2"},
		{"no frame", "  frame: {msg: 'm'}\n", "", 16, "needs a frame"},
		{"frame with odd fields", "{msg: 'm'}", "{odd: [msg]}", 16, "neither odd"},
		{"encode wants nothing", "{octets: 'a0'}", "{}", 16, "exactly one"},
		{"no sends", "sends: [], ", "", 26, "sends: []"},
		{"ready and closes", "sends: [], ", "sends: [], closes: 4002, ", 26, "does not close"},
		{"negative age", "age: 5", "age: -5", 26, "-5"},
		{"listener that hears nothing", "  hears: ['01']\n", "", 26, "hears nothing"},
		{"nonce of another size", "nonce: '00", "nonce: '", 26, "nonce has 15"},
		{"key of another size", "keys: {a: '00", "keys: {a: '", 26, "key of a has 31"},
	})
}

// FuzzLoadSubstrateVectors holds that no file makes the loader panic and that every error has a place.
func FuzzLoadSubstrateVectors(f *testing.F) {
	f.Add([]byte(goodWire))
	f.Add([]byte("- {want: {ready: [], refused: {}}, octets: [[]]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := loadWire(string(data))
		placed(t, err)
	})
}

func ExampleSubstrateVectors() {
	vectors, err := corpus.SubstrateVectors()
	if err != nil {
		fmt.Println(err)
		return
	}
	i := slices.IndexFunc(vectors, func(v corpus.SubstrateVector) bool { return v.Name == "strict-tag" })
	v := vectors[i]
	fmt.Println(v.Laws, v.Want.Refused, v.Want.Closes, bytes.Contains(*v.Octets, []byte("seq\xc1\x07")))
	// Output: [SUBSTRATE-CODEC-003] [tagged] 4004 true
}
