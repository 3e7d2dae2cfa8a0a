// Package stompmodel states what STOMP 1.0, 1.1 and 1.2 allow, as executable machines: pure values and functions with no I/O, no clock and no
// goroutine.
//
// There are three. The codec machine ([Codec], [Decode], [Encode]) reads and writes frames one octet at a time, straight from the grammar: slow and
// obvious, meant to be the twin of a fast codec under fuzzing. The broker machine ([Broker]) says which frames a broker may send to
// up to a handful of connections of one observer; it serves exhaustive exploration of small scopes and the judging of recorded traces of real brokers.
// The session machine ([Session]) says what a client session does with each call: what it writes, reports, refuses and closes for; it is meant to be
// explored in small scopes and to go in step with an implementation.
//
// Start with [Decode], with [NewBroker] or with [NewSession]. [Laws] lists the laws that the transitions and invariants really check. This package must never
// import a reference implementation: its worth is that it was read independently from the same laws.
package stompmodel
