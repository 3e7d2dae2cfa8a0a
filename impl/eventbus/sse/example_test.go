package sse_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

func ExampleParser() {
	var p sse.Parser
	for _, chunk := range []string{"id: 7\nevent: greet", "ing\ndata: hel", "lo\ndata: world\n\n"} {
		p.Feed([]byte(chunk))
		for m, ok := p.Next(); ok; m, ok = p.Next() {
			fmt.Printf("%s %s %q\n", m.ID, m.Type, m.Data)
		}
	}
	// Output: 7 greeting "hello\nworld"
}

func Example() {
	bus, err := eventbus.New(eventbus.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer bus.Close()
	handler, err := sse.NewHandler(bus, sse.Config{})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()

	data, err := eventbus.Raw([]byte(`{"text":"hello"}`))
	if err != nil {
		log.Fatal(err)
	}
	bus.Publish(eventbus.Input{Type: "session_update", Data: data})

	client, err := sse.NewClient(sse.ClientConfig{URL: server.URL, LastEventID: "0"})
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range client.Events(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.ID, e.Type, string(e.Data))
		break
	}
	// Output: 1 session_update {"text":"hello"}
}

func ExampleAppendMessage() {
	out, err := sse.AppendMessage(nil, sse.Message{ID: "1", Type: "note", Data: []byte("two\nlines")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(out))
	// Output:
	// id: 1
	// event: note
	// data: two
	// data: lines
}

func ExampleDecodeEnvelope() {
	e, err := sse.DecodeEnvelope([]byte(`{"id":3,"v":1,"type":"turn_complete","data":{"stopReason":"end_turn"}}`))
	fmt.Println(e.ID, e.Type, err)
	_, err = sse.DecodeEnvelope([]byte(`{"id":0,"v":1,"type":"turn_complete"}`))
	fmt.Println(err)
	// Output:
	// 3 turn_complete <nil>
	// sse envelope: id is not an integer from 1 to 2^53-1: 0
}
