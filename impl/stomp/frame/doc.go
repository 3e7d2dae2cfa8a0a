// Package frame turns octets into STOMP frames and frames into octets, for versions 1.0, 1.1 and 1.2. It does no I/O:
// octets are pushed in, events come out.
//
// # Where to start
//
// Decoder.Feed takes the next chunk of a stream, of any size, and returns the frames and heart-beats it completed.
// Decoder.End says that the stream is over and tells a clean end from a truncated one. Append and Encoder go the other
// way. The examples show both.
//
// # What the decoder promises
//
// The result depends on the octets alone, never on where they were cut: the same events, and the same error at the same
// offset. A feed is atomic: if any octet of it is illegal or over a limit, none of its events are returned. The first
// error is final: everything held is released, and every later call fails with rule Spent and the first error as cause.
//
// Each rule is checked at the earliest octet the laws allow. A NUL in a line fails on arrival, and so does the first
// octet beyond the line limit or the body limit. An unknown command fails at its LF, a bad or too large content-length
// at the blank line. UTF-8, stray CR, header count, shape and escapes are checked in this order when the LF of the line
// arrives. Body octets on a command that has no body fail at the NUL.
//
// Every error is a *Error: the rule, the offset in the stream, the limit and what was found, and the id of the law.
//
// # Versions
//
// The decoder starts with the rules of DecoderConfig.Version, which for the octets before the handshake is done should
// be the highest version offered. It switches by itself right after CONNECTED, within a chunk if need be; a server gives
// a Switch that answers for CONNECT. STOMP-NEGOTIATE-006 is the law.
//
// In 1.0 there are no escapes, CR is data, and further colons belong to the value. The 1.0 grammar has headers of
// US-ASCII with values that are not empty (STOMP-HDR-003). The encoder refuses to write anything else; the decoder takes
// octets above 127 as they come, without a UTF-8 check, which the laws begin with 1.1 (STOMP-FRAME-014), and takes empty
// values. Values keep their padding (STOMP-HDR-008), except that the spaces around a content-length do not count. NUL
// ends no line in any version. Any command may have a body in 1.0; only a RECEIPT with one is not encoded
// (STOMP-BODY-015).
//
// Headers of CONNECT and CONNECTED are verbatim in every version, those of the STOMP command are not (STOMP-ESC-007,
// STOMP-ESC-009).
//
// # Whose memory it is
//
// By default frames are the caller's, for good. Their small parts are cut from shared blocks of about 20 KiB, so that a
// hundred small frames cost a handful of allocations; the price is that one small frame kept keeps its blocks alive, with
// its neighbours in them. Use Frame.Clone for a few frames that outlive many. Bodies of more than 4 KiB and their frames have
// memory of their own.
//
// With DecoderConfig.Borrow nothing is allocated in the steady state: frames live until the next Feed, and their strings
// and bodies are views of the chunk or of memory the decoder uses again. Whoever keeps a borrowed string sees it change.
// Clone what must stay. Between feeds the decoder itself never reads a chunk, in neither mode.
//
// The memory for a body grows with the octets that arrived, not with a length that was only declared.
//
// # What it leaves to others
//
// The codec checks syntax. Required headers, direction, session order and heart-beat timing belong to the session above
// it, and so does the choice of what to do about an error. Limits bound one frame and one feed, not total memory (STOMP-LIMIT-020).
package frame
