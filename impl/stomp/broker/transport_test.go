package broker

import (
	"net"
	"testing"
	"time"
)

// deadlines is a connection that remembers its write deadline.
type deadlines struct {
	net.Conn
	write time.Time
	set   int
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.write, d.set = t, d.set+1
	return nil
}

func (d *deadlines) Write(p []byte) (int, error) { return len(p), nil }

func TestTryIsNeverPatientForLong(t *testing.T) {
	conn := &deadlines{}
	s := &stream{Conn: conn, quick: true}
	for range 2 {
		for range 3 {
			if n, able := s.try([]byte("x")); n != 1 || !able {
				t.Fatalf("try: %d, %t", n, able)
			}
		}
		if left := time.Until(conn.write); left > patience {
			t.Errorf("try may wait for %v", left)
		}
		// The writer, meanwhile, had all the time that it needed.
		s.writeBy(time.Now().Add(time.Hour))
		if err := s.write([]byte("x"), nil); err != nil {
			t.Fatal(err)
		}
	}
	if conn.set > 6 {
		t.Errorf("%d deadlines were set for 8 writes", conn.set)
	}
	if _, able := newStream(conn).try(nil); able {
		t.Error("a connection of unknown kind is trusted with short deadlines")
	}
}
