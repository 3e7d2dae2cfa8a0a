// Package databus is a publish and subscribe bus for the tabs of one origin that share the connections to a server: whichever tab owns a
// topic holds the one subscription at the server and hands what comes to all others.
//
// # Where to start
//
// A [Bus] is the bus of one tab. [New] makes it from a [Config] with its [Transport] to the server and the [Environment] that it shares
// with the other tabs. [Origin] is an environment in memory and [Server] a server in memory, for tests and for several buses in one
// process.
//
// # What it promises
//
// What the application subscribes stays subscribed over failures of the transport and over the page being hidden away, until it
// unsubscribes or stops (DATABUS-SUBSCRIBE-006). A publication that an owner has accepted reaches each handler at most once
// (DATABUS-INV-003); publications may be lost, and may be accepted by two owners (DATABUS-LIMIT-001). Nothing is persisted or replayed
// (DATABUS-LIMIT-003).
//
// A Bus may be used from several goroutines, and from its handlers but for [Bus.Start], [Bus.Ready] and [Bus.Stop], which wait. Handlers
// are called one at a time and hold up only each other. Goroutines run only while the transport opens or stops; [Bus.Stop] waits for them.
//
// The agreement between tabs is in package cluster.
package databus
