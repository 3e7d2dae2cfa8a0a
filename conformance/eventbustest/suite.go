package eventbustest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// Suite returns the suite that judges event buses: inside a process through an adapter (role bus, and what stands beside it there),
// and over HTTP (role sse-server). Each target is judged by the cases of the way on which it is reached, the reference by all.
func Suite() *conformance.Suite {
	return &conformance.Suite{
		Name: "eventbus", Protocol: "eventbus", Title: "Event bus",
		Section:   Section{},
		Cases:     slices.Concat(busCases(), serverCases()),
		Schemes:   []string{"exec", "http", "https"},
		Reference: reference,
		Probe:     probe,
		Alive:     alive,
		Death:     serverDeath,
	}
}

// reference starts the reference daemon, and has the reference bus behind an adapter.
func reference(ctx context.Context) (*conformance.Reference, error) {
	ref, err := serverReference(ctx)
	if err != nil {
		return nil, fmt.Errorf("reference daemon: %w", err)
	}
	ref.Adapter, ref.Transports = ServeReference, append(ref.Transports, "exec")
	ref.Profile.Title = "Assay's reference bus"
	return ref, nil
}

// probe finds out what a target can do on each way on which it is reached.
func probe(ctx context.Context, t *conformance.T) conformance.Capabilities {
	if !overNetwork(t) {
		return probeBus(ctx, t)
	}
	caps := serverProbe(ctx, t)
	if !t.Target().Reference() {
		return caps
	}
	// Option names of the two ways differ, so that what one way does without is not missed on the other.
	inside := probeBus(ctx, t)
	maps.Copy(caps.Absent, inside.Absent)
	caps.Software = inside.Software
	return caps
}

func alive(ctx context.Context, t *conformance.T) {
	if overNetwork(t) {
		serverAlive(ctx, t)
	}
}

// overNetwork reports whether the target has an address.
func overNetwork(t *conformance.T) bool { return t.Target().Address != "" }
