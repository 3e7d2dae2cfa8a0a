// Package databustest judges a cross-tab data bus by the laws of spec/databus.yaml: one owner for each topic, over a storage and a channel
// that all tabs of an origin share.
//
// Start with [TestRuntime], which judges a bus in Go inside a Go test. A bus in another language is judged by the command
// through an adapter, as spec/adapter.md says; both take the same path, the reference too.
//
// In a case the suite is everything that surrounds a bus: the browser with its storage, channel, clock and page events, the server behind
// each transport, and the application. It decides when a write reaches the storage and when and whether a frame arrives, so that nothing is
// left to chance and nothing is ever waited for.
package databustest
