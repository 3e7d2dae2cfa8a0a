//go:build linux || darwin

package frame_test

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// Nothing is read behind what was given, although eight octets are read at a time: the octets end where the readable
// memory does, and one octet too far is a fault.
func TestNothingIsReadBehindTheEnd(t *testing.T) {
	size := os.Getpagesize()
	pages, err := syscall.Mmap(-1, 0, 2*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Munmap(pages); err != nil {
			t.Error(err)
		}
	}()
	if err := syscall.Mprotect(pages[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	last := func(s string) []byte {
		b := pages[size-len(s) : size : size]
		copy(b, s)
		return b
	}
	for n := 1; n <= 40; n++ {
		for _, special := range []string{"", ":", "\\", "\n", "é"} {
			b := last(strings.Repeat("a", n) + special)
			value := unsafe.String(&b[0], len(b))
			want := encode(t, frame.V12, frame.New(frame.SEND, "x", strings.Clone(value)))
			if got := encode(t, frame.V12, frame.New(frame.SEND, "x", value)); got != want {
				t.Fatalf("value %q gives %q, want %q", value, got, want)
			}
		}
		for _, wire := range []string{"SEND\nx:" + strings.Repeat("a", n), "SEND\nx:\\c" + strings.Repeat("a", n) + "\n", strings.Repeat("\n", n)} {
			for _, borrow := range []bool{false, true} {
				if _, err := newDecoder(t, frame.DecoderConfig{Version: frame.V12, Borrow: borrow}).Feed(last(wire)); err != nil {
					t.Fatalf("%q: %v", wire, err)
				}
			}
		}
	}
}
