package frame_test

import (
	"io"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// In the steady state borrowed frames allocate nothing, and small owned frames one allocation in ten at most.
func TestAllocations(t *testing.T) {
	const size = 140 << 10
	for _, name := range inputNames {
		in := inputNamed(name, size)
		for _, step := range []int{1, 100, 1000, in.chunk} {
			o := newOurs(true)
			o.place(&in, step)
			if n := testing.AllocsPerRun(2, func() { o.place(&in, step) }); n != 0 {
				t.Errorf("%s borrowed, %d octets a feed: %.0f allocations in %d frames", in.what, step, n, in.count)
			}
		}
		if name == "c" || name == "c2" {
			continue
		}
		for _, step := range []int{1460, in.chunk} {
			step = min(step, in.chunk)
			o := newOurs(false)
			o.place(&in, step)
			if n := testing.AllocsPerRun(2, func() { o.place(&in, step) }) / float64(in.count); n > 0.1 {
				t.Errorf("%s owned, %d octets a feed: %.3f allocations a frame", in.what, step, n)
			}
		}
	}
	for _, c := range encodeCases() {
		e := frame.Encoder{Version: frame.V12}
		write := func() {
			if _, err := e.WriteTo(io.Discard, c.ours); err != nil {
				t.Fatal(err)
			}
		}
		write()
		if n := testing.AllocsPerRun(10, write); n != 0 {
			t.Errorf("encoding %s: %.0f allocations", c.name, n)
		}
	}
}

// Owned frames stay as they were whatever happens to the chunk, to their neighbours and to the decoder.
func TestOwnedFramesAreIndependent(t *testing.T) {
	in := inputNamed("e", 64<<10)
	for _, step := range []int{7, 1000, len(in.data)} {
		d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
		var frames []*frame.Frame
		var want []string
		for at := 0; at < len(in.data); at += step {
			chunk := append([]byte(nil), in.data[at:min(at+step, len(in.data))]...)
			events, err := d.Feed(chunk)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				frames = append(frames, e.Frame)
				want = append(want, show(e.Frame))
			}
			clear(chunk)
		}
		for i, f := range frames {
			if got := show(f); got != want[i] {
				t.Fatalf("%d octets a feed: frame %d changed from %s to %s", step, i, want[i], got)
			}
			// What the owner does to one frame leaves the next alone.
			f.Headers = append(f.Headers, frame.Header{Name: "added"})
			_ = append(f.Body, "added"...)
			clear(f.Body)
			clear(f.Headers)
		}
	}
}

// STOMP-FRAME-025: every borrowed frame of a feed is right until the next one, those that began earlier included.
func TestBorrowedFramesLastUntilTheNextFeed(t *testing.T) {
	for _, name := range []string{"a", "a2", "e"} {
		in := inputNamed(name, 64<<10)
		whole := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
		events, err := whole.Feed(in.data)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, e := range events {
			want = append(want, show(e.Frame))
		}
		for _, step := range []int{1, 13, 240, 700, 4096} {
			d := newDecoder(t, frame.DecoderConfig{Version: frame.V12, Borrow: true})
			n := 0
			for at := 0; at < len(in.data); at += step {
				events, err := d.Feed(append([]byte(nil), in.data[at:min(at+step, len(in.data))]...))
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if got := show(e.Frame); got != want[n] {
						t.Fatalf("%s, %d octets a feed: frame %d is %s, want %s", name, step, n, got, want[n])
					}
					n++
				}
			}
			if n != len(want) {
				t.Errorf("%s, %d octets a feed: %d frames of %d", name, step, n, len(want))
			}
		}
	}
}

func TestPending(t *testing.T) {
	d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
	for _, c := range []struct {
		feed                string
		line, headers, body int
	}{
		{"", 0, 0, 0},
		{"SE", 2, 0, 0},
		{"ND\na:b\nc:", 2, 1, 0},
		{"d\ncontent-length:9\n", 0, 3, 0},
		{"\n12345", 0, 3, 5},
		{"6789", 0, 3, 9},
		{"\x00", 0, 0, 0},
		{"SEND\n\n" + strings.Repeat("x", 70000), 0, 0, 70000},
		{"\x00\n", 0, 0, 0},
	} {
		if _, err := d.Feed([]byte(c.feed)); err != nil {
			t.Fatal(err)
		}
		if l, h, b := d.Pending(); l != c.line || h != c.headers || b != c.body {
			t.Errorf("after %.20q: %d line octets, %d headers, %d body octets; want %d, %d, %d", c.feed, l, h, b, c.line, c.headers, c.body)
		}
	}
}

// A body that arrives in many pieces is moved a few times only, whether its length was declared or not.
func TestLongBodiesAreMovedSeldom(t *testing.T) {
	const size, step = 1 << 20, 1000
	body := strings.Repeat("x", size)
	for _, c := range []struct {
		head string
		most float64
	}{{"SEND\ncontent-length:1048576\n\n", 6}, {"SEND\n\n", 13}} {
		wire := []byte(c.head + body + "\x00")
		allocations := func(wire []byte) float64 {
			return testing.AllocsPerRun(3, func() {
				d := newDecoder(t, frame.DecoderConfig{Version: frame.V12, Borrow: true})
				for at := 0; at < len(wire); at += step {
					if _, err := d.Feed(wire[at:min(at+step, len(wire))]); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
		short := allocations([]byte(strings.Split(c.head, "\n")[0] + "\n\n\x00"))
		if n := allocations(wire) - short; n > c.most {
			t.Errorf("%q and %d octets in pieces of %d take %.0f allocations more than no body, want at most %.0f", c.head, size, step, n, c.most)
		}
	}
}

// A frame without headers has no list of them, and so keeps no memory of its neighbours.
func TestNoHeaders(t *testing.T) {
	d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
	events, err := d.Feed([]byte("SEND\na:b\n\n\x00SEND\n\n\x00"))
	if err != nil {
		t.Fatal(err)
	}
	if h := events[1].Frame.Headers; h != nil {
		t.Errorf("no header lines give a list of %d with room for %d", len(h), cap(h))
	}
	if h := frame.New(frame.SEND).Headers; h != nil {
		t.Errorf("no names give a list of %d with room for %d", len(h), cap(h))
	}
	if h := frame.New(frame.SEND, "a", "b", "c", "d", "e").Headers; len(h) != 3 || cap(h) != 3 {
		t.Errorf("three names give a list of %d with room for %d", len(h), cap(h))
	}
}

// STOMP-LIMIT-003: where the limit allows it, a frame has more headers than a block of memory usually holds.
func TestVeryManyHeaders(t *testing.T) {
	const many = 3000
	wire := "SEND\n" + strings.Repeat("a:b\n", many) + "\n\x00"
	want := "SEND{" + strings.TrimSuffix(strings.Repeat("a=b,", many), ",") + "} ."
	cfg := frame.DecoderConfig{Version: frame.V12, Limits: frame.Limits{Line: 9, Headers: many, Body: 0, Events: 2}}
	for _, cfg.Borrow = range []bool{false, true} {
		for _, cut := range []int{0, 5, 2100, 6000} {
			if got := decode(t, cfg, []byte("SEND\n\n\x00"), []byte(wire[:cut]), []byte(wire[cut:])); got != "SEND{} "+want {
				t.Errorf("borrow %t, cut at %d: %d headers came as %d octets of text", cfg.Borrow, cut, many, len(got))
			}
		}
	}
}
