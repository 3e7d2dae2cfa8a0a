package eventbusmodel

// A reducerBug is a fault that a test seeds into the reducer, to show that an invariant can fail.
type reducerBug uint8

const (
	noReducerBug reducerBug = iota
	bugCursorGoesBack
	bugCountsUnknown
	bugIgnoresMalformed
	bugSkipForgetsCursor
	bugTerminalsWait
	bugWarningsPass
	bugResyncEnds
	bugResyncToggles
	bugWarningEnds
	bugTerminalKeepsPending
	bugLastTerminal
	bugSnapshotClears
	bugReplayEnds
	reducerBugCount
)
