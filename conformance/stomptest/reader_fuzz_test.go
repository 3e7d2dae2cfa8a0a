package stomptest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// longestRead bounds a fuzzed stream: a frame keeps its octets up to maxKeptRaw, and the reader looks at an unfinished frame again with
// each octet.
const longestRead = 2 << 10

// FuzzStompSuiteReader holds the tolerant reader to what it is for: it takes any octets, accounts for each of them, does not depend on how
// they are cut, and makes of what the codec machine takes the same frames, at the same octet, without a fault.
func FuzzStompSuiteReader(f *testing.F) {
	vectors, err := corpus.StompVectors()
	if err != nil {
		f.Fatal(err)
	}
	bugs, err := corpus.Bugs()
	if err != nil {
		f.Fatal(err)
	}
	for _, b := range bugs {
		vectors = append(vectors, corpus.StompVector{Citation: b.Citation, Feeds: b.Packets})
	}
	seen := map[string]bool{}
	for _, v := range vectors {
		stream := v.Stream()
		if len(stream) == 0 || len(stream) > longestRead {
			continue
		}
		var cuts []byte
		for _, feed := range v.Feeds {
			cuts = append(cuts, byte(min(len(feed), 255)))
		}
		in := byte(0)
		for _, version := range v.Versions {
			in |= 1 << slices.Index(stompmodel.Versions(), stompmodel.Version(version))
		}
		key := fmt.Sprintf("%q %d", v.Feeds, in)
		if !seen[key] {
			seen[key] = true
			f.Add(stream, cuts, in)
		}
	}
	// The last octet is a set of versions; an empty one stands for all.
	f.Fuzz(func(t *testing.T, stream, cuts []byte, in byte) {
		if len(stream) > longestRead {
			t.Skip("longer than a fuzzed stream may be")
		}
		chunks := [][]byte{}
		rest := stream
		for _, c := range cuts {
			n := min(int(c), len(rest))
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		chunks = append(chunks, rest)
		for i, version := range stompmodel.Versions() {
			if in&7 != 0 && in>>i&1 == 0 {
				continue
			}
			if err := readsAll(string(version), stream, chunks); err != nil {
				t.Errorf("%v\nSTOMP %s, chunks %q", err, version, chunks)
			}
			if err := readsAsMachine(version, stream); err != nil {
				t.Errorf("%v\nSTOMP %s, stream %q", err, version, stream)
			}
		}
	})
}

// readsAll feeds the stream in chunks and in single octets: both give the same, and every octet is in a frame, an EOL or the rest.
func readsAll(version string, stream []byte, chunks [][]byte) error {
	cut, single := &reader{version: version}, &reader{version: version}
	var frames, singles []*wireFrame
	for _, c := range chunks {
		frames = append(frames, cut.feed(c, time.Time{})...)
	}
	for i := range stream {
		singles = append(singles, single.feed(stream[i:i+1], time.Time{})...)
	}
	if len(frames) != len(singles) {
		return fmt.Errorf("%d frames in chunks, %d octet by octet", len(frames), len(singles))
	}
	rest := stream
	eols, crs := 0, 0
	between := func() {
		for len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
			if rest[0] == '\n' {
				eols++
			} else {
				crs++
			}
			rest = rest[1:]
		}
	}
	for i, f := range frames {
		between()
		if len(f.Raw) == 0 || !bytes.HasPrefix(rest, f.Raw) {
			return fmt.Errorf("frame %d is said to be %q, and what is left is %q", i+1, f.Raw, rest)
		}
		rest = rest[len(f.Raw):]
		if s := singles[i]; !sameFrame(f, s) || !bytes.Equal(f.Raw, s.Raw) || !slices.Equal(f.Faults, s.Faults) {
			return fmt.Errorf("frame %d is %+v in chunks, %+v octet by octet", i+1, f, s)
		}
	}
	between()
	for _, r := range []*reader{cut, single} {
		if !bytes.Equal(r.buf, rest) || r.eols != eols || r.cr != crs || r.partial() != (len(rest) > 0) {
			return fmt.Errorf("%d LF, %d CR and %q are left, the reader has %d, %d and %q", eols, crs, rest, r.eols, r.cr, r.buf)
		}
	}
	return nil
}

func sameFrame(a, b *wireFrame) bool {
	return a.Command == b.Command && slices.Equal(a.Headers, b.Headers) && bytes.Equal(a.Body, b.Body)
}

// readsAsMachine steps both octet by octet for as long as the machine takes them.
func readsAsMachine(version stompmodel.Version, stream []byte) error {
	m, err := stompmodel.NewCodec(stompmodel.DefaultCodecConfig(version))
	if err != nil {
		return err
	}
	r := &reader{version: string(version)}
	s := m.Init()
	beats := 0
	for i := range stream {
		next, event, fault := m.Step(m.BeginFeed(s), stream[i])
		if s = next; fault != nil {
			return nil
		}
		got := r.feed(stream[i:i+1], time.Time{})
		if event != nil && event.Heartbeat {
			beats++
			event = nil
		}
		if event == nil {
			if len(got) != 0 || r.eols != beats {
				return fmt.Errorf("octet %d completes %d frames and %d EOLs, want none and %d", i, len(got), r.eols, beats)
			}
			continue
		}
		if len(got) != 1 {
			return fmt.Errorf("octet %d completes %d frames, want 1", i, len(got))
		}
		if want := asRead(event.Frame); !sameFrame(got[0], want) || len(got[0].Faults) != 0 {
			return fmt.Errorf("octet %d: %+v with the faults %v, want %+v", i, got[0], got[0].Faults, want)
		}
		if unknown, ok := event.Frame.Get("version"); event.Frame.Command == "CONNECTED" && ok && !stompmodel.Version(unknown).Known() {
			// Whose rules follow is nobody's to say.
			return nil
		}
	}
	return nil
}

// asRead is a frame of the machine as the reader shows it.
func asRead(f stompmodel.Frame) *wireFrame {
	want := &wireFrame{Command: f.Command, Body: f.Body}
	for _, h := range f.Headers {
		want.Headers = append(want.Headers, header(h))
	}
	return want
}
