package substratemodel

import "github.com/seed-6f28358b/assay/model"

// PairScopes returns the scopes of a Pair that are explored on every change. The comments say what each is there for; the table of the tests says how large each is,
// and why it differs from the estimate of whoever first wrote the scopes down.
func PairScopes() []model.Scope[PairConfig] {
	const open, end, send, req = KindOpen, KindClose, KindSend, KindReq
	faults := Budgets{Drop: 2, Duplicate: 1, Reorder: 1, Disconnect: 1, CrashA: 1, CrashB: 1, Spurious: 1}
	denial := Budgets{Drop: 2, Duplicate: 1, Disconnect: 1, CrashB: 1, Spurious: 1}
	return []model.Scope[PairConfig]{
		// What is sent is delivered once and in order.
		{Name: "D1", Config: live(Budgets{Drop: 2, CrashB: 1, Disconnect: 1}, send, send)},
		{Name: "D2", Config: live(faults, send, send)},
		{Name: "D3", Config: live(faults, send, send, send)},
		// Answers.
		{Name: "Q1", Config: live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, CrashA: 1, CrashB: 1}, req, send)},
		{Name: "Q2", Config: live(Budgets{Drop: 2, Duplicate: 1, Reorder: 1, Disconnect: 1, CrashB: 1, Spurious: 1}, req, req)},
		// An object that B does not know.
		{Name: "U1", Config: fresh(Budgets{Drop: 2, Duplicate: 1, Disconnect: 2, CrashB: 1, Spurious: 1}, send, open, send)},
		{Name: "U2", Config: fresh(Budgets{Drop: 1, Duplicate: 1, Reorder: 1, Disconnect: 1, Spurious: 1, OpenB: 1}, send, open)},
		{Name: "U3", Config: fresh(Budgets{Drop: 1, Disconnect: 1}, send, send, open, send)},
		// Both open at once.
		{Name: "U4", Config: fresh(Budgets{Drop: 1, Disconnect: 1, OpenB: 1}, open)},
		// B has lost its record, and opens.
		{Name: "U5", Config: half(live(Budgets{Drop: 1, Disconnect: 1, OpenB: 1}, send))},
		// One of three operations is denied.
		{Name: "X1", Config: denied(1, live(denial, send, send, send))},
		{Name: "X2", Config: denied(2, live(denial, send, send, send))},
		// The policy changes.
		{Name: "Y1", Config: live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, Flip: 2}, send, send)},
		// B closes; A closes while an answer is on its way.
		{Name: "C1", Config: live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, Spurious: 1, CloseB: 1}, send, send)},
		{Name: "C2", Config: failing(live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, CloseB: 1}, req, end))},
		{Name: "C3", Config: fresh(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1}, open, end)},
		// Closes cross opens.
		{Name: "C4", Config: fresh(Budgets{Drop: 1, Disconnect: 1, OpenB: 1}, open, end, open)},
		// Both sides use one id.
		{Name: "I1", Config: sameID(live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, CloseB: 1}, req, send))},
		{Name: "I2", Config: sameID(live(Budgets{Drop: 1, Disconnect: 1, OpenB: 1}, req, end))},
		// B's queue is full; stores fail.
		{Name: "F1", Config: live(Budgets{Drop: 1, Disconnect: 1, CrashB: 1, Full: 2}, send, send)},
		{Name: "F2", Config: live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, StoreFail: 2}, send, req)},
		// Both ask, and wait for each other.
		{Name: "F3", Config: capped(1, live(Budgets{Drop: 1, AskB: 2, Spurious: 1}, req, req))},
		{Name: "F4", Config: capped(1, live(Budgets{Disconnect: 1, CrashB: 1, AskB: 2}, req, send))},
		// A sender that does not wait.
		{Name: "H1", Config: pipelining(live(Budgets{Drop: 1, Duplicate: 1, Reorder: 2, Spurious: 1}, send, send, send))},
		// Acks that nobody sent, a ledger that forgets, an outbox that is not durable, a connection that is superseded, a handler that a crash cuts short.
		{Name: "S1", Config: live(Budgets{Drop: 1, Disconnect: 1, CrashA: 1, StaleAck: 1}, send, send)},
		{Name: "E1", Config: live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, Expire: 1}, send, send)},
		{Name: "V1", Config: volatile(live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, CrashA: 1}, send, send, send))},
		{Name: "T1", Config: live(Budgets{Drop: 1, Duplicate: 1, Takeover: 2, CrashA: 1}, send, req)},
		{Name: "W1", Config: handling(live(Budgets{Drop: 1, Disconnect: 1, CrashB: 2}, send, req))},
		// A third peer that knows the name.
		{Name: "P1", Config: live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, Foreign: 2}, send, send)},
		// The clock: gaps, and horizons.
		{Name: "G1", Config: timed(pipelining(live(Budgets{Drop: 2, Duplicate: 1, Spurious: 1}, send, send, send)), 10_000, 30_000, 30_001, 60_001, 90_001, 120_001)},
		{Name: "G2", Config: timed(pipelining(live(Budgets{Drop: 1, Reorder: 1}, send, send, send)), 30_000, 30_001, 40_001)},
		{Name: "G3", Config: timed(flying(4, live(Budgets{Drop: 2}, send, send, send, send, send)), 30_001, 60_002, 60_003, 60_004)},
		{Name: "M1", Config: timed(
			live(Budgets{Drop: 1, Duplicate: 1, Disconnect: 1, Spurious: 1}, send), 1, horizon, horizon+1, retention, retention+1, retention+2)},
	}
}

// NightlyScopes returns the scopes that take longer.
func NightlyScopes() []model.Scope[PairConfig] {
	return []model.Scope[PairConfig]{{Name: "D4", Config: live(
		Budgets{Drop: 2, Duplicate: 2, Reorder: 2, Disconnect: 2, CrashA: 1, CrashB: 1, Spurious: 2}, KindSend, KindSend, KindSend)}}
}

// live is a script for an object that lives, and fresh one for an object that nobody knows.
func live(b Budgets, script ...Kind) PairConfig {
	return PairConfig{Script: script, Live: true, Budgets: b}
}

func fresh(b Budgets, script ...Kind) PairConfig { return PairConfig{Script: script, Budgets: b} }

func half(c PairConfig) PairConfig {
	c.Half = true
	return c
}

func denied(op int, c PairConfig) PairConfig {
	c.Denied = []int{op}
	return c
}

func failing(c PairConfig) PairConfig {
	c.Fails = true
	return c
}

func capped(n uint8, c PairConfig) PairConfig {
	c.Outbox = n
	return c
}

func sameID(c PairConfig) PairConfig {
	c.SameID = true
	return c
}

func pipelining(c PairConfig) PairConfig {
	c.Pipeline = true
	return c
}

func flying(n uint8, c PairConfig) PairConfig {
	c.Pipeline, c.Flight = true, n
	return c
}

func volatile(c PairConfig) PairConfig {
	c.Volatile = true
	return c
}

func handling(c PairConfig) PairConfig {
	c.Handler = true
	return c
}

func timed(c PairConfig, marks ...int64) PairConfig {
	c.Marks = marks
	return c
}
