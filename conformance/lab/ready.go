package lab

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance/child"
)

// How readiness is polled: often at first, then less so; one try is cut short, so that an endpoint that accepts and
// says nothing is asked again.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = 250 * time.Millisecond
	tryLimit   = 3 * time.Second
)

// await calls try until it succeeds, the process ends or ctx ends. It returns the number of tries and the last error of
// try, nil on success.
func await(ctx context.Context, proc *child.Process, try func(context.Context) error) (tries int, last error) {
	pause := firstPause
	for {
		tries++
		tctx, cancel := context.WithTimeout(ctx, tryLimit)
		last = try(tctx)
		cancel()
		if last == nil {
			return tries, nil
		}
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-proc.Done():
			t.Stop()
			return tries, proc.Exit()
		case <-ctx.Done():
			t.Stop()
			return tries, last
		}
		pause = min(pause*3/2, lastPause)
	}
}

// await returns when every endpoint of the process has answered. All of them share the limit.
func (r *Running) await(ctx context.Context, proc *child.Process, limit time.Duration) error {
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, e := range r.Targets {
		tries, err := await(wait, proc, func(ctx context.Context) error {
			_, err := Probe(ctx, r.Suite, e, r.Profile)
			return err
		})
		switch {
		case err == nil:
		case !proc.Alive():
			return proc.Exit()
		case ctx.Err() != nil:
			return fmt.Errorf("wait for %s: %w (%d tries, last: %v)", e.URL, ctx.Err(), tries, err)
		default:
			return &NotReadyError{Endpoint: e, Limit: limit, Tries: tries, Last: err}
		}
	}
	return nil
}
