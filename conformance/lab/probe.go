package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
)

// probeReplyLimit bounds the bytes that a probe reads, so that a peer that floods cannot fill memory.
const probeReplyLimit = 64 << 10

// Connected is what a broker said in answer to CONNECT, or a daemon of itself over HTTP.
type Connected struct {
	// Version is the header of that name; empty if there was none, as in STOMP 1.0, and over HTTP.
	Version string
	// Server is the header of that name or, over HTTP, the answer's document: the software's own idea of itself.
	Server string
}

// Probe asks an endpoint once, in the protocol of the suite that judges it, whether it serves, and returns what it said of itself.
// Any other answer, and no answer before ctx ends, is an error. It uses no protocol code of Assay's, so that readiness does not
// depend on what is under test.
func Probe(ctx context.Context, suite string, e Endpoint, p conformance.Profile) (Connected, error) {
	switch suite {
	case "stomp":
		return probeSTOMP(ctx, e, p)
	case "eventbus":
		return probeHTTP(ctx, e, p)
	default:
		return Connected{}, fmt.Errorf("endpoint %s: nothing tells whether a target of suite %q is ready", e.URL, suite)
	}
}

// probeSTOMP opens a connection, sends CONNECT with the profile's credentials and returns what the CONNECTED frame said.
func probeSTOMP(ctx context.Context, e Endpoint, p conformance.Profile) (Connected, error) {
	conn, err := dial(ctx, e)
	if err != nil {
		return Connected{}, err
	}
	defer conn.Close()
	// A read or write that is under way is woken by the close.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()

	if _, err := conn.Write(connectFrame(p)); err != nil {
		return Connected{}, fmt.Errorf("send CONNECT to %s: %w", e.URL, err)
	}
	reply, err := readFrame(conn)
	if err != nil {
		return Connected{}, fmt.Errorf("wait for CONNECTED from %s: %w", e.URL, err)
	}
	head, _, _ := bytes.Cut(reply, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if strings.TrimSuffix(lines[0], "\r") != "CONNECTED" {
		return Connected{}, fmt.Errorf("%s answered CONNECT with %.200q", e.URL, head)
	}
	var c Connected
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\r"), ":")
		switch name {
		case "version":
			c.Version = value
		case "server":
			c.Server = value
		}
	}
	_, _ = io.WriteString(conn, "DISCONNECT\n\n\x00")
	return c, nil
}

// connectFrame spells a CONNECT frame by hand. Profile values hold nothing that would need escaping.
func connectFrame(p conformance.Profile) []byte {
	var b bytes.Buffer
	b.WriteString("CONNECT\n")
	if len(p.Versions) > 0 {
		fmt.Fprintf(&b, "accept-version:%s\n", strings.Join(p.Versions, ","))
	}
	s := conformance.SectionOf[stomptest.Section](p)
	for _, h := range [][2]string{{"host", s.Host}, {"login", s.Login}, {"passcode", s.Passcode}} {
		if h[1] != "" {
			fmt.Fprintf(&b, "%s:%s\n", h[0], h[1])
		}
	}
	b.WriteString("\n\x00")
	return b.Bytes()
}

// readFrame returns the octets up to the first NUL, without line ends before the command.
func readFrame(r io.Reader) ([]byte, error) {
	var frame []byte
	buf := make([]byte, 4096)
	for len(frame) < probeReplyLimit {
		n, err := r.Read(buf)
		frame = append(frame, buf[:n]...)
		if end := bytes.IndexByte(frame, 0); end >= 0 {
			return bytes.TrimLeft(frame[:end], "\r\n"), nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("%d octets without the end of a frame: %w", len(frame), err)
		}
	}
	return nil, fmt.Errorf("no end of a frame in %d octets (limit %d)", len(frame), probeReplyLimit)
}

// dial opens a byte stream to the endpoint, whatever its transport.
func dial(ctx context.Context, e Endpoint) (io.ReadWriteCloser, error) {
	if _, err := e.loopback(); err != nil {
		return nil, err
	}
	target, err := conformance.ParseTarget(e.URL)
	if err != nil {
		return nil, fmt.Errorf("endpoint: %w", err)
	}
	return conformance.Dial(ctx, target, conformance.Profile{TLS: conformance.ProfileTLS{CA: e.CAFile}}, stomptest.Server().Subprotocols)
}
