// Package substratemodel states what two peers of the substrate may do, as executable machines: pure values and functions with no I/O, no clock and no goroutine.
//
// [Pair] is one object between two sides: outboxes, ledgers, inboxes, sequencers, tombstones, the gate, an unreliable connection, crashes, a third peer and the
// marks of the clock. [Relay] is the edge in front of a store, [Feed] the stream from the edge to the browser, [Journal] the outbox of a browser. Each of them
// is a model.Lively: besides its invariants it says what comes to be in the end. [Handshakes] lists what a middle man can do to a handshake, and [Handshake.Ready]
// says what comes of it.
//
// The scopes ([PairScopes] and so on) are small enough to be explored to their ends. A bug that is seeded in a test shows for each invariant that it can fail.
//
// # In step with an implementation
//
// Actions and outcomes are exported for model.Lockstep. A [PairAction] is something that a simulated network, a virtual clock or an application can do to two real
// engines: enqueue, connect, put the next row on the wire, deliver, lose, copy or swap a frame, end the connection, crash and restart, let a timer run out. A
// [PairOutcome] is what came of it, in order. Of its effects, those up to WhatFailed show from outside: frames sent, operations handed over, calls settled, events
// and closed connections; the rest shows in the store or in metrics, and may be left out of the comparison. A real engine transmits at once when it may; so a
// driver that goes in step lets each action of the machine be followed by the OpTransmit that it makes possible. Numbers of operations stand for ids, and what
// [ReceiptOf] returns for receipts: a driver keeps a table from one to the other. [PairState.View] says what a side holds.
//
// # Octets
//
// [DecodeWire] and [WireFrame.Encode] are the wire itself, [WireFrame.Check] says what is wrong with one frame, and [ClassOf] what a code means: a second reading of the same
// laws and of RFC 8949, with simplicity before speed. A message is read leniently and must then be how it would be written. [Party.Hear] says what one side of a handshake has
// come to that was sent some messages; [ConnID], [Transcript] and [Prove] are what it derives.
//
// Start with [NewPair]. [Laws] lists the laws that the invariants and transitions check. This package must never import a reference implementation: its worth is
// that it was read independently from the same laws.
package substratemodel
