package substrate_test

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/relay/natsstream"
)

var (
	clusterOps    = flag.Int("cluster-ops", 2000, "how many ops are stored in a cluster whose nodes fail")
	clusterFaults = flag.Int("cluster-faults", 6, "how many faults the cluster meets meanwhile")
)

const (
	clusterNodes   = 3
	clusterObjects = 8
	// patience is how long a call of the sink may take here: less than an edge would wait, so that a test need not.
	patience = 2 * time.Second
)

// A cluster is three servers with JetStream on files, and who looks after them.
type cluster struct {
	t       *testing.T
	options [clusterNodes]*server.Options
	nodes   [clusterNodes]*server.Server // nil: down
	conn    *nats.Conn
	js      jetstream.JetStream
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	ports := unusedPorts(t, 2*clusterNodes)
	var routes []*url.URL
	var clients []string
	for i := range clusterNodes {
		routes = append(routes, &url.URL{Scheme: "nats", Host: "127.0.0.1:" + strconv.Itoa(ports[clusterNodes+i])})
		clients = append(clients, "nats://127.0.0.1:"+strconv.Itoa(ports[i]))
	}
	c := &cluster{t: t}
	for i := range clusterNodes {
		c.options[i] = &server.Options{
			ServerName: fmt.Sprint("node-", i), Host: "127.0.0.1", Port: ports[i], JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
			Cluster: server.ClusterOpts{Name: "faults", Host: "127.0.0.1", Port: ports[clusterNodes+i]}, Routes: routes,
		}
	}
	t.Cleanup(func() { c.stop(0, 1, 2) })
	c.start(0, 1, 2)
	c.conn, c.js = c.connect(clients)
	return c
}

// connect returns a connection that outlives all servers.
func (c *cluster) connect(urls []string) (*nats.Conn, jetstream.JetStream) {
	c.t.Helper()
	var all string
	for _, u := range urls {
		all += "," + u
	}
	conn, err := nats.Connect(all[1:], nats.Timeout(10*time.Second), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(0, 0))
	must(c.t, err)
	c.t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	must(c.t, err)
	return conn, js
}

// start starts nodes that are down.
func (c *cluster) start(which ...int) {
	c.t.Helper()
	for _, i := range which {
		s, err := server.NewServer(c.options[i].Clone())
		must(c.t, err)
		s.Start()
		c.nodes[i] = s
	}
	for _, i := range which {
		if !c.nodes[i].ReadyForConnections(time.Minute) {
			c.t.Fatalf("node %d is not ready", i)
		}
	}
}

// stop ends nodes that are up.
func (c *cluster) stop(which ...int) {
	for _, i := range which {
		if s := c.nodes[i]; s != nil {
			s.Shutdown()
			s.WaitForShutdown()
			c.nodes[i] = nil
		}
	}
}

// create makes a stream of three replicas, as soon as the cluster can.
func (c *cluster) create(config jetstream.StreamConfig) {
	c.t.Helper()
	config.Replicas, config.Storage = clusterNodes, jetstream.FileStorage
	var err error
	await(c.t, "stream "+config.Name, func() bool {
		ctx, cancel := context.WithTimeout(c.t.Context(), patience)
		defer cancel()
		_, err = c.js.CreateOrUpdateStream(ctx, config)
		return err == nil
	})
	c.whole(config.Name)
}

// leader returns the node that leads a stream, -1 if none of those that are up does.
func (c *cluster) leader(stream string) int {
	for i, s := range c.nodes {
		if s != nil && s.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream) {
			return i
		}
	}
	return -1
}

// whole waits until all replicas of a stream have what its leader has: the next fault then meets three of them.
func (c *cluster) whole(stream string) {
	c.t.Helper()
	await(c.t, "three replicas of "+stream, func() bool {
		ctx, cancel := context.WithTimeout(c.t.Context(), patience)
		defer cancel()
		s, err := c.js.Stream(ctx, stream)
		if err != nil {
			return false
		}
		info := s.CachedInfo().Cluster
		if info == nil || info.Leader == "" || len(info.Replicas) != clusterNodes-1 {
			return false
		}
		return !slices.ContainsFunc(info.Replicas, func(r *jetstream.PeerInfo) bool { return r.Offline || !r.Current })
	})
}

// stepDown has the leader of a stream hand over until another one leads, which need not be so the first time.
func (c *cluster) stepDown(stream string) {
	c.t.Helper()
	before := -1
	await(c.t, "a leader", func() bool {
		before = c.leader(stream)
		return before >= 0
	})
	await(c.t, "another leader", func() bool {
		switch c.leader(stream) {
		case -1:
			return false
		case before:
			_, _ = c.conn.Request(fmt.Sprintf(server.JSApiStreamLeaderStepDownT, stream), nil, patience)
			return false
		}
		return true
	})
}

