// Package cddltest holds octets against a grammar in CDDL (RFC 8610), for tests that hold a grammar and a codec against each other. Start
// with [Parse] and [Grammar.Match].
//
// It knows the part of CDDL that spec/substrate.cddl is written in: rules, groups, maps, arrays of one repeated type, choices, literals,
// ranges, and the controls .size, .regexp and .lt. A key with a colon cuts: once it is there, its value must match. Anything else is an
// error of Parse, so that no part of a grammar is passed over in silence.
package cddltest
