package reducer

import "encoding/json"

// Event is one event of a session. The type has the fields of an envelope of package sse, so that one converts to the
// other.
type Event struct {
	// ID is 0 for an event that has none.
	ID int64
	// Type is any text.
	Type string
	// Data is the JSON of the data, or nil if it is absent.
	Data json.RawMessage
	// Originator is the client that caused the event, or empty.
	Originator string
	// Timestamp is when the event was published, in ms; 0 if it does not say.
	Timestamp float64
	// Raw is the JSON of the whole event.
	Raw json.RawMessage
}

// MarshalJSON returns Raw, or what the other fields say if that is not JSON. Data that is not JSON is left out.
func (e Event) MarshalJSON() ([]byte, error) {
	if json.Valid(e.Raw) {
		return e.Raw, nil
	}
	if !json.Valid(e.Data) {
		e.Data = nil
	}
	return json.Marshal(struct {
		ID         int64           `json:"id,omitempty"`
		V          int             `json:"v"`
		Type       string          `json:"type"`
		Data       json.RawMessage `json:"data,omitempty"`
		Originator string          `json:"originatorClientId,omitempty"`
	}{e.ID, 1, e.Type, e.Data, e.Originator})
}

// View is what a reader knows of a session. Its JSON has the names of the SDK. Maps and slices in it are shared between
// views and must not be changed. What was never heard of is empty, nil or 0.
type View struct {
	// Alive is false once a terminal event came.
	Alive bool `json:"alive"`
	// LastEventID is the largest id seen, 0 before the first.
	LastEventID int64 `json:"lastEventId,omitempty"`
	// TerminalEvent is why the view is not alive: the first terminal event, or the first of the session if one of the
	// stream came before it (EVENTBUS-REDUCER-006).
	TerminalEvent *Event          `json:"terminalEvent,omitempty"`
	StreamError   json.RawMessage `json:"streamError,omitempty"`

	// AwaitingResync is true from the first resync on: the view has missed events, and takes no notice of most.
	AwaitingResync         bool            `json:"awaitingResync"`
	ResyncRequiredCount    int             `json:"resyncRequiredCount"`
	LastResyncRequired     json.RawMessage `json:"lastResyncRequired,omitempty"`
	HistoryTruncatedCount  int             `json:"historyTruncatedCount"`
	LastHistoryTruncated   json.RawMessage `json:"lastHistoryTruncated,omitempty"`
	SlowClientWarningCount int             `json:"slowClientWarningCount"`
	LastSlowClientWarning  json.RawMessage `json:"lastSlowClientWarning,omitempty"`

	// UnrecognizedKnownEventCount counts events of known types that were malformed or have no meaning for a view.
	UnrecognizedKnownEventCount int    `json:"unrecognizedKnownEventCount"`
	LastUnrecognizedKnownEvent  *Event `json:"lastUnrecognizedKnownEvent,omitempty"`

	SessionID              string          `json:"sessionId,omitempty"`
	DisplayName            string          `json:"displayName,omitempty"`
	CurrentModelID         string          `json:"currentModelId,omitempty"`
	LastModelSwitchFailure json.RawMessage `json:"lastModelSwitchFailure,omitempty"`
	RecordingDegraded      bool            `json:"recordingDegraded"`
	LastSessionUpdate      json.RawMessage `json:"lastSessionUpdate,omitempty"`
	LastTurnComplete       json.RawMessage `json:"lastTurnComplete,omitempty"`
	LastTurnError          json.RawMessage `json:"lastTurnError,omitempty"`
	LastFollowupSuggestion json.RawMessage `json:"lastFollowupSuggestion,omitempty"`
	RewindCount            int             `json:"rewindCount"`
	LastRewind             json.RawMessage `json:"lastRewind,omitempty"`
	LastBranch             json.RawMessage `json:"lastBranch,omitempty"`

	ApprovalMode             string          `json:"approvalMode,omitempty"`
	PlanExecutionMode        string          `json:"planExecutionMode,omitempty"`
	ApprovalModeChangedCount int             `json:"approvalModeChangedCount"`
	LastApprovalModeChange   json.RawMessage `json:"lastApprovalModeChange,omitempty"`

	// PendingPermissions holds the data of requests that are not resolved, by request id.
	PendingPermissions                  map[string]json.RawMessage `json:"pendingPermissions"`
	DroppedPermissionRequestCount       int                        `json:"droppedPermissionRequestCount"`
	LastDroppedPermissionRequestID      string                     `json:"lastDroppedPermissionRequestId,omitempty"`
	UnmatchedPermissionResolutionCount  int                        `json:"unmatchedPermissionResolutionCount"`
	LastUnmatchedPermissionResolutionID string                     `json:"lastUnmatchedPermissionResolutionId,omitempty"`
	PermissionVoteProgress              map[string]json.RawMessage `json:"permissionVoteProgress"`
	// ForbiddenVotes holds the newest.
	ForbiddenVotes     []json.RawMessage `json:"forbiddenVotes"`
	ForbiddenVoteCount int               `json:"forbiddenVoteCount"`

	MCPBudgetWarningCount     int             `json:"mcpBudgetWarningCount"`
	LastMCPBudgetWarning      json.RawMessage `json:"lastMcpBudgetWarning,omitempty"`
	MCPChildRefusedBatchCount int             `json:"mcpChildRefusedBatchCount"`
	LastMCPChildRefusedBatch  json.RawMessage `json:"lastMcpChildRefusedBatch,omitempty"`
	MCPRestartCount           int             `json:"mcpRestartCount"`
	LastMCPRestart            json.RawMessage `json:"lastMcpRestart,omitempty"`
	MCPRestartRefusedCount    int             `json:"mcpRestartRefusedCount"`
	LastMCPRestartRefused     json.RawMessage `json:"lastMcpRestartRefused,omitempty"`
	LastWorkspaceMutation     json.RawMessage `json:"lastWorkspaceMutation,omitempty"`
	LastWorkspaceMutationType string          `json:"lastWorkspaceMutationType,omitempty"`
	ToolToggleCount           int             `json:"toolToggleCount"`
	LastToolToggle            json.RawMessage `json:"lastToolToggle,omitempty"`
	WorkspaceInitCount        int             `json:"workspaceInitCount"`
	LastWorkspaceInit         json.RawMessage `json:"lastWorkspaceInit,omitempty"`

	dialect Dialect
}

// New returns the view of a session that was just loaded: alive, and not awaiting a resync (EVENTBUS-REDUCER-004).
func New(d Dialect) View {
	return View{
		Alive:                  true,
		PendingPermissions:     map[string]json.RawMessage{},
		PermissionVoteProgress: map[string]json.RawMessage{},
		ForbiddenVotes:         []json.RawMessage{},
		dialect:                d,
	}
}
