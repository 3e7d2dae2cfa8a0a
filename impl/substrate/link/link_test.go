package link

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/farewell"
	"github.com/seed-6f28358b/assay/impl/farewell/farewelltest"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

func TestBothEndsHoldTheSame(t *testing.T) { // SUBSTRATE-HANDSHAKE-003
	virtual(t, func(t *testing.T, w *world) {
		seen := map[string]bool{}
		for range 50 {
			c := w.ready(w.dialer)
			s := <-w.accepted
			if c.ID() != s.ID() || c.Result().TranscriptHash != s.Result().TranscriptHash || c.Peer() != "gate" || s.Peer() != "a" {
				t.Fatalf("%s of %s, %s of %s", c.ID(), c.Peer(), s.ID(), s.Peer())
			}
			if seen[c.ID()] {
				t.Fatalf("%s comes again", c.ID())
			}
			seen[c.ID()] = true
			c.Close(1000, "")
		}
	})
}

func TestMessagesOfTheWrongFormEndTheConnection(t *testing.T) { // SUBSTRATE-WIRE-006, SUBSTRATE-LIMIT-001
	for name, test := range map[string]struct {
		send func(c *Conn) error
		code uint16
	}{
		"text":         {func(c *Conn) error { return c.ws.Write(context.Background(), websocket.MessageText, []byte("{}")) }, CloseProtocol},
		"1048577":      {func(c *Conn) error { return c.Write(context.Background(), make([]byte, wire.MaxFrame+1)) }, CloseTooLarge},
		"much above":   {func(c *Conn) error { return c.Write(context.Background(), make([]byte, 4*wire.MaxFrame)) }, CloseTooLarge},
		"an own close": {func(c *Conn) error { c.Close(4321, "so"); return nil }, 4321},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, w *world) {
				c := w.ready(w.dialer)
				<-w.accepted
				go func() { _ = test.send(c) }()
				w.endOfRead(c, test.code, name == "an own close")
				synctest.Wait()
			})
		})
	}
}

