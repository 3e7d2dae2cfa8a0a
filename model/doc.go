// Package model says what may happen, as executable state machines, and walks
// them.
//
// A [Machine] is a pure description: an initial state, the actions worth trying
// in a state, and for each action every outcome that the laws allow. It knows
// nothing of sockets, clocks or any implementation, so it is a second, independent
// reading of the laws, and its agreement with a real thing means something.
// The environment is part of the machine: a link that loses a message or a peer that
// crashes is an action like any other. Where the laws leave a choice, Step
// yields every outcome; a machine that yields one outcome where the laws allow two
// will blame the innocent.
//
// Five things can be done with any machine:
//
//   - [Exhaust] visits every state to a bound, breadth first, checks every law on
//     the way, and returns a shortest counterexample. It shows that the laws
//     do not contradict each other, and that a design keeps them.
//   - [Live] visits the same states and shows that from each of them the actions that
//     are sure to be taken lead to a goal, or finds a shortest way to one where they do not.
//   - [Walk] takes random walks, driven by rapid, for machines too large to
//     exhaust. A failure is shrunk.
//   - [Lockstep] gives the same random actions to the machine and to a real thing in
//     the same process, and compares what is observed.
//   - [Accepts] and [Acceptor] judge a trace that was recorded elsewhere.
//
// The last two keep the set of all states that are still possible, so that a
// nondeterministic machine judges fairly: a real thing is wrong only when no
// possible state allows what it did. Besides, [Unfold] keeps a small part of
// a machine to be drawn by [WriteDOT] or [WriteMermaid].
//
// Start with the example of [Exhaust]. Each [Invariant] and [EdgeInvariant]
// carries the id of the law that it states, and every failure names it.
//
// # Keys
//
// AppendKey is where most faults of a machine hide. States with equal keys are one
// state: a field left out of the key that Step depends on makes the explorer
// skip futures without a word. A field in the key that nothing depends on, or
// a set written in the order of insertion, splits one state into many and makes
// exploration slow but not wrong. Write each variable part after its length, or
// end it with a byte that cannot occur in it: otherwise two different states may
// write the same bytes.
//
// # What Exhaust promises
//
// States are told apart by a 64-bit fingerprint of the key. If two keys of n
// share one, the second state and what only it leads to are lost; the chance
// is about n²/2⁶⁵ for keys that were not made to collide: one in 1.5 million for 5
// million states. [Result.CollisionOdds] says it for a given run. With [ExhaustConfig.Exact]
// whole keys are kept and compared, nothing can be lost, and
// [Result.Collisions] says how many states the fingerprints would have lost.
//
// Fingerprints are the same in every run and on every machine, and a level of the
// exploration is always finished before a verdict is given, so counts and
// verdicts do not depend on timing or on the number of workers; the comment
// of Exhaust names the two exceptions.
//
// A state costs 8 bytes for its link to the state before it, from which traces
// are rebuilt by asking the machine again, 11 to 22 bytes in the table of
// fingerprints, and its own size while it waits to be expanded.
//
// # Fast machines
//
// Exhaust itself allocates nothing for a step, so its speed is the machine's:
//
//   - Let S be a small struct of arrays and numbers without pointers. Slices, maps
//     and strings in S have to be copied in Step, and garbage collection has
//     to look into every waiting state.
//   - Step returns a closure. Keep it to one allocation: change a copy of the
//     state that is made inside the closure, and never take the address of the
//     parameter, which would move it to the heap on its own.
//   - Answer an impossible action before making the closure, with one that is
//     shared, or do not let Actions yield it.
//   - Let Actions return a function that exists already, if it is always the same.
//   - When that is not enough, make the machine an [Expander], which allocates
//     nothing, and check it with [CheckExpander].
//
// Walk and Lockstep use rapid and take its flags, such as -rapid.steps and
// -rapid.checks. They are meant for tests.
package model
