package relay_test

import (
	"errors"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/relay/relaytest"
)

func TestMemorySink(t *testing.T) {
	relaytest.Sink(t, func(*testing.T) (relay.Sink, func() []relay.Op) {
		m := new(relay.Memory)
		return m, m.Ops
	})
}

func TestMemoryFeed(t *testing.T) {
	relaytest.Feed(t, func(*testing.T) relaytest.Source {
		m := new(relay.Memory)
		return relaytest.Source{Feed: m, Publish: m.Publish, Trim: m.Trim}
	})
}

type forgetful struct {
	relay.Memory
	remembers time.Duration
}

func (f *forgetful) Remembers() time.Duration { return f.remembers }

func TestForgetfulSinkIsRefused(t *testing.T) { // SUBSTRATE-RELAY-007
	for remembers, refused := range map[time.Duration]bool{
		2 * time.Minute: true, relay.Window - time.Nanosecond: true, relay.Window: false,
	} {
		err := relay.Check(&forgetful{remembers: remembers})
		var forgets *relay.ForgetfulError
		if errors.As(err, &forgets) != refused || refused && forgets.Remembers != remembers {
			t.Errorf("a sink that remembers for %v: %v", remembers, err)
		}
	}
}
