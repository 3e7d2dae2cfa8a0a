package wire_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"regexp"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

var ulid = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

// SUBSTRATE-WIRE-007: the text of an id, from known bits.
func TestIDLayout(t *testing.T) {
	for _, c := range []struct {
		ms     int64
		random []byte
		want   string
	}{
		{0, bytes.Repeat([]byte{0}, 10), "00000000000000000000000000"},
		{1<<48 - 1, bytes.Repeat([]byte{0xff}, 10), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"},
		{1469918176385, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "01ARYZ6S41000G40R40M30E209"},
		{-5, bytes.Repeat([]byte{0x10}, 10), "0000000000" + "2081040G2081040G"},
	} {
		ids := wire.NewIDs(func() time.Time { return time.UnixMilli(c.ms) }, bytes.NewReader(c.random))
		if got := ids.Next(); got != c.want {
			t.Errorf("%d ms, %x: got %s, want %s", c.ms, c.random, got, c.want)
		}
	}
}

// SUBSTRATE-WIRE-007: a million ids of a clock that stands still and one that steps back.
func TestIDsAreUniqueAndRise(t *testing.T) {
	r := rand.NewChaCha8([32]byte{1})
	step := rand.New(rand.NewPCG(1, 2))
	now := time.UnixMilli(1_700_000_000_000)
	for name, tick := range map[string]func(){
		"stands still": func() {},
		"steps about":  func() { now = now.Add(time.Duration(step.IntN(7)-3) * time.Millisecond) },
	} {
		ids := wire.NewIDs(func() time.Time { return now }, r)
		last := ""
		for range 500_000 {
			tick()
			id := ids.Next()
			if id <= last {
				t.Fatalf("the clock %s: %s came after %s", name, id, last)
			}
			last = id
		}
		if !ulid.MatchString(last) || !wire.ValidID(last) {
			t.Errorf("%s is no id", last)
		}
	}
}

// SUBSTRATE-WIRE-007: when a millisecond has no id left, the next one is begun.
func TestIDsCarryOver(t *testing.T) {
	ids := wire.NewIDs(func() time.Time { return time.UnixMilli(5) }, bytes.NewReader(append(bytes.Repeat([]byte{0xff}, 10), make([]byte, 10)...)))
	a, b, c := ids.Next(), ids.Next(), ids.Next()
	if a != "0000000005ZZZZZZZZZZZZZZZZ" || b != "00000000060000000000000000" || c != "00000000060000000000000001" {
		t.Errorf("got %s, %s, %s", a, b, c)
	}
}

// SUBSTRATE-WIRE-007: several goroutines share one source.
func TestIDsAreShared(t *testing.T) {
	ids := wire.NewIDs(time.Now, nil)
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		seen = map[string]bool{}
	)
	for range 4 {
		wg.Go(func() {
			for range 500 {
				id := ids.Next()
				mu.Lock()
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != 2000 {
		t.Errorf("%d of 2000 ids differ", len(seen))
	}
}

func TestIDsNeedRandomness(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an id was minted of nothing")
		}
	}()
	wire.NewIDs(time.Now, iotest.ErrReader(errors.New("dry"))).Next()
}
