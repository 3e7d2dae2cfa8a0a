package stomptest

import "testing"

// A frame is shown as its transcript shows it: each octet that needs an escape has one, and only one.
func TestFrameStringEscapesOnce(t *testing.T) {
	f := &wireFrame{Command: "MESSAGE", Headers: []header{{Name: "x", Value: "a\nb"}}, Body: []byte("cut\ncontent-length:20\n\\n\x00\xff")}
	const want = `MESSAGE x:a\nb body "cut\ncontent-length:20\n\\n\0\xff"`
	if got := f.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
