// Package wire says what the substrate writes and reads: frames, their codec, and the rules that one frame can break by itself.
//
// # Where to start
//
// [Append] turns a [Frame] into the octets of one binary message, [Decode] turns them back, and [Frame.Check] says whether what was
// decoded is a frame that the kind allows, and if not, which err answers it. The example shows all three.
//
// # Three blames
//
// An error of [Decode] is a message that is no frame at all: the connection ends ([Error.CloseCode]). A [Fault] of [Frame.Check] is a
// frame with something wrong in it: the connection goes on, and the frame is answered once or dropped. An error of [Append] is the
// caller's own frame, and no octet of it was written.
//
// # What the codec promises
//
// Encoding is the core deterministic CBOR of RFC 8949: equal frames give equal octets (SUBSTRATE-CODEC-002). Decoding refuses whatever
// such an encoder does not write, before it allocates anything (SUBSTRATE-CODEC-003, SUBSTRATE-CODEC-004), so that a frame without unknown
// keys encodes to the octets that it came from, faults and all. The library fxamacker/cbor decodes; what it is too lenient for is a walk
// over the octets before it. It does not encode: which fields are there is known at run time only, which it can be told without
// allocating by a detour alone. The tests hold the octets against its own.
//
// Frames own their memory: nothing of a decoded frame is a view of the message (SUBSTRATE-CODEC-005).
//
// The package does no I/O and reads no clock; [NewIDs] is given one.
package wire
