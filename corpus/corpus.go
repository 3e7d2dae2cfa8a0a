// Package corpus holds what we have seen: test vectors, public bug reports and mutants, as data, and the strict loaders
// that turn the data into Go values.
//
// Start with StompVectors and EventbusVectors, which return every vector of a protocol, and Bugs, which returns the public
// bug reports as test inputs. Nothing here runs a decoder; whoever owns one ranges over the vectors and compares. Every
// expected result is derived from the text of the laws that the vector cites, never from a run.
//
// # Records
//
// Every record has a name, cites laws in force of its protocol, and holds in the versions that it lists, in their order,
// or in all if it lists none. At least one of its laws holds in each.
//
// # Text
//
// YAML strings are characters and the wire is octets, so every octet string is written in escapes of our own, best inside
// single quotes, where YAML itself leaves the backslash alone:
//
//	\n \r \t \0    LF, CR, TAB, NUL
//	\xNN           the octet with these two hexadecimal digits
//	\\             one backslash octet
//
// Any other character after a backslash is an error of the file. All else stands for its own UTF-8 octets. A long text
// is a list of parts joined without a separator, where a part is a text or a repetition:
//
//	['SEND\nx:', {repeat: a, count: 8190}, '\n\n\0']
//
// # Decode vectors
//
// A decoder is built for one of the versions and the limits (default 8192, 128, 1048576, 1024), is given the feeds in
// order, and, if end is set, the end of the stream. want.events lists the events of all feeds that succeeded: the word
// heartbeat, a frame, or {repeat: EVENT, count: N}. want.error says which call fails: feed counts from 1, end is the
// call of End; rule is one name or a list of the names that the laws allow. offset is the position in the whole
// stream, from 0, of the octet that must make the feed fail: cut before it the feed succeeds, cut behind it the feed
// fails. What a decoder itself reports as the place of an error may be another octet, such as the first of the line.
// For end, offset is the length of the stream. An error without an offset may come at any octet of its feed. An error that is marked optional is one that the laws leave open: the
// run either fails so or yields the events. After the error, or after a successful end, every call listed in after
// must fail. In a frame, get lists the values that a look-up by name must return and absent the names that it must
// not find.
//
// A runner keeps all feeds in one buffer that it overwrites after each call, which is how it sees a decoder that
// holds on to a chunk. It may cut the stream at other places: events, rule and offset stay, except that the
// event limit counts per feed and that a failing feed takes its events with it.
//
// # Other vectors
//
// An encode vector has a frame, or beat for one heart-beat, and wants bytes or an error; bounds, if present, are the client's outbound capacity
// (all three fields must be given; absent means no capacity limit). On an error no octet is produced; octets that are
// produced decode to the same frame, but for an appended content-length. A limits
// vector constructs a decoder with the limits and wants success or reject. A heartbeat vector parses value
// and wants a pair or reject; heartbeat-format is its reverse; negotiate-heartbeat takes client and server pairs and wants
// intervals, client to server first, or reject. A heartbeat-clock vector constructs a clock and takes steps; its times
// are milliseconds. A judge vector is what a sender put on the wire: want.findings are the laws that a judge must report with
// the verdict, and want.clear are laws that it must not report.
//
// # Session vectors
//
// A session vector is a script for one STOMP client session. It is made with the profile (strict or multi), the
// capacities and the tolerance; want.reject says that this must fail. A vector holds for several versions if the same
// script does: {version} in its texts is the version. open, if present, is the handshake as two calls at open.now:
// CONNECT with accept-version {version} and host h, then CONNECTED with that version, each with the heart-beat given.
// The steps are calls in order:
//
//	send: FRAME               a frame as of an encode vector, or the short form
//	receive: OCTETS           one chunk
//	tick: true, end: true, fail: true
//	repeat: STEPS, count: N   N rounds of the steps; {i} in their texts is the number of the round, from 1
//
// now is the time of send, receive and tick in milliseconds; without it a call has the time of the one before, at first
// 0. The short form of a frame is one string of a command and headers NAME:VALUE with single spaces between them. OCTETS
// are a text one part of which may be {frame: SHORT, body: TEXT}, the octets of that frame as they stand; body may be
// left out.
//
// A step without want must succeed, and so must one whose want has neither refused nor closes. refused is the reason for
// which a send must fail: it writes nothing, and state, counts, version and intervals are as before. closes is the
// reason for which another call must fail: it returns nothing, the state is closed, all counts and both intervals are 0.
// SendReasons, ReceiveReasons, TickReasons and EndReasons list the reasons. rule is the codec's rule behind it. events
// are what receive returns: a kind, {kind: KIND, get: LOOK-UPS} or a whole frame, also repeated. octets are what send
// or tick writes; decodes says that a decoder with default limits reads them as the frame sent and nothing else, but for
// an appended content-length. state, counts (a mapping, or the word none), version and intervals are looked at after
// the call. What is not wanted is not compared.
//
// # Stream vectors
//
// EventbusVectors returns those of the event bus's wire: bodies of text/event-stream, envelopes, what a reducer makes of
// frames, and what a server reads out of a request.
//
// A parse vector gives the octets of one body in feeds, cut as it likes, and says with end whether the body ends. A
// parser that keeps to the HTML standard yields want.events, each with data, type (left out: message) and id (left out:
// empty), and stands afterwards at want.lastEventId (left out: empty) and want.retry in milliseconds (left out: none;
// a list gives what the laws allow, {atLeast: N} a lower bound). All of that is compared and holds for every other way
// to cut the body. limit, if present, is the number of UTF-16 code units that input without a blank line may have;
// want.error is then the law of the limit, the feed that fails, from 1, and the position from 0 in the body of the octet
// that must make it fail; want.events are those of the blank lines before that octet.
//
// An envelope vector is the data text of one event; want is the envelope, or dropped. An envelopes vector is a body as
// of parse and the envelopes that a client hands on, in order; all of its blocks end. In an envelope, type is required,
// id and originatorClientId that are left out must be absent, and data is JSON, compared as a value where it is given.
//
// A reduce vector lists frames, each one JSON object, for one fresh view. After each, the members in view must have the
// values given, those in absent must be missing, and unchanged says that nothing but the cursor differs from before. The
// terminal event is written as its type and the pending permissions as their ids in order; ViewMembers lists the members.
//
// A cursor vector lists the values of all Last-Event-ID headers of a request and wants a cursor or live, and whether a
// breadcrumb is left; a max-queued vector has the query of a request and wants the number of frames or refused.
//
// # Substrate vectors
//
// SubstrateVectors returns those of the substrate's wire: messages of a ready connection, the table of codes, and both ends of
// the handshake. Their octets are hexadecimal, as a text whose spaces mean nothing: what each octet of CBOR is for can be
// seen in the digits, and in characters it could not.
//
// A decode vector is one message. Either it is a frame: want.frame has the fields that are there, receipt, cap and body in
// hexadecimal, odd lists those that are there with a value of another type, and unknown says how many keys no law names.
// want.fault is then what is wrong with the frame, by kind, address, fields and body in this order: the code, reply if an err
// with it answers the frame (else nothing does), and echo if that err may name the object; without want.fault the frame is as
// its kind allows. feeds says that the connection has feeds. Or the message is no frame: want.refused is the rule that it
// breaks, or a list of those that may be named, and want.closes the code that the connection ends with. A runner overwrites
// the message after decoding, decodes twice, and encodes what has no unknown keys to see the same octets.
//
// An encode vector has a frame and wants octets, or refused. A class vector has the code of an err and wants one of
// CodeClasses.
//
// A dial vector is the end of a connection that opened it, a listen vector the other one. side is what it brings: peer, epoch,
// the keys that it shares by peer (without keys auth is none), features besides the scope of dedupe, the names of suites in
// order of preference, and what it draws by chance. hears are the messages that come, in order, when the connection is age
// milliseconds old. want.sends is all that the side says meanwhile; then it is ready with want.ready, or closes with
// want.closes, at the last message, or waits for another one.
//
// # Races of the data bus
//
// databus/races has for each law of the group RACE a shortest way to where the race has happened, as the machine of package
// databusmodel finds it. A file says under which rules (v010 or drifted), among how many tabs and after which setup, whose
// actions are each followed by all deliveries and flushes. Each step is an action of one tab, A to C, with its effects in
// order; end is the state that it leads to. fenced says what becomes of the race under the fenced rules. The tests of the
// machine replay the files, and those of package fuzz replay them on the reference.
package corpus

import "embed"

// FS is everything in the corpus, by path below this folder (stomp/vectors/frame.yaml).
//
//go:embed */*.yaml */mutants */vectors */races
var FS embed.FS

// Protocols, and the paths of their data inside FS.
const (
	stomp            = "stomp"
	stompVectors     = "stomp/vectors"
	stompBugs        = "stomp/bugs.yaml"
	stompKnownBugs   = "stomp/known-bugs.yaml"
	eventbus         = "eventbus"
	eventbusVectors  = "eventbus/vectors"
	substrate        = "substrate"
	substrateVectors = "substrate/vectors"
)
