package substrate_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"testing"
	"time"
)

var faultSeed = flag.Uint64("fault-seed", 1, "which faults the tests of faults meet, and when")

// faults returns the randomness of a test, which is its own: what one test draws is no matter of another.
func faults(t *testing.T) *rand.Rand {
	t.Helper()
	name := uint64(0)
	for _, c := range t.Name() {
		name = name*31 + uint64(c)
	}
	return rand.New(rand.NewPCG(*faultSeed, name))
}

// unusedPorts returns ports of loopback that nobody listens on. They are below those that a system gives to who asks for any, so that nobody gets
// one while its server is down.
func unusedPorts(t *testing.T, n int) []int {
	t.Helper()
	free := map[int]bool{}
	for tries := 0; len(free) < n; tries++ {
		port := 15_000 + rand.IntN(15_000)
		ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			must(t, ln.Close())
			free[port] = true
		} else if tries > 1000 {
			t.Fatal(err)
		}
	}
	return slices.Collect(maps.Keys(free))
}

// await waits for something that happens elsewhere, in another process or in a server that says no word of it.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	late := time.After(4 * time.Minute)
	for !so() {
		select {
		case <-look.C:
		case <-late:
			t.Fatalf("it does not come about: %s", what)
		}
	}
}

// shuffled returns what is drawn from all, each as often as any other but for one.
func shuffled[T any](r *rand.Rand, n int, all ...T) []T {
	var drawn []T
	for len(drawn) < n {
		round := slices.Clone(all)
		r.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		drawn = append(drawn, round...)
	}
	return drawn[:n]
}
