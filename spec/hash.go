package spec

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

// Hash identifies the law set: the lower-case hex SHA-256 of every field of every law but File and Line, in order of id.
// It changes when any law changes, and not with the layout, comments or order of the files.
func (c *Catalogue) Hash() string { return hashLaws(c.All()) }

// ProtocolHash is Hash over the laws of one protocol, so that a change of another protocol's laws leaves it alone. It is
// empty for an unknown protocol.
func (c *Catalogue) ProtocolHash(protocol string) string {
	laws, ok := c.laws[protocol]
	if !ok {
		return ""
	}
	return hashLaws(slices.Clone(laws))
}

// hashLaws orders laws in place.
func hashLaws(laws []Law) string {
	slices.SortFunc(laws, func(a, b Law) int { return strings.Compare(a.ID, b.ID) })
	var buf []byte
	// Every text is preceded by its length and every list by its count, so that no two law sets share an encoding.
	text := func(ss ...string) {
		for _, s := range ss {
			buf = binary.AppendUvarint(buf, uint64(len(s)))
			buf = append(buf, s...)
		}
	}
	buf = binary.AppendUvarint(buf, uint64(len(laws)))
	for _, l := range laws {
		text(l.ID, l.Protocol, l.Group, l.Role, string(l.Level))
		buf = binary.AppendUvarint(buf, uint64(len(l.Versions)))
		text(l.Versions...)
		text(l.Since, l.Kind)
		decision := byte(0)
		if l.Decision {
			decision = 1
		}
		buf = append(buf, decision)
		text(l.Title, l.Statement, l.Source, l.Check, l.Notes, l.Withdrawn)
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:])
}