func TestMessageAtTheLimitIsRead(t *testing.T) { // SUBSTRATE-LIMIT-001
	got := make(chan []byte, 1)
	l, err := NewListener(ListenerConfig{Handshake: hmac("gate", "a"), Ready: func(ctx context.Context, c *Conn) {
		b, err := c.Read(ctx)
		if err != nil {
			t.Error(err)
		}
		got <- b
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(l)
	defer s.Close()
	d := Dialer{URL: strings.Replace(s.URL, "http", "ws", 1), Handshake: hmac("a", "gate")}
	c, err := d.dial(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(1000, "")
	want := bytes.Repeat([]byte{1, 2, 3, 4}, wire.MaxFrame/4)
	if err := c.Write(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(<-got, want) {
		t.Error("a message of 1 MiB did not arrive as it was")
	}
	if err := l.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestHostileDialers(t *testing.T) { // SUBSTRATE-HANDSHAKE-008
	for name, test := range map[string]struct {
		do   func(ws *websocket.Conn)
		code uint16
		took time.Duration // at least, and at most one second more
	}{
		"silent": {func(*websocket.Conn) {}, handshake.CloseTimeout, handshake.Deadline + time.Millisecond},
		"dripping": {func(ws *websocket.Conn) {
			w, _ := ws.Writer(context.Background(), websocket.MessageBinary)
			for range 100 {
				time.Sleep(100 * time.Millisecond)
				if _, err := w.Write([]byte{0xa0}); err != nil {
					return
				}
			}
		}, handshake.CloseTimeout, handshake.Deadline + time.Millisecond},
		"one large message":   {func(ws *websocket.Conn) { send(ws, make([]byte, handshake.MaxOctets+1)) }, handshake.CloseTimeout, 0},
		"an op before ready":  {func(ws *websocket.Conn) { send(ws, operation()) }, CloseProtocol, 0},
		"text":                {func(ws *websocket.Conn) { _ = ws.Write(context.Background(), websocket.MessageText, []byte("hi")) }, CloseProtocol, 0},
		"nothing of the sort": {func(ws *websocket.Conn) { send(ws, []byte("hello")) }, CloseProtocol, 0},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, w *world) {
				ws := w.mute()
				go test.do(ws)
				if took := w.ends(ws, test.code); took < test.took || took > test.took+time.Second {
					t.Errorf("it took %v", took)
				}
				var failure *handshake.Failure
				if err := <-w.failures; !errors.As(err, &failure) || failure.CloseCode != test.code {
					t.Errorf("told of %v", err)
				}
				time.Sleep(10 * time.Second) // until the dripping one has noticed
				w.ready(w.dialer).Close(1000, "")
			})
		})
	}
}

func send(ws *websocket.Conn, b []byte) {
	_ = ws.Write(context.Background(), websocket.MessageBinary, b)
}

func operation() []byte {
	f := &wire.Frame{V: wire.Version, Kind: wire.Send, Obj: "a", ObjKind: wire.Session, ID: "x", Seq: 1, Receipt: []byte{1}}
	f.Has = wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldSeq | wire.FieldReceipt
	b, err := wire.Append(nil, f)
	if err != nil {
		panic(err)
	}
	return b
}

func TestNotMoreThan64AreBeforeReady(t *testing.T) { // SUBSTRATE-HANDSHAKE-008
	virtual(t, func(t *testing.T, w *world) {
		live := w.ready(w.dialer)
		var mutes []*websocket.Conn
		for range handshake.MaxPending {
			mutes = append(mutes, w.mute())
		}
		if _, resp, err := w.raw(); err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("one more: %v, %v", resp, err)
		}
		_ = mutes[0].CloseNow()
		synctest.Wait()
		mutes = append(mutes, w.mute())
		for _, ws := range mutes[1:] {
			w.ends(ws, handshake.CloseTimeout)
		}
		// Who was ready has noticed nothing.
		if err := live.Write(t.Context(), operation()); err != nil {
			t.Error(err)
		}
	})
}

func TestNewConnectionSupersedesTheOld(t *testing.T) { // SUBSTRATE-RECONNECT-004
	virtual(t, func(t *testing.T, w *world) {
		first := w.ready(w.dialer)
		old := <-w.accepted
		other := w.dialer
		other.Handshake = hmac("b", "gate")
		bystander := w.ready(other)
		<-w.accepted

		// Neither a handshake that fails nor one that is given up disturbs it.
		bad := w.dialer
		bad.Handshake.Auth = handshake.HMAC(func(string) (handshake.Record, bool) { return handshake.Record{Key: handshake.Key{9}}, true })
		if _, err := bad.dial(t.Context(), ""); err == nil {
			t.Error("a wrong key was ready")
		}
		_ = w.mute().CloseNow()
		synctest.Wait()
		if old.ended.Load() != nil {
			t.Fatal("a failed handshake ended the live connection")
		}

		second := w.ready(w.dialer)
		if newer := <-w.accepted; newer.Turn() <= old.Turn() || first.Turn() != 0 {
			t.Errorf("turn %d after %d, and %d of one that was dialled", newer.Turn(), old.Turn(), first.Turn())
		}
		_ = first.Write(t.Context(), operation()) // it is dropped, or does not get there
		w.endOfRead(first, CloseSuperseded, false)
		for _, c := range []*Conn{second, bystander} {
			if err := c.Write(t.Context(), operation()); err != nil {
				t.Error(err)
			}
			if id := <-w.received; id != c.ID() {
				t.Errorf("a message came on %s, which is not the one it was sent on", id)
			}
		}
	})
}

// The old connection is half open: nobody is there to answer its end.
func TestSupersedingDoesNotWaitForTheDead(t *testing.T) { // SUBSTRATE-RECONNECT-004
	virtual(t, func(t *testing.T, w *world) {
		_ = w.ready(w.dialer) // never read from again
		<-w.accepted
		began := time.Now()
		w.ready(w.dialer)
		<-w.accepted
		if took := time.Since(began); took > 0 {
			t.Errorf("the new connection waited %v", took)
		}
	})
}

func TestWrongKeysAndChoices(t *testing.T) { // SUBSTRATE-AUTH-003, SUBSTRATE-AUTH-004, SUBSTRATE-AUTH-007
	for name, test := range map[string]struct {
		config handshake.Config
		code   uint16
	}{
		"unknown peer": {hmac("nobody", "gate"), handshake.CloseAuth},
		"none":         {handshake.Config{Peer: "a", Epoch: [8]byte{1}, Auth: handshake.None(), Unauthenticated: func() {}}, handshake.CloseMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, w *world) {
				d := w.dialer
				d.Handshake = test.config
				_, err := d.dial(t.Context(), "")
				var (
					failure *handshake.Failure // found here
					end     *EndError          // or told by the listener
				)
				if !(errors.As(err, &failure) && failure.CloseCode == test.code) && !(errors.As(err, &end) && end.Code == test.code) {
					t.Errorf("%v, want code %d", err, test.code)
				}
			})
		})
	}
}

func TestOtherPeerIsLeft(t *testing.T) { // SUBSTRATE-RECONNECT-006
	virtual(t, func(t *testing.T, w *world) {
		d := w.dialer
		d.Handshake = hmac("a", "gate", "other")
		_, err := d.dial(t.Context(), "other")
		var end *EndError
		if !errors.As(err, &end) || end.Code != CloseOtherPeer || !end.Local {
			t.Fatalf("%v", err)
		}
		s := <-w.accepted
		synctest.Wait()
		if _, err := s.Read(t.Context()); err == nil {
			t.Error("the listener reads on")
		}
	})
}

