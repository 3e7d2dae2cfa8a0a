package broker_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// authority makes a certificate authority and a server certificate for localhost.
func authority(t *testing.T) (*x509.CertPool, tls.Certificate) {
	t.Helper()
	sign := func(template, parent *x509.Certificate, public *ecdsa.PublicKey, key *ecdsa.PrivateKey) *x509.Certificate {
		der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
		if err != nil {
			t.Fatal(err)
		}
		c, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	ca := sign(template, template, &caKey.PublicKey, caKey)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := sign(&x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{"localhost"},
		NotBefore: template.NotBefore, NotAfter: template.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, ca, &key.PublicKey, caKey)
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	return pool, tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key}
}

func TestTLS(t *testing.T) {
	pool, certificate := authority(t)
	b, err := broker.New(broker.Config{LingerTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := tls.NewListener(inner, &tls.Config{Certificates: []tls.Certificate{certificate}})
	served := make(chan error, 1)
	go func() { served <- b.Serve(context.Background(), l) }()
	defer func() {
		_ = b.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	dial := func() *peer {
		c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{RootCAs: pool, ServerName: "localhost"})
		if err != nil {
			t.Fatal(err)
		}
		return newPeer(t, c)
	}
	for _, v := range versions {
		p := dial()
		p.open(v)
		p.send("SUBSCRIBE\nid:s\ndestination:/queue/a\n\n")
		body := strings.Repeat("x", 300000)
		p.send("SEND\ndestination:/queue/a\nreceipt:r\n\n" + body)
		p.message("over TLS", body)
		p.expect("over TLS", frame.RECEIPT)
		p.send("DISCONNECT\nreceipt:d\n\n")
		p.expect("over TLS", frame.RECEIPT, "receipt-id", "d")
		p.closed("close_notify")
	}
	p := dial()
	p.open("1.2")
	p.send("SEND\n\nx")
	p.refused("over TLS", "without destination")

	// Without TLS the handshake fails, and nothing else does.
	plain := connectTCP(t, l.Addr().String())
	plain.raw("CONNECT\naccept-version:1.2\nhost:h\n\n\x00")
	if f, err := plain.next(patience); err == nil {
		t.Errorf("got %v without TLS", f.Command)
	}
	dial().open("1.2")
}
