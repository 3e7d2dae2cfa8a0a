package host

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	readAtLeast = 4096     // octets that there is room for before each read
	keptBuffer  = 64 << 10 // octets of a buffer that is kept though nothing is in it
)

// A reader reads lines from a connection. It has room for what has come, not for what is promised.
type reader struct {
	conn     net.Conn
	patience time.Duration
	buf      []byte // read and not yet returned
	used     int    // octets of buf that the last line took
}

// A lineError is a line that is too long.
type lineError struct {
	limit int
}

// Error returns a one line description.
func (e *lineError) Error() string { return fmt.Sprintf("a line of more than %d octets", e.limit) }

// next returns the next line without its end, valid until the next call. One that has begun must end within the patience, and begin within
// it too if it is awaited.
func (r *reader) next(limit int, awaited bool) ([]byte, error) {
	r.buf = r.buf[r.used:]
	r.used = 0
	if len(r.buf) == 0 && cap(r.buf) > keptBuffer {
		r.buf = nil
	}
	var end time.Time
	for searched := 0; ; {
		if i := bytes.IndexByte(r.buf[searched:], '\n'); i >= 0 {
			line := r.buf[:searched+i]
			r.used = len(line) + 1
			if len(line) > limit {
				return nil, &lineError{limit}
			}
			return line, nil
		}
		searched = len(r.buf)
		if searched > limit {
			return nil, &lineError{limit}
		}
		if end.IsZero() && (awaited || searched > 0) {
			end = time.Now().Add(r.patience)
		}
		if err := r.conn.SetReadDeadline(end); err != nil {
			return nil, err
		}
		if cap(r.buf)-len(r.buf) < readAtLeast {
			grown := make([]byte, len(r.buf), min(2*len(r.buf), limit)+readAtLeast)
			copy(grown, r.buf)
			r.buf = grown
		}
		n, err := r.conn.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

// ordinary reports whether a connection has ended as connections do, and not because of what came on it.
func ordinary(err error) bool {
	var late net.Error
	var long *lineError
	return !errors.As(err, &long) && !(errors.As(err, &late) && late.Timeout())
}
