// Command go-stomp is the testee for the client of go-stomp/stomp/v3, as spec/testee.md says. It is told where by
// ASSAY_HOST and ASSAY_PORT and ends with its control connection.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strings"

	"github.com/go-stomp/stomp/v3"

	"github.com/seed-6f28358b/assay/conformance/testees/gotestee"
)

var can = []string{
	"receipt", "nack", "transaction", "transaction-ack", "beats", "binary", "headers", "unsubscribe-receipt",
	"disconnect-receipt", "ack-mode", "error-event", "closed-event", "choose-version", "choose-id", "1.0", "1.1", "1.2",
}

func main() {
	if err := run(net.JoinHostPort(os.Getenv("ASSAY_HOST"), os.Getenv("ASSAY_PORT"))); err != nil {
		fmt.Fprintln(os.Stderr, "testee-go-stomp:", err)
		os.Exit(1)
	}
}

func run(address string) error {
	control, err := stomp.Dial("tcp", address, stomp.ConnOpt.Login("assay", "assay"), stomp.ConnOpt.Host("assay"), stomp.ConnOpt.HeartBeat(0, 0))
	if err != nil {
		return fmt.Errorf("control connection: %w", err)
	}
	sub, err := control.Subscribe("/assay/orders", stomp.AckAuto, stomp.SubscribeOpt.Id("orders"))
	if err != nil {
		return fmt.Errorf("control subscription: %w", err)
	}
	orders := func(yield func([]byte, error) bool) {
		for m := range sub.C {
			if !yield(m.Body, m.Err) {
				return
			}
		}
	}
	t := gotestee.Testee{Library: "go-stomp", Release: release(), Can: can, New: func(e *gotestee.Events) gotestee.Subject {
		return &subject{address: address, events: e, subs: map[string]*stomp.Subscription{}, txs: map[string]*stomp.Transaction{}}
	}}
	return t.Serve(context.Background(), orders, func(report []byte) error { return control.Send("/assay/reports", "", report) })
}

// release is the version of the library that is linked in.
func release() string {
	info, _ := debug.ReadBuildInfo()
	for _, dep := range info.Deps {
		if dep.Path == "github.com/go-stomp/stomp/v3" {
			return strings.TrimPrefix(dep.Version, "v")
		}
	}
	return "unknown"
}
