package stomptest

import (
	"context"
	"fmt"
	"net"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// ReferenceConfig is how the suite sets up the reference broker: with a login, so that refusing one
// can be judged, and with heart-beats short enough to watch.
func ReferenceConfig() broker.Config {
	return broker.Config{
		Credentials: map[string]string{"assay": "passcode"},
		HeartBeat:   heartbeat.Pair{Send: 300, Want: 300},
	}
}

// ReferenceProfile is the profile that goes with ReferenceConfig.
func ReferenceProfile() conformance.Profile {
	return conformance.Profile{
		Name: "ref", Title: "Assay's reference broker", Versions: every,
		Sections: []conformance.Section{Section{Login: "assay", Passcode: "passcode", Host: "assay.test"}},
	}
}

// reference starts the reference broker on a free port of the loopback interface.
func reference(context.Context) (*conformance.Reference, error) {
	b, err := broker.New(ReferenceConfig())
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = b.Serve(context.Background(), l)
	}()
	return &conformance.Reference{
		Address: l.Addr().String(),
		Profile: ReferenceProfile(),
		Stop: func() {
			_ = b.Close()
			<-done
		},
	}, nil
}
