package eventbus_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// FuzzSize compares the size that is reckoned with the length of the text, and the text with what another JSON reader makes
// of it.
func FuzzSize(f *testing.F) {
	f.Add("x", "c", []byte(`{"a":[1,"é\u2028\ud83d\ude00"]}`), 1719000000000.0)
	f.Add("\x00\"\\\xff", "", []byte(`"\ud800\/\b\u0008"`), -1.5e-7)
	f.Add("eight888", "\u2028", []byte(`null`), 1e21)
	f.Add("eight\x1f88eight88\"", "", []byte(`1.50`), math.Copysign(0, -1))
	f.Fuzz(func(t *testing.T, typ, originator string, data []byte, stamp float64) {
		payload, err := eventbus.Raw(data)
		if (err == nil) != json.Valid(data) {
			t.Fatalf("Raw(%q) failed with %v", data, err)
		}
		in := eventbus.Input{Type: typ, Originator: originator, Data: payload, Meta: map[string]any{"serverTimestamp": stamp, typ: stamp}}
		b := newBus(t, eventbus.Config{Dialect: eventbus.Later})
		e, ok := b.Publish(in)
		if !ok {
			// A second stamp that is not finite has no text.
			return
		}
		text := text1(t, e)
		var back struct {
			ID         int64
			V          int
			Type       string
			Data       json.RawMessage
			Originator string             `json:"originatorClientId"`
			Meta       map[string]float64 `json:"_meta"`
		}
		if err := json.Unmarshal([]byte(text), &back); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		valid := func(s string) string { return string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD"))) }
		if back.ID != 1 || back.V != 1 || len([]rune(back.Type)) != len([]rune(typ)) || len([]rune(back.Originator)) != len([]rune(valid(originator))) &&
			len([]rune(back.Originator)) != len([]rune(originator)) {
			t.Errorf("read back as %+v from %s", back, text)
		}
		if !math.IsNaN(stamp) && !math.IsInf(stamp, 0) && back.Meta["serverTimestamp"] != stamp {
			t.Errorf("stamp %v, want %v", back.Meta["serverTimestamp"], stamp)
		}
		if !payload.IsZero() {
			var want, got any
			_ = json.Unmarshal(data, &want)
			_ = json.Unmarshal(back.Data, &got)
			x, _ := json.Marshal(want)
			y, _ := json.Marshal(got)
			if !bytes.Equal(x, y) {
				t.Errorf("data %s, want %s", y, x)
			}
			again, err := eventbus.Raw(payload.JSON())
			if err != nil || again != payload {
				t.Errorf("Raw of %s is %s, %v", payload, again, err)
			}
		}
	})
}
