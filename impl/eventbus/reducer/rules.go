package reducer

// rule returns the check of the data of a known type, and false if the type is not known. A type without a check is known
// but has no meaning for a view: it never counts as well-formed (EVENTBUS-REDUCER-010).
func (d Dialect) rule(kind string) (check func(object) bool, known bool) {
	switch kind {
	case "session_recording_degraded", "artifact_changed", "source_changed", "pending_prompt_added", "pending_prompt_started",
		"pending_prompt_completed", "history_truncated", "mcp_server_changed", "channel_delivery_result", "git_branch_changed",
		"git_status_changed":
		if d == Seed {
			return nil, false
		}
	}
	for _, rules := range [...]func(string) (func(object) bool, bool){streamRule, sessionRule, permissionRule, workspaceRule} {
		if check, known := rules(kind); known {
			return check, true
		}
	}
	return nil, false
}

// streamRule knows the frames that speak of the stream itself.
func streamRule(kind string) (func(object) bool, bool) {
	switch kind {
	// EVENTBUS-REDUCER-009
	case "state_resync_required":
		return func(o object) bool { return o.named("reason") && o.numbers("lastDeliveredId", "earliestAvailableId") }, true
	case "client_evicted":
		return func(o object) bool {
			return o.named("reason") &&
				o.maybeNumbers("droppedAfter", "queueSize", "maxQueued", "queuedBytes", "maxQueuedBytes", "eventBytes")
		}, true
	case "slow_client_warning":
		return func(o object) bool {
			return o.numbers("queueSize", "maxQueued", "lastEventId") && o.maybeNumbers("queuedBytes", "maxQueuedBytes") &&
				(!o.has("threshold") || o.among("threshold", "frames", "bytes", "frames_and_bytes"))
		}, true
	case "stream_error":
		return func(o object) bool { return o.named("error") }, true
	case "history_truncated":
		return func(o object) bool {
			return o.among("reason", "replay_window_exceeded") && o.isCount("truncatedEvents") && o.isCount("retainedEvents") &&
				o.isCount("maxBytes") && o.isBool("fullTranscriptAvailable") && o.maybe("truncatedTurns", o.isCount) &&
				o.maybe("scope", o.isNamed) && o.maybe("maxEvents", o.isCount)
		}, true
	case "replay_complete":
		return nil, true
	}
	return nil, false
}

// sessionRule knows the events of one session.
func sessionRule(kind string) (func(object) bool, bool) {
	named := func(keys ...string) func(object) bool { return func(o object) bool { return o.named(keys...) } }
	switch kind {
	case "session_update":
		return named(), true
	case "session_died":
		return func(o object) bool {
			return o.named("sessionId", "reason") && o.nullable("exitCode", o.isNumber) && o.nullable("signalCode", o.isText)
		}, true
	case "session_closed":
		return func(o object) bool {
			return o.named("sessionId", "reason") && o.nullable("closedBy", o.isText) && o.nullable("exitCode", o.isNumber) &&
				o.nullable("signalCode", o.isText) && o.maybe("cause", o.isText) && o.maybe("persistenceUnconfirmed", o.isBool)
		}, true
	case "session_metadata_updated":
		return metadata, true
	case "session_snapshot":
		return func(o object) bool {
			return o.named("sessionId") && (o.null("currentModelId") || o.isText("currentModelId")) &&
				(o.null("currentApprovalMode") || o.isText("currentApprovalMode")) &&
				o.maybe("planExecutionMode", o.isNamed) && o.maybe("recordingDegraded", o.isBool)
		}, true
	case "session_recording_degraded":
		return func(o object) bool { return o.named("sessionId") && o.among("reason", "write_failed") }, true
	case "session_rewound":
		return func(o object) bool {
			return o.named("sessionId", "promptId") && o.isNumber("targetTurnIndex") && o.isList("filesChanged") && o.isList("filesFailed")
		}, true
	case "session_branched":
		return named("sourceSessionId", "newSessionId", "displayName"), true
	case "model_switched":
		return named("sessionId", "modelId"), true
	case "model_switch_failed":
		return named("sessionId", "requestedModelId", "error"), true
	case "approval_mode_changed":
		return func(o object) bool {
			return o.named("sessionId", "previous", "next") && o.maybe("planExecutionMode", o.isNamed) && o.isBool("persisted")
		}, true
	case "artifact_changed":
		return func(o object) bool {
			change, ok := asObject(o["change"])
			return ok && o.named("sessionId") && change.named("artifactId", "action") && change.maybe("reason", change.isNamed)
		}, true
	case "source_changed":
		return func(o object) bool { return o.isText("sessionId") && o.isCount("revision") }, true
	case "mid_turn_message_injected":
		return func(o object) bool { return o.named("sessionId") && o.texts("messages") }, true
	case "pending_prompt_added":
		return func(o object) bool {
			return o.named("sessionId", "promptId") && o.isText("text") && o.isNumber("queuedAt")
		}, true
	case "pending_prompt_started":
		return func(o object) bool { return o.named("sessionId", "promptId") && o.isText("text") }, true
	case "pending_prompt_completed":
		return func(o object) bool {
			return o.named("sessionId", "promptId") && o.among("state", "completed", "removed")
		}, true
	case "turn_complete":
		return named("sessionId", "stopReason"), true
	case "turn_error":
		return named("sessionId", "message"), true
	case "followup_suggestion":
		return named("sessionId", "suggestion", "promptId"), true
	case "channel_delivery_result":
		return delivery, true
	case "prompt_cancelled", "user_shell_command", "user_shell_result":
		return nil, true
	}
	return nil, false
}

