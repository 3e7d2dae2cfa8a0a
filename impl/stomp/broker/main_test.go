package broker

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The server that the benchmarks compare with cannot be stopped.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/go-stomp/stomp/v3/server.(*requestProcessor).Serve"))
}
