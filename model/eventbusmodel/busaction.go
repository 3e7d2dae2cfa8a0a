package eventbusmodel

import (
	"fmt"
	"strings"
)

// A BusOp is a call of a bus or of a subscription.
type BusOp string

// The operations.
const (
	OpPublish   BusOp = "publish"
	OpSeed      BusOp = "seed" // Later only
	OpSubscribe BusOp = "subscribe"
	OpNext      BusOp = "next"     // asks for one item; waits if there is none
	OpWithdraw  BusOp = "withdraw" // the last call of next that waits gives up
	OpAbort     BusOp = "abort"
	OpReturn    BusOp = "return"
	OpClose     BusOp = "close"
)

func (op BusOp) known() bool {
	switch op {
	case OpPublish, OpSeed, OpSubscribe, OpNext, OpWithdraw, OpAbort, OpReturn, OpClose:
		return true
	}
	return false
}

// An Epoch is the token that a subscriber gives.
type Epoch uint8

// What a token may be.
const (
	EpochAbsent Epoch = iota
	EpochRight        // that of this bus
	EpochWrong        // any other text
)

// A Callback says what the diagnostic callback of a subscription answers (EVENTBUS-EVICT-008).
type Callback uint8

// The callbacks.
const (
	CallbackAbsent Callback = iota
	CallbackTakes           // returns true
	CallbackLeaves          // returns false
	CallbackFails           // throws
)

// A BusAction is one call. Which fields matter depends on Op.
type BusAction struct {
	Op BusOp
	// Sub is the slot of the subscription: subscribe, next, withdraw, abort, return.
	Sub int
	// Now is the wall clock in ms: publish, seed.
	Now float64
	// Input is what is published, Inputs what is seeded.
	Input  Input
	Inputs []Input
	// Cursor says that lastEventId is given, and After is its value: subscribe, as are the fields below.
	Cursor    bool
	After     int64
	MaxQueued int // 0: the default
	Epoch     Epoch
	Aborted   bool // the signal is aborted already
	Callback  Callback
}

// String returns the action in a few words.
func (a BusAction) String() string {
	var b strings.Builder
	b.WriteString(string(a.Op))
	switch a.Op {
	case OpPublish:
		fmt.Fprintf(&b, " %s", a.Input)
	case OpSeed:
		fmt.Fprintf(&b, " %d", len(a.Inputs))
	case OpSubscribe:
		fmt.Fprintf(&b, " #%d", a.Sub)
		if a.Cursor {
			fmt.Fprintf(&b, " after %d", a.After)
		}
		if a.MaxQueued != 0 {
			fmt.Fprintf(&b, " maxQueued %d", a.MaxQueued)
		}
		b.WriteString([]string{"", " right epoch", " wrong epoch"}[min(a.Epoch, 2)])
		b.WriteString([]string{"", " callback true", " callback false", " callback throws"}[min(a.Callback, 3)])
		if a.Aborted {
			b.WriteString(" aborted")
		}
	case OpNext, OpWithdraw, OpAbort, OpReturn:
		fmt.Fprintf(&b, " #%d", a.Sub)
	}
	return b.String()
}

// String returns what distinguishes the input.
func (in Input) String() string {
	if in.Unserialisable {
		return "unserialisable " + in.Type
	}
	if in.Size != 0 {
		return fmt.Sprintf("%s of %d octets", in.Type, in.Size)
	}
	return fmt.Sprintf("%s %s", in.Type, in.Data)
}
