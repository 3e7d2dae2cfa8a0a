// Package farewelltest is the other side of a WebSocket that does not let go: a frame without an end, in small pieces.
package farewelltest

import (
	"encoding/binary"
	"io"
	"time"
)

// LongFrame begins a text frame of 2^40 octets, which a client masks.
func LongFrame(masked bool) []byte {
	header := binary.BigEndian.AppendUint64([]byte{0x81, 127}, 1<<40)
	if masked {
		header[1] |= 0x80
		header = append(header, 0, 0, 0, 0)
	}
	return header
}

// Drip writes a few octets each millisecond until that fails, and reports whether it did within a minute.
func Drip(w io.Writer) bool {
	few := make([]byte, 1000) // as many as a library reads at once
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	for range 60_000 {
		<-ticks.C
		if _, err := w.Write(few); err != nil {
			return true
		}
	}
	return false
}
