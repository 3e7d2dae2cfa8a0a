// Package record is what the tabs of one cluster keep in the storage that they share: opaque keys, and the worker, route and subscriber
// records under them.
//
// # Where to start
//
// [NewKeys] makes the names of one cluster, [DecodeWorker], [DecodeRoute] and [DecodeSubscriber] read a stored value, and the Encode
// method of each record writes one. [Hash] is the hash behind every key and [Less] the order of ids.
//
// # What it promises
//
// No plain topic, URL or payload becomes part of a key or of a record (DATABUS-KEY-003). A value that cannot be read is told apart from
// none only by its error, and never makes anything fail (DATABUS-RECORD-005). Times are whole milliseconds of the clock of the tabs.
package record
