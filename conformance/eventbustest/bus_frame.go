package eventbustest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A frame is one item of a subscription, or the event that publish returned, as its JSON came.
type frame struct {
	Raw     json.RawMessage
	members map[string]json.RawMessage
	data    map[string]json.RawMessage
}

// parseFrame reads a frame; the error says what it is instead of an object.
func parseFrame(raw json.RawMessage) (*frame, error) {
	f := &frame{Raw: raw}
	if err := json.Unmarshal(raw, &f.members); err != nil || f.members == nil {
		return nil, fmt.Errorf("a frame is no JSON object: %.200s", raw)
	}
	// Data that is no object has no members.
	_ = json.Unmarshal(f.members["data"], &f.data)
	return f, nil
}

// Has reports whether the frame has a member, whatever its value.
func (f *frame) Has(member string) bool { _, ok := f.members[member]; return ok }

// Get returns a member as JSON, nil when it is absent.
func (f *frame) Get(member string) json.RawMessage { return f.members[member] }

// ID returns the frame's id; 0 when it has none that is a whole number.
func (f *frame) ID() int64 { return wholeNumber(f.members["id"]) }

// Type returns the frame's type, empty when it has none that is text.
func (f *frame) Type() string { return jsonText(f.members["type"]) }

// Data returns data as JSON, nil when it is absent.
func (f *frame) Data() json.RawMessage { return f.members["data"] }

// DataHas reports whether data is an object with that member.
func (f *frame) DataHas(member string) bool { _, ok := f.data[member]; return ok }

// DataGet returns a member of data as JSON, nil when it is absent.
func (f *frame) DataGet(member string) json.RawMessage { return f.data[member] }

// DataInt returns a member of data that is a whole number; -1 when it is absent or anything else.
func (f *frame) DataInt(member string) int64 {
	raw, ok := f.data[member]
	if n := wholeNumber(raw); ok && (n != 0 || string(raw) == "0") {
		return n
	}
	return -1
}

// DataText returns a member of data that is text, empty otherwise.
func (f *frame) DataText(member string) string { return jsonText(f.data[member]) }

// Timestamp returns _meta.serverTimestamp as JSON, nil when it is absent.
func (f *frame) Timestamp() json.RawMessage { return f.Meta("serverTimestamp") }

// Meta returns a member of _meta as JSON, nil when it is absent.
func (f *frame) Meta(member string) json.RawMessage {
	var meta map[string]json.RawMessage
	_ = json.Unmarshal(f.members["_meta"], &meta)
	return meta[member]
}

// Members returns the names of the frame's members, sorted, with a space between them.
func (f *frame) Members() string { return sortedNames(f.members) }

// DataMembers returns the names of the members of data, sorted, with a space between them.
func (f *frame) DataMembers() string { return sortedNames(f.data) }

// Size returns how many octets the frame takes as compact JSON in UTF-8, which escapes nothing that it need not
// (EVENTBUS-QUEUE-008).
func (f *frame) Size() int { return compactSize(f.Raw) }

// Token names the frame in one word: its id if it has one, the reason of a state_resync_required, else its type.
func (f *frame) Token() string {
	switch {
	case f.Has("id"):
		return string(f.members["id"])
	case f.Type() == "state_resync_required" && f.DataText("reason") != "":
		return f.DataText("reason")
	case f.Type() != "":
		return f.Type()
	}
	return "?"
}

// Synthetic reports whether the frame is one of the four kinds that a bus makes by itself.
func (f *frame) Synthetic() bool {
	switch f.Type() {
	case "client_evicted", "slow_client_warning", "state_resync_required", "replay_complete":
		return true
	}
	return false
}

func (f *frame) String() string { return string(f.Raw) }

// handedItems are what asking a subscription gave.
type handedItems struct {
	Frames []*frame
	State  string // ready, parked or done
}

// String shows the items in one line: the token of each frame, runs of consecutive ids as FIRST..LAST, and the
// state at the end.
func (i handedItems) String() string {
	words := make([]string, 0, len(i.Frames)+1)
	for k := 0; k < len(i.Frames); {
		last := k
		for last+1 < len(i.Frames) && i.Frames[last].ID() > 0 && i.Frames[last+1].ID() == i.Frames[last].ID()+1 {
			last++
		}
		if last-k >= 2 {
			words = append(words, i.Frames[k].Token()+".."+i.Frames[last].Token())
			k = last + 1
			continue
		}
		words = append(words, i.Frames[k].Token())
		k++
	}
	return strings.Join(append(words, i.State), " ")
}

// IDs returns the ids of the frames that have one, in order.
func (i handedItems) IDs() []int64 {
	var out []int64
	for _, f := range i.Frames {
		if f.Has("id") {
			out = append(out, f.ID())
		}
	}
	return out
}

// Of returns the frames of a type, in order.
func (i handedItems) Of(kind string) []*frame {
	var out []*frame
	for _, f := range i.Frames {
		if f.Type() == kind {
			out = append(out, f)
		}
	}
	return out
}

// tokens expands the notation of handedItems.String, one word for each frame and the state.
func tokens(line string) []string {
	var out []string
	for word := range strings.FieldsSeq(line) {
		from, to, ok := strings.Cut(word, "..")
		first, err1 := strconv.ParseInt(from, 10, 64)
		last, err2 := strconv.ParseInt(to, 10, 64)
		if !ok || err1 != nil || err2 != nil {
			out = append(out, word)
			continue
		}
		for ; first <= last; first++ {
			out = append(out, strconv.FormatInt(first, 10))
		}
	}
	return out
}

func wholeNumber(raw json.RawMessage) int64 {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func jsonText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func sortedNames(m map[string]json.RawMessage) string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// sameJSON reports whether two JSON texts are the same value: members in any order, numbers by value.
func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return bytes.Equal(a, b)
	}
	return reflect.DeepEqual(x, y)
}

// compactSize counts the octets of JSON text without white space, with each string escaped as little as JSON allows.
func compactSize(raw []byte) int {
	size := 0
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			n, end := stringSize(raw, i)
			size, i = size+n, end
		default:
			size, i = size+1, i+1
		}
	}
	return size
}

// stringSize counts the string that starts at i and returns where it ends.
func stringSize(raw []byte, i int) (size, end int) {
	size = 2
	for i++; i < len(raw) && raw[i] != '"'; {
		if raw[i] != '\\' || i+1 >= len(raw) {
			size, i = size+1, i+1
			continue
		}
		if raw[i+1] != 'u' || i+6 > len(raw) {
			if raw[i+1] == '/' {
				size--
			}
			size, i = size+2, i+2
			continue
		}
		n, used := escapedSize(raw[i:])
		size, i = size+n, i+used
	}
	return size, i + 1
}

// escapedSize counts the character that \u and four digits stand for.
func escapedSize(raw []byte) (size, used int) {
	unit := func(at int) rune {
		if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	r := unit(0)
	switch {
	case utf16.IsSurrogate(r):
		if pair := utf16.DecodeRune(r, unit(6)); pair != utf8.RuneError {
			return utf8.RuneLen(pair), 12
		}
		return 6, 6
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		return 2, 6
	case r < 0x20:
		return 6, 6
	}
	return utf8.RuneLen(r), 6
}
