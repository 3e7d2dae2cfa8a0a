package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/observe/slogsink"
)

type serveSubstrateCommand struct {
	ID      string            `name:"id" help:"Name of this node." required:"" placeholder:"NAME"`
	Listen  string            `help:"TCP address." default:"127.0.0.1:7801" placeholder:"A"`
	Connect string            `help:"Node to dial, and to dial again whenever the connection is lost." placeholder:"URL"`
	Remote  string            `help:"Name of the node at --connect; left out: whoever answers first." placeholder:"NAME"`
	Peer    map[string]string `help:"A node that may come, or be dialled, and the key shared with it: 64 hexadecimal digits. Any number." mapsep:"none" placeholder:"NAME=KEY"`
	Auth    string            `help:"none believes what a node claims to be, and is the only alternative to --peer." placeholder:"none"`
	DB      string            `name:"db" help:"SQLite file that keeps all that is to last; what is for the node at --connect is in FILE.dialled. Left out: memory." type:"path" placeholder:"FILE"`
	Verbose bool              `short:"v" help:"Log what the node does."`
}

// Help is shown below the flags.
func (serveSubstrateCommand) Help() string {
	return `A node prints one line for whatever happens, and reads commands, one a line:
  open [session|queue] OBJECT   open an object; the other node accepts it
  send OBJECT TEXT              queued: it is written here; acked: the other node has written it
  req OBJECT TEXT               the other node answers with the same text
  close OBJECT
  disconnect, connect           cut the connection; dial again
  objects                       what is shared with the peer, and what waits
  peers                         who is there; a star marks whom the commands are for
  to NAME                       choose another peer; at first it is the one dialled, or the first to come
  quit

What is queued while there is no connection is sent when there is one, once and in order.

Examples:
  assay serve substrate --id c1 --listen 127.0.0.1:7801 --auth none
  assay serve substrate --id c2 --listen 127.0.0.1:7802 --connect ws://127.0.0.1:7801 --auth none --db c2.db

Exit status: 0 it was told to quit, or interrupted; 2 it cannot listen, or failed; 64 usage.`
}

// Run executes the command.
func (c *serveSubstrateCommand) Run(ctx context.Context, s streams) error {
	auth, err := c.auth()
	if err != nil {
		return usageError{err}
	}
	n := &node{print: &printer{w: s.out}}
	cfg := substrate.Config{ID: c.ID, Auth: auth, Authorize: engine.AllowAll, DBPath: c.DB, Handler: n.handler(), Observe: c.observe(s)}
	l, err := substrate.NewListener(cfg)
	if err != nil {
		return configFault(err)
	}
	n.listener = l
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return errors.Join(err, l.Close(context.WithoutCancel(ctx)))
	}
	n.print.line("substrate %s on ws://%s", c.ID, ln.Addr())
	server := &http.Server{Handler: l, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()

	ctx, quit := context.WithCancel(ctx)
	defer quit()
	if c.Connect != "" {
		cfg.Remote = c.Remote
		if cfg.DBPath != "" {
			// A file has one owner, and here the listener has the other.
			cfg.DBPath += ".dialled"
		}
		err = n.dial(ctx, c.Connect, cfg)
	}
	if err == nil {
		if s.in != nil {
			// Nothing can interrupt the reading of a terminal: it ends with the process.
			go func() { n.obey(ctx, s.in, quit) }()
		}
		select {
		case <-ctx.Done():
		case err = <-served:
		case err = <-n.failed:
		}
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	quit()
	return errors.Join(configFault(err), n.close(end), server.Shutdown(end))
}

// configFault marks a fault of the command line.
func configFault(err error) error {
	var config *substrate.ConfigError
	if errors.As(err, &config) {
		return usageError{err}
	}
	return err
}

// auth returns the choice that the flags make. There is no default (SUBSTRATE-AUTH-001).
func (c *serveSubstrateCommand) auth() (handshake.Auth, error) {
	switch {
	case c.Auth != "" && c.Auth != "none":
		return nil, fmt.Errorf("--auth %s: the only choice besides --peer is none", c.Auth)
	case len(c.Peer) == 0 && c.Auth == "":
		return nil, errors.New("say who may come: --peer NAME=KEY for each, or --auth none to believe anybody")
	case len(c.Peer) == 0:
		return handshake.None(), nil
	case c.Auth != "":
		return nil, errors.New("--auth none goes with no --peer")
	}
	records := map[string]handshake.Record{}
	for name, text := range c.Peer {
		key, err := hex.DecodeString(text)
		if err != nil || len(key) != len(handshake.Key{}) {
			return nil, fmt.Errorf("--peer %s: a key has %d hexadecimal digits, found %d characters", name, 2*len(handshake.Key{}), len(text))
		}
		records[name] = handshake.Record{Key: handshake.Key(key)}
	}
	return handshake.HMAC(func(peer string) (handshake.Record, bool) {
		r, ok := records[peer]
		return r, ok
	}), nil
}

// observe returns who is told what happens: warnings always, the rest with -v.
func (c *serveSubstrateCommand) observe(s streams) observe.Bag {
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelInfo
	}
	sink := slogsink.New(slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: level})))
	return observe.Bag{Logger: sink}
}
