package broker_test

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"

	"github.com/go-stomp/stomp/v3"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// In a test, start a broker on a free port and point the code under test at it.
func Example() {
	b, err := broker.New(broker.Config{Credentials: map[string]string{"guest": "secret"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error, 1)
	go func() { served <- b.Serve(context.Background(), l) }()

	c, err := stomp.Dial("tcp", l.Addr().String(), stomp.ConnOpt.Login("guest", "secret"))
	if err != nil {
		fmt.Println(err)
		return
	}
	sub, err := c.Subscribe("/queue/orders", stomp.AckClientIndividual)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := c.Send("/queue/orders", "text/plain", []byte("two coffees")); err != nil {
		fmt.Println(err)
		return
	}
	m, err := sub.Read()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n", m.Destination, m.Body)
	fmt.Println(c.Ack(m), c.Disconnect())

	stats := b.Stats()
	fmt.Println("acknowledged:", stats.Acked, "left:", stats.Messages)
	fmt.Println(b.Shutdown(context.Background()), <-served)
	// Output:
	// /queue/orders: two coffees
	// <nil> <nil>
	// acknowledged: 1 left: 0
	// <nil> <nil>
}

// The broker is an http.Handler that speaks STOMP over WebSocket.
func ExampleBroker_ServeHTTP() {
	b, err := broker.New(broker.Config{HeartBeat: heartbeat.Pair{Send: 10000, Want: 10000}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	server := httptest.NewServer(b)
	defer server.Close()
	fmt.Println(server.URL[:len("http://127.0.0.1")])
	// Output: http://127.0.0.1
}
