package eventbusmodel

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
)

// A judgement says what the laws make of a frame before any view is looked at.
type judgement uint8

const (
	judgedGood      judgement = iota // of a known type and well-formed
	judgedMalformed                  // of a known type and malformed
	judgedUnknown                    // of no known type
	judgedOpen                       // of a known type without meaning here: whether it is counted is open
	judgedAny                        // it may be known or not, and if so it has a meaning here
)

// judge says what a frame is. EVENTBUS-REDUCER-008, EVENTBUS-REDUCER-009, EVENTBUS-REDUCER-010
//
// Of other types than those of stream control the laws do not say what is well-formed. Those that mean something to a view are judged as SDK 0.1.14
// judges them.
func judge(d Dialect, f ReducerFrame) judgement {
	data, object := object(f.Data)
	good := func(ok bool) judgement {
		if object && ok {
			return judgedGood
		}
		return judgedMalformed
	}
	switch f.Type {
	case TypeResync:
		return good(text(data["reason"]) && finite(data["lastDeliveredId"]) && finite(data["earliestAvailableId"]))
	case TypeEvicted:
		return good(text(data["reason"]) && finiteIfThere(data, "droppedAfter", "queueSize", "maxQueued", "queuedBytes", "maxQueuedBytes", "eventBytes"))
	case TypeWarning:
		return good(finite(data["queueSize"]) && finite(data["maxQueued"]) && finite(data["lastEventId"]) &&
			finiteIfThere(data, "queuedBytes", "maxQueuedBytes") && oneOfIfThere(data, "threshold", "frames", "bytes", "frames_and_bytes"))
	case "stream_error":
		return good(text(data["error"]))
	case "session_died", "session_closed":
		return sessionEnd(f.Type, data, good)
	case "permission_request", "permission_resolved", "permission_already_resolved":
		return permission(f.Type, data, good)
	case "session_snapshot":
		return snapshot(data, good)
	case "session_recording_degraded":
		if d == Seed {
			return judgedAny
		}
		return good(text(data["sessionId"]) && data["reason"] == "write_failed")
	}
	if slices.Contains(knownTypes, f.Type) {
		return judgedOpen
	}
	return judgedUnknown
}

func sessionEnd(kind string, data map[string]any, good func(bool) judgement) judgement {
	exit, ok := data["exitCode"]
	if ok && exit != nil && !finite(exit) {
		return good(false)
	}
	names := []string{"signalCode"}
	if kind == "session_closed" {
		names = append(names, "closedBy")
		if cause, ok := data["cause"]; ok && !isText(cause) {
			return good(false)
		}
		if unconfirmed, ok := data["persistenceUnconfirmed"]; ok && !isBool(unconfirmed) {
			return good(false)
		}
	}
	for _, name := range names {
		if value, ok := data[name]; ok && value != nil && !isText(value) {
			return good(false)
		}
	}
	return good(text(data["sessionId"]) && text(data["reason"]))
}

func permission(kind string, data map[string]any, good func(bool) judgement) judgement {
	ok := text(data["requestId"])
	if kind != "permission_resolved" {
		ok = ok && text(data["sessionId"])
	}
	if kind == "permission_request" {
		_, call := data["toolCall"].(map[string]any)
		options, list := data["options"].([]any)
		for _, option := range options {
			o, _ := option.(map[string]any)
			list = list && text(o["optionId"])
		}
		return good(ok && call && list)
	}
	outcome, _ := data["outcome"].(map[string]any)
	cancelled := outcome["outcome"] == "cancelled"
	return good(ok && (cancelled || outcome["outcome"] == "selected" && text(outcome["optionId"])))
}

func snapshot(data map[string]any, good func(bool) judgement) judgement {
	textOrNull := func(name string) bool {
		value, ok := data[name]
		return ok && (value == nil || isText(value))
	}
	degraded, ok := data["recordingDegraded"]
	mode, planned := data["planExecutionMode"]
	return good(text(data["sessionId"]) && textOrNull("currentModelId") && textOrNull("currentApprovalMode") && (!ok || isBool(degraded)) && (!planned || text(mode)))
}

// object reads data as an object. A number that is too large for a float stays text, so that it is no finite number.
func object(data string) (map[string]any, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(data), &members) != nil || members == nil {
		return nil, false
	}
	out := make(map[string]any, len(members))
	for name, raw := range members {
		out[name] = value(raw)
	}
	return out, true
}

func value(raw json.RawMessage) any {
	if _, err := strconv.ParseFloat(string(raw), 64); err != nil && len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return math.Inf(1)
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return math.Inf(1)
	}
	return v
}

func isText(v any) bool { _, ok := v.(string); return ok }
func isBool(v any) bool { _, ok := v.(bool); return ok }
func text(v any) bool   { s, ok := v.(string); return ok && s != "" }

func finite(v any) bool {
	n, ok := v.(float64)
	return ok && !math.IsInf(n, 0)
}

func finiteIfThere(data map[string]any, names ...string) bool {
	for _, name := range names {
		if v, ok := data[name]; ok && !finite(v) {
			return false
		}
	}
	return true
}

func oneOfIfThere(data map[string]any, name string, allowed ...string) bool {
	v, ok := data[name]
	s, isText := v.(string)
	return !ok || isText && slices.Contains(allowed, s)
}

func requestID(data string) string {
	members, _ := object(data)
	id, _ := members["requestId"].(string)
	return id
}

func snapshotDegraded(data string) (degraded, ok bool) {
	members, _ := object(data)
	degraded, ok = members["recordingDegraded"].(bool)
	return degraded, ok
}
