package heartbeat_test

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

func Example() {
	client, err := heartbeat.Parse("10,20")
	if err != nil {
		fmt.Println(err)
		return
	}
	receive, send, err := heartbeat.Negotiate(client, heartbeat.Pair{Send: 30, Want: 40})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("client every", receive, "ms, server every", send, "ms")

	clock, err := heartbeat.New(send, receive, heartbeat.DefaultTolerance, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, now := range []int64{29, 30, 140, 141} {
		due, dead, err := clock.Poll(now)
		fmt.Println(now, due, dead, err)
	}
	// Output:
	// client every 40 ms, server every 30 ms
	// 29 false false <nil>
	// 30 true false <nil>
	// 140 true false <nil>
	// 141 false true <nil>
}
