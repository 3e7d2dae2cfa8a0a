package frame_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// STOMP-NEGOTIATE-006: what follows CONNECTED in the same chunk has the rules of the negotiated version.
func TestSwitchAfterConnected(t *testing.T) {
	const tail = "ERROR\nmessage:a\\rb\n\n\x00"
	for _, c := range []struct{ head, want string }{
		{"CONNECTED\nversion:1.1\n\n\x00", "!escape@39"},
		{"CONNECTED\nversion:1.2\n\n\x00", "CONNECTED{version=1.2} ERROR{message=a\rb} ."},
		{"CONNECTED\nversion:1.0\n\n\x00", "CONNECTED{version=1.0} ERROR{message=a\\rb} ."},
		{"CONNECTED\n\n\x00", "CONNECTED{} ERROR{message=a\\rb} ."},
		{"CONNECTED\nversion:1.0\nversion:1.2\n\n\x00", "CONNECTED{version=1.0,version=1.2} ERROR{message=a\\rb} ."},
		{"CONNECTED\nversion:9\n\n\x00", "CONNECTED{version=9} ERROR{message=a\rb} ."},
		{"CONNECTED\nversion:1.0\n\n\x00\n", "CONNECTED{version=1.0} ~ ERROR{message=a\\rb} ."},
		// A client's frames change nothing by themselves.
		{"CONNECT\nversion:1.0\n\n\x00", "CONNECT{version=1.0} ERROR{message=a\rb} ."},
		{"STOMP\nversion:1.0\n\n\x00", "STOMP{version=1.0} ERROR{message=a\rb} ."},
	} {
		if got := everyWay(t, frame.DecoderConfig{Version: frame.V12}, c.head+tail); got != c.want {
			t.Errorf("%q: got %s, want %s", c.head, got, c.want)
		}
	}
}

// A server switches right after CONNECT, and no other command asks.
func TestSwitchFunction(t *testing.T) {
	var asked []frame.Command
	cfg := frame.DecoderConfig{Version: frame.V12, Switch: func(f *frame.Frame) frame.Version {
		asked = append(asked, f.Command)
		if v, ok := f.Get("accept-version"); ok && v == "1.1" {
			return frame.V11
		}
		return 77
	}}
	d := newDecoder(t, cfg)
	_, err := d.Feed([]byte("CONNECT\naccept-version:1.1\n\n\x00SEND\nx:a\r\n\n\x00MESSAGE\n\n\x00STOMP\n\n\x00CONNECTED\n\n\x00"))
	if err != nil {
		t.Fatal(err)
	}
	if d.Version() != frame.V11 {
		t.Errorf("the version is %s after an answer that is none", d.Version())
	}
	want := []frame.Command{frame.CONNECT, frame.STOMP, frame.CONNECTED}
	if len(asked) != 3 || asked[0] != want[0] || asked[1] != want[1] || asked[2] != want[2] {
		t.Errorf("asked about %v, want %v", asked, want)
	}
}

// SetVersion leaves the line or frame in progress alone.
func TestSetVersion(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"", "SEND\nx:\\c\n\n\x00", "SEND{x=\\c}"},
		{"\n", "SEND\nx:\\c\n\n\x00", "SEND{x=\\c}"},
		{"SE", "ND\nx:\\c\n\n\x00", "SEND{x=:}"},
		{"SEND\n", "x:\\c\n\n\x00", "SEND{x=:}"},
		{"SEND\nx:\\c\n\n\x00", "SEND\nx:\\c\n\n\x00", "SEND{x=\\c}"},
		{"SEND\nx:\\", "c\n\n\x00SEND\nx:\\c\n\n\x00", "SEND{x=:} SEND{x=\\c}"},
		// The CR that began the line belongs to 1.2, where it ends a heart-beat.
		{"\r", "\nSEND\nx:\\c\n\n\x00", "~ SEND{x=\\c}"},
	} {
		d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
		if _, err := d.Feed([]byte(c.before)); err != nil {
			t.Fatal(err)
		}
		d.SetVersion(9)
		d.SetVersion(frame.V10)
		events, err := d.Feed([]byte(c.after))
		if err != nil {
			t.Errorf("%q then %q: %v", c.before, c.after, err)
			continue
		}
		got := ""
		for i, e := range events {
			if i > 0 {
				got += " "
			}
			got += show(e.Frame)
		}
		if got != c.want {
			t.Errorf("%q, switch, %q: got %s, want %s", c.before, c.after, got, c.want)
		}
	}
}

func TestVersionNames(t *testing.T) {
	for i, s := range []string{"1.0", "1.1", "1.2"} {
		v, ok := frame.ParseVersion(s)
		if !ok || v != frame.Version(i) || v.String() != s {
			t.Errorf("ParseVersion(%q) = %v, %t", s, v, ok)
		}
	}
	for _, s := range []string{"", "1", "1.3", " 1.2", "1.2 ", "1.02"} {
		if v, ok := frame.ParseVersion(s); ok {
			t.Errorf("ParseVersion(%q) = %v", s, v)
		}
	}
}
