package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
)

type serveEventbusCommand struct {
	Listen     string        `help:"TCP address." default:"127.0.0.1:4170" placeholder:"A"`
	Dialect    string        `help:"What to serve: seed, as the bus was first described, or later, as in today's qwen-code." enum:"seed,later" default:"seed" placeholder:"D"`
	RingSize   string        `name:"event-ring-size" help:"Events kept in each session for resumed streams, 1 to 1000000." default:"8000" placeholder:"N"`
	WriterIdle time.Duration `name:"writer-idle-timeout" help:"Give up a stream on which no write has ended for this long; 0: never." default:"0s" placeholder:"D"`
	Verbose    bool          `short:"v" help:"Log sessions, refusals and evictions."`
}

// Help is shown below the flags.
func (serveEventbusCommand) Help() string {
	return `Open the address in a browser to see a session live.

Examples:
  assay serve eventbus
  assay serve eventbus --listen 127.0.0.1:0 --dialect later --event-ring-size 100 -v
  curl -X POST http://127.0.0.1:4170/session
  curl -N http://127.0.0.1:4170/session/ID/events -H 'Last-Event-ID: 0'

Exit status: 0 it was interrupted and has ended in order; 2 it cannot listen, or failed; 64 usage.`
}

// Run executes the command.
func (c *serveEventbusCommand) Run(ctx context.Context, s streams) error {
	dialect, err := eventbus.ParseDialect(c.Dialect)
	if err != nil {
		return usageError{err}
	}
	// A ring size that is none stops the start with an error that names the value and the range (EVENTBUS-RING-005).
	ring, err := daemon.ParseRingSize(c.RingSize)
	if err != nil {
		return usageError{err}
	}
	cfg := daemon.Config{Dialect: dialect, RingSize: ring, WriterIdle: c.WriterIdle}
	if c.Verbose {
		cfg.Logger = slog.New(slog.NewTextHandler(s.err, nil))
	}
	d, err := daemon.New(cfg)
	if err != nil {
		return usageError{err}
	}
	defer d.Close()
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "eventbus on http://%s\n", l.Addr())
	return d.Serve(ctx, l)
}
