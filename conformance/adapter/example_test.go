package adapter_test

import (
	"context"
	"fmt"
	"io"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// An adapter in Go is one function given to Serve; its main function would call serve with os.Stdin and os.Stdout.
func Example() {
	counter := 0
	serve := func(ctx context.Context, r io.Reader, w io.Writer) error {
		return adapter.Serve(ctx, r, w, func(_ context.Context, request *adapter.Request) (any, error) {
			switch request.Op {
			case "add":
				var q struct{ By int }
				if err := request.Decode(&q); err != nil {
					return nil, err
				}
				counter += q.By
				return map[string]int{"sum": counter}, nil
			default:
				return nil, &adapter.UnsupportedError{Reason: "no such operation"}
			}
		})
	}
	c := adapter.Local(serve, adapter.Config{})
	defer c.Close()
	var reply struct{ Sum int }
	fmt.Println(c.Call(context.Background(), "add", map[string]int{"by": 2}, &reply), reply.Sum)
	fmt.Println(c.Call(context.Background(), "multiply", nil, nil))
	// Output:
	// <nil> 2
	// adapter does not support "multiply": no such operation
}
