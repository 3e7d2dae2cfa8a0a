package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/host"
	"github.com/seed-6f28358b/assay/impl/databus/socket"
)

// endWithin is how long the end of a process may take, and then that of its server.
const endWithin = 10 * time.Second

type serveDatabusCommand struct {
	Dir       string        `help:"Directory that the processes share: their storage and their sockets." required:"" type:"path" placeholder:"DIR"`
	Upstream  string        `help:"Server that publications go to and come from; left out: the one at --listen." placeholder:"URL"`
	Listen    string        `help:"Address to serve such a server at, besides." placeholder:"A"`
	Topic     []string      `help:"Topic to subscribe. Any number." sep:"none" placeholder:"T"`
	Cluster   string        `help:"Processes with another key do not see each other; left out: the address of the server." placeholder:"KEY"`
	ID        string        `name:"id" help:"Name of this process, which no other one may have; left out: a random one." placeholder:"NAME"`
	Rules     string        `help:"What to go by: v010, as the bus was first released, races included, or fenced, the least that ends them." enum:"v010,fenced" default:"fenced" placeholder:"R"`
	Heartbeat time.Duration `help:"Time between two heartbeats." default:"3s" placeholder:"D"`
	TTL       time.Duration `name:"ttl" help:"A process that was silent for longer is dead, at least two heartbeats." default:"10s" placeholder:"D"`
}

// Help is shown below the flags.
func (serveDatabusCommand) Help() string {
	return `Processes with the same directory and the same key share one subscription at the server for each topic: one of them owns it
and hands what comes to the others. When it leaves it hands the topic over; when it dies another one takes it over.

A process prints one line for whatever happens, below which a terminal shows the cluster live, and reads commands, one a line:
  subscribe TOPIC, unsubscribe TOPIC
  publish TOPIC JSON
  status                        who is there, and who owns what
  quit

Examples:
  assay serve databus --dir bus --listen 127.0.0.1:7900 --topic price.feed
  assay serve databus --dir bus --upstream ws://127.0.0.1:7900 --topic price.feed

Exit status: 0 it was told to quit, or interrupted, and has left in order; 2 it cannot open the directory, listen or connect; 64 usage.`
}

// Run executes the command.
func (c *serveDatabusCommand) Run(ctx context.Context, s streams) (err error) {
	if c.Upstream == "" && c.Listen == "" {
		return usageError{errors.New("say where the server is: --upstream URL, or --listen ADDRESS to be it")}
	}
	if c.Heartbeat < time.Millisecond || c.TTL < 2*c.Heartbeat {
		// DATABUS-TTL-003
		return usageError{fmt.Errorf("--heartbeat %v, --ttl %v: the one is at least 1ms and the other at least twice that", c.Heartbeat, c.TTL)}
	}
	screen := newScreen(s)
	defer screen.clear()
	p := &printer{w: screen}
	url, failed, shut, err := c.listen(p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut()) }()
	m, err := c.join(ctx, url, p)
	if err != nil {
		return err
	}
	m.screen = screen
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	if s.in != nil {
		// Nothing can interrupt the reading of a terminal: it ends with the process.
		go m.obey(ctx, s.in, quit)
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		m.watch(ctx)
	}()
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	quit()
	<-watched
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	if err := errors.Join(err, m.host.Close(end)); err != nil {
		return err
	}
	p.line("left")
	return nil
}

// listen serves the server if it is to. It returns the URL of the one to connect to, what tells of a failure, and what ends it.
func (c *serveDatabusCommand) listen(p *printer) (url string, failed chan error, shut func() error, err error) {
	failed, shut = make(chan error, 1), func() error { return nil }
	if c.Listen == "" {
		return c.Upstream, failed, shut, nil
	}
	// A client that does not answer its farewell is no failure of the end of this process.
	server, err := socket.NewServer(socket.ServerConfig{Timeout: endWithin / 2})
	if err != nil {
		return "", nil, nil, err
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return "", nil, nil, err
	}
	url = "ws://" + l.Addr().String()
	p.line("server on %s", url)
	if c.Upstream != "" {
		url = c.Upstream
	}
	web := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	}()
	return url, failed, func() error {
		end, cancel := context.WithTimeout(context.Background(), endWithin)
		defer cancel()
		err := errors.Join(server.Close(end), web.Shutdown(end))
		<-done
		return err
	}, nil
}

// join makes this process one of the cluster.
func (c *serveDatabusCommand) join(ctx context.Context, url string, p *printer) (*member, error) {
	transport, err := socket.New(socket.Config{URL: url, Ended: p.fault})
	if err != nil {
		return nil, usageError{err}
	}
	h, err := host.Open(host.Config{Dir: c.Dir, Fault: p.fault})
	if err != nil {
		var config *host.ConfigError
		if errors.As(err, &config) {
			return nil, usageError{err}
		}
		return nil, err
	}
	key := c.Cluster
	if key == "" {
		key = url
	}
	rules := cluster.Fenced()
	if c.Rules == "v010" {
		rules = cluster.V010()
	}
	b, err := h.New(databus.Config{
		Transport: transport, ClusterKey: key, Rules: rules, TabID: c.ID, Heartbeat: c.Heartbeat.Milliseconds(), TTL: c.TTL.Milliseconds(),
	})
	if err != nil {
		return nil, errors.Join(usageError{err}, h.Close(ctx))
	}
	m := &member{print: p, host: h, bus: b, subscriptions: map[string]*databus.Subscription{}}
	p.line("databus %s in %s for %s (%s)", shown(b.Snapshot().Self.TabID), c.Dir, url, c.Rules)
	b.OnError(p.fault)
	b.OnStatus(func(s databus.Status) { p.line("transport %s", s) })
	for _, topic := range c.Topic {
		if err := m.subscribe(topic); err != nil {
			return nil, errors.Join(usageError{err}, h.Close(ctx))
		}
	}
	if err := b.Start(ctx); err != nil {
		return nil, errors.Join(err, h.Close(context.WithoutCancel(ctx)))
	}
	return m, nil
}
