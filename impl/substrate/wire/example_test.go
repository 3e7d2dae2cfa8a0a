package wire_test

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

func Example() {
	op := wire.Frame{
		V: wire.Version, Kind: wire.Send, Obj: "orders/7", ObjKind: wire.Queue, ID: "M-1", Seq: 1, Receipt: []byte("r1"),
		Has: wire.Required(wire.Send), Body: []byte("one coffee"),
	}
	octets, err := wire.Append(nil, &op)
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := wire.Decode(octets)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %s %s: %s\n", got.Kind, got.Obj, got.ID, got.Body)

	got.Obj = "orders@elsewhere"
	fmt.Println(got.Check())
	// Output:
	// send orders/7 M-1: one coffee
	// routing_not_supported at obj, answered [SUBSTRATE-ADDR-001]
}

func ExampleClassOf() {
	for _, code := range []string{wire.QueueFull, wire.Closed, "heard_of_by_nobody"} {
		terminal, object := wire.ClassOf(code)
		fmt.Println(code, terminal, object)
	}
	// Output:
	// queue_full false false
	// closed true true
	// heard_of_by_nobody true false
}

func ExampleScopeAllows() {
	matrix := wire.Matrix{"producer": {wire.Open, wire.Send, wire.Close}, "admin": {wire.AnyVerb}}
	fmt.Println(wire.ScopeAllows(matrix, []string{"producer"}, wire.Send), wire.ScopeAllows(matrix, []string{"producer"}, wire.Req))
	// Output: true false
}
