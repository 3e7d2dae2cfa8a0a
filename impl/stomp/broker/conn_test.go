package broker

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// STOMP-FRAME-017: a read is handled a frame at a time, and the NULs between frames together.
func TestBoundary(t *testing.T) {
	for chunk, want := range map[string]int{"a": 1, "ab": 2, "\x00": 1, "\x00\x00": 2, "\x00\x00a\x00": 2, "a\x00": 2, "ab\x00\x00c": 3} {
		if got := boundary([]byte(chunk)); got != want {
			t.Errorf("%q: the first piece is %d octets, want %d", chunk, got, want)
		}
	}
}

// full is a connection that fills every read, and notes how much room there was.
type full struct {
	net.Conn
	texts []string // one a read, repeated to fill it unless it is the first
	rooms *[]int
}

func (f *full) Read(p []byte) (int, error) {
	*f.rooms = append(*f.rooms, len(p))
	if len(f.texts) == 0 {
		return 0, io.EOF
	}
	text := f.texts[0]
	f.texts = f.texts[1:]
	if len(text) == 1 {
		text = strings.Repeat(text, len(p))
	}
	return copy(p, text), nil
}

// A peer that has much to say is read in larger pieces, up to a bound, and one that has not is not.
func TestReadsGrowWithWhatComes(t *testing.T) {
	b, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, ours) }()
	const connect = "CONNECT\naccept-version:1.2\nhost:h\n\n\x00"
	var rooms []int
	conn := &full{theirs, []string{connect, "\n\n", "\n", "\n", "\n", "\n", "\n", "\n", "\n\n"}, &rooms}
	if err := b.ServeConn(context.Background(), conn); err != nil {
		t.Fatal(err)
	}
	_ = ours.Close()
	const k = 1 << 10
	if want := []int{4 * k, 4 * k, 4 * k, 8 * k, 16 * k, 32 * k, 64 * k, 64 * k, 64 * k, 64 * k}; !slices.Equal(rooms, want) {
		t.Errorf("read into %v octets, want %v", rooms, want)
	}
}

// halves is a transport that writes half of a batch at once and leaves the rest for later.
type halves struct{ *stream }

func (h halves) try(batch []byte) (int, bool) {
	n, _ := h.Write(batch[:len(batch)/2])
	return n, true
}

// What could not be written at once is written later, and nothing overtakes it.
func TestRestOfABatchIsWritten(t *testing.T) {
	b, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- b.serve(context.Background(), halves{newStream(theirs)}) }()
	said := make(chan error, 1)
	go func() {
		text := "CONNECT\naccept-version:1.2\nhost:h\n\n\x00SUBSCRIBE\nid:s\ndestination:/topic/a\n\n\x00" +
			strings.Repeat("SEND\ndestination:/topic/a\n\nbody\x00", 20) + "DISCONNECT\nreceipt:r\n\n\x00"
		_, err := io.WriteString(ours, text)
		said <- err
	}()
	text, err := io.ReadAll(ours)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V12})
	if err != nil {
		t.Fatal(err)
	}
	events, err := dec.Feed(text)
	if err != nil || len(events) != 22 || events[21].Frame.Command != frame.RECEIPT {
		t.Errorf("%d frames, %v, want CONNECTED, 20 of MESSAGE and RECEIPT: %q", len(events), err, text)
	}
	if err := <-said; err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// A buffer is used again, unless it is large.
func TestLargeBuffersAreLetGo(t *testing.T) {
	b, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	c, err := b.admit(newStream(theirs))
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for size, kept := range map[int]bool{1: true, keep: true, keep + 1: false} {
		c.spare, c.batch = nil, make([]byte, 1, size)
		c.written()
		if (c.spare != nil) != kept {
			t.Errorf("a buffer of %d octets is kept: %t", size, c.spare != nil)
		}
	}
	_, _ = ours.Close(), theirs.Close()
}
