package reducer

import "fmt"

// Dialect says which list of known types a view goes by, and which of them are applied while it waits for a resync.
type Dialect int

// The dialects.
const (
	Seed  Dialect = iota // 47 known types
	Later                // 58 known types, those of SDK 0.1.14
)

// String returns "seed" or "later".
func (d Dialect) String() string {
	switch d {
	case Seed:
		return "seed"
	case Later:
		return "later"
	}
	return fmt.Sprintf("Dialect(%d)", int(d))
}

// Types returns the known types, in the order of the SDK. The slice is the caller's.
func (d Dialect) Types() []string {
	// EVENTBUS-REDUCER-010
	known := []string{
		"session_update", "permission_request", "permission_resolved", "permission_already_resolved", "model_switched",
		"model_switch_failed", "session_died", "session_closed", "session_metadata_updated", "mid_turn_message_injected",
		"client_evicted", "slow_client_warning", "stream_error", "state_resync_required", "mcp_budget_warning",
		"mcp_child_refused_batch", "memory_changed", "agent_changed", "auth_device_flow_started", "auth_device_flow_throttled",
		"auth_device_flow_authorized", "auth_device_flow_failed", "auth_device_flow_cancelled", "approval_mode_changed",
		"tool_toggled", "settings_changed", "trust_change_requested", "workspace_initialized", "github_setup_completed",
		"mcp_server_restarted", "mcp_server_restart_refused", "settings_reloaded", "mcp_server_added", "mcp_server_removed",
		"extensions_changed", "permission_partial_vote", "permission_forbidden", "prompt_cancelled", "replay_complete",
		"followup_suggestion", "user_shell_command", "user_shell_result", "turn_complete", "turn_error", "session_rewound",
		"session_branched", "session_snapshot",
	}
	if d != Seed {
		known = append(known,
			"session_recording_degraded", "artifact_changed", "source_changed", "pending_prompt_added", "pending_prompt_started",
			"pending_prompt_completed", "history_truncated", "mcp_server_changed", "channel_delivery_result",
			"git_branch_changed", "git_status_changed")
	}
	return known
}

// passes reports whether a type is applied while the view waits for a resync.
func (d Dialect) passes(kind string) bool {
	// EVENTBUS-REDUCER-002
	switch kind {
	case "state_resync_required", "session_died", "session_closed", "client_evicted", "stream_error", "session_snapshot":
		return true
	case "history_truncated", "session_recording_degraded":
		return d != Seed
	}
	return false
}
