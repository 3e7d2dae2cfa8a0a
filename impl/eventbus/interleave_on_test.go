//go:build race || interleave

package eventbus_test

// interleaved says that calls come in between one another on any machine.
const interleaved = true
