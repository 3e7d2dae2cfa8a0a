// Package bench measures the event bus beside its peers: the bus of the npm package and an embedded NATS server. It has tests only, and
// is apart from those of the bus so that these build without a server of somebody else's.
package bench
