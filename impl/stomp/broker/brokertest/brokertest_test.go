package brokertest_test

import (
	"testing"

	"github.com/go-stomp/stomp/v3"
	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/broker/brokertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStart(t *testing.T) {
	b, addr := brokertest.Start(t, broker.Config{})
	c, err := stomp.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Send("/queue/a", "text/plain", []byte("x"), stomp.SendOpt.Receipt); err != nil {
		t.Fatal(err)
	}
	if d, ok := b.Destination("/queue/a"); !ok || d.Queued != 1 {
		t.Errorf("the queue holds %+v", d)
	}
	if err := c.Disconnect(); err != nil {
		t.Fatal(err)
	}
}
