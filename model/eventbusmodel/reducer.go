package eventbusmodel

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// MaxPending is how many permissions a view holds.
const MaxPending = 64

// A View is what the reducer laws know of the view of a session. It is a value: nothing that it points to is ever changed.
type View struct {
	Alive       bool
	LastEventID int64 // 0: none yet
	// Terminal is the type of the terminal event, and TerminalData its data; empty: none.
	Terminal, TerminalData string
	Awaiting               bool
	Resyncs                int
	LastResync             string // data of the last state_resync_required
	Warnings               int
	LastWarning            string // data of the last slow_client_warning
	// Unrecognized counts frames of known types that mean nothing to a view.
	Unrecognized int
	// Pending are the ids of the permissions that are asked for, in order of text.
	Pending []string
	// Degraded is recordingDegraded, which a full-state snapshot sets (EVENTBUS-REDUCER-002).
	Degraded bool
}

// A ReducerFrame is one frame of a session.
type ReducerFrame struct {
	ID   int64  // 0: none
	Type string // any text
	Data string // JSON; empty: there is no data
}

// String returns the frame on one line.
func (f ReducerFrame) String() string { return fmt.Sprintf("%d %s %s", f.ID, f.Type, f.Data) }

// A ReducerConfig fixes the scope of a reducer. Its zero value has none.
type ReducerConfig struct {
	Dialect Dialect
	// Most bounds each counter, for exploration: a frame that would count beyond it is impossible. 0: no bound.
	Most int
	// Scope holds the frames that Actions offers in every view.
	Scope []ReducerFrame
}

// Validate reports the first field that is out of range.
func (c ReducerConfig) Validate() error {
	switch {
	case c.Dialect != Seed && c.Dialect != Later:
		return fmt.Errorf("eventbusmodel: config: Dialect is %d, want 0 or 1", c.Dialect)
	case c.Most < 0:
		return fmt.Errorf("eventbusmodel: config: Most is %d, want 0 or more", c.Most)
	}
	for i, f := range c.Scope {
		if f.ID < 0 || f.ID > maxSafeInteger {
			return fmt.Errorf("eventbusmodel: config: Scope[%d].ID is %d, want 0 to %d", i, f.ID, int64(maxSafeInteger))
		}
	}
	return nil
}

// A Reducer is the machine of the view of one session: a model.Machine in which an action is a frame, and what is observed is the view after it. Where
// the laws do not say whether the data of a known type is well-formed, or whether a type is known, each answer is an outcome.
type Reducer struct {
	cfg ReducerConfig
	bug reducerBug
}

// NewReducer returns the machine for cfg, or the error of cfg.Validate.
func NewReducer(cfg ReducerConfig) (*Reducer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Reducer{cfg: cfg}, nil
}

// Init returns the view of a session that was just loaded: alive, and not awaiting a resync (EVENTBUS-REDUCER-004).
func (m *Reducer) Init() View { return View{Alive: true} }

// Actions yields the scope of the configuration.
func (m *Reducer) Actions(View) iter.Seq[ReducerFrame] { return slices.Values(m.cfg.Scope) }

// Step yields every view that the laws allow after f.
func (m *Reducer) Step(v View, f ReducerFrame) iter.Seq2[View, View] {
	return func(yield func(View, View) bool) {
		for _, next := range m.Outcomes(v, f) {
			if m.cfg.Most > 0 && max(next.Resyncs, next.Warnings, next.Unrecognized) > m.cfg.Most {
				continue
			}
			if !yield(next, next) {
				return
			}
		}
	}
}

// Outcomes returns every view that the laws allow after f.
func (m *Reducer) Outcomes(v View, f ReducerFrame) []View {
	// EVENTBUS-REDUCER-003
	if f.ID > v.LastEventID || m.bug == bugCursorGoesBack && f.ID != 0 {
		v.LastEventID = f.ID
	}
	counted := v
	counted.Unrecognized++
	switch judge(m.cfg.Dialect, f) {
	case judgedUnknown:
		// EVENTBUS-REDUCER-008
		if m.bug == bugCountsUnknown {
			return []View{counted}
		}
		return []View{v}
	case judgedMalformed:
		if m.bug == bugIgnoresMalformed {
			return []View{v}
		}
		return []View{counted}
	case judgedOpen:
		if m.bug == bugReplayEnds && f.Type == TypeReplayComplete {
			v.Alive = false
		}
		return []View{v, counted}
	case judgedAny:
		return []View{v, counted, m.apply(v, f)}
	}
	// EVENTBUS-REDUCER-002
	if v.Awaiting && !m.passes(f.Type) {
		if m.bug == bugSkipForgetsCursor {
			v.LastEventID = 0
		}
		return []View{v}
	}
	return []View{m.apply(v, f)}
}

