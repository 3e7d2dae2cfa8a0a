// Package conformance judges a target by cases: experiments that cite the laws which they decide. It runs them, confirms what they
// find, and writes results, baselines and replays.
//
// A suite for another protocol is built from these parts. A [Suite] names the protocol and lists its [Case] values, the probe, which
// makes [Capabilities] of what a target can do, and the reference. Cases are written against the suite's own words for its protocol,
// a struct around [T], and [With] makes a case of such a function. A peer on a socket is reached with [T.Dial], and a client under
// judgement met at [T.Listen]: octets come from [Conn.Next], the suite reads them with a reader of its own and keeps what nobody has
// asked for yet. A target inside a program is reached by [T.Greet], [T.Ask], [T.TryAsk] and [T.MustAsk], which say who is to blame: a
// command of the scheme exec, an adapter in Go in [Config].Adapter, and the reference in [Reference].Adapter all take that way
// (spec/adapter.md); package adapter is the other end. Verdicts are given by [T.Check] and [T.Equal], by [T.Missed] for what did not
// come, and by [T.Broken] and [T.Chose] for anything else; law levels and doubts are not the case's concern. Sessions that are drawn from
// the seed and made small are a campaign of package generate. In tests, package suitetest holds the list of cases against the
// laws, and breaks targets on purpose; the list in package suites makes the suite known to the command.
package conformance
