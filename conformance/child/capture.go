package child

import (
	"bytes"
	"fmt"
	"os"
	"sync"
)

// tailSize is how much of the newest output is held in memory, in bytes.
const tailSize = 32 << 10

// capture writes a stream to a file up to a limit and holds the newest bytes in memory. A write
// error ends the writing to the file, never the reading from the process: a full disk must not
// block a broker on its own output.
type capture struct {
	mu      sync.Mutex
	file    *os.File
	left    int64 // of the limit, for the beginning
	reserve int64 // of the limit, for the end
	dropped int64
	tail    []byte
	err     error
}

// openCapture appends to path, at most limit bytes.
func openCapture(path string, limit int64) (*capture, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	left := max(limit-tailSize, limit/2)
	return &capture{file: f, left: left, reserve: limit - left}, nil
}

// Write takes all of p and never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int64(len(p))
	keep := min(n, c.left)
	if keep > 0 && c.err == nil {
		_, c.err = c.file.Write(p[:keep])
	}
	c.left -= keep
	c.dropped += n - keep
	c.tail = append(c.tail, p...)
	// Trimmed at twice the size, so that a flood is not copied once per write.
	if len(c.tail) > 2*tailSize {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-tailSize:]...)
	}
	return len(p), nil
}

// Tail returns at most the newest n bytes of output, from the start of a line if it holds more
// than one.
func (c *capture) Tail(n int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tail
	if n = min(n, tailSize); len(t) > n {
		t = t[len(t)-n:]
		if i := bytes.IndexByte(t, '\n'); i >= 0 && i+1 < len(t) {
			t = t[i+1:]
		}
	}
	return string(t)
}

// Close writes the end of a stream that was longer than the limit and closes the file.
func (c *capture) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped > 0 && c.err == nil {
		keep := min(int64(len(c.tail)), c.dropped, c.reserve)
		end := c.tail[int64(len(c.tail))-keep:]
		_, c.err = fmt.Fprintf(c.file, "\n[%d bytes of output dropped; the end follows]\n%s", c.dropped-int64(len(end)), end)
	}
	if err := c.file.Close(); c.err == nil {
		c.err = err
	}
	return c.err
}
