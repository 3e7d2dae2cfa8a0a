package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	peer "github.com/go-stomp/stomp/v3/frame"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/spec"
)

// FuzzStompPeer compares the reference decoder, under each version, with the frame reader of go-stomp: on any octets both deliver
// the same frames and stop at the same one, but for the listed differences.
func FuzzStompPeer(f *testing.F) {
	for _, s := range streamSeeds(f) {
		f.Add(s.stream, byte(s.in))
	}
	for _, d := range goStompDifferences() {
		f.Add([]byte(d.Input), byte(0))
	}
	f.Fuzz(func(t *testing.T, stream []byte, in byte) {
		if len(stream) > largestSeed || declaresMuch(stream) {
			t.Skip("longer than a seed may be, or makes the peer allocate what it declares")
		}
		for _, v := range versionSet(in).versions() {
			if err := comparePeer(v, stream, goStompDifferences()); err != nil {
				t.Fatalf("%v\nSTOMP %s, stream %q", err, v, stream)
			}
		}
	})
}

// declaresMuch tells whether a content-length goes beyond the limit: the peer would allocate it before the first octet came.
func declaresMuch(stream []byte) bool {
	for _, m := range regexp.MustCompile(`content-length:\s*([0-9]+)`).FindAllSubmatch(stream, -1) {
		if n, err := strconv.Atoi(string(m[1])); err != nil || n > 2*largestSeed {
			return true
		}
	}
	return false
}

// comparePeer reads stream with both, event by event, until one refuses or the stream ends. The limits of the reference are beyond what the
// stream reaches: the peer has none.
func comparePeer(v frame.Version, stream []byte, allowed []peerDifference) error {
	events, ends, err := decodeAll(v, stream, pinned)
	if err != nil {
		return err
	}
	theirs := peer.NewReader(bytes.NewReader(stream))
	begun := 0
	for i, e := range events {
		got, err := theirs.Read()
		if err != nil {
			return theirsRefuses(v, e.Frame, err, allowed)
		}
		if err := samePeerFrame(v, e.Frame, got, allowed); err != nil {
			return fmt.Errorf("at octet %d: %w", begun, err)
		}
		begun = ends[i]
	}
	got, err := theirs.Read()
	if err != nil {
		return nil
	}
	return oursRefuses(v, stream[begun:], got, allowed)
}

// oursRefuses judges octets of which the reference makes no event, and the peer does.
func oursRefuses(v frame.Version, octets []byte, got *peer.Frame, allowed []peerDifference) error {
	w := twin{version: v, handshake: pinned, limits: frame.Limits{Line: 2 * largestSeed, Headers: 2 * largestSeed, Body: 2 * largestSeed, Events: 1}}
	d, err := w.decoder(false)
	if err != nil {
		return err
	}
	for i, octet := range octetwise(octets) {
		if _, err = d.Feed(octet); err == nil {
			continue
		}
		var e *frame.Error
		if !errors.As(err, &e) {
			return fmt.Errorf("error %w is not typed", err)
		}
		for _, p := range allowed {
			if p.Applies(v) && slices.Contains(p.Takes, e.Rule) && (p.When == nil || p.When(string(octets[:i+1]))) {
				return nil
			}
		}
		break
	}
	return fmt.Errorf("reference: %w; peer delivers %+v of %q, and no listed difference allows it", err, got, octets)
}

func theirsRefuses(v frame.Version, f *frame.Frame, err error, allowed []peerDifference) error {
	for _, d := range allowed {
		if f != nil && d.Applies(v) && d.Refuses != nil && d.Refuses(f) {
			return nil
		}
	}
	return fmt.Errorf("reference delivers %+v; peer: %w, and no listed difference allows it", f, err)
}

func samePeerFrame(v frame.Version, ours *frame.Frame, theirs *peer.Frame, allowed []peerDifference) error {
	if ours == nil || theirs == nil {
		if ours != nil || theirs != nil {
			return fmt.Errorf("reference delivers %+v, peer %+v: one of them is a heart-beat", ours, theirs)
		}
		return nil
	}
	want := ours.Clone()
	for _, d := range allowed {
		if d.Applies(v) && d.Makes != nil {
			d.Makes(want)
		}
	}
	same := theirs.Command == want.Command.String() && theirs.Header.Len() == len(want.Headers) && bytes.Equal(theirs.Body, want.Body)
	for i := 0; same && i < len(want.Headers); i++ {
		name, value := theirs.Header.GetAt(i)
		same = want.Headers[i] == frame.Header{Name: name, Value: value}
	}
	if !same {
		return fmt.Errorf("reference delivers %s %q %q, peer %s %q %q, and no listed difference allows it",
			ours.Command, ours.Headers, ours.Body, theirs.Command, theirs.Header, theirs.Body)
	}
	return nil
}

// The list is minimal: without an entry its input is a difference that nothing allows, in every version that it names.
func TestEveryPeerDifferenceIsNeeded(t *testing.T) {
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	all := goStompDifferences()
	for i, d := range all {
		t.Run(d.Law, func(t *testing.T) {
			law, ok := laws.Law(d.Law)
			if !ok {
				t.Fatalf("%s is not a law", d.Law)
			}
			ways := 0
			for _, set := range []bool{d.Takes != nil, d.Makes != nil, d.Refuses != nil} {
				if set {
					ways++
				}
			}
			if ways != 1 || d.Says == "" || d.Input == "" || len(d.Versions) == 0 {
				t.Errorf("entry %d is not whole: %+v", i, d)
			}
			without := slices.Delete(slices.Clone(all), i, i+1)
			for _, name := range d.Versions {
				if !law.AppliesTo(name) {
					t.Errorf("%s does not hold in %s", d.Law, name)
				}
				v := versionNamed(t, name)
				if err := comparePeer(v, []byte(d.Input), all); err != nil {
					t.Errorf("with the whole list, in %s: %v", name, err)
				}
				if comparePeer(v, []byte(d.Input), without) == nil {
					t.Errorf("in %s, %q shows no difference without the entry", name, d.Input)
				}
			}
		})
	}
}

// Each rule of an entry is needed too.
func TestEveryRuleOfAPeerDifferenceIsNeeded(t *testing.T) {
	inputs := map[frame.Rule]string{
		frame.UnknownCommand: "SEND\r\n\n\x00",
		frame.HeaderShape:    "SEND\n\r\n\x00",
		frame.ContentLength:  "SEND\ncontent-length:0\r\n\n\x00",
	}
	all := goStompDifferences()
	for i, d := range all {
		if len(d.Takes) < 2 {
			continue
		}
		for j, rule := range d.Takes {
			without := slices.Clone(all)
			without[i].Takes = slices.Delete(slices.Clone(d.Takes), j, j+1)
			if err := comparePeer(frame.V11, []byte(inputs[rule]), all); err != nil {
				t.Errorf("%s %s: %v", d.Law, rule, err)
			}
			if comparePeer(frame.V11, []byte(inputs[rule]), without) == nil {
				t.Errorf("%s: nothing needs %s", d.Law, rule)
			}
		}
	}
}
