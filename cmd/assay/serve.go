package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// serveCommand has a command for each protocol.
type serveCommand struct {
	Stomp     serveStompCommand     `cmd:"" help:"An in-memory STOMP broker."`
	Eventbus  serveEventbusCommand  `cmd:"" help:"Sessions with event buses over HTTP, and a page that shows them live."`
	Substrate serveSubstrateCommand `cmd:"" help:"A node that shares durable objects with others, driven by hand."`
	Databus   serveDatabusCommand   `cmd:"" help:"A process that shares its subscriptions with others of this machine, shown live."`
}

type serveStompCommand struct {
	Listen    string        `help:"TCP address." default:"127.0.0.1:61613" placeholder:"A"`
	WebSocket string        `name:"websocket" help:"Address to serve the protocol over WebSocket at, besides." placeholder:"A"`
	Login     string        `help:"Login that every client must give; left out: anybody may connect." placeholder:"LOGIN"`
	Passcode  string        `help:"Passcode that goes with --login." env:"ASSAY_PASSCODE" placeholder:"P"`
	HeartBeat time.Duration `help:"Interval of heart-beats offered and wanted; 0: none." default:"10s" placeholder:"D"`
	Verbose   bool          `short:"v" help:"Log connections."`
}

// Help is shown below the flags.
func (serveStompCommand) Help() string {
	return `Examples:
  assay serve stomp
  assay serve stomp --listen 127.0.0.1:0 --login me --passcode secret -v

Exit status: 0 it was interrupted and has ended in order; 2 it cannot listen, or failed; 64 usage.`
}

// Run executes the command.
func (c *serveStompCommand) Run(ctx context.Context, s streams) error {
	ms := c.HeartBeat.Milliseconds()
	cfg := broker.Config{HeartBeat: heartbeat.Pair{Send: ms, Want: ms}}
	if c.Login != "" {
		cfg.Credentials = map[string]string{c.Login: c.Passcode}
	}
	if c.Verbose {
		cfg.Logger = slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	b, err := broker.New(cfg)
	if err != nil {
		return usageError{err}
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "stomp on tcp://%s\n", l.Addr())
	failed := make(chan error, 1)
	var web *http.Server
	if c.WebSocket != "" {
		wl, err := net.Listen("tcp", c.WebSocket)
		if err != nil {
			l.Close()
			return err
		}
		fmt.Fprintf(s.out, "stomp on ws://%s\n", wl.Addr())
		web = &http.Server{Handler: b, ReadHeaderTimeout: 10 * time.Second}
		go func() { failed <- web.Serve(wl) }()
	}
	served := make(chan error, 1)
	go func() { served <- b.Serve(context.WithoutCancel(ctx), l) }()
	select {
	case <-ctx.Done():
	case err = <-served:
	case err = <-failed:
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if web != nil {
		err = errors.Join(err, web.Shutdown(end))
	}
	return errors.Join(err, b.Shutdown(end))
}
