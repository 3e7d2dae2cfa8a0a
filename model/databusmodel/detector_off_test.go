//go:build !race

package databusmodel

// raced says that the race detector is on.
const raced = false
