//go:build race

package databusmodel

// raced says that the race detector is on, under which every step takes ten times as long.
const raced = true
