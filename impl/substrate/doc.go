// Package substrate is the substrate for Go programs: named, durable objects that two peers share over a WebSocket which may drop and
// come back at any time. What one side queues, the other gets once and in order. Start with [Dial] and [NewListener].
//
// One side listens, the others dial; after that they are alike. Either opens an object, a [Session] or a [Queue], and the other accepts it
// by its [Handler]. On an [Object] either side sends messages, asks requests, and closes it. Whatever is called is written to the store
// before it reaches the wire, waits there while there is no connection, and is sent again until the other side has it in its own store.
// [Config] says where that is: in memory, in a SQLite file, or in a database of the host, where [Peer.Within] has the host's writes and the
// substrate's committed together.
//
// Two answers tell how far an op has come. [Object.Send] returns when the other side has committed the message, [Object.Req] when its
// handler has answered; [Object.Enqueue] returns when this side has written it.
//
// An edge in front of a stream is a listener with [Config.Relay]; what dials it keeps its outbox in [Config.Journal], and follows streams
// with [Config.Feeds].
//
// Each peer is driven by one goroutine that waits for its store and for nothing else. It gathers the calls and frames that have come
// meanwhile into one transaction, so that many objects share the cost of one write to the disk.
package substrate
