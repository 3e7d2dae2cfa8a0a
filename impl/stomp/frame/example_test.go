package frame_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// A connection reads into one buffer and feeds what it got. Borrowed frames are used up before the next read.
func Example() {
	conn := strings.NewReader("MESSAGE\nsubscription:0\nmessage-id:7\n\nhello\x00\n\nMESSAGE\nsubscription:0\n\nworld\x00")
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V12, Borrow: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	buf := make([]byte, 16)
	for {
		n, err := conn.Read(buf)
		if err == io.EOF {
			break
		}
		events, ferr := d.Feed(buf[:n])
		if ferr != nil {
			fmt.Println(ferr)
			return
		}
		for _, e := range events {
			if e.Frame == nil {
				fmt.Println("heart-beat")
				continue
			}
			id, ok := e.Frame.Get("message-id")
			fmt.Printf("%s %q %t %s\n", e.Frame.Command, id, ok, e.Frame.Body)
		}
	}
	fmt.Println("clean end:", d.End() == nil)
	// Output:
	// MESSAGE "7" true hello
	// heart-beat
	// heart-beat
	// MESSAGE "" false world
	// clean end: true
}

// An error names the rule, the place and the law, and the decoder is spent.
func ExampleError() {
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V11})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = d.Feed([]byte("SEND\ndestination:/q\nx:a\\rb\n\n\x00"))
	var fe *frame.Error
	if errors.As(err, &fe) {
		fmt.Println(fe.Rule, fe.Offset, fe.Law)
	}
	fmt.Println(err)
	fmt.Println(d.End())
	// Output:
	// escape 23 STOMP-ESC-003
	// stomp frame: escape at octet 23: "\\r" is no escape of STOMP 1.1 [STOMP-ESC-003]
	// stomp frame: spent at octet 23: end after an error [STOMP-FRAME-018]: after stomp frame: escape at octet 23: "\\r" is no escape of STOMP 1.1 [STOMP-ESC-003]
}

// A server answers for CONNECT, so that what follows in the same chunk has the rules it chose.
func ExampleDecoderConfig_switch() {
	choose := func(f *frame.Frame) frame.Version {
		if f.Command != frame.CONNECT && f.Command != frame.STOMP {
			return frame.V12
		}
		offered, ok := f.Get("accept-version")
		if !ok {
			return frame.V10
		}
		best := frame.V10
		for s := range strings.SplitSeq(offered, ",") {
			if v, ok := frame.ParseVersion(s); ok && v > best {
				best = v
			}
		}
		return best
	}
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V12, Switch: choose})
	if err != nil {
		fmt.Println(err)
		return
	}
	events, err := d.Feed([]byte("CONNECT\naccept-version:1.0,1.1\n\n\x00SEND\nx:a\r\n\n\x00"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %q\n", d.Version(), events[1].Frame.Headers)
	// Output:
	// 1.1 [{"x" "a\r"}]
}

func ExampleAppend() {
	f := frame.New(frame.SEND, "destination", "/queue/a", "note", "a:b")
	f.Body = []byte("hello")
	out, err := frame.Append(nil, frame.V12, f)
	fmt.Printf("%q %v\n", out, err)

	_, err = frame.Append(nil, frame.V10, frame.New(frame.SEND, "note", "two\nlines"))
	fmt.Println(err)
	// Output:
	// "SEND\ndestination:/queue/a\nnote:a\\cb\ncontent-length:5\n\nhello\x00" <nil>
	// stomp frame: unrepresentable: cannot encode: octet '\n' in header "note" of SEND in STOMP 1.0 [STOMP-ESC-011]
}

// An Encoder keeps its buffer, and with bounds it refuses what a client must not send.
func ExampleEncoder() {
	bounds := frame.ClientBounds()
	e := frame.Encoder{Version: frame.V12, Bounds: &bounds}
	var conn strings.Builder
	n, err := e.WriteTo(&conn, frame.New(frame.SUBSCRIBE, "id", "0", "destination", "/queue/a"))
	fmt.Printf("%q %d %v\n", conn.String(), n, err)

	_, err = e.WriteTo(io.Discard, frame.New(frame.SEND, "x", strings.Repeat("v", 2047)))
	fmt.Println(err)
	// Output:
	// "SUBSCRIBE\nid:0\ndestination:/queue/a\n\n\x00" 38 <nil>
	// stomp frame: pair-limit: cannot encode: name and value of a header are too long (limit 2047, found 2048) [STOMP-LIMIT-009]
}
