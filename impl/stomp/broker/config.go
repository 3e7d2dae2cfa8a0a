package broker

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker/hub"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// Limits bounds what peers can make a broker hold; see [hub.Limits] for each and for what happens when it
// is reached.
type Limits = hub.Limits

// Stats counts what a broker did and holds; see [hub.Stats].
type Stats = hub.Stats

// Destination tells what one destination holds; see [hub.DestinationStats].
type Destination = hub.DestinationStats

// Problem is why a broker refused a frame or ended a session with ERROR; see [hub.Problem].
type Problem = hub.Problem

// DefaultLimits returns the limits that zero fields of [Limits] stand for.
func DefaultLimits() Limits { return hub.DefaultLimits() }

// Config says how a broker behaves. The zero Config is a broker for tests: all versions, anybody may
// connect, any host, no heart-beats. It must not be changed after [New].
type Config struct {
	// Server is the server header of CONNECTED (STOMP-CONNECT-012). Default "assay/1".
	Server string
	// Versions lists the versions offered. Default: 1.0, 1.1 and 1.2.
	Versions []frame.Version
	// Hosts lists the virtual hosts accepted; they share all destinations. Empty: any host header, or none.
	Hosts []string
	// Credentials maps logins to passcodes. Nil: anybody may connect, unless Authenticate is set.
	Credentials map[string]string
	// Authenticate, if set, decides instead of Credentials; a non-nil error refuses the connection, and its
	// text is told to the peer. It may block, until ctx is done, and is called from many goroutines.
	Authenticate func(ctx context.Context, login, passcode string) error
	// HeartBeat is what the broker can send and wants to receive. Zero: no heart-beats.
	HeartBeat heartbeat.Pair
	// Tolerance is how long beyond its interval a silent peer is given, in whole milliseconds. Default 1 s.
	Tolerance time.Duration
	// ConnectTimeout is how long a peer has to send CONNECT, in whole milliseconds. Default 10 s.
	ConnectTimeout time.Duration
	// WriteTimeout is how long one write may make no end; then the connection is closed. Default 60 s.
	WriteTimeout time.Duration
	// LingerTimeout is how long, after the last frame, the broker reads what the peer still sends, so that the
	// peer sees that frame and not a reset; and how long it tries to write an ERROR with what waits before it.
	// Default 2 s.
	LingerTimeout time.Duration
	// LingerBytes is how many octets it reads for that. Default 64 MiB.
	LingerBytes int
	// MaxDeliveries is how often a message is delivered before a NACK sends it to its dead-letter queue.
	// Default 5.
	MaxDeliveries int
	// DeadLetter is put before a destination to name its dead-letter queue. Default "/queue/dead-letter".
	DeadLetter string
	// Limits bounds memory.
	Limits Limits
	// Origins lists patterns of the hosts whose web pages may open a WebSocket, besides the broker's own; see
	// [path.Match]. "*" allows all.
	Origins []string
	// Logger gets connections (debug) and refusals (info), with keys conn, remote, and error. Nil: nothing.
	Logger *slog.Logger
}

// Validate reports every field that is out of range, by name.
func (c Config) Validate() error {
	var errs []error
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"tolerance", c.Tolerance},
		{"connect timeout", c.ConnectTimeout},
		{"write timeout", c.WriteTimeout},
		{"linger timeout", c.LingerTimeout},
	} {
		if d.value < 0 {
			errs = append(errs, fmt.Errorf("%s: %v is negative", d.name, d.value))
		}
	}
	if c.Tolerance > 0 && c.Tolerance < time.Millisecond {
		errs = append(errs, fmt.Errorf("tolerance: %v is less than a millisecond", c.Tolerance))
	}
	if c.ConnectTimeout > 0 && c.ConnectTimeout < time.Millisecond {
		errs = append(errs, fmt.Errorf("connect timeout: %v is less than a millisecond", c.ConnectTimeout))
	}
	if c.LingerBytes < 0 {
		errs = append(errs, fmt.Errorf("linger bytes: %d is negative", c.LingerBytes))
	}
	inner := c.hub("")
	inner.Tolerance, inner.ConnectTimeout = max(inner.Tolerance, 0), max(inner.ConnectTimeout, 0)
	errs = append(errs, inner.Validate())
	return errors.Join(errs...)
}

func (c Config) hub(instance string) hub.Config {
	return hub.Config{
		Server:         c.Server,
		Instance:       instance,
		Versions:       c.Versions,
		Hosts:          c.Hosts,
		HeartBeat:      c.HeartBeat,
		Tolerance:      c.Tolerance.Milliseconds(),
		ConnectTimeout: c.ConnectTimeout.Milliseconds(),
		MaxDeliveries:  c.MaxDeliveries,
		DeadLetter:     c.DeadLetter,
		Limits:         c.Limits,
	}
}

func (c Config) defaults() Config {
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 10 * time.Second
	}
	if c.WriteTimeout == 0 {
		c.WriteTimeout = time.Minute
	}
	if c.LingerTimeout == 0 {
		c.LingerTimeout = 2 * time.Second
	}
	if c.LingerBytes == 0 {
		c.LingerBytes = 64 << 20
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

var errDenied = errors.New("unknown login or wrong passcode")

func (c *Config) authenticate(ctx context.Context, login, passcode string) error {
	if c.Authenticate != nil {
		ctx, cancel := context.WithTimeout(ctx, max(c.ConnectTimeout, time.Millisecond))
		defer cancel()
		return c.Authenticate(ctx, login, passcode)
	}
	if c.Credentials == nil {
		return nil
	}
	want, known := c.Credentials[login]
	if subtle.ConstantTimeCompare([]byte(want), []byte(passcode)) == 0 || !known {
		return errDenied
	}
	return nil
}
