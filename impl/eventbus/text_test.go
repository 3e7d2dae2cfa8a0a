package eventbus_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

func TestDigits(t *testing.T) { // EVENTBUS-QUEUE-008
	check := func(n int64) {
		if got, want := eventbus.Digits(n), len(strconv.FormatInt(n, 10)); got != want {
			t.Errorf("%d has %d digits, not %d", n, want, got)
		}
	}
	for shift := range 63 {
		for _, n := range []int64{1<<shift - 1, 1 << shift, 1<<shift + 1} {
			check(n)
		}
	}
	for n := int64(1); ; n *= 10 {
		check(n - 1)
		check(n)
		check(n + 1)
		if n > math.MaxInt64/10 {
			break
		}
	}
	check(math.MaxInt64)
}

// A character that is written longer than it is counts wherever it stands, whatever the length of the text.
func TestSizeOfTypes(t *testing.T) { // EVENTBUS-QUEUE-008
	b := newBus(t, eventbus.Config{})
	for length := range 28 {
		for place := range length {
			for _, c := range []string{"x", `"`, `\`, "\x01", "\n", "\x7f", "é", "\xff"} {
				name := strings.Repeat("a", place) + c + strings.Repeat("a", length-place-1)
				e, _ := b.Publish(eventbus.Input{Type: name, Originator: name})
				text, err := e.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				if size, _ := e.Size(); size != len(text) {
					t.Fatalf("%q: size %d, but %d octets: %s", name, size, len(text), text)
				}
			}
		}
	}
}
