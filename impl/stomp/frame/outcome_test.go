package frame_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// reporter is what *testing.T, *testing.B and *rapid.T have in common and the checks here need.
type reporter interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// show renders a frame as COMMAND{name=value,...}"body", with a nil frame, a heart-beat, as a tilde.
func show(f *frame.Frame) string {
	if f == nil {
		return "~"
	}
	var b strings.Builder
	b.WriteString(f.Command.String() + "{")
	for i, h := range f.Headers {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(h.Name + "=" + h.Value)
	}
	b.WriteByte('}')
	if len(f.Body) > 0 {
		fmt.Fprintf(&b, "%q", f.Body)
	}
	return b.String()
}

// fault renders an error of the package as !rule@offset.
func fault(t reporter, err error) string {
	t.Helper()
	var e *frame.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is a %T, not a *frame.Error", err, err)
	}
	return fmt.Sprintf("!%s@%d", e.Rule, e.Offset)
}

// decode feeds the pieces one by one and renders what came out: all events and a full stop for a clean end, or only the
// error, since which events a failing feed loses depends on the pieces. Every piece is a private copy that is overwritten
// once its feed is over (STOMP-FRAME-025); owned frames are rendered at the very end, borrowed ones before the next feed.
func decode(t reporter, cfg frame.DecoderConfig, pieces ...[]byte) string {
	t.Helper()
	d, err := frame.NewDecoder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	var frames []*frame.Frame
	for _, p := range pieces {
		chunk := append([]byte(nil), p...)
		got, err := d.Feed(chunk)
		if err != nil {
			if got != nil {
				t.Fatalf("STOMP-FRAME-017: a failing feed returned %d events", len(got))
			}
			return fault(t, err)
		}
		for _, e := range got {
			if cfg.Borrow {
				events = append(events, show(e.Frame))
			} else {
				frames = append(frames, e.Frame)
			}
		}
		for i := range chunk {
			chunk[i] = '#'
		}
	}
	end := d.End()
	for _, f := range frames {
		events = append(events, show(f))
	}
	if end != nil {
		return strings.Join(append(events, fault(t, end)), " ")
	}
	return strings.Join(append(events, "."), " ")
}

// everyWay decodes the wire in one piece, octet by octet with empty chunks between, and in every two pieces, owned and
// borrowed, fails if any of these differ, and returns the outcome: STOMP-FRAME-012.
func everyWay(t reporter, cfg frame.DecoderConfig, wire string) string {
	t.Helper()
	w := []byte(wire)
	cfg.Borrow = false
	want := decode(t, cfg, w)
	compare := func(how, got string) {
		t.Helper()
		if got != want {
			t.Fatalf("STOMP-FRAME-012: %s gives\n%s\nin one piece\n%s\nwire %q", how, got, want, wire)
		}
	}
	for _, borrow := range []bool{false, true} {
		cfg.Borrow = borrow
		compare(fmt.Sprintf("borrow=%t", borrow), decode(t, cfg, w))
		octets := [][]byte{nil}
		for i := range w {
			octets = append(octets, w[i:i+1], nil)
		}
		compare(fmt.Sprintf("octet by octet, borrow=%t", borrow), decode(t, cfg, octets...))
		if len(w) > 600 {
			continue
		}
		for i := range w {
			compare(fmt.Sprintf("cut at %d, borrow=%t", i, borrow), decode(t, cfg, w[:i], w[i:]))
		}
	}
	return want
}

// row is one wire text with its outcome in the versions named.
type row struct {
	law      string
	versions string // digits after "1.", such as "12"
	wire     string
	want     string
}

const (
	all   = "012"
	v11up = "12"
)

func (r row) check(t *testing.T, limits frame.Limits) {
	t.Helper()
	for _, digit := range r.versions {
		v, ok := frame.ParseVersion("1." + string(digit))
		if !ok {
			t.Fatalf("no version 1.%c", digit)
		}
		cfg := frame.DecoderConfig{Version: v, Limits: limits, Switch: func(*frame.Frame) frame.Version { return v }}
		if got := everyWay(t, cfg, r.wire); got != r.want {
			t.Errorf("%s in %s: %q\n got %s\nwant %s", r.law, v, r.wire, got, r.want)
		}
	}
}

func checkRows(t *testing.T, rows []row) {
	for _, r := range rows {
		t.Run(r.law, func(t *testing.T) { r.check(t, frame.Limits{}) })
	}
}
