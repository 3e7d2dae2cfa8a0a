// Package adapter carries requests to a small program around a target and replies back, as JSON Lines:
// the frame that spec/adapter.md lays down for every protocol that is judged inside a process rather
// than over a wire.
//
// Start with [New] for a program behind two pipes, or with [Local] for an adapter written in Go that runs
// inside this process; ask with [Conn.Call]. An adapter in Go is one function given to [Serve].
//
// What went wrong tells who erred. A [*TargetError] was thrown by the target and is evidence. An
// [*UnsupportedError] says that the adapter has no such operation. A [*FaultError] is a fault of the adapter, never a
// verdict on the target; it ends the Conn, because after it no reply can be trusted to belong to its request.
//
// The package knows no protocol: which operations there are, and what they mean, is the caller's.
package adapter
