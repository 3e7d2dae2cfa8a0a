package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// serve starts a broker on a free port of this machine.
func serve() (addr string, stop func()) {
	b, err := broker.New(broker.Config{HeartBeat: heartbeat.Pair{Send: 10000, Want: 10000}})
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	served := make(chan error, 1)
	go func() { served <- b.Serve(context.Background(), l) }()
	return "tcp://" + l.Addr().String(), func() {
		_ = b.Close()
		<-served
	}
}

// Send a message, and receive and acknowledge it.
func Example() {
	addr, stop := serve()
	defer stop()
	ctx := context.Background()
	c, err := client.Dial(ctx, addr, client.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	s, err := c.Subscribe(ctx, "/queue/orders", client.SubscribeOptions{Ack: client.AckIndividual})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := c.SendReceipt(ctx, client.Message{Destination: "/queue/orders", ContentType: "text/plain", Body: []byte("two coffees")}); err != nil {
		fmt.Println(err)
		return
	}
	d, err := s.Next(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n", d.Destination(), d.Body())
	fmt.Println(d.Ack(ctx), c.Disconnect(ctx))
	// Output:
	// /queue/orders: two coffees
	// <nil> <nil>
}

// A work queue: jobs are sent with receipts, many at a time; a worker sends each result in the transaction that
// acknowledges the job; and at the end it drains its subscription. Heart-beats make both notice a connection that is
// dead.
func Example_workQueue() {
	addr, stop := serve()
	defer stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cfg := client.Config{HeartBeat: heartbeat.Pair{Send: 10000, Want: 10000}}

	produce := func() error {
		c, err := client.Dial(ctx, addr, cfg)
		if err != nil {
			return err
		}
		defer c.Close()
		var sent []*client.Pending
		for i := range 5 {
			p, err := c.SendAsync(ctx, client.Message{Destination: "/queue/jobs", Body: fmt.Appendf(nil, "job %d", i)})
			if err != nil {
				return err
			}
			sent = append(sent, p)
		}
		for _, p := range sent {
			if err := p.Wait(ctx); err != nil {
				return err
			}
		}
		return c.Disconnect(ctx)
	}

	work := func() error {
		c, err := client.Dial(ctx, addr, cfg)
		if err != nil {
			return err
		}
		defer c.Close()
		jobs, err := c.Subscribe(ctx, "/queue/jobs", client.SubscribeOptions{Ack: client.AckIndividual})
		if err != nil {
			return err
		}
		done := 0
		for job, err := range jobs.Messages(ctx) {
			if err != nil {
				return err
			}
			tx, err := c.Begin(ctx)
			if err != nil {
				return err
			}
			result := append(job.Body(), " done"...)
			if err := errors.Join(tx.Send(ctx, client.Message{Destination: "/queue/results", Body: result}), tx.Ack(ctx, job)); err != nil {
				return err
			}
			if err := tx.Commit(ctx); err != nil {
				return err
			}
			if done++; done == 5 {
				break
			}
		}
		// Messages that are on their way arrive before the receipt.
		if err := jobs.Unsubscribe(ctx); err != nil {
			return err
		}
		for job, err := range jobs.Messages(ctx) {
			fmt.Println("came meanwhile:", job, err)
		}
		return c.Disconnect(ctx)
	}

	collect := func() error {
		c, err := client.Dial(ctx, addr, cfg)
		if err != nil {
			return err
		}
		defer c.Close()
		results, err := c.Subscribe(ctx, "/queue/results", client.SubscribeOptions{})
		if err != nil {
			return err
		}
		for range 5 {
			d := <-results.C()
			if d == nil {
				return results.Err()
			}
			fmt.Printf("%s\n", d.Body())
		}
		return c.Disconnect(ctx)
	}

	fmt.Println(errors.Join(produce(), work(), collect()))
	// Output:
	// job 0 done
	// job 1 done
	// job 2 done
	// job 3 done
	// job 4 done
	// <nil>
}

// Errors say who is to blame.
func ExampleError() {
	addr, stop := serve()
	defer stop()
	ctx := context.Background()
	c, err := client.Dial(ctx, addr, client.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	err = c.Send(ctx, client.Message{Destination: ""})
	var e *client.Error
	if errors.As(err, &e) {
		fmt.Println(e.Op, e.Code, e.Reason)
	}
	_ = c.Close()
	err = c.Send(ctx, client.Message{Destination: "/queue/a"})
	fmt.Println(errors.Is(err, client.ErrClosed))
	// Output:
	// send STOMP_ARGUMENT destination
	// true
}
