package hub

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// TopicPrefix begins the name of every topic. Any other destination is a queue.
const TopicPrefix = "/topic/"

// Config says how a hub behaves. The zero value of a field means its default. A Config must not be
// changed after [New].
type Config struct {
	// Server is the server header of CONNECTED: a name, optionally "/" and a version, optionally comments
	// each after one space. Default "assay/1".
	Server string
	// Instance begins every session and message id, so that two hubs do not share ids. Default "a".
	Instance string
	// Versions lists the versions offered. Default: all.
	Versions []frame.Version
	// Hosts lists the virtual hosts accepted; they do not separate destinations. Empty: any host, also none.
	Hosts []string
	// HeartBeat is what the hub can send and wants to receive. Zero: no heart-beats.
	HeartBeat heartbeat.Pair
	// Tolerance is how many milliseconds beyond the interval a silent peer is given. Default 1000.
	Tolerance int64
	// ConnectTimeout is how many milliseconds a peer has to send CONNECT. Default 10000.
	ConnectTimeout int64
	// MaxDeliveries is how often a message is delivered before a NACK sends it to the dead-letter queue.
	// Only a NACK does: a lost connection returns a message to its queue however often. Default 5.
	MaxDeliveries int
	// DeadLetter is put before a destination's name to name its dead-letter queue. Default
	// "/queue/dead-letter", so that "/queue/a" has "/queue/dead-letter/queue/a".
	DeadLetter string
	// Limits bounds memory.
	Limits Limits
}

// Limits bounds what peers can make a hub hold. A zero field means its default, a negative one is an
// error. Unless a field says otherwise, the answer to a frame that would exceed it is ERROR and the end
// of that connection (STOMP-LIMIT-019).
type Limits struct {
	// Frame bounds each frame received. Its Events is not used: one read may hold any number of
	// heart-beats. Default [frame.DefaultLimits].
	Frame frame.Limits
	// Connections at once, all of them, connected or not. Besides what else is bounded here, each may hold one
	// unfinished frame and a read of 64 KiB. Default 1024.
	Connections int
	// Destinations that exist at once: those with a subscription or a message. Default 65536.
	Destinations int
	// Bytes held by everything that peers create, about: messages queued, unsettled and staged, and the names of
	// destinations, subscriptions and transactions. Default 512 MiB.
	Bytes int
	// QueueMessages in one queue, queued and unsettled. Default 1 Mi.
	QueueMessages int
	// QueueBytes in one queue, queued and unsettled. Default 256 MiB.
	QueueBytes int
	// Outbound is how many octets may wait to be written to one connection. Default 8 MiB. It should exceed
	// Credit by more than the largest message.
	Outbound int
	// OutboundFrames is how many frames may wait to be written to one connection. Default 262144.
	OutboundFrames int
	// Credit is how many octets may wait before the connection gets no more messages from queues; they stay
	// in the queue, or go to another consumer, until it catches up. Default 256 KiB, or half of Outbound if that is
	// less; not more than Outbound.
	Credit int
	// Unacked is how many deliveries of one connection may wait for ACK or NACK. When it is reached the
	// connection gets no more messages from queues for subscriptions that acknowledge; a topic message for
	// such a subscription ends the connection. Default 65536.
	Unacked int
	// UnackedBytes is the same for their bytes. Default 64 MiB.
	UnackedBytes int
	// Subscriptions of one connection. Default 1024.
	Subscriptions int
	// Transactions in progress on one connection. Default 256.
	Transactions int
	// StagedFrames in all transactions of one connection. Default 65536.
	StagedFrames int
	// StagedBytes of messages in all transactions of one connection. Default 64 MiB.
	StagedBytes int
}

// DefaultLimits returns the limits that zero fields stand for.
func DefaultLimits() Limits {
	return Limits{
		Frame:          frame.DefaultLimits(),
		Connections:    1024,
		Destinations:   65536,
		Bytes:          512 << 20,
		QueueMessages:  1 << 20,
		QueueBytes:     256 << 20,
		Outbound:       8 << 20,
		OutboundFrames: 1 << 18,
		Credit:         256 << 10,
		Unacked:        65536,
		UnackedBytes:   64 << 20,
		Subscriptions:  1024,
		Transactions:   256,
		StagedFrames:   65536,
		StagedBytes:    64 << 20,
	}
}

type limitField struct {
	name  string
	field *int
	value int
}

