package adapter

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
)

// outgoing is one request line, and where to say that it was written.
type outgoing struct {
	line    []byte
	written chan<- error // never blocks
}

// incoming is one line of the adapter, or why there is none.
type incoming struct {
	line []byte
	err  error
}

// write writes requests, so that an adapter that reads none blocks this goroutine alone.
func (c *Conn) write() {
	defer c.workers.Done()
	for {
		select {
		case out := <-c.requests:
			c.cfg.Record('>', out.line[:len(out.line)-1])
			_, err := c.w.Write(out.line)
			out.written <- err
		case <-c.quit:
			return
		}
	}
}

// read hands over one line at a time: an adapter that floods is held up at its pipe.
func (c *Conn) read() {
	defer c.workers.Done()
	defer close(c.lines)
	r := bufio.NewReaderSize(c.r, min(64<<10, c.cfg.Limit+1))
	for {
		line, err := readLine(r, c.cfg.Limit)
		if len(line) > 0 || err == nil {
			c.cfg.Record('<', line)
		}
		c.lines <- incoming{line, err}
		if err != nil {
			return
		}
	}
}

// requestLine is the request object on one line: n and op, then the members of request.
func requestLine(n int64, op string, request any) ([]byte, error) {
	head, err := json.Marshal(op)
	if err != nil {
		return nil, err
	}
	line := fmt.Appendf(nil, `{"n":%d,"op":%s`, n, head)
	if request != nil {
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(request); err != nil {
			return nil, err
		}
		rest := bytes.TrimSpace(buf.Bytes())
		if string(rest) == "null" {
			rest = []byte("{}")
		}
		members, err := object(rest)
		if err != nil {
			return nil, fmt.Errorf("members of a request are no object: %s: %w", quote(rest), err)
		}
		for _, own := range []string{"n", "op"} {
			if _, ok := members[own]; ok {
				return nil, fmt.Errorf("a request cannot have a member %q of its own", own)
			}
		}
		if len(members) > 0 {
			line = append(append(line, ','), rest[1:len(rest)-1]...)
		}
	}
	return append(line, '}', '\n'), nil
}
