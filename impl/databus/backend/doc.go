// Package backend decides in which kind of worker the transport of a tab runs, and keeps the ports by which tabs share one.
//
// [Pick] chooses among what the browser offers, [Pinger] is a tab that tells the shared worker that it is there, and [Ports] is the shared
// worker, which cannot see that a tab has crashed and closes the ports of those that it no longer hears (DATABUS-HEARTBEAT-004). All this
// is apart from the agreement between tabs and its heartbeat.
//
// The types must not be used from several goroutines at once and start none.
package backend
