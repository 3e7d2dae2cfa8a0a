package fuzz

import "math/rand/v2"

// draws makes choices out of numbers: draw(n) is one below n, from a random source, from rapid or from the octets of a fuzz
// input. What is chosen when draw gives 0 is the common choice: it is what is left when the octets run out.
type draws struct{ draw func(n int) int }

// rarely is true once in n times.
func (d draws) rarely(n int) bool { return d.draw(n) == n-1 }

// one returns one of the choices. What stands more than once is likelier.
func one[T any](d draws, choices ...T) T { return choices[d.draw(len(choices))] }

// drawFrom draws from the octets of a script, which it takes away, as many as the number needs.
func drawFrom(script *[]byte) draws {
	return draws{func(n int) int {
		at := 0
		for reach := 1; reach < n; reach <<= 8 {
			if len(*script) == 0 {
				return 0
			}
			at, *script = at<<8|int((*script)[0]), (*script)[1:]
		}
		return at % n
	}}
}

func randomScript(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 7))
	out := make([]byte, 200+rng.IntN(600))
	for i := range out {
		out[i] = byte(rng.Uint32())
	}
	return out
}
