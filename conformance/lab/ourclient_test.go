//go:build linux

package lab

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
)

// One program, a small work queue, is run with our own client on every endpoint of every broker: it connects with
// heart-beats, sends jobs with receipts, works them off with acknowledgements and in a transaction, drains its
// subscription and leaves. What a broker does not have, by its profile or by what it was seen to do, is left out.
func TestOurClientWorksOnEveryBroker(t *testing.T) {
	forEachBroker(t, "stomp", func(t *testing.T, b Broker) {
		r := startBroker(t, b, Options{Dir: t.TempDir()})
		for i, e := range r.Targets {
			t.Run(e.Transport, func(t *testing.T) {
				w := &worker{t: t, r: r, endpoint: e, leave: leaves[b.Name], queue: conformance.SectionOf[stomptest.Section](r.Profile).QueueName(fmt.Sprintf("work-%d", i))}
				if l, ok := leaves[b.Name+" "+e.Transport]; ok {
					w.leave = l
				}
				w.run()
			})
		}
	})
}

// leave is what the program does without because a broker was seen to break the protocol there. Each has its red
// verdict in the broker's baseline.
type leave struct {
	receipts []frame.Command // frames that get no receipt
	auto     bool            // acknowledging
	serial   bool            // a second message while one is unacknowledged
	fatal    string          // reason for which the client must give the broker up; then nothing else is asked
}

var leaves = map[string]leave{
	"stomp-broker-js": {receipts: []frame.Command{frame.SUBSCRIBE, frame.SEND}, fatal: "message"},  // MESSAGE has no message-id
	"go-stomp":        {receipts: []frame.Command{frame.SUBSCRIBE, frame.UNSUBSCRIBE}, auto: true}, // an ACK settles nothing
	"stompserver":     {receipts: []frame.Command{frame.DISCONNECT}, serial: true},                 // its backlog fails on Ruby 3
	"rabbitmq ws":     {receipts: []frame.Command{frame.DISCONNECT}},
}

type worker struct {
	t        *testing.T
	r        *Running
	endpoint Endpoint
	leave    leave
	queue    string
	ctx      context.Context
}

func (w *worker) has(option string) bool {
	_, lacks := w.r.Profile.Unsupported[option]
	return !lacks
}

func (w *worker) must(what string, err error) {
	w.t.Helper()
	var e *client.Error
	switch {
	case errors.As(err, &e) && e.Frame != nil:
		w.t.Fatalf("%s: %v: %.300q", what, err, e.Frame.Body)
	case err != nil:
		w.t.Fatalf("%s: %v", what, err)
	}
}

func (w *worker) dial() *client.Client {
	s := conformance.SectionOf[stomptest.Section](w.r.Profile)
	cfg := client.Config{Host: s.Host, Login: s.Login, Passcode: s.Passcode}
	for _, v := range w.r.Profile.Versions {
		version, ok := frame.ParseVersion(v)
		if !ok {
			w.t.Fatalf("profile: version %q", v)
		}
		cfg.Versions = append(cfg.Versions, version)
	}
	if cfg.Host == "" {
		cfg.Host = "localhost"
	}
	if w.has("heart-beats") {
		cfg.HeartBeat = heartbeat.Pair{Send: 1000, Want: 1000}
		// A broker's beats come with the pace of its timers, not to the millisecond.
		cfg.Tolerance = 2 * time.Second
	}
	if w.endpoint.CAFile != "" {
		pem, err := os.ReadFile(w.endpoint.CAFile)
		w.must("read the authority", err)
		cfg.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
		if !cfg.TLS.RootCAs.AppendCertsFromPEM(pem) {
			w.t.Fatal("no certificate in the authority's file")
		}
	}
	cl, err := client.Dial(w.ctx, w.endpoint.URL, cfg)
	w.must("dial", err)
	w.t.Cleanup(func() { _ = cl.Close() })
	return cl
}

