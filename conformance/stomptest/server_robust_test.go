package stomptest

import "testing"

func TestClientHelloIsATLSRecord(t *testing.T) {
	b := clientHello()
	// A handshake record (22) of TLS 1.x (3), whose first message is a client hello (1).
	if len(b) < 6 || b[0] != 22 || b[1] != 3 || b[5] != 1 {
		t.Errorf("% x… is no TLS client hello", b[:min(len(b), 6)])
	}
}
