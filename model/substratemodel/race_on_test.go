//go:build race

package substratemodel

// raced says that the race detector is on, under which every step takes ten times as long.
const raced = true
