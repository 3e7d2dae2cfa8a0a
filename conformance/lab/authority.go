package lab

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// identity is a throw-away certificate authority and one server certificate that it signed, as
// files in a broker's folder.
type identity struct {
	caFile   string // PEM, the authority's certificate
	certFile string // PEM, the server's certificate
	keyFile  string // PEM, the server's key, PKCS #8
	jksFile  string // Java key store with key and chain
	password string // of the key store and of the key in it
}

// issue makes a new authority and server identity in dir. The names are localhost, 127.0.0.1 and ::1; it is
// valid for a day.
func issue(dir string) (identity, error) {
	id := identity{
		caFile:   filepath.Join(dir, "ca.pem"),
		certFile: filepath.Join(dir, "server.pem"),
		keyFile:  filepath.Join(dir, "server.key"),
		jksFile:  filepath.Join(dir, "server.jks"),
		password: "assay-lab",
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return identity{}, fmt.Errorf("make authority key: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return identity{}, fmt.Errorf("make server key: %w", err)
	}
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "Assay lab throw-away authority"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: "localhost"},
		NotBefore:    ca.NotBefore,
		NotAfter:     ca.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	if err != nil {
		return identity{}, fmt.Errorf("sign authority certificate: %w", err)
	}
	der, err := x509.CreateCertificate(rand.Reader, server, ca, key.Public(), caKey)
	if err != nil {
		return identity{}, fmt.Errorf("sign server certificate: %w", err)
	}
	return id, id.write(caDER, der, key, now)
}

func (id identity) write(caDER, der []byte, key crypto.Signer, now time.Time) error {
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("encode server key: %w", err)
	}
	jks, err := encodeJKS(jksEntry{
		alias: "server", key: pkcs8, chain: [][]byte{der, caDER}, password: id.password, at: now,
	})
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path string
		data []byte
	}{
		{id.caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER})},
		{id.certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})},
		{id.keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})},
		{id.jksFile, jks},
	} {
		if err := os.WriteFile(f.path, f.data, 0o600); err != nil {
			return fmt.Errorf("write server identity: %w", err)
		}
	}
	return nil
}
