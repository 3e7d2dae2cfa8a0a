// Package eventbustest judges an event bus of the qwen-code kind by the laws of spec/eventbus.yaml.
//
// Start with [TestBus], which judges a bus in Go inside a Go test. A bus in another language is judged by the
// command through an adapter, as spec/adapter.md says; both take the same path, the reference too.
//
// Cases of the bus are written against busT and what it hands out. Time is virtual in them and nothing is ever
// waited for: whether a consumer waits is something that the adapter knows.
package eventbustest
