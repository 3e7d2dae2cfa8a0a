// Package storefuzz is the fuzz target of the stores of the substrate. It is a package of its own because a database is linked into it: a fuzz target looks at every
// branch of all that is linked after each input, and the others must not pay for that.
//
// Start with FuzzSubstrateStore. What it holds is with the other oracles, in fuzz.Oracles.
package storefuzz
