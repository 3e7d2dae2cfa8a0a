// Package sse carries an event bus over HTTP as an event stream, and reads event streams.
//
// # Where to start
//
// [Parser] turns the octets of any event stream into messages, by the WHATWG standard and without I/O. [AppendMessage]
// goes the other way, and [AppendFrame] does so for an event of a bus. [Handler] serves one bus. [Client] reads a stream
// and reconnects: [Client.Messages] any stream, [Client.Events] that of a bus, whose envelopes [DecodeEnvelope] checks.
//
// # What is bounded
//
// A reader holds at most one event and one line ([Limits]). A handler holds one frame besides what the bus holds for its
// subscriber, and a peer that takes nothing ends at [Config.WriteTimeout]. A client waits between its attempts, for at
// most [ClientConfig.MaxBackoff], and keeps no list of what it read.
//
// # Two kinds of id
//
// An event stream has a last event id, which is any text, and a reader sends it back. The events of a bus have ids of
// their own in their JSON, which is authoritative (EVENTBUS-SSE-011): [Client.Events] resumes after the largest of them
// and takes no notice of id lines.
package sse
