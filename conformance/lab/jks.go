package lab

import (
	"bytes"
	"crypto/rand"
	"crypto/sha1"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"fmt"
	"time"
	"unicode/utf16"
)

// jksEntry is the one entry of a key store: a private key in PKCS #8 and its certificates in DER, the server's own
// first.
type jksEntry struct {
	alias    string
	key      []byte
	chain    [][]byte
	password string
	at       time.Time
}

// The format of a Java key store, version 2.
const (
	jksMagic      = 0xfeedfeed
	jksVersion    = 2
	jksPrivateKey = 1
	// jksWhitener goes between password and contents in the digest at the end.
	jksWhitener = "Mighty Aphrodite"
)

// jksKeyProtection is the object identifier of the format's own key encryption.
var jksKeyProtection = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 42, 2, 17, 1, 1}

// encodeJKS returns a Java key store with one entry. The format's protection is weak, which is no matter
// for a key that lives as long as one test broker; it is used because every Java reads it and it needs no tool.
func encodeJKS(e jksEntry) ([]byte, error) {
	key, err := protectJKSKey(e.key, e.password)
	if err != nil {
		return nil, fmt.Errorf("protect key of key store entry %q: %w", e.alias, err)
	}
	var b []byte
	b = binary.BigEndian.AppendUint32(b, jksMagic)
	b = binary.BigEndian.AppendUint32(b, jksVersion)
	b = binary.BigEndian.AppendUint32(b, 1)
	b = binary.BigEndian.AppendUint32(b, jksPrivateKey)
	b = appendJKSString(b, e.alias)
	b = binary.BigEndian.AppendUint64(b, uint64(e.at.UnixMilli()))
	b = appendJKSBytes(b, key)
	b = binary.BigEndian.AppendUint32(b, uint32(len(e.chain)))
	for _, der := range e.chain {
		b = appendJKSString(b, "X.509")
		b = appendJKSBytes(b, der)
	}
	sum := sha1.Sum(bytes.Join([][]byte{jksPassword(e.password), []byte(jksWhitener), b}, nil))
	return append(b, sum[:]...), nil
}

// protectJKSKey encrypts with a key stream of chained SHA-1 digests and adds a digest of the plain key.
func protectJKSKey(plain []byte, password string) ([]byte, error) {
	pw := jksPassword(password)
	salt := make([]byte, sha1.Size)
	if _, err := rand.Read(salt); err != nil {
		return nil, fmt.Errorf("read random salt: %w", err)
	}
	out := bytes.Clone(salt)
	link := salt
	for off := 0; off < len(plain); off += sha1.Size {
		d := sha1.Sum(append(bytes.Clone(pw), link...))
		link = d[:]
		for i := off; i < min(off+sha1.Size, len(plain)); i++ {
			out = append(out, plain[i]^d[i-off])
		}
	}
	check := sha1.Sum(append(bytes.Clone(pw), plain...))
	return asn1.Marshal(struct {
		Algorithm pkix.AlgorithmIdentifier
		Data      []byte
	}{
		Algorithm: pkix.AlgorithmIdentifier{Algorithm: jksKeyProtection, Parameters: asn1.NullRawValue},
		Data:      append(out, check[:]...),
	})
}

// jksPassword is the password in UTF-16, high octet first.
func jksPassword(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.BigEndian.AppendUint16(b, u)
	}
	return b
}

func appendJKSString(b []byte, s string) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(s)))
	return append(b, s...)
}

func appendJKSBytes(b, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	return append(b, data...)
}
