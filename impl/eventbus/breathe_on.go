//go:build race || interleave

package eventbus

import (
	"math/rand/v2"
	"runtime"
)

// breathe lets other goroutines run, now and then.
func breathe() {
	if rand.IntN(3) == 0 {
		runtime.Gosched()
	}
}
