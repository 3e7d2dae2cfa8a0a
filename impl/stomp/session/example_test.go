package session_test

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// A driver writes what Send and Tick return and hands over what it reads, with the time of its own clock.
func Example() {
	s, err := session.New(session.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := int64(0)
	send := func(f *frame.Frame) {
		out, err := s.Send(nil, now, f)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("write %q\n", out)
	}
	read := func(octets string) {
		events, err := s.Receive(now, []byte(octets))
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, e := range events {
			fmt.Println("event", e.Kind)
		}
	}

	send(frame.New(frame.CONNECT, "accept-version", "1.2", "host", "/", "heart-beat", "10000,0"))
	read("CONNECTED\nversion:1.2\nheart-beat:0,5000\n\n\x00")
	send(frame.New(frame.SUBSCRIBE, "id", "0", "destination", "/queue/a", "ack", "client"))
	read("MESSAGE\nsubscription:0\nmessage-id:7\nack:a7\ndestination:/queue/a\n\nhello\x00\n")
	send(frame.New(frame.ACK, "id", "a8"))
	send(frame.New(frame.ACK, "id", "a7", "receipt", "r1"))

	now = s.Next()
	out, err := s.Tick(nil, now)
	fmt.Printf("at %d ms write %q, %v\n", now, out, err)

	read("RECEIPT\nreceipt-id:r1\n\n\x00")
	send(frame.New(frame.DISCONNECT, "receipt", "bye"))
	read("RECEIPT\nreceipt-id:bye\n\n\x00")
	fmt.Println(s.State())
	// Output:
	// write "CONNECT\naccept-version:1.2\nhost:/\nheart-beat:10000,0\n\n\x00"
	// event connected
	// write "SUBSCRIBE\nid:0\ndestination:/queue/a\nack:client\n\n\x00"
	// event message
	// event heart-beat
	// stomp session: send: ack-id: ACK names no unsettled delivery [STOMP-ACK-006]
	// write "ACK\nid:a7\nreceipt:r1\n\n\x00"
	// at 10000 ms write "\n", <nil>
	// event receipt
	// write "DISCONNECT\nreceipt:bye\n\n\x00"
	// event receipt
	// closed
}
