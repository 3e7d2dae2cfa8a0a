package stomptest

import "math/rand"

// A theme is what a sequence is mostly about: what goes wrong between two transactions, or two subscriptions, needs
// moves that meet.
type theme int

const (
	mixed       theme = iota
	transacting       // interleaved transactions
	acking            // acknowledgement of one queue's messages, and lost connections
	fanning           // subscriptions that come and go, the topic above all
	themes
)

// propertyWeights is how often each kind of move is tried by theme, among those that make sense.
var propertyWeights = []struct {
	op      string
	weights [themes]int
}{
	{opSend, [themes]int{30, 30, 26, 30}},
	{opAck, [themes]int{20, 22, 28, 8}},
	{opSubscribe, [themes]int{16, 12, 16, 24}},
	{opConnect, [themes]int{12, 10, 16, 8}},
	{opNack, [themes]int{6, 4, 6, 2}},
	{opBegin, [themes]int{6, 18, 8, 2}},
	{opCommit, [themes]int{8, 8, 8, 3}},
	{opAbort, [themes]int{4, 4, 3, 1}},
	{opUnsubscribe, [themes]int{6, 3, 5, 14}},
	{opDrop, [themes]int{4, 3, 8, 4}},
	{opDisconnect, [themes]int{2, 2, 3, 2}},
	{opWatch, [themes]int{3, 2, 2, 2}},
}

// Draw returns a move that makes sense in s; the last one of a sequence is the end.
func (s scene) Draw(r *rand.Rand) move {
	if s.left == 1 {
		return move{Op: opEnd}
	}
	total := 0
	for _, w := range propertyWeights {
		total += w.weights[s.theme]
	}
	const tries = 500
	for range tries {
		n := r.Intn(total)
		for _, w := range propertyWeights {
			if n -= w.weights[s.theme]; n < 0 {
				if m := s.draw(r, w.op); s.Allows(m) {
					return m
				}
				break
			}
		}
	}
	return move{Op: opWatch}
}

// draw returns a random move of that kind, which need not make sense.
func (s scene) draw(r *rand.Rand, op string) move {
	m := move{Op: op, Conn: r.Intn(s.peers)}
	switch op {
	case opSubscribe:
		m.Sub, m.Dest, m.Bare = r.Intn(propertySubs), s.drawDest(r), r.Intn(5) == 0
		m.Mode = s.drawMode(r)
	case opUnsubscribe:
		m.Sub = r.Intn(propertySubs)
		m.ByDestination = s.version == "1.0" && r.Intn(2) == 0
	case opSend:
		m.Dest, m.Bare = s.drawDest(r), r.Intn(4) == 0
		m.Tx = s.drawTx(r, m.Conn)
	case opAck, opNack:
		m.Pick, m.Bare = r.Intn(4), r.Intn(4) == 0
		m.Tx = s.drawTx(r, m.Conn)
	case opBegin:
		m.Tx, m.Bare = 1+r.Intn(propertyTxs), r.Intn(3) == 0
	case opCommit, opAbort:
		m.Tx, m.Bare = 1+r.Intn(propertyTxs), r.Intn(5) == 0
	}
	return m
}

// drawDest prefers one destination, so that consumers meet.
func (s scene) drawDest(r *rand.Rand) int {
	n := r.Intn(10)
	switch {
	case s.theme == fanning && n < 7:
		return topicDest
	case s.theme == acking && n < 9, n < 6:
		return 0
	case n < 8:
		return 1
	default:
		return topicDest
	}
}

// drawMode prefers the modes in which most can go wrong.
func (s scene) drawMode(r *rand.Rand) string {
	switch n := r.Intn(10); {
	case n < 4, n == 4 && s.theme != acking:
		return "client"
	case n < 7, n == 7 && s.theme == acking:
		return "client-individual"
	default:
		return "auto"
	}
}

// drawTx puts into an open transaction half of what can be, and more where that is the theme.
func (s scene) drawTx(r *rand.Rand, conn int) int {
	outside, first := r.Intn(2) == 0, r.Intn(propertyTxs)
	if s.theme == transacting {
		outside = r.Intn(5) == 0
	}
	if outside {
		return 0
	}
	for i := range propertyTxs {
		if tx := (first + i) % propertyTxs; s.conns[conn].txs[tx] {
			return tx + 1
		}
	}
	return 0
}