func (l *Limits) fields(d *Limits) []limitField {
	return []limitField{
		{"connections", &l.Connections, d.Connections},
		{"destinations", &l.Destinations, d.Destinations},
		{"bytes", &l.Bytes, d.Bytes},
		{"queue messages", &l.QueueMessages, d.QueueMessages},
		{"queue bytes", &l.QueueBytes, d.QueueBytes},
		{"outbound", &l.Outbound, d.Outbound},
		{"outbound frames", &l.OutboundFrames, d.OutboundFrames},
		{"credit", &l.Credit, d.Credit},
		{"unacked", &l.Unacked, d.Unacked},
		{"unacked bytes", &l.UnackedBytes, d.UnackedBytes},
		{"subscriptions", &l.Subscriptions, d.Subscriptions},
		{"transactions", &l.Transactions, d.Transactions},
		{"staged frames", &l.StagedFrames, d.StagedFrames},
		{"staged bytes", &l.StagedBytes, d.StagedBytes},
	}
}

// Validate reports every field of l that is out of range, by name.
func (l Limits) Validate() error {
	var errs []error
	if l.Frame != (frame.Limits{}) {
		if err := l.Frame.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("limits frame: %w", err))
		}
	}
	d := DefaultLimits()
	for _, f := range l.fields(&d) {
		if *f.field < 0 {
			errs = append(errs, fmt.Errorf("limits %s: %d is negative", f.name, *f.field))
		}
	}
	if l.Outbound > 0 && l.Credit > l.Outbound {
		errs = append(errs, fmt.Errorf("limits credit: %d is over outbound, %d", l.Credit, l.Outbound))
	}
	return errors.Join(errs...)
}

// Defaults returns l with its zero fields replaced.
func (l Limits) Defaults() Limits {
	d := DefaultLimits()
	if l.Frame == (frame.Limits{}) {
		l.Frame = d.Frame
	}
	if l.Outbound > 0 {
		d.Credit = min(d.Credit, max(l.Outbound/2, 1))
	}
	for _, f := range l.fields(&d) {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	return l
}

// Validate reports every field of c that is out of range, by name.
func (c Config) Validate() error {
	var errs []error
	if c.Server != "" && !validServer(c.Server) {
		errs = append(errs, fmt.Errorf("server: %q is not a name, an optional version and comments", c.Server))
	}
	if strings.ContainsFunc(c.Instance, func(r rune) bool { return r <= ' ' || r > '~' || r == ':' || r == '\\' }) {
		errs = append(errs, fmt.Errorf("instance: %q holds an octet outside visible ASCII, a colon or a backslash", c.Instance))
	}
	for i, v := range c.Versions {
		if v != frame.V10 && v != frame.V11 && v != frame.V12 {
			errs = append(errs, fmt.Errorf("versions: number %d is not a STOMP version", i))
		}
	}
	if err := c.HeartBeat.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("heart-beat: %w", err))
	}
	if c.Tolerance < 0 || c.Tolerance > heartbeat.MaxInterval {
		errs = append(errs, fmt.Errorf("tolerance: %d ms is outside 0 to %d", c.Tolerance, heartbeat.MaxInterval))
	}
	if c.ConnectTimeout < 0 {
		errs = append(errs, fmt.Errorf("connect timeout: %d ms is negative", c.ConnectTimeout))
	}
	if c.MaxDeliveries < 0 {
		errs = append(errs, fmt.Errorf("max deliveries: %d is negative", c.MaxDeliveries))
	}
	if strings.HasPrefix(c.DeadLetter, TopicPrefix) {
		errs = append(errs, fmt.Errorf("dead letter: %q names a topic, which keeps nothing", c.DeadLetter))
	}
	if err := c.Limits.Validate(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (c Config) defaults() Config {
	if c.Server == "" {
		c.Server = "assay/1"
	}
	if c.Instance == "" {
		c.Instance = "a"
	}
	if len(c.Versions) == 0 {
		c.Versions = []frame.Version{frame.V10, frame.V11, frame.V12}
	}
	c.Versions = slices.Clone(c.Versions)
	slices.Sort(c.Versions)
	c.Versions = slices.Compact(c.Versions)
	c.Hosts = slices.Clone(c.Hosts)
	if c.Tolerance == 0 {
		c.Tolerance = 1000
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 10000
	}
	if c.MaxDeliveries == 0 {
		c.MaxDeliveries = 5
	}
	if c.DeadLetter == "" {
		c.DeadLetter = "/queue/dead-letter"
	}
	c.Limits = c.Limits.Defaults()
	return c
}

// STOMP-CONNECT-012
func validServer(s string) bool {
	product, comments, _ := strings.Cut(s, " ")
	name, version, versioned := strings.Cut(product, "/")
	if !token(name) || versioned && !token(version) {
		return false
	}
	return !strings.ContainsFunc(comments, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func token(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}
