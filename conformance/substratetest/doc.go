// Package substratetest judges a peer of the substrate by the laws of spec/substrate.yaml: over WebSocket, and inside a process through an
// adapter, as spec/adapter.md says.
//
// Start with [TestPeer], which judges a listener inside a Go test, or [TestNodes], which judges an engine; [TestStore] and [TestSink]
// hold a store and a sink to their contracts. Over WebSocket (case_*.go) the suite dials, and plays a peer that can do anything: it has
// a WebSocket, a reader and a writer of frames, and a handshake of its own, so that a frame can be malformed, come twice, too early or
// in part, and a connection can end at any octet. What the target says is read without regard to what it should say, and then held
// against the laws.
//
// # What the target has to do
//
// Each case comes under a peer id of its own and uses names of its own, so that cases do not disturb each other and the target may be
// in use. The profile says which names the target accepts ([Peer]). Its application answers a req with the body of the req, nothing with
// nothing, and takes every send. With [Peer.Commands] it also obeys a body that begins with "assay:", whatever the object:
//
//	assay:log NAME         res: what was handed over on the object of that name, under this peer id, one line each: the
//	                       kind (open, send, req or close), the id, and the body: - for none, x and its hexadecimal digits
//	                       if it has at most 32 octets, else sha256: and the digest. The id of a close may be -, and
//	                       for an open stands its cap.
//	                       Then what became of the target's own ops: "outcome", open, send, req or close, and ok or the code
//	assay:end              end
//	assay:err CODE         err with that code
//	assay:hold WORD        is answered, or taken, when assay:free WORD is, which comes on another object
//	assay:free WORD        res without a body
//	assay:deny NAME        the gate denies what is on that name, with unauthorized, until assay:allow NAME
//	assay:open KIND NAME   the target opens an object; res once the op is durable
//	assay:send NAME N      it sends N messages, whose bodies are the decimals from 1 to N
//	assay:req NAME TEXT    it asks
//	assay:close NAME       it closes
//	assay:release          of a send: the target forgets the peer but for what is in its store, as in a restart, and ends the
//	                       connection. One that is handed over again does nothing
//
// # What is judged
//
// The target is judged as a receiver, by what the suite sends, and as a sender, by its answers and, with commands, by ops of its own.
// Silence is said of a target only after it has answered something that was sent later, and after the quiet window besides. What is only
// late never fails a target: each finding that rests on a deadline is judged again by the runner.
//
// # What an adapter shows
//
// What a black box over a socket cannot show is judged through an adapter (node*.go), under virtual time and with a store that fails: days
// (ledger, tombstones, expiry), the 30 s of a gap, a store that refuses, crashes between two writes, crossings, the local interface, logs,
// metrics and events, and the relay and journal forms. There the suite plays everything that is around one side of the substrate: its peer,
// its application, its clock and the moods of its store. The reference is judged on both ways: [ServeReference] is its adapter.
package substratetest