func (w *worker) run() {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	w.ctx = ctx
	// A broker that does not deliver to the connection that sent needs two.
	boss, hand := w.dial(), w.dial()
	mode := client.AckIndividual
	switch {
	case !w.has("ack") || w.leave.auto:
		mode = client.AckAuto
	case !w.has("client-individual") || hand.Version() == frame.V10:
		mode = client.AckClient
	}
	jobs, err := hand.Subscribe(ctx, w.queue, client.SubscribeOptions{Ack: mode, Confirm: w.confirms(frame.SUBSCRIBE)})
	w.must("subscribe", err)
	const n = 20
	for i := range n {
		if !w.leave.serial {
			w.send(boss, fmt.Sprintf("job %d", i))
		}
	}
	if w.leave.fatal != "" {
		<-hand.Done()
		var e *client.Error
		if !errors.As(hand.Err(), &e) || e.Reason != w.leave.fatal {
			w.t.Fatalf("the client ends with %v, want reason %q", hand.Err(), w.leave.fatal)
		}
		return
	}
	for i := range n {
		if w.leave.serial {
			w.send(boss, fmt.Sprintf("job %d", i))
		}
		d := w.next(jobs)
		if want := fmt.Sprintf("job %d", i); string(d.Body()) != want {
			w.t.Fatalf("job %q, want %q", d.Body(), want)
		}
		if mode != client.AckAuto {
			w.must("ack", d.Ack(ctx))
		}
		if w.leave.serial {
			// The answer comes behind the ACK: the broker has dealt with it.
			w.must("barrier", hand.SendReceipt(ctx, client.Message{Destination: w.queue + "-done", Body: d.Body()}))
		}
	}
	if w.has("transactions") {
		w.transactions(boss, jobs, mode)
	}
	if w.has("heart-beats") {
		// Long enough for either side to be given up if it did not beat.
		select {
		case <-hand.Done():
			w.t.Fatalf("an idle connection with heart-beats ended: %v", hand.Err())
		case <-time.After(4 * time.Second):
		}
	}
	if w.confirms(frame.UNSUBSCRIBE) {
		w.must("unsubscribe", jobs.Unsubscribe(ctx))
	}
	for _, cl := range []*client.Client{hand, boss} {
		err := cl.Disconnect(ctx)
		if !w.confirms(frame.DISCONNECT) && errors.Is(err, io.EOF) {
			err = nil
		}
		w.must("disconnect", err)
	}
}

func (w *worker) confirms(c frame.Command) bool {
	return !slices.Contains(w.leave.receipts, c)
}

func (w *worker) send(cl *client.Client, body string) {
	w.t.Helper()
	m := client.Message{Destination: w.queue, ContentType: "text/plain", Body: []byte(body)}
	if w.confirms(frame.SEND) {
		w.must("send with receipt", cl.SendReceipt(w.ctx, m))
		return
	}
	w.must("send", cl.Send(w.ctx, m))
}

func (w *worker) next(jobs *client.Subscription) *client.Delivery {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
	defer cancel()
	d, err := jobs.Next(ctx)
	w.must("next message", err)
	return d
}

// batch is how many messages a transaction has.
func (w *worker) batch() int {
	if w.leave.serial {
		return 1
	}
	return 2
}

// transactions shows that what was aborted never comes, and that what was committed does, the answer to a job
// together with its acknowledgement.
func (w *worker) transactions(boss *client.Client, jobs *client.Subscription, mode client.AckMode) {
	for _, commit := range []bool{false, true} {
		tx, err := boss.Begin(w.ctx)
		w.must("begin", err)
		for i := range w.batch() {
			w.must("send in a transaction", tx.Send(w.ctx, client.Message{Destination: w.queue, Body: fmt.Appendf(nil, "commit %v %d", commit, i)}))
		}
		if !commit {
			w.must("abort", tx.Abort(w.ctx))
			continue
		}
		w.must("commit", tx.Commit(w.ctx))
	}
	for i := range w.batch() {
		d := w.next(jobs)
		if want := fmt.Sprintf("commit true %d", i); string(d.Body()) != want {
			w.t.Fatalf("message %q, want %q: what was aborted must not come", d.Body(), want)
		}
		if mode != client.AckAuto {
			w.must("ack", d.Ack(w.ctx))
		}
	}
}
