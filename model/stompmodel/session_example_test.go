package stompmodel_test

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// Each call of a session has one outcome: here a message is acknowledged in a transaction, and cannot be again until that is over.
func ExampleSession() {
	m, err := stompmodel.NewSession(stompmodel.SessionConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := m.Init()
	for _, a := range []stompmodel.SessionAction{
		stompmodel.Sends(0, "CONNECT", "accept-version", "1.2", "host", "example"),
		{Op: stompmodel.SessionReceive, Chunk: "CONNECTED\nversion:1.2\n\n\x00"},
		stompmodel.Sends(5, "SUBSCRIBE", "id", "s", "destination", "/q", "ack", "client"),
		stompmodel.Delivers(5, stompmodel.NewFrame("MESSAGE", "subscription", "s", "destination", "/q", "message-id", "1", "ack", "a")),
		stompmodel.Sends(6, "BEGIN", "transaction", "t"),
		stompmodel.Sends(6, "ACK", "id", "a", "transaction", "t"),
		stompmodel.Sends(7, "ACK", "id", "a"),
		stompmodel.Sends(7, "COMMIT", "transaction", "t"),
	} {
		next, o, _ := m.Do(s, a)
		s = next
		fmt.Println(strings.TrimSpace(fmt.Sprintln(a.Op, a.Frame.Command, o.State, o.Counts.Deliveries, o.Reason, o.Law)))
	}
	// Output:
	// send CONNECT connecting 0
	// receive  active 0
	// send SUBSCRIBE active 0
	// deliver  active 1
	// send BEGIN active 1
	// send ACK active 1
	// send ACK active 1 staged STOMP-ACK-008
	// send COMMIT active 0
}
