// Package fuzz looks for what nobody thought of: fuzz targets with oracles stronger than "does not
// panic", and the corpus vectors run on the reference.
//
// The targets are ordinary Go fuzz tests: go test -fuzz FuzzStompDecoder ./fuzz. Start with Oracles,
// which names each target with the laws that its oracle checks, and RunVector, which runs one vector.
package fuzz
