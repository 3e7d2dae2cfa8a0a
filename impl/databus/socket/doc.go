// Package socket carries publications between data buses and a server over WebSocket: the transport of a bus, and a server for it.
//
// # Where to start
//
// [New] makes the transport of one bus, for the Transport of its configuration. [NewServer] makes a server, an [http.Handler], which sends
// what is published of a topic to all connections that subscribe it.
//
// # The protocol
//
// The subprotocol is [Subprotocol]. Each text message is one JSON object. A client sends
//
//	{"op":"subscribe","topic":"price.feed"}
//	{"op":"unsubscribe","topic":"price.feed"}
//	{"op":"publish","topic":"price.feed","data":42}
//
// and gets, for each publication of a topic that it subscribes, its own too,
//
//	{"op":"message","topic":"price.feed","data":42}
//
// A topic is any text of at most [MaxTopic] octets, data any JSON value. A message is UTF-8 of at most [MaxMessage] octets. To subscribe
// twice is to subscribe once. Nothing is acknowledged, kept or sent again. Members that are not named here mean nothing. A client ignores
// a message of an op that it does not know; a server ends such a connection.
//
// A connection ends with 1000 or 1001 if somebody leaves, with 1003 for a binary message, 1009 for one that is too long, [CloseMalformed]
// for one that is none of the above, [CloseSlow] for a client that does not take what it gets, and [CloseTopics] for one that subscribes
// too much.
//
// # What it promises
//
// What one client publishes reaches another in order, and at most once, for as long as neither connection ends. Queues are bounded: a
// server drops a slow client, and the transport of a bus that cannot write reports an error, upon which the bus opens it again
// (DATABUS-RECONNECT-003) and subscribes what it owns (DATABUS-RECONNECT-002).
package socket
