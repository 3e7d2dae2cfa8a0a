// Package session is the protocol core of a STOMP client: it decides which frames may be sent, what the server's octets
// mean and when a heart-beat is due. It does no I/O, reads no clock and starts no goroutine: octets go in and out, and
// times are int64 milliseconds that the caller supplies (STOMP-CLOCK-001).
//
// # Where to start
//
// [New] makes a session for one connection. [Session.Send] turns a frame into octets to write, [Session.Receive] turns
// octets read into events, and [Session.Tick] gives the heart-beat that is due; [Session.Next] says when to call it.
// When the peer closed the stream, call [Session.End]; when a read or write failed, or not every octet returned could be
// written, [Session.Fail] (STOMP-CLIENT-004). The example shows them together.
//
// # What an error means
//
// Every error is a [*Error] with a reason and the id of the law behind it. An error of Send is a refusal: nothing is to
// be written, and apart from the time, which a refusal still advances (STOMP-CLOCK-005), the session is as it was
// (STOMP-CLIENT-002). An error of Receive or Tick closed the session, and no event of that chunk is returned
// (STOMP-CLIENT-006). A closed session holds no records and serves no second connection (STOMP-CLIENT-010).
//
// # What it promises
//
// Subscriptions, transactions, pending receipts and unsettled deliveries are bounded by [Limits], so a peer cannot make
// the records grow; the octets of a frame in progress are bounded by the default limits of the codec (STOMP-LIMIT-008).
// Neither is a promise about total memory or time (STOMP-LIMIT-020). The bookkeeping searches no list: an operation
// touches only the records that it adds or removes.
//
// # What it leaves to others
//
// There is no deadline for a handshake or a receipt, no reconnect and no retry (STOMP-CLOCK-006, STOMP-CLIENT-010). A
// receipt says that the server processed a frame, and nothing about the fate of a message (STOMP-RECEIPT-006); a NACK
// asks for nothing in particular (STOMP-NACK-005); bodies and destinations are not interpreted (STOMP-SEND-006).
//
// In a 1.0 session the values of headers that the protocol defines are compared without the spaces around them
// (STOMP-HDR-008). Of repeated headers the first counts (STOMP-HDR-010).
package session
