package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// asVector is a bug report as the experiment on a decoder that it is.
func asVector(b *corpus.Bug, feeds []corpus.Text, want corpus.StompWant) corpus.StompVector {
	return corpus.StompVector{Citation: b.Citation, Op: corpus.Decode, Feeds: feeds, Want: want}
}

// The reference codec and the codec machine have the fault of no bug report.
func TestBugsOnCodecs(t *testing.T) {
	for _, b := range corpusBugs(t) {
		t.Run(b.Name, func(t *testing.T) {
			v := asVector(&b, b.Packets, b.Want)
			if err := RunStompVector(v); err != nil {
				t.Error(err)
			}
			for _, name := range b.Versions {
				if err := machineDecode(&v, stompmodel.Version(name)); err != nil {
					t.Errorf("machine in %s: %v", name, err)
				}
				w := twin{version: versionNamed(t, name)}
				if err := w.everyWay(v.Stream(), cutBy(v.Stream(), cutsOf(v.Feeds))); err != nil {
					t.Errorf("in %s: %v", name, err)
				}
			}
		})
	}
}

// What a sender should have sent instead is taken whole.
func TestCorrectedBugsDecode(t *testing.T) {
	corrected := 0
	for _, b := range corpusBugs(t) {
		if b.Corrected == nil {
			continue
		}
		corrected++
		for _, name := range b.Versions {
			w := twin{version: versionNamed(t, name)}
			o, err := w.run([][]byte{slices.Concat(b.Corrected...)})
			if err != nil || o.rule != "" || len(o.events) == 0 {
				t.Errorf("%s in %s: %d events, %q, %v", b.Name, name, len(o.events), o.rule, err)
			}
		}
	}
	if corrected == 0 {
		t.Error("no report says what should have been sent")
	}
}

// The message of a report that says how a client acknowledges it is acknowledged so by the reference client.
func TestBugsOnClient(t *testing.T) {
	answered := 0
	for _, b := range corpusBugs(t) {
		if b.Answer == nil {
			continue
		}
		answered++
		t.Run(b.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if heard, err := acknowledge(t.Context(), &b); err != nil || !bytes.HasSuffix(heard, *b.Answer) {
					t.Errorf("the client said %q, %v; want %q at the end", heard, err, *b.Answer)
				}
			})
		})
	}
	if answered == 0 {
		t.Error("no report says how a message is acknowledged")
	}
}

// acknowledge makes the reference client acknowledge the message of a report, and returns all that it wrote.
func acknowledge(ctx context.Context, b *corpus.Bug) ([]byte, error) {
	message := corpusFrame(b.Want.Events[0].Frame)
	destination, _ := message.Get("destination")
	id, _ := message.Get("subscription")
	ours, theirs := net.Pipe()
	var wait sync.WaitGroup
	var heard bytes.Buffer
	defer wait.Wait()
	defer theirs.Close()
	wait.Go(func() {
		_, _ = io.Copy(&heard, theirs)
	})
	wait.Go(func() {
		_, _ = theirs.Write([]byte("CONNECTED\nversion:" + b.Versions[0] + "\n\n\x00"))
	})
	c, err := client.New(ctx, ours, client.Config{Host: "h"})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	s, err := c.Subscribe(ctx, destination, client.SubscribeOptions{Ack: client.AckIndividual, ID: id})
	if err != nil {
		return nil, err
	}
	if _, err := theirs.Write(slices.Concat(b.Packets...)); err != nil {
		return nil, err
	}
	d, err := s.Next(ctx)
	if err != nil {
		return nil, err
	}
	err = d.Ack(ctx)
	synctest.Wait()
	return bytes.Clone(heard.Bytes()), err
}

// The reports that blame a server are shown to a live reference broker, in a session of their version. A report over WebSocket comes
// as a stream: where its messages end means nothing (STOMP-FRAME-012).
func TestBugsOnBroker(t *testing.T) {
	shown := 0
	for _, b := range corpusBugs(t) {
		if b.Direction != "client-to-server" {
			continue
		}
		for _, name := range b.Versions {
			shown++
			t.Run(b.Name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					if err := showBug(&b, versionNamed(t, name)); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
	if shown == 0 {
		t.Error("no report is about a server")
	}
}

func showBug(b *corpus.Bug, v frame.Version) error {
	ref, err := broker.New(broker.Config{})
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	auditor, client := join(ref, &wait), join(ref, &wait)
	defer func() {
		_, _ = auditor.conn.Close(), client.conn.Close()
		_ = ref.Close()
		wait.Wait()
	}()
	if err := auditor.audit([]string{"/q"}); err != nil {
		return err
	}
	if _, err := client.conn.Write(greeting(byte(v))); err != nil {
		return err
	}
	for _, p := range b.Packets {
		if _, err := client.conn.Write(p); err != nil {
			return err
		}
	}
	synctest.Wait()
	said, err := client.frames(frame.V12)
	if err != nil {
		return err
	}
	if len(said) == 0 || said[0].Command != frame.CONNECTED {
		return fmt.Errorf("the broker said %v", said)
	}
	// STOMP-ERROR-001, STOMP-SEND-001: the reference answers every fault so, in every version.
	if refused := b.Want.Error != nil; refused != ended(said) {
		return fmt.Errorf("the broker said %v, a refusal is wanted: %v", said, refused)
	}
	seen, err := auditor.frames(frame.V12)
	if err != nil {
		return err
	}
	return deliveredAll(b.Want.Events, seen)
}

// deliveredAll checks that the messages among what was seen are those that were sent, in their order.
func deliveredAll(sent []corpus.Event, seen []*frame.Frame) error {
	var messages []*frame.Frame
	for _, f := range seen {
		if f.Command == frame.MESSAGE {
			messages = append(messages, f)
		}
	}
	for _, e := range sent {
		if e.Frame == nil || string(e.Frame.Command) != "SEND" {
			continue
		}
		if len(messages) == 0 {
			return fmt.Errorf("%q was not delivered", e.Frame.Body)
		}
		if err := delivered(e.Frame, messages[0]); err != nil {
			return err
		}
		messages = messages[1:]
	}
	if len(messages) > 0 {
		return fmt.Errorf("also delivered: %q %q", messages[0].Headers, messages[0].Body)
	}
	return nil
}

// delivered checks that got says what was sent: STOMP-SEND-003, STOMP-SEND-004.
func delivered(sent *corpus.Frame, got *frame.Frame) error {
	if string(got.Body) != string(sent.Body) {
		return fmt.Errorf("delivered the body %q, want %q", got.Body, sent.Body)
	}
	for _, h := range sent.Headers {
		if v, ok := got.Get(string(h.Name)); !ok || v != string(h.Value) {
			return fmt.Errorf("delivered %s %q, want %q", h.Name, v, h.Value)
		}
	}
	return nil
}
