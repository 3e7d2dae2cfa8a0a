// Package heartbeat holds the arithmetic of STOMP heart-beating: the header's syntax, the
// negotiation of the two intervals and a clock that says when a beat is due and when the peer is
// dead. It does no I/O and reads no clock: times are int64 milliseconds that the caller supplies.
//
// Start with [Parse] and [Negotiate] when a session opens, then give the two intervals to [New] and
// call [Clock.Sent], [Clock.Received] and [Clock.Poll].
package heartbeat

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxInterval is the largest interval or tolerance, in milliseconds.
const MaxInterval = 1<<31 - 1

// Pair is the value of one party's heart-beat header, in milliseconds. The zero value, which is also
// what a missing header means (STOMP-HEARTBEAT-002), promises and asks nothing.
type Pair struct {
	// Send is the shortest interval at which the party can send data; 0: it sends no heart-beats.
	Send int64
	// Want is the interval at which the party wants to receive data; 0: it wants none.
	Want int64
}

// Parse reads the value of a heart-beat header: two decimal integers of 0 to [MaxInterval], one comma
// between them, nothing else. The error is a [*SyntaxError].
func Parse(value string) (Pair, error) {
	// STOMP-HEARTBEAT-001, STOMP-HEARTBEAT-009
	first, second, found := strings.Cut(value, ",")
	if !found {
		return Pair{}, &SyntaxError{Value: value, Reason: "no comma"}
	}
	send, reason := interval(first)
	if reason != "" {
		return Pair{}, &SyntaxError{Value: value, Reason: "first part " + reason}
	}
	want, reason := interval(second)
	if reason != "" {
		return Pair{}, &SyntaxError{Value: value, Reason: "second part " + reason}
	}
	return Pair{Send: send, Want: want}, nil
}

func interval(s string) (ms int64, reason string) {
	if s == "" {
		return 0, "is empty"
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, "is not all decimal digits"
		}
		// Checked at every digit, so that no length of input overflows.
		if ms = ms*10 + int64(s[i]-'0'); ms > MaxInterval {
			return 0, "is over " + strconv.Itoa(MaxInterval)
		}
	}
	return ms, ""
}

// String returns the header value for p, the inverse of [Parse] for a valid pair.
func (p Pair) String() string {
	return strconv.FormatInt(p.Send, 10) + "," + strconv.FormatInt(p.Want, 10)
}

// Validate reports a [*RangeError] naming the first part of p outside 0 to [MaxInterval].
func (p Pair) Validate() error {
	if err := inRange("send", p.Send); err != nil {
		return err
	}
	return inRange("want", p.Want)
}

// Negotiate returns the interval at which the client must send data and the interval at which the
// server must, both in milliseconds, 0 meaning never. A negative input is a [*RangeError].
func Negotiate(client, server Pair) (clientToServer, serverToClient int64, err error) {
	// STOMP-HEARTBEAT-012
	for _, input := range [...]struct {
		name string
		ms   int64
	}{
		{"client send", client.Send},
		{"client want", client.Want},
		{"server send", server.Send},
		{"server want", server.Want},
	} {
		if input.ms < 0 {
			return 0, 0, &RangeError{Name: input.name, Found: input.ms}
		}
	}
	return meet(client.Send, server.Want), meet(server.Send, client.Want), nil
}

// STOMP-HEARTBEAT-003
func meet(can, want int64) int64 {
	if can == 0 || want == 0 {
		return 0
	}
	return max(can, want)
}

// SyntaxError is a heart-beat header value that is not two intervals.
type SyntaxError struct {
	Value  string // the value as received
	Reason string // what is wrong with it
}

// Error quotes at most 64 octets of the value.
func (e *SyntaxError) Error() string {
	shown := e.Value
	if len(shown) > 64 {
		shown = shown[:64]
	}
	return fmt.Sprintf("parse heart-beat %q: %s", shown, e.Reason)
}

// RangeError is a number of milliseconds outside 0 to [MaxInterval].
type RangeError struct {
	Name  string // which input
	Found int64
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("heart-beat %s: %d ms is outside 0 to %d", e.Name, e.Found, MaxInterval)
}

func inRange(name string, ms int64) error {
	if ms < 0 || ms > MaxInterval {
		return &RangeError{Name: name, Found: ms}
	}
	return nil
}
