package sse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// The bounds of the maxQueued query parameter, inclusive (EVENTBUS-HTTP-004).
const (
	MinMaxQueued = 16
	MaxMaxQueued = 2048
)

// maxID is the largest integer that JSON numbers hold exactly.
const maxID = 1<<53 - 1

// A Refusal is an answer of JSON instead of a stream. It is an error, and a handler that gives the answer.
type Refusal struct {
	Status  int
	Code    string // for programs
	Message string // for people
	Limit   int    // 0: not told
}

// Error returns the code and the message.
func (e *Refusal) Error() string { return e.Code + ": " + e.Message }

// ServeHTTP writes the refusal as {"error","code","limit"}.
func (e *Refusal) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	body, err := json.Marshal(struct {
		Error string `json:"error"`
		Code  string `json:"code"`
		Limit int    `json:"limit,omitempty"`
	}{e.Message, e.Code, e.Limit})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(e.Status)
	// A peer that went away has no need of it.
	_, _ = w.Write(body)
}

// MaxQueued returns the maxQueued of a query, or 0 if it has none. The error is a *Refusal with status 400 and code
// invalid_max_queued if it is not one decimal number from 16 to 2048; zeros in front are allowed (EVENTBUS-HTTP-004).
func MaxQueued(rawQuery string) (int, error) {
	values := parameter(rawQuery, "maxQueued")
	if len(values) == 0 {
		return 0, nil
	}
	refusal := &Refusal{Status: http.StatusBadRequest, Code: "invalid_max_queued"}
	if len(values) > 1 {
		refusal.Message = fmt.Sprintf("maxQueued must be given once, found %d times", len(values))
		return 0, refusal
	}
	n, ok := decimal(values[0], MaxMaxQueued)
	if !ok || n < MinMaxQueued {
		refusal.Message = fmt.Sprintf("maxQueued must be an integer from %d to %d, found %q", MinMaxQueued, MaxMaxQueued, short(values[0]))
		return 0, refusal
	}
	return int(n), nil
}

// parameter returns all values of one parameter of a query. What is not escaped rightly counts as it stands: it was sent,
// and a reader that drops it would take a bad value for an absent one.
func parameter(rawQuery, name string) []string {
	var values []string
	unescape := func(s string) string {
		if u, err := url.QueryUnescape(s); err == nil {
			return u
		}
		return s
	}
	for part := range strings.SplitSeq(rawQuery, "&") {
		key, value, _ := strings.Cut(part, "=")
		if part != "" && unescape(key) == name {
			values = append(values, unescape(value))
		}
	}
	return values
}

// decimal returns the number that s, of ASCII digits only, stands for, if it is at most limit.
func decimal(s string, limit int64) (int64, bool) {
	if s == "" {
		return 0, false
	}
	n := int64(0)
	for i := range len(s) {
		c := s[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int64(c-'0'); n > limit {
			return 0, false
		}
	}
	return n, true
}

// cursor returns the Last-Event-ID of a request. It is absent, or bad, if ok is false; bad is then what was found, or
// empty.
func cursor(h http.Header) (id int64, ok bool, bad string) {
	// Repeated headers are one value with commas, and therefore bad.
	value := strings.Join(h.Values("Last-Event-ID"), ", ")
	if value == "" {
		return 0, false, ""
	}
	// EVENTBUS-HTTP-001, EVENTBUS-HTTP-003
	if id, ok = decimal(value, maxID); !ok {
		return 0, false, value
	}
	return id, true, ""
}

// EpochHeader names the epoch of a bus, in requests and answers.
const EpochHeader = "X-Qwen-Event-Epoch"

// epoch returns the epoch of a request, empty if it is absent or bad; bad is then what was found.
func epoch(h http.Header) (value, bad string) {
	value = strings.Join(h.Values(EpochHeader), ", ")
	if value == "" {
		return "", ""
	}
	// EVENTBUS-HTTP-007
	if len(value) > 64 || strings.ContainsFunc(value, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) {
		return "", value
	}
	return value, ""
}

// short cuts what a peer sent to a length that a log and an answer may show.
func short(s string) string {
	const most = 64
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
