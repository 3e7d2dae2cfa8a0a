package generate

import (
	"fmt"
	"math/rand"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/commands"
)

// A Move is one command of a sequence: a plain value, chosen before anything is played.
type Move[M any] interface {
	fmt.Stringer
	// Simpler returns moves that do less, for shrinking.
	Simpler() []M
}

// A Scene is what a sequence has come to, as far as it can be known before it is played. It is a value, and says in a few words what
// sets it apart when a sequence begins.
type Scene[S, M any] interface {
	fmt.Stringer
	// Draw returns a random move that makes sense; the last of a sequence is its end.
	Draw(r *rand.Rand) M
	// Allows reports whether a move makes sense.
	Allows(m M) bool
	// After returns the scene that a move leads to.
	After(m M) S
}

// A Player plays one sequence.
type Player[M any] interface {
	// Play plays one move and reports whether nothing came of it that is looked for.
	Play(m M) bool
	// Close ends the sequence.
	Close()
}

// A Search plays sequences that are drawn from a seed until a Player reports false, and then simpler ones than that, as long as they
// come to the same. The Player remembers what it found. All fields are required.
type Search[S Scene[S, M], M Move[M]] struct {
	Seed              int64
	Runs              int // sequences
	Shortest, Longest int // moves of the first sequence, the end included, and what no sequence has
	Shrinks           int // tries to make a finding smaller
	// Begin draws the scene in which a sequence of so many moves begins.
	Begin func(r *rand.Rand, moves int) S
	// Open begins to play in a scene.
	Open func(S) Player[M]
}

// Run searches. Every run draws the same.
func (s Search[S, M]) Run() {
	params := gopter.DefaultTestParametersWithSeed(s.Seed)
	params.Rng = rand.New(rand.NewSource(s.Seed))
	params.MinSuccessfulTests, params.MinSize, params.MaxSize = s.Runs, s.Shortest, s.Longest
	params.MaxShrinkCount = s.Shrinks
	result := commands.Prop(&commands.ProtoCommands{
		InitialStateGen: func(params *gopter.GenParameters) *gopter.GenResult {
			return gopter.NewGenResult(s.Begin(params.Rng, params.MaxSize), gopter.NoShrinker)
		},
		GenCommandFunc: func(state commands.State) gopter.Gen {
			return func(params *gopter.GenParameters) *gopter.GenResult {
				return gopter.NewGenResult(command[S, M]{state.(S).Draw(params.Rng)}, simpler[S, M])
			}
		},
		NewSystemUnderTestFunc:     func(state commands.State) commands.SystemUnderTest { return s.Open(state.(S)) },
		DestroySystemUnderTestFunc: func(sut commands.SystemUnderTest) { sut.(Player[M]).Close() },
	}).Check(params)
	if result.Status == gopter.TestError {
		panic(fmt.Sprintf("property: %v\n%s", result.Error, result.ErrorStack))
	}
}
