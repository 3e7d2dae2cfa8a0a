package databustest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// deeds are what happened during one request, in order.
type deeds []*deed

// check returns what is wrong with a deed that an adapter tells of.
func (d *deed) check() error {
	switch {
	case d == nil:
		return fmt.Errorf("null")
	case !slices.Contains(didKinds(), d.Kind):
		return fmt.Errorf("kind %q", d.Kind)
	case d.Tab == "":
		return fmt.Errorf("%s of no tab", d.Kind)
	case d.Kind == didTrace && d.Name == "metrics" && d.Metrics == nil:
		return fmt.Errorf("metrics without any")
	}
	return nil
}

// spelled returns JSON without spaces, and with characters as themselves, so that the texts of any adapter can be compared.
func spelled(raw json.RawMessage) json.RawMessage {
	var compact, plain bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return raw
	}
	if !bytes.Contains(compact.Bytes(), []byte(`\u`)) {
		return compact.Bytes()
	}
	in, out := json.NewDecoder(&compact), json.NewEncoder(&plain)
	in.UseNumber()
	out.SetEscapeHTML(false)
	var value any
	if in.Decode(&value) != nil || out.Encode(value) != nil {
		return raw
	}
	return bytes.TrimSpace(plain.Bytes())
}

// String says what happened in one line, without the tab and the time.
func (d *deed) String() string {
	words := []string{d.Kind}
	for _, w := range []string{d.Key, d.Value, string(d.Message), d.Name, d.Topic, string(d.Data), d.Handler, d.Status, d.Error, d.Call} {
		if w != "" {
			words = append(words, w)
		}
	}
	if d.Metrics != nil {
		words = append(words, fmt.Sprintf("%+v", *d.Metrics))
	}
	for _, f := range d.Frames {
		words = append(words, f.Frame+">"+f.To)
	}
	return strings.Join(words, " ")
}

// String returns one line for all.
func (ds deeds) String() string {
	if len(ds) == 0 {
		return "nothing"
	}
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Tab + ": " + d.String()
	}
	return strings.Join(lines, "; ")
}

// Of returns those of some kinds.
func (ds deeds) Of(kinds ...string) deeds {
	return ds.where(func(d *deed) bool { return slices.Contains(kinds, d.Kind) })
}

// By returns those of a tab.
func (ds deeds) By(t *tab) deeds {
	return ds.where(func(d *deed) bool { return d.Tab == t.name })
}

// For returns those about a topic: of the transport, a handler, or a message that names it.
func (ds deeds) For(topic string) deeds {
	return ds.where(func(d *deed) bool {
		return d.Topic == topic || d.Kind == didPost && strings.Contains(string(d.Message), fmt.Sprintf("%q", topic))
	})
}

func (ds deeds) where(keep func(*deed) bool) deeds {
	var out deeds
	for _, d := range ds {
		if keep(d) {
			out = append(out, d)
		}
	}
	return out
}
