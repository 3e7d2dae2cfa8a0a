package stompmodel_test

import (
	"fmt"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// A decoder reports what a stream holds, and where and why it fails.
func ExampleDecode() {
	stream := []byte("SEND\ndestination:/q\n\nhi\x00\nSEND\na:b\\t\n")
	d, err := stompmodel.Decode(stompmodel.DefaultCodecConfig(stompmodel.V12), [][]byte{stream[:10], stream[10:25], stream[25:]}, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range d.Events {
		fmt.Printf("%s %q, octet %d\n", e.Frame.Command, e.Frame.Body, e.Offset)
	}
	fmt.Println(d.Err)
	// Output:
	// SEND "hi", octet 23
	//  "", octet 24
	// stompmodel: octet 35 breaks escape (STOMP-ESC-003)
}

func ExampleEncode() {
	f := stompmodel.Frame{Command: "SEND", Headers: []stompmodel.Header{{Name: "a:b", Value: "c"}}, Body: []byte("x")}
	wire, _ := stompmodel.Encode(stompmodel.V12, f)
	fmt.Printf("%q\n", wire)
	_, err := stompmodel.Encode(stompmodel.V10, f)
	fmt.Println(err)
	// Output:
	// "SEND\na\\cb:c\ncontent-length:1\n\nx\x00"
	// stompmodel: header 0 cannot be encoded: unrepresentable (STOMP-ESC-008)
}

// A recorded trace is judged step by step. This broker delivered a transactional message before its COMMIT.
func ExampleBroker() {
	b, err := stompmodel.NewBroker(stompmodel.BrokerConfig{Healthy: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	judge := model.NewAcceptor(b, stompmodel.Match)
	for _, step := range []stompmodel.TraceStep{
		stompmodel.Sent(0, stompmodel.ClientFrame{Command: "SUBSCRIBE", ID: "s", Destination: "/q"}),
		stompmodel.Sent(1, stompmodel.ClientFrame{Command: "BEGIN", Transaction: "t"}),
		stompmodel.Sent(1, stompmodel.ClientFrame{Command: "SEND", Destination: "/q", Transaction: "t", Body: "a", Receipt: "r"}),
		stompmodel.Received(1, stompmodel.Output{Command: "RECEIPT", ReceiptID: "r"}),
		stompmodel.Received(0, stompmodel.Output{Command: "MESSAGE", Subscription: "s", Body: "a"}),
	} {
		if err := judge.Step(step.Action, step.Outcome); err != nil {
			fmt.Println("rejected:", step.Outcome)
			return
		}
	}
	fmt.Println("accepted")
	// Output:
	// rejected: c0 MESSAGE a for s
}

// Unmet says what a broker owes when a window of silence was long enough.
func ExampleBroker_Unmet() {
	b, err := stompmodel.NewBroker(stompmodel.BrokerConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	judge := model.NewAcceptor(b, stompmodel.Match)
	for _, step := range []stompmodel.TraceStep{
		stompmodel.Sent(0, stompmodel.ClientFrame{Command: "SUBSCRIBE", ID: "s", Destination: "/q", Receipt: "ready"}),
		stompmodel.Sent(1, stompmodel.ClientFrame{Command: "SEND", Destination: "/q", Body: "a"}),
	} {
		if err := judge.Step(step.Action, step.Outcome); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, o := range b.Unmet(judge.Possible()[0], -1) {
		fmt.Println(o.Law, o.What)
	}
	// Output:
	// STOMP-RECEIPT-001 RECEIPT ready of SUBSCRIBE
	// STOMP-SUBSCRIBE-001 queue message a for an idle subscription
}
