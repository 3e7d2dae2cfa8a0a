// Package fuzz looks for what nobody thought of: fuzz targets with oracles stronger than "does not
// panic", and the corpus vectors run on the reference.
//
// The targets are ordinary Go fuzz tests: go test -fuzz FuzzStompDecoder ./fuzz. Their seeds are the
// streams and frames of the corpus, so a plain go test runs all of those. When several targets run in a
// loop, give -fuzzminimizetime 1x, without which minimising an input that is merely new can take
// most of the time. A crasher that shows something gets a name that says what, beside the seeds in
// testdata/fuzz.
//
// Start with Oracles, which names each target with the laws that its oracle checks, or with RunStompVector,
// RunEventbusVector and RunSubstrateVector, which run one vector on the reference.
package fuzz
