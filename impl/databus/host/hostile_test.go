package host

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

func greeting(channel, from string, turn int64) string {
	return fmt.Sprintf(`{"databus":1,"channel":%q,"from":%q,"turn":%d}`+"\n", channel, from, turn)
}

// DATABUS-LIMIT-005: who is silent, slow, too loud or somebody else is cut off; the others do not notice.
func TestHostileConnections(t *testing.T) {
	id := strings.Repeat("0", idLength)
	hello := greeting("k", id, 1)
	frame := `{"type":"REGISTRY","sourceWorkerId":"h"}` + "\n"
	for name, says := range map[string][]string{
		"silent":              {},
		"half a hello":        {hello[:20]},
		"no JSON":             {"GET / HTTP/1.1\n"},
		"another version":     {strings.Replace(hello, `"databus":1`, `"databus":2`, 1)},
		"another channel":     {greeting("q", id, 1)},
		"no name":             {greeting("k", "../../etc", 1)},
		"no turn":             {greeting("k", id, 0)},
		"a long hello":        {`{"databus":1,"pad":"` + strings.Repeat("x", maxHello)},
		"half a frame":        {hello, frame, frame[:10]},
		"a frame without end": {hello, `{"type":"REGISTRY","pad":"`, strings.Repeat("x", signal.MaxFrame)},
	} {
		t.Run(name, func(t *testing.T) {
			h := opened(t, t.TempDir(), func(c *Config) { c.Patience = 200 * time.Millisecond })
			a, b := ends(t, h), ends(t, h)
			conn := a.dial()
			for _, text := range says {
				_, _ = conn.Write([]byte(text)) // it may be cut off before
			}
			isCut(t, conn)
			// On a slow machine b is too at first.
			until(t, "it is counted", func() bool { return h.Stats().Refused >= 1 })
			for len(a.got) > 0 {
				a.hears("h")
			}
			until(t, "b is heard", func() bool {
				b.post("b", "1")
				return len(a.got) > 0
			})
			a.hears("b 1")
		})
	}
}

// What is no frame is counted and ignored, and what comes after it is not.
func TestHostileFrames(t *testing.T) {
	h := opened(t, t.TempDir(), nil)
	a := ends(t, h)
	conn := a.dial()
	bad := []string{
		"", "{}", "null", "{", "\x00", `{"type":"REGISTRY"}`, `{"type":"CONTROL","sourceWorkerId":"h"}`, strings.Repeat("[", 100_000),
	}
	text := greeting("k", strings.Repeat("f", idLength), 1) + strings.Join(bad, "\n") + "\n"
	text += `{"type":"NEWS","sourceWorkerId":"h"}` + "\n" + `{"type":"REGISTRY","sourceWorkerId":"last"}` + "\n"
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	// DATABUS-CONTROL-005: an unknown type is for the cluster to judge.
	a.hears("h", "last")
	if n := h.Stats().Malformed; n != int64(len(bad)) {
		t.Errorf("%d malformed, want %d", n, len(bad))
	}
}

// There are so many connections and no more; those that end make room.
func TestHostileCrowd(t *testing.T) {
	h := opened(t, t.TempDir(), func(c *Config) { c.MaxPeers = 4 })
	a := ends(t, h)
	var crowd []net.Conn
	for i := range 4 {
		conn := a.dial()
		fmt.Fprint(conn, greeting("k", fmt.Sprintf("%016x", i), 1)+`{"type":"REGISTRY","sourceWorkerId":"h"}`+"\n")
		a.hears("h")
		crowd = append(crowd, conn)
	}
	isCut(t, a.dial())
	if n := h.Stats().Refused; n != 1 {
		t.Errorf("%d refused", n)
	}
	_ = crowd[0].Close()
	until(t, "there is room", func() bool {
		c := a.Channel.(*channel)
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.conns) == 3
	})
	conn := a.dial()
	fmt.Fprint(conn, greeting("k", fmt.Sprintf("%016x", 9), 1)+`{"type":"REGISTRY","sourceWorkerId":"h"}`+"\n")
	a.hears("h")
}

// DATABUS-EVENT-002: of two connections of one sender only the newer one is heard, in whatever order they come.
func TestTurns(t *testing.T) {
	h := opened(t, t.TempDir(), nil)
	a := ends(t, h)
	id := strings.Repeat("e", idLength)
	say := func(conn net.Conn, text string) {
		fmt.Fprintf(conn, `{"type":"EVENT","sourceWorkerId":"s","eventType":%q}`+"\n", text)
	}
	second := a.dial()
	fmt.Fprint(second, greeting("k", id, 2))
	say(second, "two")
	a.hears("s two")
	first := a.dial()
	fmt.Fprint(first, greeting("k", id, 1))
	say(first, "one")
	isCut(t, first)
	third := a.dial()
	fmt.Fprint(third, greeting("k", id, 3))
	isCut(t, second)
	say(third, "three")
	a.hears("s three")
}

// Whatever comes, the reader keeps to its limits, and what it returns is what came.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\nbc\n\nlong line\n"), 4)
	f.Add([]byte("\n"), 0)
	f.Fuzz(func(t *testing.T, octets []byte, limit int) {
		limit = max(0, min(limit, 1<<16))
		near, far := net.Pipe()
		go func() {
			_, _ = near.Write(octets)
			_ = near.Close()
		}()
		defer far.Close()
		r := &reader{conn: far, patience: patience}
		rest := string(octets)
		for {
			line, err := r.next(limit, false)
			if cap(r.buf) > 2*(limit+2*readAtLeast) {
				t.Fatalf("room for %d octets", cap(r.buf))
			}
			want, after, whole := strings.Cut(rest, "\n")
			var long *lineError
			switch {
			case errors.As(err, &long):
				if len(want) <= limit {
					t.Fatalf("%d octets are too long for %d", len(want), limit)
				}
				return
			case err != nil:
				if whole && len(want) <= limit {
					t.Fatalf("%v before %q", err, want)
				}
				return
			}
			if !whole || string(line) != want || len(line) > limit {
				t.Fatalf("got %q, want %q", line, want)
			}
			rest = after
		}
	})
}

// A directory that cannot be used is refused with the reason.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	exposed, file := filepath.Join(dir, "exposed"), filepath.Join(dir, "file")
	if err := errors.Join(os.Mkdir(exposed, 0o700), os.Chmod(exposed, 0o777), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for field, c := range map[string]Config{
		"Dir is missing":                  {},
		"Dir is too long":                 {Dir: filepath.Join(dir, strings.Repeat("d", 100))},
		"Dir may be written by everybody": {Dir: exposed},
		"BusyTimeout":                     {Dir: dir, BusyTimeout: time.Hour},
		"MaxBytes":                        {Dir: dir, MaxBytes: -1},
		"Queue is":                        {Dir: dir, Queue: -1},
		"QueueBytes":                      {Dir: dir, QueueBytes: 1000},
		"MaxPeers":                        {Dir: dir, MaxPeers: -1},
		"Rescan":                          {Dir: dir, Rescan: -1},
		"Flush":                           {Dir: dir, Flush: -1},
		"Patience":                        {Dir: dir, Patience: -1},
	} {
		h, err := Open(c)
		var e *ConfigError
		if h != nil || !errors.As(err, &e) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	var e *ChannelError
	if _, err := Open(Config{Dir: filepath.Join(file, "sub")}); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
}
