package fuzz

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/corpus"
	shake "github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// heard is what one side of a handshake has come to.
type heard struct {
	sends  [][]byte
	ready  *corpus.Agreed
	closes int
	at     int // how many messages it took
}

// sideConfig is what a side of the corpus is to the reference.
func sideConfig(s *corpus.Side, warned func()) shake.Config {
	c := shake.Config{
		Peer: string(s.Peer), Epoch: [8]byte(s.Epoch), Auth: shake.None(), Unauthenticated: warned, Features: s.Features,
		Seal: suitesNamed(s.Seal), Sign: suitesNamed(s.Sign),
		Rand: bytes.NewReader(slices.Concat(s.Nonce, s.Challenge, s.Decoy)),
	}
	if s.Keys != nil {
		c.Auth = shake.HMAC(func(peer string) (shake.Record, bool) {
			key, known := s.Keys[peer]
			if !known {
				return shake.Record{}, false
			}
			return shake.Record{Key: shake.Key(key)}, true
		})
	}
	return c
}

func suitesNamed(names []string) shake.Registry {
	var out shake.Registry
	for _, name := range names {
		out = append(out, shake.NamedSuite{Name: name, Suite: shake.PlainSuites()[0].Suite})
	}
	return out
}

// A shakeSide is either end.
type shakeSide interface {
	Receive(now time.Time, b []byte) (shake.Step, *shake.Failure)
}

// runSide lets one side of the reference hear the messages of a vector.
func runSide(v *corpus.SubstrateVector) (heard, error) {
	return hearAll(v.Op == corpus.DialHandshake, v.Side, v.Hears, v.Age)
}

func hearAll(dials bool, s *corpus.Side, hears []corpus.Hex, age int64) (heard, error) {
	var (
		out    heard
		opened = time.UnixMilli(1_700_000_000_000)
		warned = 0
		side   shakeSide
	)
	c := sideConfig(s, func() { warned++ })
	if dials {
		d, err := shake.NewDialer(opened, c)
		if err != nil {
			return out, err
		}
		out.sends = append(out.sends, d.Hello())
		side = d
	} else {
		l, err := shake.NewListener(opened, c)
		if err != nil {
			return out, err
		}
		side = l
	}
	// SUBSTRATE-AUTH-001
	if (warned == 1) != (s.Keys == nil) {
		return out, fmt.Errorf("warned %d times", warned)
	}
	for _, b := range hears {
		message := slices.Clone([]byte(b))
		step, failure := side.Receive(opened.Add(time.Duration(age)*time.Millisecond), message)
		overwrite(message)
		out.at++
		out.sends = append(out.sends, step.Send...)
		if failure != nil {
			if out.closes = int(failure.CloseCode); len(step.Send) > 0 || step.Ready != nil {
				return out, fmt.Errorf("failed and went on: %+v", step)
			}
			break
		}
		if step.Ready != nil {
			out.ready = agreedOf(step.Ready)
			break
		}
	}
	return out, nil
}

func agreedOf(r *shake.Result) *corpus.Agreed {
	t := &r.Tuple
	return &corpus.Agreed{
		Version: t.Version, Features: t.Features, Auth: t.Auth, Seal: t.E2ESeal, Sign: t.E2ESign, Codec: t.Codec, DedupeScope: t.DedupeScope,
		ConnID: t.ConnID[:], Transcript: r.TranscriptHash[:], Peer: r.Peer, Epoch: r.Epoch[:],
	}
}

func sameHeard(v *corpus.SubstrateVector, got heard) error {
	want := heard{ready: v.Want.Ready, closes: v.Want.Closes, at: len(v.Hears)}
	for _, b := range v.Want.Sends {
		want.sends = append(want.sends, b)
	}
	return differ(want, got)
}

// differ says how two sides that heard the same differ.
func differ(want, got heard) error {
	for i, b := range want.sends {
		if i < len(got.sends) && !bytes.Equal(b, got.sends[i]) {
			return fmt.Errorf("message %d is %x, want %x", i+1, got.sends[i], b)
		}
	}
	switch {
	case len(got.sends) != len(want.sends):
		return fmt.Errorf("%d messages were sent, want %d", len(got.sends), len(want.sends))
	case got.closes != want.closes:
		return fmt.Errorf("closes with %d, want %d", got.closes, want.closes)
	case fmt.Sprint(got.ready) != fmt.Sprint(want.ready):
		return fmt.Errorf("ready with %v, want %v", got.ready, want.ready)
	case got.at != want.at:
		return fmt.Errorf("over after %d messages, want %d", got.at, want.at)
	}
	return nil
}
