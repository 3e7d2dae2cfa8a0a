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
			for _, c := range []string{"x", " ", `"`, `\`, "\x01", "\n", "\x7f", "\x80", "é", "\xff"} {
				// Sums of octets reach the top bit from one of these and not from the other.
				filler := "aA"[place%2 : place%2+1]
				name := strings.Repeat(filler, place) + c + strings.Repeat(filler, length-place-1)
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

// Numbers are spelled as ECMAScript spells them.
func TestNumbers(t *testing.T) { // EVENTBUS-PUBLISH-004 EVENTBUS-QUEUE-008
	b := newBus(t, eventbus.Config{})
	for f, want := range map[float64]string{
		0: "0", 9: "9", 10: "10", -1: "-1", 0.5: "0.5", 1e-6: "0.000001", 1.25e-7: "1.25e-7", 1.25e-10: "1.25e-10", 1e-300: "1e-300",
		9007199254740991: "9007199254740991", 9007199254740992: "9007199254740992", 123456789012345680000: "123456789012345680000",
		1e21: "1e+21", 1.25e21: "1.25e+21", -1e300: "-1e+300", 5e-9: "5e-9",
	} {
		e, _ := b.Publish(eventbus.Input{Meta: map[string]any{"serverTimestamp": f}})
		_, text, _ := strings.Cut(text1(t, e), `"serverTimestamp":`)
		same(t, "number", strings.TrimSuffix(text, "}}"), want)
	}
}
