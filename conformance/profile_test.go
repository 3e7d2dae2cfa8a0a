package conformance

import (
	"strings"
	"testing"
	"time"
)

// A fault of a profile names its field, and its line where it has one.
func TestFaultsOfAProfileNameTheirField(t *testing.T) {
	for text, want := range map[string]string{
		"name: x\ndeadlines: {reply: 2}\n":      `[2:20] deadlines.reply: "2" is no time`,
		"name: x\ndeadlines:\n  quiet: soon\n":  `[3:10] deadlines.quiet: "soon" is no time`,
		"name: x\npascode: y\n":                 "[2:1] unknown field",
		"queue: /queue/x\n":                     "queue: \"/queue/x\" does not contain {name}",
		"unsupported:\n  nack: \"\"\n":          "unsupported: nack has no reason",
		"deadlines: {reply: 1ms}\n":             "deadline reply is 1ms",
		"http: {open: {method: POST, path: x}}": "http: open: path",
	} {
		if _, err := ParseProfile([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	p, err := ParseProfile([]byte("deadlines: {reply: 2s, quiet: '300ms', close: \"1m\"}\n"))
	if err != nil || p.Timing().Reply != 2*time.Second || p.Timing().Quiet != 300*time.Millisecond || p.Timing().Close != time.Minute {
		t.Errorf("%v %+v", err, p.Timing())
	}
}

// A misspelt option would excuse nothing and say nothing, so that it is refused.
func TestAnOptionThatNoCaseNeedsIsRefused(t *testing.T) {
	needs := does("needs", func(*T) {})
	needs.Needs.Options = []string{"nack"}
	res, err := judge(t, Config{Profile: Profile{Unsupported: map[string]string{"nak": "not yet"}}}, needs)
	if err == nil || !strings.Contains(err.Error(), `unsupported: "nak" is no option of stomp, known: nack`) {
		t.Errorf("%v %v", res, err)
	}
}

// One slow answer stretches a deadline, within bounds and to whole milliseconds.
func TestARoundTripStretchesWithinBounds(t *testing.T) {
	d := DefaultTiming()
	if got := d.Measured(time.Millisecond); got.Reply != d.Reply || got.Case != d.Case {
		t.Errorf("a fast target: %+v", got)
	}
	if got := d.Measured(61234567 * time.Nanosecond); got.Reply != 3062*time.Millisecond || got.Close != 6123*time.Millisecond {
		t.Errorf("not whole milliseconds: %+v", got)
	}
	slow := d.Measured(711 * time.Millisecond)
	if slow.Reply != 10*d.Reply || slow.Close != 10*d.Close || slow.Quiet != 10*d.Quiet || slow.Case != 10*d.Case {
		t.Errorf("a hiccup: %+v", slow)
	}
}
