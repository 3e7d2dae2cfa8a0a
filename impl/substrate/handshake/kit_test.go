package handshake_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// start is when the connections of these tests are opened.
var start = time.UnixMilli(1_700_000_000_000)

// records has the peers that the two sides of these tests know.
func records(key byte) handshake.Keys {
	return func(peer string) (handshake.Record, bool) {
		if peer != "alice" && peer != "bob" {
			return handshake.Record{}, false
		}
		return handshake.Record{Key: handshake.Key(bytes.Repeat([]byte{key}, 32)), Scopes: []string{"producer"}}, true
	}
}

// toy is a suite that is more than nothing: it turns bodies over.
type toy struct{}

func (toy) Outbound(body []byte) ([]byte, error) {
	out := bytes.Clone(body)
	for i := range out {
		out[i] ^= 0x5a
	}
	return out, nil
}
func (s toy) Inbound(sent []byte) ([]byte, error) { return s.Outbound(sent) }

func suites(name string) handshake.Registry {
	return append(handshake.Registry{{Name: name, Suite: toy{}}}, handshake.PlainSuites()...)
}

// dialing is the config of the dialer of these tests, listening that of the listener; both are of one key.
func dialing(seed uint64) handshake.Config {
	return handshake.Config{
		Peer: "alice", Epoch: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}, Auth: handshake.HMAC(records(7)), Features: []string{"extra:a", "only:dialer"},
		Seal: suites("toyseal"), Sign: suites("toysign"), Rand: seeded(seed),
	}
}

func listening(seed uint64) handshake.Config {
	return handshake.Config{
		Peer: "bob", Epoch: [8]byte{8, 7, 6, 5, 4, 3, 2, 1}, Auth: handshake.HMAC(records(7)), Features: []string{"only:listener", "extra:a"},
		Seal: suites("toyseal"), Sign: suites("toysign"), Rand: seeded(seed + 1_000_000),
	}
}

// unauthenticated returns c with None, and counts in n how often it is warned of.
func unauthenticated(c handshake.Config, n *int) handshake.Config {
	c.Auth, c.Unauthenticated = handshake.None(), func() { *n++ }
	return c
}

func seeded(seed uint64) *rand.ChaCha8 {
	var b [32]byte
	for i := range 8 {
		b[i] = byte(seed >> (8 * i))
	}
	return rand.NewChaCha8(b)
}

func dialer(t testing.TB, c handshake.Config) *handshake.Dialer {
	t.Helper()
	d, err := handshake.NewDialer(start, c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func listener(t testing.TB, c handshake.Config) *handshake.Listener {
	t.Helper()
	l, err := handshake.NewListener(start, c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A side of an exchange is what a message can be fed to.
type side interface {
	Receive(now time.Time, b []byte) (handshake.Step, *handshake.Failure)
}

// An outcome is what became of one side.
type outcome struct {
	ready   *handshake.Result
	failure *handshake.Failure
	read    int
}

// A message is one that went from the dialer, or the other way.
type message struct {
	fromDialer bool
	octets     []byte
}

// between is what sits on the line: it gets each message with its number and returns what arrives. Nil changes nothing.
type between func(n int, m message) []byte

// exchange runs a handshake to its end, lets tamper at each message, and returns both outcomes and what was sent.
func exchange(d *handshake.Dialer, l *handshake.Listener, tamper between) (dialed, listened outcome, sent []message) {
	queue := []message{{fromDialer: true, octets: d.Hello()}}
	for n := 0; len(queue) > 0; n++ {
		m := queue[0]
		queue = queue[1:]
		sent = append(sent, m)
		b := m.octets
		if tamper != nil {
			b = tamper(n, m)
		}
		to, o := side(l), &listened
		if !m.fromDialer {
			to, o = d, &dialed
		}
		step, f := to.Receive(start, b)
		o.read++
		if f != nil {
			o.failure = f
			return dialed, listened, sent
		}
		if step.Ready != nil {
			o.ready = step.Ready
		}
		for _, b := range step.Send {
			queue = append(queue, message{fromDialer: !m.fromDialer, octets: b})
		}
	}
	return dialed, listened, sent
}

var mapType = reflect.TypeFor[map[string]any]()

var deterministic = func() cbor.EncMode {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err)
	}
	return mode
}()

// edit decodes a message, changes it and encodes it again.
func edit(t testing.TB, b []byte, change func(map[string]any)) []byte {
	t.Helper()
	mode, err := cbor.DecOptions{DefaultMapType: mapType}.DecMode()
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := mode.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	change(m)
	out, err := deterministic.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func closeCode(f *handshake.Failure) uint16 {
	if f == nil {
		return 0
	}
	return f.CloseCode
}

// refusal demands that a config is refused for a field.
func refusal(t *testing.T, c handshake.Config, field string) {
	t.Helper()
	for _, err := range []error{c.Validate(), errorOf(handshake.NewDialer(start, c)), errorOf(handshake.NewListener(start, c))} {
		var e *handshake.ConfigError
		if !errors.As(err, &e) || e.Field != field {
			t.Errorf("got %v, want a fault of %s", err, field)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }
