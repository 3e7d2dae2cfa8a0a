// Package handshake takes a new connection of the substrate from hello to ready: the two sides agree on a tuple of names, and each proves
// to the other who it is. Nothing else may pass before (SUBSTRATE-HANDSHAKE-001).
//
// # Where to start
//
// [NewDialer] and [NewListener] make the machine of one end of one connection. Send what [Dialer.Hello] returns, hand every message that
// arrives to Receive, send what the [Step] says, in order, and go on until a step has a [Result] or a [*Failure] ends the connection with
// its close code. The machines do no I/O, start nothing and read no clock; whoever drives them calls Tick when Deadline has come.
//
//	dialer                               listener
//	hello: what it offers           ->
//	                                <-   hello_ok: what was chosen
//	challenge                       ->
//	                                <-   response: a challenge of its own, and its proof
//	proof                           ->
//	                                <-   ready
//	ready                           ->
//
// Without authentication there are only hello, hello_ok, and ready both ways with the hash of the transcript in clear
// (SUBSTRATE-AUTH-006, SUBSTRATE-AUTH-007).
//
// # What is promised
//
// Two sides that are ready under [HMAC] have seen the same octets of both hellos, hold the same tuple and the same connection id, and the
// other side of each holds the key that is recorded for the id it claims (SUBSTRATE-HANDSHAKE-002, SUBSTRATE-AUTH-004). With [None] the id of the peer is
// a claim, and whoever sits between the two may be anybody.
//
// A peer that nobody knows and one with the wrong key cannot be told apart from outside, neither by what is sent nor by the failure
// (SUBSTRATE-AUTH-007).
//
// # What it leaves to others
//
// Close codes are returned, not sent. How many connections may be underway at once ([MaxPending]), what becomes of text messages, and
// whether the peer is the one that was meant, is for the link to say.
package handshake
