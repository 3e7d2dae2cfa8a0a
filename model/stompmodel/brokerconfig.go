package stompmodel

import "fmt"

// A NackPolicy says what a broker does with a message that was NACKed; the laws leave it to the server (STOMP-NACK-003).
type NackPolicy uint8

const (
	// NackUnknown allows redelivery, a dead letter and silence alike.
	NackUnknown NackPolicy = iota
	// NackRequeue means that the message becomes available again.
	NackRequeue
	// NackDiscard means that the message is gone for good.
	NackDiscard
	// NackDeadLetter means that the message moves to BrokerConfig.DeadLetter and is not redelivered from where it was.
	NackDeadLetter
)

// BrokerConfig tells the broker machine what it cannot see: versions, which destinations are topics, and what the profile of the broker promises.
// Every switch narrows or widens what is allowed; the zero value of each is the most that the laws allow, but for the two that say "known deviation".
type BrokerConfig struct {
	// Conns is the number of connections of the observer, 1 to 8; 0 means 2.
	Conns int
	// Version is the version of every session; "" means 1.2.
	Version Version
	// Versions, if not empty, holds the version of each connection and overrides Version.
	Versions []Version
	// Fresh means that the connections begin unconnected, so that CONNECT and CONNECTED belong to the trace. Otherwise all of them
	// begin connected. Either way a CONNECT on a closed connection opens a new session on it.
	Fresh bool
	// Topic reports whether a destination hands each message to every subscription, not to one. Nil means that all are queues.
	Topic func(destination string) bool
	// RoutesAtOnce means that a topic's message reaches no subscription that was made after the RECEIPT of its SEND or COMMIT, or after another
	// subscription got it. The protocol itself promises nothing about destinations.
	RoutesAtOnce bool
	// Nack is what is known about NACK.
	Nack NackPolicy
	// DeadLetter is the destination where NACKed messages may appear; "" is none. NackDeadLetter needs it.
	DeadLetter string
	// Redelivers means that the broker is known to make unsettled messages available again when their consumer ends, so that an obliged
	// [Quiet] counts on it.
	Redelivers bool
	// Healthy means that ERROR and a closed connection need a cause in what the client sent.
	Healthy bool
	// ErrorStaysOpen is a known deviation: the connection may live on after an ERROR in any version (against STOMP-ERROR-001).
	ErrorStaysOpen bool
	// TxAckAtOnce is a known deviation: an ACK or NACK in a transaction may take effect before COMMIT (against STOMP-TX-004, a SHOULD).
	TxAckAtOnce bool
	// Explicit makes the broker's own work visible: [ActWork] takes the next frame of a session, [ActEnd] ends a session whose connection is
	// closed, and a receive does no hidden work. It is for exploration; a trace of a real broker has no such steps.
	Explicit bool
	// Scope holds the client actions that [Broker.Actions] offers, each at most once and 64 at most. Nil means that of the first of
	// [BrokerScopes].
	Scope []Action
}

// Validate reports the first field that is out of range.
func (c BrokerConfig) Validate() error {
	if c.Conns < 0 || c.Conns > 8 {
		return fmt.Errorf("stompmodel: config: Conns is %d, want 0 to 8", c.Conns)
	}
	if c.Version != "" && !c.Version.Known() {
		return fmt.Errorf("stompmodel: config: Version is %q, want 1.0, 1.1 or 1.2", string(c.Version))
	}
	conns := c.Conns
	if conns == 0 {
		conns = 2
	}
	if len(c.Versions) > 0 && len(c.Versions) != conns {
		return fmt.Errorf("stompmodel: config: Versions has %d entries, want one for each of %d connections", len(c.Versions), conns)
	}
	for i, v := range c.Versions {
		if !v.Known() {
			return fmt.Errorf("stompmodel: config: Versions[%d] is %q, want 1.0, 1.1 or 1.2", i, string(v))
		}
	}
	if c.Nack > NackDeadLetter {
		return fmt.Errorf("stompmodel: config: Nack is %d, want 0 to %d", c.Nack, NackDeadLetter)
	}
	if c.Nack == NackDeadLetter && c.DeadLetter == "" {
		return fmt.Errorf("stompmodel: config: DeadLetter is empty, want a destination with NackDeadLetter")
	}
	if len(c.Scope) > 64 {
		return fmt.Errorf("stompmodel: config: Scope has %d actions, want at most 64", len(c.Scope))
	}
	for i, a := range c.Scope {
		if a.Conn < 0 || a.Conn >= conns || (a.Kind != ActSend && a.Kind != ActDrop) {
			return fmt.Errorf("stompmodel: config: Scope[%d] is %v, want a send or a drop on a connection from 0 to %d", i, a, conns-1)
		}
	}
	return nil
}

// A Broker is the machine of sessions, subscriptions, acknowledgements, transactions and receipts: a model.Machine over [BrokerState], [Action] and
// [Output].
//
// A client action puts a frame on its way; the broker takes the frames of one session in order, each at some later moment of its choice. A
// receive yields what the broker may send next. Unless the configuration is Explicit, that includes the work that must be
// done first, and never more: a frame is taken only when something observed needs it to be. What has not been observed thus
// stays open, and the number of states that fit a trace stays small.
//
// Steps of different connections may be recorded somewhat out of order: a message may pass on to a second consumer before the end of the first
// one's connection is read. The machine then takes it that this connection has ended, and rejects the first sign that the broker took a
// frame sent after that. So a trace says most when it ends with a frame that each connection gets a RECEIPT for. With Healthy a connection ends only
// for a cause, and the same fault shows at once.
type Broker struct {
	cfg BrokerConfig
	bug brokerBug
}

// NewBroker returns the machine for cfg, or the error of cfg.Validate.
func NewBroker(cfg BrokerConfig) (*Broker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Conns == 0 {
		cfg.Conns = 2
	}
	if cfg.Version == "" {
		cfg.Version = V12
	}
	if cfg.Topic == nil {
		cfg.Topic = func(string) bool { return false }
	}
	if cfg.Scope == nil {
		cfg.Scope = smallBrokerScope()
	}
	return &Broker{cfg: cfg}, nil
}

// Init returns the state before anything was sent.
func (b *Broker) Init() BrokerState {
	var s BrokerState
	if !b.cfg.Fresh {
		for c := range b.cfg.Conns {
			s.sessions = append(s.sessions, session{conn: c, phase: open, greeted: 1})
		}
	}
	return s
}

func (b *Broker) version(conn int) Version {
	if len(b.cfg.Versions) > 0 {
		return b.cfg.Versions[conn]
	}
	return b.cfg.Version
}
