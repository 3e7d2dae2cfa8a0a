package reducer

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// What a view holds at most.
const (
	maxPending   = 64
	maxVotes     = 64
	maxForbidden = 32
)

// After returns the view after e.
func (v View) After(e Event) View {
	// EVENTBUS-REDUCER-003
	v.LastEventID = max(v.LastEventID, e.ID)
	check, known := v.dialect.rule(e.Type)
	if !known {
		return v
	}
	data, ok := asObject(e.Data)
	if e.Type == "settings_reloaded" && isArray(e.Data) {
		ok = true
	}
	// EVENTBUS-REDUCER-008
	if !ok || check == nil || !check(data) {
		v.UnrecognizedKnownEventCount++
		v.LastUnrecognizedKnownEvent = &e
		return v
	}
	if v.AwaitingResync && !v.dialect.passes(e.Type) {
		return v
	}
	e.Data = bytes.TrimSpace(e.Data)
	v.stream(e)
	v.session(e, data)
	v.permission(e, data)
	v.workspace(e, data)
	return v
}

func isArray(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '['
}

// stream takes the frames that speak of the stream itself, and the ends of a session.
func (v *View) stream(e Event) {
	switch e.Type {
	case "state_resync_required":
		// EVENTBUS-REDUCER-001
		v.AwaitingResync = true
		v.ResyncRequiredCount++
		v.LastResyncRequired = e.Data
	case "slow_client_warning":
		// EVENTBUS-REDUCER-007
		v.SlowClientWarningCount++
		v.LastSlowClientWarning = e.Data
	case "history_truncated":
		v.HistoryTruncatedCount++
		v.LastHistoryTruncated = e.Data
	case "stream_error":
		v.StreamError = e.Data
		v.end(e)
	case "client_evicted", "session_died", "session_closed":
		v.end(e)
	}
}

// end takes a terminal event.
func (v *View) end(e Event) {
	// EVENTBUS-REDUCER-005
	v.Alive = false
	v.PendingPermissions = map[string]json.RawMessage{}
	v.PermissionVoteProgress = map[string]json.RawMessage{}
	v.ForbiddenVotes, v.ForbiddenVoteCount = []json.RawMessage{}, 0
	// EVENTBUS-REDUCER-006
	ofSession := func(e Event) bool { return e.Type == "session_died" || e.Type == "session_closed" }
	if v.TerminalEvent == nil || ofSession(e) && !ofSession(*v.TerminalEvent) {
		v.TerminalEvent = &e
	}
}

// session takes the events of one session.
func (v *View) session(e Event, data object) {
	switch e.Type {
	case "session_update":
		v.LastSessionUpdate = e.Data
		if id, ok := data.text("sessionId"); ok {
			v.SessionID = id
		}
	case "session_died", "session_closed":
		v.SessionID, _ = data.text("sessionId")
	case "session_metadata_updated":
		v.SessionID, _ = data.text("sessionId")
		v.DisplayName, _ = data.text("displayName")
	case "session_recording_degraded":
		v.SessionID, _ = data.text("sessionId")
		v.RecordingDegraded = true
	case "session_snapshot":
		v.SessionID, _ = data.text("sessionId")
		if model, ok := data.text("currentModelId"); ok {
			v.CurrentModelID = model
		}
		if mode, ok := data.text("currentApprovalMode"); ok {
			v.approve(mode, data)
		}
		if data.has("recordingDegraded") {
			v.RecordingDegraded = string(data["recordingDegraded"]) == "true"
		}
	case "session_rewound":
		v.RewindCount++
		v.LastRewind = attributed(e, data)
	case "session_branched":
		v.LastBranch = attributed(e, data)
	case "model_switched":
		v.SessionID, _ = data.text("sessionId")
		v.CurrentModelID, _ = data.text("modelId")
		v.LastModelSwitchFailure = nil
	case "model_switch_failed":
		v.SessionID, _ = data.text("sessionId")
		v.LastModelSwitchFailure = e.Data
	case "approval_mode_changed":
		mode, _ := data.text("next")
		v.approve(mode, data)
		v.ApprovalModeChangedCount++
		v.LastApprovalModeChange = attributed(e, data)
	case "followup_suggestion":
		v.LastFollowupSuggestion = e.Data
	case "turn_complete":
		v.LastTurnComplete = e.Data
	case "turn_error":
		v.LastTurnError = e.Data
	}
}

