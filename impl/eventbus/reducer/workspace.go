package reducer

// workspaceRule knows the events that every session of a workspace gets.
func workspaceRule(kind string) (func(object) bool, bool) {
	transport := func(o object) bool {
		return o.among("transport", "stdio", "sse", "http", "websocket", "sdk", "unknown")
	}
	switch kind {
	case "mcp_budget_warning":
		return func(o object) bool {
			return o.numbers("liveCount", "reservedCount", "budget", "thresholdRatio") && o.among("mode", "warn", "enforce")
		}, true
	case "mcp_child_refused_batch":
		return func(o object) bool {
			return o.numbers("budget", "liveCount", "reservedCount") && o.among("mode", "enforce") &&
				o.objects("refusedServers", func(server object) bool {
					return server.named("name") && server.among("reason", "budget_exhausted") && transport(server)
				})
		}, true
	case "mcp_server_restarted":
		return func(o object) bool { return o.named("serverName") && o.isNumber("durationMs") }, true
	case "mcp_server_restart_refused":
		return func(o object) bool {
			return o.named("serverName") && o.among("reason", "in_flight", "disabled", "budget_would_exceed",
				"authentication_required", "restart_failed")
		}, true
	case "mcp_server_changed":
		return func(o object) bool {
			return o.named("serverName") && o.among("action", "approve", "enable", "disable", "authenticate", "clear-auth")
		}, true
	case "mcp_server_added":
		return func(o object) bool {
			return o.named("name", "originatorClientId") && o.isBool("replaced") && o.isBool("shadowedSettings") &&
				o.isNumber("toolCount") && transport(o)
		}, true
	case "mcp_server_removed":
		return func(o object) bool {
			return o.named("name", "originatorClientId") && o.isBool("wasShadowingSettings")
		}, true
	case "memory_changed":
		return memory, true
	case "agent_changed":
		return func(o object) bool {
			return o.among("change", "created", "updated", "deleted") && o.named("name") && o.among("level", "project", "user")
		}, true
	case "auth_device_flow_started":
		return func(o object) bool { return o.named("deviceFlowId", "providerId") && o.isNumber("expiresAt") }, true
	case "auth_device_flow_throttled":
		return func(o object) bool { return o.named("deviceFlowId") && o.isNumber("intervalMs") }, true
	case "auth_device_flow_authorized":
		return func(o object) bool {
			return o.named("deviceFlowId", "providerId") && o.maybeNumbers("expiresAt") && o.nullable("accountAlias", o.isText)
		}, true
	case "auth_device_flow_failed":
		return func(o object) bool { return o.named("deviceFlowId", "errorKind") && o.nullable("hint", o.isText) }, true
	case "auth_device_flow_cancelled":
		return func(o object) bool { return o.named("deviceFlowId") }, true
	case "tool_toggled":
		return func(o object) bool { return o.named("toolName") && o.isBool("enabled") }, true
	case "settings_changed":
		return settings, true
	case "settings_reloaded":
		return func(object) bool { return true }, true
	case "trust_change_requested":
		return func(o object) bool {
			return o.named("workspaceCwd") && o.among("desiredState", "trusted", "untrusted") && o.maybe("reason", o.isText)
		}, true
	case "workspace_initialized":
		return func(o object) bool { return o.named("path") && o.among("action", "created", "overwrote", "noop") }, true
	case "github_setup_completed":
		return setup, true
	case "extensions_changed":
		return func(o object) bool {
			return o.isNumber("refreshed") && o.isNumber("failed") && o.maybe("source", o.isText) && o.maybe("name", o.isText) &&
				o.maybe("version", o.isText) && o.maybe("error", o.isText) &&
				(!o.has("status") || o.among("status", "installed", "enabled", "disabled", "updated", "uninstalled", "failed"))
		}, true
	case "git_branch_changed", "git_status_changed":
		return nil, true
	}
	return nil, false
}

func memory(o object) bool {
	if o.among("scope", "managed") {
		scopes, ok := o.list("touchedScopes")
		for _, raw := range scopes {
			scope, _ := asText(raw)
			ok = ok && (scope == "user" || scope == "project")
		}
		return ok && o.named("source", "taskId")
	}
	return o.among("scope", "workspace", "global") && o.named("filePath") && o.among("mode", "append", "replace") &&
		o.isNumber("bytesWritten")
}

func settings(o object) bool {
	toggle := func(string) bool {
		m, ok := asObject(o["mutation"])
		skills, _ := m.list("skills")
		return ok && m.named("id") && m.among("kind", "skill_toggle") && len(skills) > 0 &&
			m.objects("skills", func(skill object) bool { return skill.named("name") && skill.isBool("enabled") }) &&
			m.among("activation", "applied", "deferred", "reconciling", "partial") &&
			m.numbers("sessionsRefreshed", "sessionsFailed")
	}
	return o.named("key") && o.maybe("scope", o.isText) && o.maybe("mutation", toggle)
}

func setup(o object) bool {
	ignore, ok := asObject(o["gitignore"])
	return ok && o.named("releaseTag", "readmeUrl") && o.texts("warnings") &&
		ignore.among("path", ".gitignore") && ignore.among("status", "created", "updated", "unchanged", "failed", "skipped") &&
		o.objects("workflows", func(w object) bool {
			return w.named("path") && w.among("status", "written", "failed") && w.maybeNumbers("sizeBytes") && w.maybe("error", w.isText)
		})
}
