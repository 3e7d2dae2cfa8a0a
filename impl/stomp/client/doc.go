// Package client is a STOMP client for versions 1.0, 1.1 and 1.2 over TCP, TLS, WebSocket and any other
// [net.Conn].
//
// # Where to start
//
// [Dial] connects to an address such as tcp://127.0.0.1:61613, tls://broker.example:61614 or wss://broker.example/ws;
// [New] uses a connection that you made. [Client.Send] sends a message, [Client.SendReceipt] also waits until the server
// processed it, and [Client.SendAsync] lets many be on their way. [Client.Subscribe] gives a [Subscription], to be read
// with [Subscription.Messages], [Subscription.Next] or [Subscription.C]; [Delivery.Ack] and [Delivery.Nack] settle what
// came. [Client.Begin] groups what is sent and settled. [Client.Disconnect] leaves in peace, [Client.Close] at once.
//
// Below that are frames: [Client.SendFrame] sends one, [Client.Wait] waits for the next event that a function accepts,
// and [Client.Receipt] sends a frame and waits for its receipt. Both levels may be mixed.
//
// # What it does not do
//
// It does not reconnect, repeat or store anything: a client serves one connection, and what becomes of messages that
// were not acknowledged when that ends is up to the server (STOMP-CLIENT-010). A send that succeeded says that the
// octets are on their way, a receipt that the server processed the frame; neither says that a message was stored or
// reached anybody (STOMP-RECEIPT-006). A timeout says nothing at all about what the server did. Bodies are octets,
// never inspected, and destinations are names, never interpreted (STOMP-SEND-006, STOMP-HDR-015).
//
// # What is bounded
//
// [Limits] bounds the events that wait for somebody, the calls that wait for events, the octets that wait to be written,
// and the records of the session. There is no back-pressure on reading (STOMP-WAIT-008): a server that sends more than
// is consumed fills the queue of events, and then the connection is closed. Consume quickly, or let the server send only
// so much before it wants an acknowledgement. Sending messages waits while the write buffer is full, [Client.SendFrame]
// does not. The bounds are about counts and octets of frames, not about total memory (STOMP-LIMIT-020).
//
// Two goroutines serve a connection, one that reads and one that writes, and a timer. All end when the connection does,
// and [Client.Close] waits for them. What is queued goes out in one write. A call that waits for a receipt, and is the
// only one that waits, writes and reads by itself.
//
// # Errors
//
// [*Error] is what the protocol, the server or a wrong argument is to blame for; it has one of four codes. The end of the
// stream, timeouts, contexts and I/O errors have none (STOMP-ERROR-011): use [errors.Is] with [io.EOF],
// [io.ErrUnexpectedEOF], [ErrTimeout], [context.Canceled] and so on, and [errors.As] with [*ConnectionError].
package client
