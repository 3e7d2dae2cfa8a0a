package client_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// certify makes an authority and a certificate of it for the names given.
func certify(t *testing.T, names []string, ips ...net.IP) (*x509.CertPool, tls.Certificate) {
	t.Helper()
	key := func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	root, leaf := key(), key()
	sign := func(template, parent *x509.Certificate, k *ecdsa.PrivateKey) *x509.Certificate {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &k.PublicKey, root)
		if err != nil {
			t.Fatal(err)
		}
		c, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	ca = sign(ca, ca, root)
	c := sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: names, IPAddresses: ips, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, ca, leaf)
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	return pool, tls.Certificate{Certificate: [][]byte{c.Raw}, PrivateKey: leaf}
}

// secure is a broker over TLS that takes notes.
type secure struct {
	addr, ws string
	host     string

	mu     sync.Mutex
	names  []string // SNI
	octets int      // of application data
}

// counting counts what is read in the clear.
type counting struct {
	net.Conn
	s *secure
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.s.mu.Lock()
	c.s.octets += n
	c.s.mu.Unlock()
	return n, err
}

type countingListener struct {
	net.Listener
	s *secure
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return counting{c, l.s}, nil
}

func startSecure(t *testing.T, certificate tls.Certificate) *secure {
	t.Helper()
	s := new(secure)
	b, err := broker.New(broker.Config{Credentials: map[string]string{"u": "p"}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := &tls.Config{Certificates: []tls.Certificate{certificate}, GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.names = append(s.names, h.ServerName)
		return nil, nil
	}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	s.addr = "tls://127.0.0.1:" + port
	s.host = "tls://localhost:" + port
	served := make(chan error, 1)
	go func() { served <- b.Serve(context.Background(), countingListener{tls.NewListener(l, cfg), s}) }()
	w := httptest.NewUnstartedServer(b)
	w.Listener = countingListener{tls.NewListener(w.Listener, cfg), s}
	w.Config.ErrorLog = nil
	w.Start()
	_, port, _ = net.SplitHostPort(w.Listener.Addr().String())
	s.ws = "wss://127.0.0.1:" + port + "/ws"
	t.Cleanup(func() {
		_ = b.Close()
		<-served
		w.Close()
	})
	return s
}

func TestTLS(t *testing.T) {
	// STOMP-TLS-001, STOMP-TLS-004, STOMP-TLS-006
	pool, certificate := certify(t, []string{"localhost"}, net.IPv4(127, 0, 0, 1))
	s := startSecure(t, certificate)
	for _, addr := range []string{s.addr, s.host, s.ws} {
		t.Run(addr, func(t *testing.T) {
			work(t, dial(t, addr, client.Config{Login: "u", Passcode: "p", TLS: &tls.Config{RootCAs: pool}}))
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if want := []string{"", "localhost", ""}; len(s.names) != 3 || s.names[0] != want[0] || s.names[1] != want[1] || s.names[2] != want[2] {
		t.Errorf("SNI %q, want %q", s.names, want)
	}
}

func TestWrongPasscode(t *testing.T) {
	pool, certificate := certify(t, []string{"localhost"}, net.IPv4(127, 0, 0, 1))
	s := startSecure(t, certificate)
	if _, err := client.Dial(ctx, s.addr, client.Config{Login: "u", Passcode: "x", TLS: &tls.Config{RootCAs: pool}}); code(err) != client.BrokerError {
		t.Error(err)
	}
}

func TestUntrustedPeersGetNothing(t *testing.T) {
	// STOMP-TLS-005
	trusted, misnamed := certify(t, []string{"other.example"})
	_, untrusted := certify(t, []string{"localhost"}, net.IPv4(127, 0, 0, 1))
	for name, certificate := range map[string]tls.Certificate{"wrong name": misnamed, "wrong authority": untrusted} {
		t.Run(name, func(t *testing.T) {
			s := startSecure(t, certificate)
			for _, addr := range []string{s.addr, s.host, s.ws} {
				_, err := client.Dial(ctx, addr, client.Config{Login: "u", Passcode: "p", TLS: &tls.Config{RootCAs: trusted}})
				if e := (*client.ConnectionError)(nil); !errors.As(err, &e) || code(err) != "" || !errors.As(err, new(*tls.CertificateVerificationError)) {
					t.Errorf("%s: %v", addr, err)
				}
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.octets > 0 {
				t.Errorf("%d octets arrived", s.octets)
			}
		})
	}
}

func TestConnectionsOfOthersAreVerified(t *testing.T) {
	// STOMP-TLS-002, STOMP-TLS-003, STOMP-TLS-004
	pool, certificate := certify(t, []string{"localhost"})
	for name, cfg := range map[string]*tls.Config{
		"verified":   {RootCAs: pool, ServerName: "localhost"},
		"unverified": {InsecureSkipVerify: true},
		"misnamed":   {RootCAs: pool, ServerName: "other.example"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSecure(t, certificate)
			raw, err := net.Dial("tcp", s.addr[len("tls://"):])
			if err != nil {
				t.Fatal(err)
			}
			c, err := client.New(ctx, tls.Client(raw, cfg), client.Config{Host: "h", Login: "u", Passcode: "p"})
			if name == "verified" {
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Disconnect(ctx); err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("connected")
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.octets > 0 {
				t.Errorf("%d octets arrived: %v", s.octets, err)
			}
		})
	}
}

func TestPeerThatNeverAnswersTheHello(t *testing.T) {
	// STOMP-TLS-004, STOMP-CLOCK-007
	for _, scheme := range []string{"tls", "wss"} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			heard := make(chan []byte, 1)
			go func() {
				got, _ := io.ReadAll(theirs)
				heard <- got
			}()
			start := time.Now()
			_, err := client.Dial(t.Context(), scheme+"://localhost:1", client.Config{
				Login: "u", Passcode: "secret", Dialer: func(context.Context, string, string) (net.Conn, error) { return ours, nil },
			})
			if !errors.Is(err, client.ErrTimeout) || code(err) != "" || time.Since(start) != client.DefaultTiming().Connect {
				t.Errorf("%s: after %v: %v", scheme, time.Since(start), err)
			}
			// A handshake record and nothing of ours.
			if got := <-heard; len(got) == 0 || got[0] != 22 || containsAny(got, "CONNECT", "secret", "GET ") {
				t.Errorf("%s: heard %q", scheme, got)
			}
			_ = theirs.Close()
		})
	}
}

func containsAny(b []byte, words ...string) bool {
	for _, w := range words {
		for i := range b {
			if len(b)-i >= len(w) && string(b[i:i+len(w)]) == w {
				return true
			}
		}
	}
	return false
}

func TestWebSocketThatIsNone(t *testing.T) {
	// STOMP-TLS-008 is about another transport; credentials are not redirected.
	hits := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	defer other.Close()
	for name, h := range map[string]http.HandlerFunc{
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) },
		"page":     func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("hello")) },
	} {
		server := httptest.NewServer(h)
		_, err := client.Dial(ctx, "ws"+server.URL[len("http"):], client.Config{Login: "u"})
		if !errors.As(err, new(*client.ConnectionError)) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
	if hits > 0 {
		t.Errorf("%d redirected", hits)
	}
}

func TestWebSocketCarriesAnyBody(t *testing.T) {
	c := dial(t, overWebSocket(t), client.Config{})
	s, err := c.Subscribe(ctx, "/queue/a", client.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"text", "\xff\xfe\x00", string(make([]byte, 300000)), ""} {
		if err := c.SendReceipt(ctx, client.Message{Destination: "/queue/a", Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
		if d, err := s.Next(ctx); err != nil || string(d.Body()) != body {
			t.Errorf("%d octets came back as %v, %v", len(body), d, err)
		}
	}
	// STOMP-ERROR-011: the server closes the socket.
	if err := c.SendFrame(frame.New(frame.DISCONNECT, "receipt", "bye")); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	if !errors.Is(c.Err(), client.ErrClosed) {
		t.Error(c.Err())
	}
}
