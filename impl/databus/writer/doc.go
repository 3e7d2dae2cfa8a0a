// Package writer gathers the writes of one task and applies them together, one microtask later, to the storage that tabs share
// (DATABUS-BATCH-001). Its own tab sees them at once (DATABUS-BATCH-002), and a storage that fails makes nobody else fail
// (DATABUS-BATCH-005).
//
// Make a [Writer] with [New]. It starts no goroutine and reads no clock: microtasks and timers are what [Config] makes of them. It must not
// be used from several goroutines at once, nor from inside the storage that it calls.
package writer
