//go:build !race && !interleave

package eventbus

// breathe marks the places where another goroutine may come in between. It does nothing; builds with the race detector or the
// tag interleave let other goroutines run there, so that tests of few steps meet many orders.
func breathe() {}
