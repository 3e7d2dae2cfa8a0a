package stomptest_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// A broker's own test judges it like this, here with the cases about acknowledgement only.
func ExampleTestBroker() {
	_ = func(t *testing.T) {
		address := startMyBroker(t)
		stomptest.TestBroker(t, "tcp://"+address, suitetest.Options{
			Profile: conformance.Profile{
				Sections:    []conformance.Section{stomptest.Section{Login: "guest", Passcode: "guest"}},
				Unsupported: map[string]string{stomptest.Nack: "planned for the next release"},
			},
			Only: []string{"stomp/server/ack/**"},
		})
	}
}

func startMyBroker(*testing.T) string { return "127.0.0.1:61613" }
