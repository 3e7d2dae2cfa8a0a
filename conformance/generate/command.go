package generate

import (
	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/commands"
)

// A command is a move as gopter knows it. Its untyped values appear here alone.
type command[S Scene[S, M], M Move[M]] struct{ move M }

// String implements [commands.Command].
func (c command[S, M]) String() string { return c.move.String() }

// PreCondition reports whether the move makes sense in the scene.
func (c command[S, M]) PreCondition(state commands.State) bool { return state.(S).Allows(c.move) }

// NextState returns the scene after the move.
func (c command[S, M]) NextState(state commands.State) commands.State {
	return state.(S).After(c.move)
}

// Run plays the move.
func (c command[S, M]) Run(sut commands.SystemUnderTest) commands.Result {
	return sut.(Player[M]).Play(c.move)
}

// PostCondition is false once target and model have parted.
func (c command[S, M]) PostCondition(_ commands.State, agreed commands.Result) *gopter.PropResult {
	if agreed.(bool) {
		return &gopter.PropResult{Status: gopter.PropTrue}
	}
	return &gopter.PropResult{Status: gopter.PropFalse}
}

// simpler is the shrinker of a move.
func simpler[S Scene[S, M], M Move[M]](v any) gopter.Shrink {
	moves := v.(command[S, M]).move.Simpler()
	return func() (any, bool) {
		if len(moves) == 0 {
			return nil, false
		}
		next := moves[0]
		moves = moves[1:]
		return command[S, M]{next}, true
	}
}