// passes says whether a type is applied while a view awaits a resync.
func (m *Reducer) passes(kind string) bool {
	switch kind {
	case TypeResync, "session_died", "session_closed", TypeEvicted, "stream_error", "session_snapshot":
		return m.bug != bugTerminalsWait || kind == TypeResync
	case "history_truncated", "session_recording_degraded":
		return m.cfg.Dialect == Later
	case TypeWarning:
		return m.bug == bugWarningsPass
	}
	return false
}

// apply is what a well-formed frame does to a view that takes notice of it.
func (m *Reducer) apply(v View, f ReducerFrame) View {
	switch f.Type {
	case TypeResync:
		// EVENTBUS-REDUCER-001
		v.Awaiting, v.Resyncs, v.LastResync = true, v.Resyncs+1, f.Data
		switch m.bug {
		case bugResyncEnds:
			v.Alive = false
		case bugResyncToggles:
			v.Awaiting = v.Resyncs%2 == 1
		}
	case TypeWarning:
		// EVENTBUS-REDUCER-007
		v.Warnings, v.LastWarning = v.Warnings+1, f.Data
		if m.bug == bugWarningEnds {
			v.Alive = false
		}
	case TypeEvicted, "stream_error", "session_died", "session_closed":
		// EVENTBUS-REDUCER-005, EVENTBUS-REDUCER-006
		v.Alive = false
		if m.bug != bugTerminalKeepsPending {
			v.Pending = nil
		}
		if v.Terminal == "" || !ofSession(v.Terminal) && ofSession(f.Type) || m.bug == bugLastTerminal {
			v.Terminal, v.TerminalData = f.Type, f.Data
		}
	case "permission_request":
		v.Pending = pendingWith(v.Pending, requestID(f.Data))
	case "permission_resolved", "permission_already_resolved":
		gone := requestID(f.Data)
		v.Pending = slices.DeleteFunc(slices.Clone(v.Pending), func(id string) bool { return id == gone })
	case "session_snapshot":
		if degraded, ok := snapshotDegraded(f.Data); ok {
			v.Degraded = degraded
		}
		// EVENTBUS-REDUCER-004
		if m.bug == bugSnapshotClears {
			v.Awaiting = false
		}
	case "session_recording_degraded":
		v.Degraded = true
	}
	if len(v.Pending) == 0 {
		v.Pending = nil
	}
	return v
}

// ofSession says that a terminal type is of the session and not of one stream.
func ofSession(kind string) bool { return kind == "session_died" || kind == "session_closed" }

// pendingWith adds an id, unless there is no room.
func pendingWith(pending []string, id string) []string {
	if slices.Contains(pending, id) || len(pending) >= MaxPending {
		return pending
	}
	out := append(slices.Clone(pending), id)
	slices.Sort(out)
	return out
}

// AppendKey appends the canonical key of v.
func (m *Reducer) AppendKey(dst []byte, v View) []byte {
	k := busKey(dst)
	k.flags(v.Alive, v.Awaiting, v.Degraded)
	k.ints(v.LastEventID, int64(v.Resyncs), int64(v.Warnings), int64(v.Unrecognized), int64(len(v.Pending)))
	k.texts(v.Terminal, v.TerminalData, v.LastResync, v.LastWarning)
	k.texts(v.Pending...)
	return k
}

// String returns what is not as in a new view.
func (v View) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "last %d; %d resyncs, %d warnings, %d unrecognized, pending %v", v.LastEventID, v.Resyncs, v.Warnings, v.Unrecognized, v.Pending)
	for _, flag := range []struct {
		on   bool
		word string
	}{{!v.Alive, "ended by " + v.Terminal}, {v.Awaiting, "awaiting"}, {v.Degraded, "degraded"}} {
		if flag.on {
			b.WriteString(", " + flag.word)
		}
	}
	return b.String()
}
