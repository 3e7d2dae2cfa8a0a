package client_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// beats offers heart-beats every so many milliseconds in both directions.
func beats(ms int64) heartbeat.Pair { return heartbeat.Pair{Send: ms, Want: ms} }

// beating is CONNECTED with such heart-beats.
func beating(ms int64) string {
	return fmt.Sprintf("CONNECTED\nversion:1.2\nheart-beat:%d,%d\n\n\x00", ms, ms)
}

func TestHeartBeatsComeInTime(t *testing.T) {
	// STOMP-HEARTBEAT-005, STOMP-HEARTBEAT-010
	answering(t, client.Config{HeartBeat: heartbeat.Pair{Send: 110}}, beating(110), func(t *testing.T, c *client.Client, p *peer) {
		start := time.Now()
		time.Sleep(1100*time.Millisecond + 1)
		synctest.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		last := start
		for _, at := range p.beats {
			if gap := at.Sub(last); gap != 110*time.Millisecond {
				t.Errorf("a gap of %v", gap)
			}
			last = at
		}
		if len(p.beats) != 10 {
			t.Errorf("%d beats", len(p.beats))
		}
	})
}

func TestTrafficReplacesBeats(t *testing.T) {
	// STOMP-HEARTBEAT-014
	answering(t, client.Config{HeartBeat: heartbeat.Pair{Send: 100}}, beating(100), func(t *testing.T, c *client.Client, p *peer) {
		for range 20 {
			time.Sleep(70 * time.Millisecond)
			if err := c.Send(t.Context(), client.Message{Destination: "d"}); err != nil {
				t.Fatal(err)
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.beats) > 0 {
			t.Errorf("%d beats between frames", len(p.beats))
		}
	})
}

func TestSilentServerIsLeft(t *testing.T) {
	// STOMP-HEARTBEAT-011, STOMP-WAIT-016: at the first tick beyond the interval and the tolerance.
	for _, tolerance := range []time.Duration{0, time.Second} {
		answering(t, client.Config{HeartBeat: heartbeat.Pair{Want: 1000}, Tolerance: tolerance}, beating(1000), func(t *testing.T, c *client.Client, p *peer) {
			start := time.Now()
			time.Sleep(500 * time.Millisecond)
			p.say("\n")
			<-c.Done()
			want := 500*time.Millisecond + time.Second + max(tolerance, 100*time.Millisecond) + time.Millisecond
			if d := time.Since(start); d != want {
				t.Errorf("left after %v, want %v", d, want)
			}
			if e := (*client.Error)(nil); !errors.As(c.Err(), &e) || e.Code != client.Invalid || e.Op != "tick" || e.Reason != "timeout" {
				t.Errorf("Err: %v", c.Err())
			}
			gone(t, c, p)
		})
	}
}

func TestNoHeartBeatsUnlessAgreed(t *testing.T) {
	// STOMP-HEARTBEAT-016
	for _, answer := range []string{connected, "CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\x00"} {
		answering(t, client.Config{HeartBeat: beats(10)}, answer, func(t *testing.T, c *client.Client, p *peer) {
			time.Sleep(time.Hour)
			if c.Stats().Ticking || c.State() != client.Active || len(p.beats) > 0 {
				t.Errorf("%+v, %d beats", c.Stats(), len(p.beats))
			}
		})
	}
}

func TestTicksBeginWhenActive(t *testing.T) {
	// STOMP-CLOCK-007: a server that is slow to connect gets no beats, and is not left for its silence.
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := pair(t)
		p := newPeer(t, theirs)
		go func() {
			<-p.frames
			time.Sleep(4 * time.Second)
			p.say(beating(1000))
		}()
		c, err := client.New(t.Context(), ours, client.Config{Host: "h", HeartBeat: beats(1000)})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Stats().Ticking || len(p.beats) > 0 {
			t.Errorf("%+v, %d beats", c.Stats(), len(p.beats))
		}
		_ = c.Close()
		if c.Stats().Ticking {
			t.Error("it ticks when closed")
		}
	})
}

func TestNoBeatsWhileDisconnecting(t *testing.T) {
	// STOMP-DISCONNECT-002, STOMP-HEARTBEAT-016
	answering(t, client.Config{HeartBeat: heartbeat.Pair{Send: 100}}, beating(100), func(t *testing.T, c *client.Client, p *peer) {
		if err := c.SendFrame(frame.New(frame.DISCONNECT, "receipt", "bye")); err != nil {
			t.Fatal(err)
		}
		p.hear(frame.DISCONNECT)
		time.Sleep(time.Second)
		p.mu.Lock()
		n := len(p.beats)
		p.mu.Unlock()
		if n > 0 || c.State() != client.Disconnecting {
			t.Errorf("%d beats, state %v", n, c.State())
		}
	})
}
