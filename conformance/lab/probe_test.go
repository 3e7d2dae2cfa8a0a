package lab

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
)

// answer is what a good broker says to its first frame.
func answer(conn net.Conn) {
	if _, err := readFrame(conn); err == nil {
		_, _ = conn.Write([]byte("CONNECTED\nversion:1.2\n\n\x00"))
	}
}

// peer accepts one connection, reads a frame, writes reply and, with hold, waits for the other side to close.
func peer(t *testing.T, reply string, hold bool) Endpoint {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = readFrame(conn)
		_, _ = io.WriteString(conn, reply)
		if hold {
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return Endpoint{Transport: "tcp", URL: "tcp://" + l.Addr().String()}
}

// STOMP-INTEROP-001: anything but numeric loopback is refused before a socket is opened.
func TestProbeRefusesWhatIsNotNumericLoopback(t *testing.T) {
	for _, url := range []string{
		"tcp://localhost:61613", "tcp://192.0.2.1:61613", "tcp://0.0.0.0:61613", "tls://example.org:61614", "ws://[2001:db8::1]:80/ws",
		"tcp://127.0.0.1", "tcp://:61613", "127.0.0.1:61613", "",
	} {
		if _, err := (Endpoint{URL: url}).loopback(); err == nil {
			t.Errorf("%q is not numeric loopback", url)
		}
		if _, err := probeSTOMP(t.Context(), Endpoint{URL: url}, conformance.Profile{}); err == nil {
			t.Errorf("a probe of %q is refused", url)
		}
	}
	for _, url := range []string{"tcp://127.0.0.1:1", "ws://[::1]:80/ws", "tls://127.9.9.9:5"} {
		if _, err := (Endpoint{URL: url}).loopback(); err != nil {
			t.Errorf("%q is numeric loopback: %v", url, err)
		}
	}
}

func TestProbeReadsConnected(t *testing.T) {
	for reply, want := range map[string]Connected{
		"CONNECTED\nversion:1.2\nserver:x/1 a:b\n\n\x00\n": {Version: "1.2", Server: "x/1 a:b"},
		"\r\n\nCONNECTED\r\nversion:1.1\r\n\r\n\x00":       {Version: "1.1"},
		"CONNECTED\nsession:wow\n\n\x00":                   {},
	} {
		got, err := probeSTOMP(t.Context(), peer(t, reply, true), conformance.Profile{})
		if err != nil || got != want {
			t.Errorf("reply %q: %+v, %v", reply, got, err)
		}
	}
}

func TestProbeTakesNothingElseForReadiness(t *testing.T) {
	for reply, want := range map[string]string{
		"ERROR\nmessage:access refused\n\n\x00":  "access refused",
		"HTTP/1.1 400 Bad Request\r\n\r\n":       "without the end of a frame",
		"CONNECTED\nversion:1.2\n\n":             "without the end of a frame",
		"":                                       "without the end of a frame",
		"connected\n\n\x00":                      "connected",
		strings.Repeat("x", 2*probeReplyLimit):   "limit 65536",
		"CONNECTEDX\n\n\x00":                     "CONNECTEDX",
		"\x00CONNECTED\nversion:1.2\n\n\x00\x00": `with ""`,
	} {
		_, err := probeSTOMP(t.Context(), peer(t, reply, false), conformance.Profile{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("reply %.40q: error %v, want %q in it", reply, err, want)
		}
	}
}

func TestProbeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := probeSTOMP(ctx, peer(t, "", true), conformance.Profile{}); err == nil {
		t.Error("a peer that says nothing does not hold a probe")
	}
}

func TestProbeOverTLSTrustsTheLabsAuthorityOnly(t *testing.T) {
	id, err := issue(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other, err := issue(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cert, err := tls.LoadX509KeyPair(id.certFile, id.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 2 {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			answer(conn)
			_ = conn.Close()
		}
	}()
	defer func() {
		_ = l.Close()
		<-done
	}()
	e := Endpoint{Transport: "tls", URL: "tls://" + l.Addr().String(), CAFile: id.caFile}
	if c, err := probeSTOMP(t.Context(), e, conformance.Profile{}); err != nil || c.Version != "1.2" {
		t.Errorf("the authority that signed is trusted: %+v, %v", c, err)
	}
	e.CAFile = other.caFile
	if _, err := probeSTOMP(t.Context(), e, conformance.Profile{}); err == nil {
		t.Error("another authority is not")
	}
}

func TestConnectFrameHasWhatTheProfileNames(t *testing.T) {
	got := string(connectFrame(conformance.Profile{
		Versions: []string{"1.1", "1.2"}, Sections: []conformance.Section{stomptest.Section{Login: "guest", Passcode: "secret", Host: "/"}},
	}))
	if want := "CONNECT\naccept-version:1.1,1.2\nhost:/\nlogin:guest\npasscode:secret\n\n\x00"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := string(connectFrame(conformance.Profile{})); got != "CONNECT\n\n\x00" {
		t.Errorf("what the profile does not name is left out: %q", got)
	}
}

// However a stream is cut into reads, the frame read from it is the same.
func TestFrameDoesNotDependOnChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frame := rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 200).Draw(t, "frame")
		frame[0] = 'C'
		stream := append(append([]byte("\n\r\n"), frame...), 0, 'r', 'e', 's', 't')
		whole, err := readFrame(bytes.NewReader(stream))
		if err != nil || !bytes.Equal(whole, frame) {
			t.Fatalf("read %q, %v; want %q", whole, err, frame)
		}
		one, err := readFrame(iotest.OneByteReader(bytes.NewReader(stream)))
		if err != nil || !bytes.Equal(one, frame) {
			t.Fatalf("read byte by byte %q, %v; want %q", one, err, frame)
		}
	})
}

// Every broker that the lab starts can be asked whether it is ready, each in its own protocol.
func TestEverySuiteOfTheLabHasItsProbe(t *testing.T) {
	ask := func(suite string) string {
		_, err := Probe(t.Context(), suite, Endpoint{URL: "tcp://192.0.2.1:1"}, conformance.Profile{})
		return err.Error()
	}
	const none = "nothing tells whether"
	for _, b := range All() {
		if said := ask(b.Suite); strings.Contains(said, none) {
			t.Errorf("%s: %s", b.Name, said)
		}
	}
	if said := ask("smtp"); !strings.Contains(said, none) {
		t.Errorf("a suite without a probe: %s", said)
	}
}
