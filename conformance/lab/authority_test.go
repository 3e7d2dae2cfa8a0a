package lab

import (
	"bytes"
	"crypto/sha1"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"encoding/pem"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func readPEM(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := pem.Decode(raw)
	if b == nil {
		t.Fatalf("%s is not PEM", path)
	}
	return b.Bytes
}

func TestServerIdentityIsGoodForLoopbackOnly(t *testing.T) {
	id, err := issue(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ca, err := x509.ParseCertificate(readPEM(t, id.caFile))
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(readPEM(t, id.certFile))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	for name, good := range map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, "127.0.0.2": false, "example.org": false} {
		if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); (err == nil) != good {
			t.Errorf("certificate for %s: %v, want valid %v", name, err, good)
		}
	}
	if left := time.Until(cert.NotAfter); left > 25*time.Hour {
		t.Errorf("a throw-away certificate lasts %v", left)
	}
	for _, f := range []string{id.keyFile, id.jksFile} {
		if st, err := os.Stat(f); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("a key is for its owner only: %v, %v", st.Mode(), err)
		}
	}
}

// decodeJKS is the slow twin of encodeJKS: it reads a key store with one entry and checks every digest.
func decodeJKS(t *rapid.T, b []byte, password string) (e jksEntry) {
	pw := jksPassword(password)
	body, sum := b[:len(b)-sha1.Size], b[len(b)-sha1.Size:]
	h := sha1.New()
	h.Write(pw)
	h.Write([]byte("Mighty Aphrodite"))
	h.Write(body)
	if !bytes.Equal(h.Sum(nil), sum) {
		t.Fatal("the digest of the store does not match")
	}
	take := func(n int) []byte {
		if n > len(body) {
			t.Fatalf("%d octets wanted, %d left", n, len(body))
		}
		head := body[:n]
		body = body[n:]
		return head
	}
	u32 := func() int { return int(binary.BigEndian.Uint32(take(4))) }
	u16 := func() int { return int(binary.BigEndian.Uint16(take(2))) }
	for _, want := range []int{0xfeedfeed, 2, 1, 1} {
		if got := u32(); got != want {
			t.Fatalf("header word %#x, want %#x", got, want)
		}
	}
	e.alias = string(take(u16()))
	e.at = time.UnixMilli(int64(binary.BigEndian.Uint64(take(8))))
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Data      []byte
	}
	if rest, err := asn1.Unmarshal(take(u32()), &info); err != nil || len(rest) > 0 {
		t.Fatalf("key: %v, %d octets after it", err, len(rest))
	}
	link, cipher, check := info.Data[:20], info.Data[20:len(info.Data)-20], info.Data[len(info.Data)-20:]
	for i := range cipher {
		if i%20 == 0 {
			d := sha1.Sum(append(append([]byte{}, pw...), link...))
			link = d[:]
		}
		e.key = append(e.key, cipher[i]^link[i%20])
	}
	if d := sha1.Sum(append(append([]byte{}, pw...), e.key...)); !bytes.Equal(d[:], check) {
		t.Fatal("the digest of the key does not match")
	}
	for range u32() {
		if kind := string(take(u16())); kind != "X.509" {
			t.Fatalf("certificate of type %q", kind)
		}
		e.chain = append(e.chain, take(u32()))
	}
	if len(body) > 0 {
		t.Fatalf("%d octets after the entry", len(body))
	}
	return e
}

func TestKeyStoreCanBeReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		octets := rapid.SliceOfN(rapid.Byte(), 1, 100)
		in := jksEntry{
			alias: rapid.StringMatching(`[a-z]{1,10}`).Draw(t, "alias"), key: octets.Draw(t, "key"),
			chain:    rapid.SliceOfN(octets, 1, 3).Draw(t, "chain"),
			password: rapid.String().Draw(t, "password"), at: time.UnixMilli(rapid.Int64Range(0, 1<<42).Draw(t, "at")),
		}
		b, err := encodeJKS(in)
		if err != nil {
			t.Fatal(err)
		}
		out := decodeJKS(t, b, in.password)
		if out.alias != in.alias || !out.at.Equal(in.at) || !bytes.Equal(out.key, in.key) || len(out.chain) != len(in.chain) {
			t.Fatalf("in %+v, out %+v", in, out)
		}
		for i := range in.chain {
			if !bytes.Equal(out.chain[i], in.chain[i]) {
				t.Fatalf("certificate %d differs", i)
			}
		}
	})
}

func TestJavaReadsTheKeyStore(t *testing.T) {
	keytool, err := exec.LookPath("keytool")
	if err != nil {
		t.Skip("no keytool on this machine: it comes with a Java runtime (conformance/lab/install.sh activemq-classic)")
	}
	id, err := issue(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), keytool, "-J-Duser.language=en", "-list", "-v", "-keystore", id.jksFile, "-storepass", id.password).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Entry type: PrivateKeyEntry") || !strings.Contains(string(out), "chain length: 2") {
		t.Errorf("keytool: %v\n%s", err, out)
	}
}
