package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// extra and host are sections of protocols that there are not.
type (
	extra struct {
		Extra struct {
			Depth int `yaml:"depth"`
		} `yaml:"extra"`
	}
	host struct {
		Host map[string]string `yaml:"host"`
	}
)

func (e extra) Validate() error {
	if e.Extra.Depth < 0 {
		return fmt.Errorf("extra: depth %d is negative", e.Extra.Depth)
	}
	return nil
}

func (host) Validate() error { return nil }

// A fault of a profile names its field, and its line where it has one.
func TestFaultsOfAProfileNameTheirField(t *testing.T) {
	for text, want := range map[string]string{
		"name: x\ndeadlines: {reply: 2}\n":     `[2:20] deadlines.reply: "2" is no time`,
		"name: x\ndeadlines:\n  quiet: soon\n": `[3:10] deadlines.quiet: "soon" is no time`,
		"name: x\npascode: y\n":                "[2:1] unknown field",
		"name: x\nhost: {}\nextra: {a: 1}\n":   "[3:9] unknown field \"a\"",
		"extra: {depth: x}\n":                  "[1:16] cannot unmarshal",
		"extra: {depth: -1}\n":                 "extra: depth -1 is negative",
		"unsupported:\n  nack: \"\"\n":         "unsupported: nack has no reason",
		"deadlines: {reply: 1ms}\n":            "deadline reply is 1ms",
	} {
		if _, err := ParseProfile([]byte(text), extra{}, host{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	p, err := ParseProfile([]byte("extra: {depth: 3}\n"), host{}, extra{})
	if err != nil || SectionOf[extra](p).Extra.Depth != 3 || SectionOf[host](p).Host != nil || SectionOf[extra](Profile{}).Extra.Depth != 0 {
		t.Errorf("%v %+v", err, p)
	}
	p, err = ParseProfile([]byte("deadlines: {reply: 2s, quiet: '300ms', close: \"1m\"}\n"))
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