func TestDialerWaits(t *testing.T) { // SUBSTRATE-RECONNECT-007
	virtual(t, func(t *testing.T, w *world) {
		d := w.dialer
		d.URL, d.Peer = "ws://gate/", "other" // every attempt ends with 4006
		d.Handshake = hmac("a", "gate")
		var asked []time.Duration
		d.Jitter = func(most time.Duration) time.Duration {
			asked = append(asked, most)
			return most
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		attempts := 0
		d.Failed = func(err error, wait time.Duration) {
			if attempts++; attempts == 10 {
				cancel(enough)
			}
		}
		if err := d.Run(ctx, func(context.Context, *Conn) { t.Error("ready") }); !errors.Is(err, enough) {
			t.Errorf("Run: %v", err)
		}
		s := time.Second
		want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, s, 2 * s, 4 * s, 8 * s, 16 * s, 30 * s, 30 * s, 30 * s, 30 * s}
		if !slices.Equal(asked, want) && !slices.Equal(asked, want[:10]) {
			t.Errorf("waits %v, want %v", asked, want)
		}
	})
}

func TestDialerBeginsAnewAfterTenSecondsOfReady(t *testing.T) { // SUBSTRATE-RECONNECT-007
	for held, again := range map[time.Duration]time.Duration{
		backoffReset - time.Millisecond: 2 * backoffFirst, backoffReset: backoffFirst,
	} {
		virtual(t, func(t *testing.T, w *world) {
			d := w.dialer
			var asked []time.Duration
			d.Jitter = func(most time.Duration) time.Duration {
				asked = append(asked, most)
				return 0
			}
			ctx, cancel := context.WithCancel(t.Context())
			ready := 0
			_ = d.Run(ctx, func(context.Context, *Conn) {
				if ready++; ready == 2 {
					cancel()
					return
				}
				time.Sleep(held)
			})
			if want := []time.Duration{backoffFirst, again}; !slices.Equal(asked[:2], want) {
				t.Errorf("after %v of ready: waits of at most %v, want %v", held, asked, want)
			}
		})
	}
}

func TestListenerSaysFarewell(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		c := w.ready(w.dialer)
		<-w.accepted
		done := make(chan error)
		go func() { done <- w.listener.Close(t.Context()) }()
		w.endOfRead(c, uint16(websocket.StatusGoingAway), false)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, resp, err := w.raw(); err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("after Close: %v, %v", resp, err)
		}
	})
}

func TestListenerNeedsWhatItWorksWith(t *testing.T) { // SUBSTRATE-AUTH-001
	ready := func(context.Context, *Conn) {}
	for name, c := range map[string]ListenerConfig{
		"Auth":  {Handshake: handshake.Config{Peer: "a", Epoch: [8]byte{1}}, Ready: ready},
		"Ready": {Handshake: hmac("a")},
	} {
		_, err := NewListener(c)
		var config *handshake.ConfigError
		if !errors.As(err, &config) || config.Field != name {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// Whoever sends a message without an end holds up neither a handshake that has failed, nor a connection that ends for what was in the
// message, nor the end of the listener, on either side.
func TestEndlessMessages(t *testing.T) {
	virtual(t, func(t *testing.T, w *world) {
		client, dialing := farewell.Dialer(w.client)
		if _, _, err := websocket.Dial(t.Context(), "ws://gate/", &websocket.DialOptions{HTTPClient: client}); err != nil {
			t.Fatal(err)
		}
		endless(t, dialing.Stream, true)
		var failure *handshake.Failure
		if err := <-w.failures; !errors.As(err, &failure) || failure.CloseCode != CloseProtocol {
			t.Errorf("told of %v", err)
		}

		c := w.ready(w.dialer)
		endless(t, c.below, true)
		w.endOfRead(<-w.accepted, CloseProtocol, true)

		c = w.ready(w.dialer)
		other := <-w.accepted
		var reading sync.WaitGroup
		reading.Go(func() { w.endOfRead(c, CloseProtocol, true) })
		endless(t, other.below, false)
		reading.Wait()
	})
}

// endless sends a text message until it is cut off, and takes whatever comes.
func endless(t *testing.T, below io.Closer, masked bool) {
	t.Helper()
	stream := below.(io.ReadWriteCloser)
	var taking sync.WaitGroup
	taking.Go(func() { _, _ = io.Copy(io.Discard, stream) })
	if _, err := stream.Write(farewelltest.LongFrame(masked)); err != nil {
		t.Error(err)
	}
	if !farewelltest.Drip(stream) {
		t.Error("it is not cut off")
	}
	_ = stream.Close()
	taking.Wait()
}
