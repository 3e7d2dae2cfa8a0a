// Command go-stomp is the testee for old releases of go-stomp/stomp/v3: it keeps to what all of them have, and
// install.sh beside it builds it with each. spec/testee.md says what it does.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"strings"

	"github.com/go-stomp/stomp/v3"
)

var can = []string{"beats", "binary", "headers", "nack", "ack-mode", "closed-event", "choose-version", "choose-id", "1.0", "1.1", "1.2"}

type order struct {
	N           int               `json:"n"`
	Do          string            `json:"do"`
	Wait        int64             `json:"wait"` // ms
	Version     string            `json:"version"`
	Login       string            `json:"login"`
	Passcode    string            `json:"passcode"`
	Beats       []int64           `json:"beats"` // ms
	Destination string            `json:"destination"`
	Headers     map[string]string `json:"headers"`
	Body        []byte            `json:"body"`
	ID          string            `json:"id"`
	Ack         string            `json:"ack"`
	Message     int               `json:"message"`
}

type report map[string]any

func main() {
	if err := run(net.JoinHostPort(os.Getenv("ASSAY_HOST"), os.Getenv("ASSAY_PORT"))); err != nil {
		fmt.Fprintln(os.Stderr, err)
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
	s := &subject{}
	for m := range sub.C {
		if m.Err != nil {
			return nil // the control connection has ended
		}
		var o order
		if err := json.Unmarshal(m.Body, &o); err != nil {
			return fmt.Errorf("order %q: %w", m.Body, err)
		}
		if o.Do == "connect" {
			s = &subject{shown: make(chan *stomp.Message, 100)}
		}
		r, err := s.carryOut(address, o)
		if r == nil {
			r = report{}
		}
		if err != nil {
			r["error"] = err.Error()
		}
		r["n"] = o.N
		body, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if err := control.Send("/assay/reports", "", body); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

func release() string {
	info, _ := debug.ReadBuildInfo()
	for _, dep := range info.Deps {
		if dep.Path == "github.com/go-stomp/stomp/v3" {
			return strings.TrimPrefix(dep.Version, "v")
		}
	}
	return "unknown"
}
