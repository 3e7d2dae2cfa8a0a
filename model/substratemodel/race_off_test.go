//go:build !race

package substratemodel

// raced says that the race detector is on.
const raced = false
