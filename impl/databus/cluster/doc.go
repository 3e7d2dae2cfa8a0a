// Package cluster is the part of the data bus that runs in each tab and agrees with the others, over a storage that they share and a
// channel between them, which worker owns which topic. It does no I/O.
//
// # Where to start
//
// [New] makes the [Cluster] of one tab from a [Config] with its ports. Its methods are what the application, the page and the transport
// do, [Cluster.Receive] is a frame of the channel and [Cluster.Tick] the heartbeat, which the clock of the configuration also calls.
// Everything that follows from a call is done through the ports before it returns, in the order that the laws name: the order of the calls
// to the ports is the order of the effects.
//
// # What it promises
//
// The locally subscribed topics are those the application asked for, whatever happens (DATABUS-INV-006). Agreement on an owner is eventual
// and no lock: two workers may own a topic for a while (DATABUS-LIMIT-004), and with the rules of the document some topics are never
// served again (DATABUS-LIVE-005). [Rules] says which rules hold; [V010], [Drifted] and [Fenced] are the named sets. Fenced is the document
// and three fences (DATABUS-FENCE-001, DATABUS-FENCE-002, DATABUS-FENCE-003), after which every topic is served again once the faults end.
//
// Without a storage that can be written or without a channel the tab is alone and owns what it subscribes (DATABUS-DEGRADE-001).
//
// A Cluster must not be used from several goroutines at once and starts none. Its ports may not call back into it.
package cluster
