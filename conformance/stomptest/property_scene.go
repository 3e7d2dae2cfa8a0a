package stomptest

// abilities are what the generator may use: connections, version, and what the target can do.
type abilities struct {
	peers                               int
	version                             string
	acks, individual, nack, txs, topics bool
}

// A scene is what a sequence of moves has come to, as far as it can be known before it is played. It is a
// value: After returns a new one.
type scene struct {
	abilities
	conns [3]sceneConn
	sent  [propertyDests]int // SENDs so far
	theme theme
	left  int // moves still to come
	ended bool
}

type sceneConn struct {
	open bool
	subs [propertySubs]sceneSub
	txs  [propertyTxs]bool // whether it is open
}

type sceneSub struct {
	open bool
	dest int
	mode string
}

// newScene returns the scene in which every sequence of n moves begins.
func newScene(a abilities, n int, t theme) scene {
	s := scene{abilities: a, left: n, theme: t}
	for i := range a.peers {
		s.conns[i].open = true
	}
	return s
}

// String tells what sequences that begin in s are mostly about.
func (s scene) String() string {
	return [...]string{"mixed", "transacting", "acking", "fanning"}[s.theme]
}

// Allows reports whether m makes sense: everything that is legal of a client, the odd but legal included.
func (s scene) Allows(m move) bool {
	if s.ended {
		return false
	}
	if m.Op == opWatch || m.Op == opEnd {
		return true
	}
	if m.Conn < 0 || m.Conn >= s.peers || m.Dest < 0 || m.Dest >= propertyDests ||
		m.Sub < 0 || m.Sub >= propertySubs || m.Tx < 0 || m.Tx > propertyTxs || m.Pick < 0 {
		return false
	}
	c := s.conns[m.Conn]
	if c.open == (m.Op == opConnect) {
		return false
	}
	if m.Tx > 0 && m.Op != opBegin && !c.txs[m.Tx-1] {
		return false
	}
	switch m.Op {
	case opConnect, opDrop, opDisconnect:
		return true
	case opSubscribe:
		return !c.subs[m.Sub].open && s.modeKnown(m.Mode) && (m.Dest != topicDest || s.topics) &&
			// In 1.0 an ACK names a message alone, which two subscriptions might share.
			(s.version != "1.0" || !c.subscribed(m.Dest))
	case opUnsubscribe:
		// Without its receipt there is no boundary between what is in flight and what is wrong.
		return c.subs[m.Sub].open && !m.Bare && (!m.ByDestination || s.version == "1.0")
	case opSend:
		return m.Dest != topicDest || s.topics
	case opAck, opNack:
		return (m.Op == opAck || s.nack) && s.waits(c)
	case opBegin:
		return s.txs && m.Tx > 0 && !c.txs[m.Tx-1]
	case opCommit, opAbort:
		return m.Tx > 0
	}
	return false
}

func (s scene) modeKnown(mode string) bool {
	switch mode {
	case "auto":
		return true
	case "client":
		return s.acks
	case "client-individual":
		return s.acks && s.individual
	}
	return false
}

func (c sceneConn) subscribed(dest int) bool {
	for _, sub := range c.subs {
		if sub.open && sub.dest == dest {
			return true
		}
	}
	return false
}

// waits reports whether a delivery may wait for an ACK on c.
func (s scene) waits(c sceneConn) bool {
	for _, sub := range c.subs {
		if sub.open && sub.mode != "auto" && s.sent[sub.dest] > 0 {
			return true
		}
	}
	return false
}

// After returns the scene that m leads to.
func (s scene) After(m move) scene {
	s.left--
	if m.Op == opEnd {
		s.ended = true
		return s
	}
	if m.Op == opWatch {
		return s
	}
	c := &s.conns[m.Conn]
	switch m.Op {
	case opConnect:
		*c = sceneConn{open: true}
	case opDrop, opDisconnect:
		*c = sceneConn{}
	case opSubscribe:
		c.subs[m.Sub] = sceneSub{open: true, dest: m.Dest, mode: m.Mode}
	case opUnsubscribe:
		c.subs[m.Sub] = sceneSub{}
	case opSend:
		s.sent[m.Dest]++
	case opBegin:
		c.txs[m.Tx-1] = true
	case opCommit, opAbort:
		c.txs[m.Tx-1] = false
	}
	return s
}
