package fuzz

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// largestSeed keeps the targets quick: twice the default line limit fits, and what needs more octets to be seen is a vector, not a seed.
const largestSeed = 16 << 10

func corpusBugs(t testing.TB) []corpus.Bug {
	t.Helper()
	bugs, err := corpus.Bugs()
	if err != nil {
		t.Fatal(err)
	}
	if len(bugs) == 0 {
		t.Fatal("the corpus has no bug report")
	}
	return bugs
}

func versionNamed(t testing.TB, name string) frame.Version {
	t.Helper()
	v, ok := frame.ParseVersion(name)
	if !ok {
		t.Fatalf("unknown version %q", name)
	}
	return v
}

// versionSet is a set of versions in one octet, so that one seed stands for a stream under several.
type versionSet byte

func setOf(versions ...frame.Version) versionSet {
	var s versionSet
	for _, v := range versions {
		s |= 1 << v
	}
	return s
}

// versions returns the versions in the set; an octet that holds none stands for all.
func (s versionSet) versions() []frame.Version {
	var out []frame.Version
	for _, v := range []frame.Version{frame.V10, frame.V11, frame.V12} {
		if s&setOf(v) != 0 || s&7 == 0 {
			out = append(out, v)
		}
	}
	return out
}

// A streamSeed is a stream of the corpus and the versions that it is there for.
type streamSeed struct {
	in     versionSet
	stream []byte
	feeds  []corpus.Text
	limits *corpus.Limits
}

// streamSeeds returns every stream of the corpus that is short enough, the judged ones and the bug reports too, each once.
func streamSeeds(t testing.TB) []streamSeed {
	t.Helper()
	var out []streamSeed
	at := map[string]int{}
	add := func(versions []string, feeds []corpus.Text, limits *corpus.Limits) {
		stream := slices.Concat(feeds...)
		if len(stream) > largestSeed {
			return
		}
		key := fmt.Sprintf("%q %v", feeds, limits)
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, streamSeed{stream: stream, feeds: feeds, limits: limits})
		}
		for _, name := range versions {
			out[i].in |= setOf(versionNamed(t, name))
		}
	}
	for _, v := range stompVectors(t, corpus.Decode, corpus.Judge) {
		add(v.Versions, v.Feeds, v.Limits)
	}
	for _, b := range corpusBugs(t) {
		add(b.Versions, b.Packets, nil)
	}
	return out
}

// negotiates tells whether what follows in a stream may depend on the handshake.
func negotiates(stream []byte) bool {
	return bytes.Contains(stream, []byte("CONNECT")) || bytes.Contains(stream, []byte("STOMP"))
}

// limitsFrom spreads the octets of shape over small limits; 0 stands for the defaults, which each side has of its own.
func limitsFrom(shape uint32) frame.Limits {
	if shape == 0 {
		return frame.Limits{}
	}
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], shape)
	return frame.Limits{Line: 1 + int(b[0]), Headers: int(b[1]) % 8, Body: int(b[2]), Events: 1 + int(b[3])%16}
}

// shapeOf is the reverse of limitsFrom, as far as the limits are small enough.
func shapeOf(l *corpus.Limits) uint32 {
	if l == nil || l.Line > 256 || l.Headers > 7 || l.Body > 255 || l.Events > 16 {
		return 0
	}
	return binary.LittleEndian.Uint32([]byte{byte(l.Line - 1), byte(l.Headers), byte(l.Body), byte(l.Events - 1)})
}

func modelVersion(v frame.Version) stompmodel.Version { return stompmodel.Version(v.String()) }

// modelFrame returns f as the model sees it.
func modelFrame(f *frame.Frame) stompmodel.Frame {
	m := stompmodel.Frame{Command: f.Command.String(), Body: f.Body}
	for _, h := range f.Headers {
		m.Headers = append(m.Headers, stompmodel.Header{Name: h.Name, Value: h.Value})
	}
	return m
}
