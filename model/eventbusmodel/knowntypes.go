package eventbusmodel

import "slices"

// knownTypes are the types that SDK 0.1.14 knows (EVENTBUS-REDUCER-010: 58 of them).
var knownTypes = []string{
	"session_update", "permission_request", "permission_resolved", "permission_already_resolved", "model_switched", "model_switch_failed", "session_died",
	"session_closed", "session_metadata_updated", "session_recording_degraded", "artifact_changed", "source_changed", "mid_turn_message_injected",
	"pending_prompt_added", "pending_prompt_started", "pending_prompt_completed", "client_evicted", "slow_client_warning", "stream_error",
	"state_resync_required", "history_truncated", "mcp_budget_warning", "mcp_child_refused_batch", "memory_changed", "agent_changed",
	"auth_device_flow_started", "auth_device_flow_throttled", "auth_device_flow_authorized", "auth_device_flow_failed", "auth_device_flow_cancelled",
	"approval_mode_changed", "tool_toggled", "settings_changed", "trust_change_requested", "workspace_initialized", "github_setup_completed",
	"mcp_server_restarted", "mcp_server_restart_refused", "mcp_server_changed", "settings_reloaded", "mcp_server_added", "mcp_server_removed",
	"extensions_changed", "permission_partial_vote", "permission_forbidden", "prompt_cancelled", "replay_complete", "followup_suggestion",
	"channel_delivery_result", "user_shell_command", "user_shell_result", "turn_complete", "turn_error", "session_rewound", "session_branched",
	"session_snapshot", "git_branch_changed", "git_status_changed",
}

// KnownTypes returns the types of events that the later dialect knows. Of the seed's 47 the laws name only those that this package gives a meaning.
func KnownTypes() []string { return slices.Clone(knownTypes) }
