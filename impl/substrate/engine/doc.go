// Package engine is the core of the substrate, without I/O: the objects that two peers share, what one of them keeps for the other, and
// what follows from each call of the application, each frame of the link and each moment of the clock. Start with [New].
//
// An [Engine] is one side of one pair of peers. It is driven from outside: calls, frames and ticks change its memory at once, [Engine.Commit]
// writes what they changed in one transaction and releases their effects, and [Engine.Take] hands those out. Nothing that depends on the
// store leaves before the store has it (SUBSTRATE-OUTBOX-001, SUBSTRATE-ACK-002). Several inputs may be gathered before one Commit.
//
// Time is an argument. Its wall clock, in milliseconds, dates what is kept; ages in this process are by its monotonic reading if it has
// one.
//
// It knows no host, carrier, database or operating system (SUBSTRATE-OBJ-009, SUBSTRATE-STORE-007). What goes on for one object never waits for
// another (SUBSTRATE-SEQ-014).
//
// An Engine must not be used from several goroutines at once, and starts none.
package engine
