package frame_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	peer "github.com/go-stomp/stomp/v3/frame"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// input is one stream to decode, named as in the measurements of the peers.
type input struct {
	name  string
	what  string
	data  []byte
	count int // frames or heart-beats
	chunk int // octets a read: as many as the event limit allows
}

const streamSize = 4 << 20

var inputNames = []string{"a", "a2", "b", "c", "c2", "d", "e"}

// inputNamed returns one of the seven streams, of size octets rounded down to whole frames.
func inputNamed(name string, size int) input {
	const read = 64 << 10
	switch name {
	case "a":
		return build(name, "100 B body, NUL-ended", read, size, 100, plainMessage)
	case "a2":
		return build(name, "100 B body, counted", read, size, 100, countedMessage)
	case "b":
		return build(name, "1 KiB body, counted", read, size, 1<<10, countedMessage)
	case "c":
		return build(name, "64 KiB body, counted", read, size, 64<<10, countedMessage)
	case "c2":
		return build(name, "64 KiB body, NUL-ended", read, size, 64<<10, plainMessage)
	case "d":
		return input{name: name, what: "heart-beats", data: bytes.Repeat([]byte("\n"), size), count: size, chunk: 1 << 10}
	case "e":
		return build(name, "100 B body, 3 of 5 headers escaped", read, size, 100, escapedMessage)
	}
	panic("no input " + name)
}

func build(name, what string, chunk, size, body int, one func(id int, body string) string) input {
	text := strings.Repeat("0123456789 abcdefghijklm\n", body/25+1)[:body]
	in := input{name: name, what: what, chunk: chunk}
	for {
		f := one(in.count, text)
		if len(in.data)+len(f) > size {
			return in
		}
		in.data = append(in.data, f...)
		in.count++
	}
}

func plainMessage(id int, body string) string {
	return fmt.Sprintf("MESSAGE\nsubscription:sub-%04d\nmessage-id:T_%08d@@broker\ndestination:/queue/orders\n"+
		"content-type:text/plain\ntimestamp:1700000%06d\n\n%s\x00", id%7, id, id, body)
}

func countedMessage(id int, body string) string {
	return fmt.Sprintf("MESSAGE\nsubscription:sub-%04d\nmessage-id:T_%08d@@broker\ndestination:/queue/orders\n"+
		"timestamp:1700000%06d\ncontent-length:%d\n\n%s\x00", id%7, id, id, len(body), body)
}

func escapedMessage(id int, body string) string {
	return fmt.Sprintf("MESSAGE\nsubscription:sub-%04d\nmessage-id:T\\c%08d\\c1\\cbroker\ndestination:/queue/orders\n"+
		"content-type:text\\\\plain\\nx\ntimestamp:2026-01-02T03\\c04\\c05.%06d\n\n%s\x00", id%7, id, id, body)
}

// sink keeps the compiler from dropping what the loops decode.
var sink int

// runPeer decodes the stream with the peer's reader, its default buffer.
func runPeer(in *input) {
	r := peer.NewReader(bytes.NewReader(in.data))
	n := 0
	for {
		f, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		if f != nil {
			sink += len(f.Body)
		}
		n++
	}
	if n != in.count {
		panic("the peer lost a frame")
	}
}

// ours holds what our decoding loop keeps between passes.
type ours struct {
	d   *frame.Decoder
	buf []byte
}

func newOurs(borrow bool) *ours {
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V12, Borrow: borrow})
	if err != nil {
		panic(err)
	}
	return &ours{d: d, buf: make([]byte, 64<<10)}
}

// read decodes the stream as a connection would: each read copies size octets into one buffer, which is fed.
func (o *ours) read(in *input, size int) {
	r := bytes.NewReader(in.data)
	n := 0
	for {
		k, err := r.Read(o.buf[:size])
		if err == io.EOF {
			break
		}
		n += o.feed(o.buf[:k])
	}
	if n != in.count {
		panic("lost a frame")
	}
}

// place decodes the stream where it lies, size octets a feed.
func (o *ours) place(in *input, size int) {
	n := 0
	for rest := in.data; len(rest) > 0; {
		k := min(size, len(rest))
		n += o.feed(rest[:k])
		rest = rest[k:]
	}
	if n != in.count {
		panic("lost a frame")
	}
}

func (o *ours) feed(chunk []byte) int {
	events, err := o.d.Feed(chunk)
	if err != nil {
		panic(err)
	}
	for i := range events {
		if f := events[i].Frame; f != nil {
			sink += len(f.Body)
		}
	}
	return len(events)
}
