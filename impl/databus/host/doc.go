// Package host is the environment of data buses in processes of one machine: they share a storage in a file and a channel over Unix
// sockets, and with them one subscription at the server for each topic.
//
// # Where to start
//
// [Open] opens the directory of a machine's clusters and returns a [Host]. [Host.New] makes a bus in it, with the transport that its
// configuration names; package socket has one. [Host.Close] is the graceful leave of this process: its buses hand over what they own.
// A process has no page events; who wants to be away for a while calls PageHide and PageShow of its bus.
//
// # What is in the directory
//
// The storage is databus.db, a file of SQLite in WAL mode that several processes use at once. Each bus listens on a socket of its own in
// a folder of its cluster and dials those that it finds there; each connection carries the frames of who dialled, one JSON line each,
// after a line that says who that is. Sockets that nobody listens on are removed. The directory must not be writable by everybody, since
// whoever can write in it can forge frames and records (DATABUS-LIMIT-005), and its file system must know WAL and sockets: a local one.
// All processes must have the same clock, which they do on one machine.
//
// # What it promises
//
// A post never waits: each other process has a bounded queue, and what does not fit in pushes out the oldest and is counted. The protocol
// makes up for lost frames (DATABUS-REGISTRY-003, DATABUS-LIVE-003), but not for lost publications (DATABUS-PUBLISH-004). Frames of one
// sender arrive in order (DATABUS-EVENT-002), and after what the task that posted them wrote, so that nobody refuses an election that it
// cannot see yet (DATABUS-FENCE-002). What a process posted before it left still arrives (DATABUS-RACE-007). A call of the storage
// waits for other processes no longer than twice [Config.BusyTimeout]. A handler that does not return holds up what comes from other
// processes.
//
// What a task of a bus reads from the storage is as it was when the task began, as in the storage of a browser (see [databus.Renewer]).
package host
