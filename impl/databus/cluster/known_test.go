package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// DATABUS-CACHE-001, -002, -003: the cache does what one does that looks through all it holds, whatever is owned and let go meanwhile.
func TestKnownBesidePlain(t *testing.T) {
	for _, slips := range []bool{false, true} {
		w := newWorld(t, Rules{CapSlips: slips})
		c := w.add("a", "ta", nil).c
		rng := rand.New(rand.NewPCG(1, 2))
		var plain []string
		for i := range 6000 {
			topic := fmt.Sprint("x", rng.IntN(900))
			key := record.Hash(topic)
			switch {
			case i%7 == 0 && slices.Contains(plain, key):
				c.assigned.set(key, topic)
			case i%11 == 0:
				c.assigned.remove(key)
				c.forgettable(key)
			case i%13 == 0:
				c.known.remove(key)
				plain = slices.DeleteFunc(plain, func(k string) bool { return k == key })
			default:
				c.remember(topic)
				if !slices.Contains(plain, key) {
					plain = append(plain, key)
				}
				if len(plain) > MaxKnown {
					at := slices.IndexFunc(plain, func(k string) bool { return k != key && !c.assigned.has(k) })
					if at == 0 || at > 0 && !slips {
						plain = slices.Delete(plain, at, at+1)
					}
				}
			}
			if i%50 == 0 && !slices.Equal(c.known.all(), plain) {
				t.Fatalf("slips %t, step %d: %d known, want %d", slips, i, c.known.len(), len(plain))
			}
			if len(c.idle) > 2*c.known.len()+8 {
				t.Fatalf("%d places of %d topics", len(c.idle), c.known.len())
			}
		}
		if c.known.len() < MaxKnown {
			t.Errorf("%d topics only", c.known.len())
		}
	}
}

// The places of what has gone do not pile up, and the order is that of the last coming.
func TestOrdered(t *testing.T) {
	o := newOrdered()
	var plain []string
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 5000 {
		key := fmt.Sprint(rng.IntN(40))
		if rng.IntN(2) == 0 {
			if !o.has(key) {
				plain = append(plain, key)
			}
			o.set(key, key+"v")
		} else {
			o.remove(key)
			plain = slices.DeleteFunc(plain, func(k string) bool { return k == key })
		}
		first := ""
		if len(plain) > 0 {
			first = plain[0]
		}
		if !slices.Equal(o.all(), plain) || o.len() != len(plain) || i%3 == 0 && o.first() != first || len(o.order) > 2*len(plain)+9 {
			t.Fatalf("step %d: %v and %d places, want %v", i, o.all(), len(o.order), plain)
		}
	}
}