// permissionRule knows the events about permissions.
func permissionRule(kind string) (func(object) bool, bool) {
	switch kind {
	case "permission_request":
		return func(o object) bool {
			_, call := asObject(o["toolCall"])
			return call && o.named("requestId", "sessionId") &&
				o.objects("options", func(option object) bool { return option.named("optionId") })
		}, true
	case "permission_resolved":
		return func(o object) bool { return o.named("requestId") && outcome(o) }, true
	case "permission_already_resolved":
		return func(o object) bool { return o.named("requestId", "sessionId") && outcome(o) }, true
	case "permission_partial_vote":
		return func(o object) bool {
			tallies, ok := asObject(o["optionTallies"])
			for option := range tallies {
				ok = ok && tallies.isCount(option)
			}
			return ok && o.named("requestId", "sessionId") && o.isCount("votesReceived") && o.isCount("votesNeeded") &&
				o.integer("quorum", 1)
		}, true
	case "permission_forbidden":
		return func(o object) bool {
			return o.named("requestId", "sessionId") && o.among("reason", "designated_mismatch", "remote_not_allowed") &&
				o.maybe("clientId", o.isNamed)
		}, true
	}
	return nil, false
}

func outcome(o object) bool {
	got, ok := asObject(o["outcome"])
	return ok && (got.among("outcome", "cancelled") || got.among("outcome", "selected") && got.named("optionId"))
}

func metadata(o object) bool {
	reference := func(o object, states ...string) bool {
		return o.integer("number", 1) && o.address("url") && (!o.has("state") || o.among("state", states...))
	}
	request := func(o object) bool {
		issues, _ := o.list("issues")
		return reference(o, "open", "merged", "closed") && len(issues) <= 10 && o.maybe("issues", func(key string) bool {
			return o.objects(key, func(issue object) bool { return reference(issue, "open", "completed", "not_planned") })
		})
	}
	return o.named("sessionId") && o.nullable("displayName", o.isText) &&
		(!o.has("titleSource") || o.among("titleSource", "manual", "auto")) &&
		o.maybe("prs", func(key string) bool { return o.objects(key, request) })
}

func delivery(o object) bool {
	for key := range o {
		switch key {
		case "sessionId", "deliveryId", "source", "status", "promptId", "taskId", "firedAt", "code", "error":
		default:
			return false
		}
	}
	if !o.named("sessionId", "deliveryId") {
		return false
	}
	switch source, _ := o.text("source"); source {
	case "prompt":
		if !o.named("promptId") || o.has("taskId") || o.has("firedAt") {
			return false
		}
	case "scheduled":
		if !o.named("taskId") || !o.isNumber("firedAt") || o.has("promptId") {
			return false
		}
	default:
		return false
	}
	if o.among("status", "failed") {
		return o.named("error") && o.among("code", "channel_worker_unavailable", "channel_delivery_timeout",
			"channel_delivery_invalid", "channel_delivery_rejected", "channel_delivery_queue_full", "channel_delivery_failed")
	}
	return o.among("status", "delivered", "skipped") && !o.has("code") && !o.has("error")
}