func (v *View) approve(mode string, data object) {
	v.ApprovalMode, v.PlanExecutionMode = mode, ""
	if mode == "plan" {
		v.PlanExecutionMode, _ = data.text("planExecutionMode")
	}
}

// permission takes the events about permissions.
func (v *View) permission(e Event, data object) {
	id, _ := data.text("requestId")
	switch e.Type {
	case "permission_request":
		if _, again := v.PendingPermissions[id]; !again && len(v.PendingPermissions) >= maxPending {
			v.DroppedPermissionRequestCount++
			v.LastDroppedPermissionRequestID = id
			return
		}
		v.SessionID, _ = data.text("sessionId")
		v.PendingPermissions = with(v.PendingPermissions, id, e.Data)
	case "permission_resolved", "permission_already_resolved":
		v.PermissionVoteProgress = without(v.PermissionVoteProgress, id)
		if _, pending := v.PendingPermissions[id]; !pending {
			v.UnmatchedPermissionResolutionCount++
			v.LastUnmatchedPermissionResolutionID = id
			return
		}
		v.PendingPermissions = without(v.PendingPermissions, id)
	case "permission_partial_vote":
		if _, again := v.PermissionVoteProgress[id]; again || len(v.PermissionVoteProgress) < maxVotes {
			v.PermissionVoteProgress = with(v.PermissionVoteProgress, id, attributed(e, data))
		}
	case "permission_forbidden":
		votes := append(slices.Clone(v.ForbiddenVotes), attributed(e, data))
		v.ForbiddenVotes = votes[max(0, len(votes)-maxForbidden):]
		v.ForbiddenVoteCount++
	}
}

// workspace takes the events that every session of a workspace gets.
func (v *View) workspace(e Event, data object) {
	switch e.Type {
	case "mcp_budget_warning":
		v.MCPBudgetWarningCount++
		v.LastMCPBudgetWarning = e.Data
	case "mcp_child_refused_batch":
		v.MCPChildRefusedBatchCount++
		v.LastMCPChildRefusedBatch = e.Data
	case "mcp_server_restarted":
		v.MCPRestartCount++
		v.LastMCPRestart = attributed(e, data)
	case "mcp_server_restart_refused":
		v.MCPRestartRefusedCount++
		v.LastMCPRestartRefused = attributed(e, data)
	case "memory_changed", "agent_changed":
		v.LastWorkspaceMutation, v.LastWorkspaceMutationType = e.Data, e.Type
	case "tool_toggled":
		v.ToolToggleCount++
		v.LastToolToggle = attributed(e, data)
	case "workspace_initialized":
		v.WorkspaceInitCount++
		v.LastWorkspaceInit = attributed(e, data)
	}
}

// attributed returns the data of e, with the originator of the event if the data names none.
func attributed(e Event, data object) json.RawMessage {
	if data.has("originatorClientId") || e.Originator == "" {
		return e.Data
	}
	name, err := json.Marshal(e.Originator)
	if err != nil {
		return e.Data
	}
	out := append(slices.Clone(e.Data[:len(e.Data)-1]), `,"originatorClientId":`...)
	return append(append(out, name...), '}')
}

func with(m map[string]json.RawMessage, key string, value json.RawMessage) map[string]json.RawMessage {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]json.RawMessage{}
	}
	m[key] = value
	return m
}

func without(m map[string]json.RawMessage, key string) map[string]json.RawMessage {
	if _, ok := m[key]; !ok {
		return m
	}
	m = maps.Clone(m)
	delete(m, key)
	return m
}
