package conformance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpectations(t *testing.T) {
	const law = "STOMP-FRAME-001"
	missed := func(law string, end Ending) func(*T) {
		return func(t *T) {
			t.Missed(Break{Law: law, Reason: "it comes", Expected: "a", Seen: "b"}, end)
			panic("the case goes on")
		}
	}
	res, err := judge(t, Config{},
		does("checks", func(t *T) { t.Check(true, law, "it holds", "a", "a") }),
		does("checks-in-vain", func(t *T) {
			t.Check(false, law, "it holds", "a", "b")
			t.Chose(law, "the case goes on", "")
		}),
		does("checks-what-it-needs", func(t *T) {
			t.Check(false, "", "it holds", "a", "b")
			panic("the case goes on")
		}),
		does("equal", func(t *T) { t.Equal(law, "numbers", 1, int64(1)) }),
		does("unequal", func(t *T) { t.Equal(law, "numbers", 1, 2) }),
		does("misses", missed(law, Open)),
		does("misses-at-the-end", missed(law, EOF)),
		does("misses-after-a-reset", missed(law, Reset)),
		does("misses-what-it-needs", missed("", Reset)),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Verdict{
		"checks": Pass, "checks-in-vain": Fail, "checks-what-it-needs": Blocked, "equal": Pass, "unequal": Fail,
		"misses": Fail, "misses-at-the-end": Fail, "misses-after-a-reset": Inconclusive, "misses-what-it-needs": Blocked,
	}
	if diff := cmp.Diff(want, verdicts(res)); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

func TestWordsOfASuiteAreMadeAndClearedForEachCase(t *testing.T) {
	var told []string
	wrap := With(func(t *T) func(string) {
		say := func(word string) { told = append(told, word) }
		t.Cleanup(func() { say("last") })
		t.Cleanup(func() { say("first") })
		return say
	})
	c := does("stops", nil)
	c.Run = wrap(func(say func(string)) { say("case") })
	stops := does("ends-early", func(*T) {})
	stops.Run = With(func(t *T) *T {
		t.Cleanup(func() { told = append(told, "after the end") })
		return t
	})(func(t *T) { t.Stop() })
	if _, err := judge(t, Config{Parallel: 1}, c, stops); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"case", "first", "last", "after the end"}, told); diff != "" {
		t.Error(diff)
	}
}
