package socket_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/socket"
)

// A bus that is alone, with a server on loopback. Package host has the environment that lets several share the connection.
func Example() {
	ctx := context.Background()
	server, err := socket.NewServer(socket.ServerConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	web := httptest.NewServer(server)
	defer web.Close()
	transport, err := socket.New(socket.Config{URL: "ws" + strings.TrimPrefix(web.URL, "http")})
	if err != nil {
		fmt.Println(err)
		return
	}
	bus, err := databus.New(databus.Config{Transport: transport, ClusterKey: "wss://example.test"})
	if err != nil {
		fmt.Println(err)
		return
	}
	got := make(chan string)
	if _, err := bus.Subscribe("price.feed", func(topic string, data json.RawMessage) { got <- topic + " " + string(data) }); err != nil {
		fmt.Println(err)
		return
	}
	if err := bus.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	bus.Publish("price.feed", json.RawMessage("42"))
	fmt.Println(<-got)
	fmt.Println(bus.Stop(ctx), server.Close(ctx))
	// Output:
	// price.feed 42
	// <nil> <nil>
}
