package stomptest

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// listener returns a subscription as the cases have one, with nothing behind it.
func listener(version string) *subscription {
	return &subscription{c: &clientT{}, p: &wire{version: version}, ID: "s1", Destination: "/queue/a", Ack: "auto"}
}

// read decodes octets by the suite's own tolerant reader.
func read(version, octets string) []*wireFrame {
	r := reader{version: version}
	return r.feed([]byte(octets), time.Time{})
}

// Every frame that is cut has the same octets but for its message-id, so that a place to cut is a place (STOMP-FRAME-012).
func TestFramesToCut(t *testing.T) {
	for _, v := range every {
		for name, f := range map[string]func(*subscription) string{"short": shortFrame, "full": fullFrame, "crlf": crlfFrame} {
			if name == "crlf" && v != "1.2" {
				continue
			}
			s := listener(v)
			first, second := fixed(f)(s), fixed(f)(s)
			if len(first) != len(second) || first == second {
				t.Errorf("%s frame of %s: %q and %q differ in length, or not at all", name, v, first, second)
			}
			got := read(v, first+second)
			if len(got) != 2 || len(got[0].Faults) > 0 || got[0].Command != "MESSAGE" {
				t.Errorf("%s frame of %s reads as %v", name, v, got)
			}
		}
	}
}

// A deviant breaks what it says and nothing before it: the reference decoder takes the frame without its fault, and
// refuses it with it.
func TestDeviantsAreRefused(t *testing.T) {
	versions := map[string]frame.Version{"1.1": frame.V11, "1.2": frame.V12}
	for name, v := range versions {
		for _, d := range []deviant{
			lined("undefined escape", `x:a\tb`+"\n"), lined("dangling", `x:v\`+"\n"), lined("no colon", "abc\n"), lined("no name", ":v\n"),
			lined("raw colon", "x:a:b\n"), lined("not UTF-8", "x:\xff\n"), lined("NUL", "x:a\x00b\n"),
			commanded("unknown", "BOGUS"), commanded("letter case", "message"), commanded("padded", "MESSAGE "), commanded("CR", "MESSAGE\r\r"),
			lengthened("-1"), lengthened("+4"), lengthened(""), lengthened("2"), lengthened("99999999999999999999"),
		} {
			if refused := decodes(t, v, d.octets(listener(name))); !refused {
				t.Errorf("%s of %s is no deviant: the reference decodes it", d.name, name)
			}
		}
		for _, legal := range []string{lined("plain", "x:v\n").octets(listener(name)), lengthened("4").octets(listener(name)), commanded("as is", "MESSAGE").octets(listener(name))} {
			if refused := decodes(t, v, legal); refused {
				t.Errorf("%q of %s is refused without a fault", legal, name)
			}
		}
	}
}

// decodes feeds octets to the reference decoder and tells whether it refuses them.
func decodes(t *testing.T, v frame.Version, octets string) (refused bool) {
	t.Helper()
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: v})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Feed([]byte(octets))
	return err != nil
}

// STOMP-SUBSCRIBE-014.
func TestWithoutLacksOneHeader(t *testing.T) {
	for _, name := range []string{"destination", "message-id", "subscription"} {
		got := read("1.2", without(name).octets(listener("1.2")))
		if len(got) != 1 || len(got[0].Faults) > 0 {
			t.Fatalf("without %s: %v", name, got)
		}
		if _, ok := got[0].Lookup(name); ok || len(got[0].Headers) != 3 {
			t.Errorf("without %s: %s", name, got[0])
		}
	}
}

func TestReactionSaysTheSameEachTime(t *testing.T) {
	for want, r := range map[string]reaction{
		"goes on":                            {good: true},
		"delivers it and goes on":            {wrong: []event{{Kind: "message", Body: "bad"}}, good: true},
		"tells of it":                        {told: "tells of it"},
		"closes the connection":              {closed: true},
		"hangs":                              {stuck: true},
		"its process ends":                   {told: "its process ends", stuck: true},
		"shows nothing more":                 {},
		"delivers it and shows nothing more": {wrong: []event{{Kind: "message"}}},
	} {
		if got := r.String(); got != want {
			t.Errorf("%+v says %q, want %q", r, got, want)
		}
	}
}

// What differs from one message to the next is no part of its likeness.
func TestLikeness(t *testing.T) {
	a := event{Kind: "message", Body: "b", Headers: map[string]string{"message-id": "1", "x": "v", "y": ""}}
	b := event{Kind: "message", Body: "b", Headers: map[string]string{"y": "", "x": "v", "message-id": "2"}}
	if likeness(a) != likeness(b) {
		t.Errorf("%s and %s are alike", likeness(a), likeness(b))
	}
	b.Headers["x"] = "w"
	if likeness(a) == likeness(b) {
		t.Error("another value of x makes no difference")
	}
	if !strings.HasPrefix(likeness(a), "message ") {
		t.Errorf("likeness %s does not begin with the kind", likeness(a))
	}
}