// A witness is a sink that tells what the sink behind it has said.
type witness struct {
	relay.Sink
	mu      sync.Mutex
	stored  map[string]bool // ids that the sink has said it has
	failed  atomic.Int64
	away    atomic.Bool // nothing can be stored
	against atomic.Int64
	calls   atomic.Int64
	again   atomic.Int64 // that were there already
}

func (s *witness) Store(ctx context.Context, op relay.Op) (relay.Stored, error) {
	away := s.away.Load()
	s.calls.Add(1)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	at, err := s.Sink.Store(ctx, op)
	if err != nil {
		s.failed.Add(1)
		return at, err
	}
	if at.Duplicate {
		s.again.Add(1)
	}
	if away && s.away.Load() {
		s.against.Add(1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stored[op.ID] = true
	return at, nil
}

func (s *witness) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored[id]
}

// A load is what a browser sends while the cluster fails. It is let go on bit by bit, so that there is something to send at each fault.
type load struct {
	acked atomic.Int64
	all   sync.WaitGroup
	errs  chan error

	mu      sync.Mutex
	allowed int           // how many ops of each object may be sent so far
	grown   chan struct{} // closed when that has changed
}

func (l *load) allow(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.allowed = n
	close(l.grown)
	l.grown = make(chan struct{})
}

// may reports whether op i of an object may be sent, and what tells of a change.
func (l *load) may(i int) (bool, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return i < l.allowed, l.grown
}

// send sends numbers on an object, a few of them ahead of their acks.
func (l *load) send(ctx context.Context, o *substrate.Object, n int, s *witness) error {
	const ahead = 16
	var calls []*substrate.Call
	take := func() error {
		c := calls[0]
		calls = calls[1:]
		if err := c.Wait(ctx); err != nil {
			return err
		}
		if !s.has(c.ID()) {
			return fmt.Errorf("%s of %s is acked and not stored", c.ID(), o.Address())
		}
		l.acked.Add(1)
		return nil
	}
	for i := 0; i < n; {
		may, grown := l.may(i)
		if len(calls) == ahead || !may && len(calls) > 0 {
			if err := take(); err != nil {
				return err
			}
			continue
		}
		if !may {
			select {
			case <-grown:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		c, err := o.Enqueue(ctx, []byte(strconv.Itoa(i)))
		if err != nil {
			return err
		}
		calls = append(calls, c)
		i++
	}
	for len(calls) > 0 {
		if err := take(); err != nil {
			return err
		}
	}
	return nil
}

// publish publishes numbers to an object of the feed, each until the stream says that it has it.
func (c *cluster) publish(ctx context.Context, p *natsstream.Publisher, obj string, n int) error {
	for i := range n {
		says := relay.Message{ID: fmt.Sprint("n", i), Body: []byte(strconv.Itoa(i))}
		for {
			try, cancel := context.WithTimeout(ctx, patience)
			_, err := p.Publish(try, "me", obj, says)
			cancel()
			if err == nil {
				break
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// read returns the bodies of a stream by their subjects, in order.
func (c *cluster) read(stream string) map[string][]string {
	c.t.Helper()
	c.whole(stream)
	ctx, cancel := context.WithTimeout(c.t.Context(), 4*time.Minute)
	defer cancel()
	s, err := c.js.Stream(ctx, stream)
	must(c.t, err)
	got := map[string][]string{}
	next := uint64(1)
	for next <= s.CachedInfo().State.LastSeq {
		// A cluster that has just come back may leave a question unanswered, or a consumer without messages: it is asked again.
		try, giveUp := context.WithTimeout(ctx, 15*time.Second)
		next, err = readOn(try, s, next, got)
		giveUp()
		if err != nil && ctx.Err() != nil {
			c.t.Fatalf("read stream %s from %d of %d: %v", stream, next, s.CachedInfo().State.LastSeq, err)
		}
	}
	return got
}

// readOn reads from a seq to the end, and returns how far it came.
func readOn(ctx context.Context, s jetstream.Stream, next uint64, got map[string][]string) (uint64, error) {
	events, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: next,
	})
	if err != nil {
		return next, err
	}
	all, err := events.Messages()
	if err != nil {
		return next, err
	}
	defer all.Stop()
	for next <= s.CachedInfo().State.LastSeq {
		m, err := all.Next(jetstream.NextContext(ctx))
		if err != nil {
			return next, err
		}
		meta, err := m.Metadata()
		if err != nil {
			return next, err
		}
		got[m.Subject()] = append(got[m.Subject()], string(m.Data()))
		next = meta.Sequence.Stream + 1
	}
	return next, nil
}

// fail has one fault happen to the cluster, with more to store meanwhile, and waits until it is whole again.
func (c *cluster) fail(fault string, s *witness, more func()) {
	c.t.Helper()
	switch fault {
	case "step down":
		more()
		c.stepDown("IN")
		c.stepDown("OUT")
	case "majority":
		lead := c.leader("IN")
		if lead < 0 {
			lead = 0
		}
		gone := []int{lead, (lead + 1) % clusterNodes}
		c.stop(gone...)
		s.away.Store(true)
		failed := s.failed.Load()
		more()
		await(c.t, "a store that fails", func() bool { return s.failed.Load() > failed })
		s.away.Store(false)
		c.start(gone...)
	default:
		i, err := strconv.Atoi(fault)
		must(c.t, err)
		c.stop(i)
		more()
		c.start(i)
	}
	c.whole("IN")
	c.whole("OUT")
}

// SUBSTRATE-RELAY-003, SUBSTRATE-RELAY-004, SUBSTRATE-RELAY-006, SUBSTRATE-FEED-003: nodes of a cluster restart, its leaders move and its
// majority dies and comes back. What is acked is stored by then; in the end all is in the stream once, in the order of each object, and so
// is what the browser was fed.
func TestClusterFails(t *testing.T) {
	r := faults(t)
	t.Logf("-fault-seed %d: %d faults while %d ops are stored and a tenth as many fed", *faultSeed, *clusterFaults, *clusterOps)
	c := newCluster(t)
	c.create(jetstream.StreamConfig{Name: "IN", Subjects: []string{"in.>"}, Duplicates: relay.Window})
	c.create(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	ask, cancel := context.WithTimeout(t.Context(), time.Minute)
	in, err := natsstream.NewSink(ask, c.js, "IN", "in")
	cancel()
	must(t, err)
	sink := &witness{Sink: in, stored: map[string]bool{}}
	w := actual(t)
	cfg := config("edge")
	cfg.Relay = &substrate.Relay{Sink: sink, Feed: natsstream.NewFeed(c.js, "OUT", "out")}
	w.listen(cfg)
	j, err := journal.Open(filepath.Join(t.TempDir(), "outbox"), journal.Options{})
	must(t, err)
	w.later(func() { must(t, j.Close()) })
	var fed record
	p := w.dial(browser(t, &fed, j))
	must(t, p.Follow(t.Context(), substrate.Session, "news", 0))

	each, news := max(*clusterOps/clusterObjects, 4*(*clusterFaults+1)), max(*clusterOps/10, 1)
	l := &load{errs: make(chan error, clusterObjects+1), grown: make(chan struct{})}
	for i := range clusterObjects {
		l.all.Go(func() { l.errs <- l.send(t.Context(), p.Object(fmt.Sprintf("o%d", i)), each, sink) })
	}
	l.all.Go(func() { l.errs <- c.publish(t.Context(), natsstream.NewPublisher(c.js, "OUT", "out"), "news", news) })
	moves := map[string]int{}
	plan := shuffled(r, *clusterFaults, "0", "1", "2", "step down", "majority", "step down")
	part := func(i int) int { return i * each / (len(plan) + 1) }
	for i, fault := range plan {
		l.allow(part(i) + 1)
		await(t, "progress before "+fault, func() bool {
			return len(l.errs) > 0 || int(l.acked.Load()) >= part(i)*clusterObjects
		})
		c.fail(fault, sink, func() { l.allow(part(i + 1)) })
		moves[fault]++
		if r.IntN(8) > 0 {
			// What was not stored is sent again by a new connection, or else by the clock.
			p.Disconnect()
			p.Connect()
		}
	}
	l.allow(each)
	await(t, "the end of all senders", func() bool { return len(l.errs) == cap(l.errs) })
	l.all.Wait()
	for range cap(l.errs) {
		must(t, <-l.errs)
	}
	await(t, fmt.Sprintf("all %d events", news), func() bool { return len(fed.got("news")) >= news })
	if got := fed.got("news"); !slices.Equal(got, numbers(news)) {
		t.Errorf("fed %d events, want %d: %v", len(got), news, got)
	}
	c.judge(each, news, sink)
	t.Logf("%d restarts, %d leaders that stepped down, %d majorities that died; "+
		"%d ops stored by %d calls, of which %d failed and %d found it there; %d events fed",
		moves["0"]+moves["1"]+moves["2"], 2*moves["step down"], moves["majority"],
		l.acked.Load(), sink.calls.Load(), sink.failed.Load(), sink.again.Load(), news)
}

// judge reads what is in the streams.
func (c *cluster) judge(each, news int, s *witness) {
	c.t.Helper()
	if n := s.against.Load(); n > 0 {
		c.t.Errorf("%d ops were said to be stored while most of the cluster was away", n)
	}
	for stream, want := range map[string]int{"IN": each, "OUT": news} {
		all := c.read(stream)
		for subject, got := range all {
			if !slices.Equal(got, numbers(want)) {
				c.t.Errorf("%s: %d messages, want %d once and in order: %v", subject, len(got), want, got)
			}
		}
		if objects := map[string]int{"IN": clusterObjects, "OUT": 1}[stream]; len(all) != objects {
			c.t.Errorf("stream %s has %d subjects, want %d", stream, len(all), objects)
		}
	}
}
