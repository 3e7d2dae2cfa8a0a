// Package eventbusmodel states what the per-session event bus, its SSE route, its SSE client and its reducer may do, as executable machines: pure
// values and functions with no I/O, no clock and no goroutine.
//
// The bus machine ([Bus]) is a model.Machine in both dialects: publishers, subscribers that ask and wait, cursors, aborts and closes. It serves
// exhaustive exploration of small scopes ([NewBus] with [BusConfig]'s zero value or with one of [BusScopes]) and, without bounds, going in step with an
// implementation. The reducer machine ([Reducer]) is the session view over frames. [ParseStream] reads a whole SSE body, [DecodeEnvelope] one envelope,
// [ParseLastEventID] and [ParseMaxQueued] what a request carries.
//
// Start with [NewBus]. [Laws] lists the laws that the transitions and invariants really check, and [Bus.Reached] says which of them a step put to the
// test. This package must never import a reference implementation: its worth is that it was read independently from the same laws.
package eventbusmodel
