package stomptest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
)

func ownTLSCases() []conformance.Case {
	return []conformance.Case{
		ownCase("tls/verification-cannot-be-switched-off", "a configuration that does not verify is refused before any I/O", func(o *own) {
			_, err := o.tries("tls://"+o.listener.Address(), client.Config{TLS: &tls.Config{InsecureSkipVerify: true}})
			o.refuses(nil, err, client.Argument, "STOMP-TLS-002", "certificates are always verified")
			o.nobodyCalled("STOMP-TLS-002")
		}, "STOMP-TLS-002"),
		ownCase("tls/no-unverified-connection", "a connection of the caller's that did not verify its peer is refused, and nothing is written to it", func(o *own) {
			s := o.secured(issuing().issue("127.0.0.1"))
			c, err := tls.Dial("tcp", s.address, &tls.Config{InsecureSkipVerify: true})
			o.must(err)
			cl, err := client.New(o.Context(), c, client.Config{Host: "assay"})
			if cl != nil {
				o.clients = append(o.clients, cl)
			}
			o.refuses(nil, err, client.Argument, "STOMP-TLS-003", "a connection that was opened without verification is no way in")
			heard, _ := s.end()
			o.CheckEqual("STOMP-TLS-003", "no octet is written to it", "", heard)
		}, "STOMP-TLS-003"),
		ownCase("tls/connect-waits-for-the-handshake", "a server that never answers the handshake gets no frame", func(o *own) {
			d := o.dial("tls://"+o.listener.Address(), client.Config{Timing: timing(func(t *client.Timing) { t.Connect = o.Timing().Reply / 2 })})
			conn, err := o.listener.Accept("mute")
			o.must(err)
			_, err = o.result(d)
			o.Check(isTimeout(err), "STOMP-TLS-004", "connecting ends by its timeout", "a timeout", fmt.Sprint(err))
			chunk, _ := conn.Next(o.Context(), time.Now().Add(o.Timing().Quiet))
			o.Check(len(chunk.Data) > 0 && chunk.Data[0] == handshakeRecord, "STOMP-TLS-004", "all that was sent is the handshake",
				"a TLS record", conformance.EscapeMax(chunk.Data, 60))
		}, "STOMP-TLS-004"),
		ownCase("tls/strangers-get-no-credentials", "an untrusted or misnamed server sees nothing of CONNECT", func(o *own) {
			trusted, others := issuing(), issuing()
			for _, try := range []struct {
				name   string
				server tls.Certificate
				works  bool
			}{
				{"a trusted and well named server", trusted.issue("127.0.0.1"), true},
				{"an untrusted server", others.issue("127.0.0.1"), false},
				{"a server of another name", trusted.issue("192.0.2.1"), false},
			} {
				s := o.secured(try.server)
				_, err := o.tries("tls://"+s.address, client.Config{
					Login: "user", Passcode: "secret", TLS: &tls.Config{RootCAs: trusted.pool},
					Timing: timing(func(t *client.Timing) { t.Connect = o.Timing().Reply }),
				})
				heard, _ := s.end()
				o.CheckEqual("STOMP-TLS-005", try.name+" is spoken to", fmt.Sprint(try.works), fmt.Sprint(heard != ""))
				o.CheckEqual("STOMP-TLS-005", try.name+" makes a session", fmt.Sprint(try.works), fmt.Sprint(err == nil))
			}
		}, "STOMP-TLS-005"),
		ownCase("tls/server-name", "a host name is sent as SNI, an address is not", func(o *own) {
			ca := issuing()
			for host, want := range map[string]string{"localhost": "localhost", "127.0.0.1": ""} {
				s := o.secured(ca.issue("127.0.0.1", "localhost"))
				_, port, err := net.SplitHostPort(s.address)
				o.must(err)
				// The name is resolved here, so that a machine without it in its tables can run the case.
				_, err = o.tries("tls://"+net.JoinHostPort(host, port), client.Config{
					TLS: &tls.Config{RootCAs: ca.pool}, Timing: timing(func(t *client.Timing) { t.Connect = o.Timing().Reply }),
					Dialer: func(ctx context.Context, network, _ string) (net.Conn, error) {
						return (&net.Dialer{}).DialContext(ctx, network, s.address)
					},
				})
				_, sni := s.end()
				o.must(err)
				o.CheckEqual("STOMP-TLS-006", "the server name sent for host "+host, want, sni)
			}
		}, "STOMP-TLS-006"),
	}
}

// handshakeRecord is the first octet of a TLS handshake.
const handshakeRecord = 22

// stubDialer tells that it was called, and connects nothing.
func stubDialer(called *bool, err error) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		*called = true
		return nil, err
	}
}

// secured is a TLS server for one client: it opens a session and keeps what it heard first.
type secured struct {
	address string
	l       net.Listener
	wait    sync.WaitGroup
	conn    net.Conn
	heard   string
	name    string
}

func (o *own) secured(cert tls.Certificate) *secured {
	l, err := net.Listen("tcp", conformance.DefaultListen)
	o.must(err)
	s := &secured{address: l.Addr().String(), l: l}
	s.wait.Go(func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.conn = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}, GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			s.name = h.ServerName
			return nil, nil
		}})
		_ = s.conn.SetDeadline(time.Now().Add(o.Timing().Reply))
		buf := make([]byte, 4096)
		n, _ := s.conn.Read(buf)
		s.heard = string(buf[:n])
		if n > 0 {
			_, _ = io.WriteString(s.conn, "CONNECTED\nversion:1.2\n\n\x00")
		}
	})
	return s
}

// end closes the server and returns what it heard first and the server name that it was asked for.
func (s *secured) end() (heard, name string) {
	_ = s.l.Close()
	s.wait.Wait()
	if s.conn != nil {
		_ = s.conn.Close()
	}
	return s.heard, s.name
}

// An authority issues certificates that last as long as a case.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func issuing() *authority {
	a := &authority{key: newKey(), pool: x509.NewCertPool()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "case authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err == nil {
		a.cert, err = x509.ParseCertificate(der)
	}
	if err != nil {
		panic(fmt.Sprintf("case authority: %v", err))
	}
	a.pool.AddCert(a.cert)
	return a
}

func newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(fmt.Sprintf("case key: %v", err))
	}
	return key
}

// issue returns a certificate for hosts, which are names or addresses.
func (a *authority) issue(hosts ...string) tls.Certificate {
	key := newKey()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "case server"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		panic(fmt.Sprintf("case certificate: %v", err))
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
