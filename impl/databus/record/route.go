package record

// A Route names the worker that owns a topic (DATABUS-RECORD-003). Without ConfirmedAt it is an intention only, and even with it says
// nothing of the server (DATABUS-ROUTE-003).
type Route struct {
	TopicKey   string `json:"topicKey"`
	WorkerID   string `json:"workerId"`
	TabID      string `json:"tabId"`
	UpdatedAt  int64  `json:"updatedAt"` // of the last assignment (DATABUS-ROUTE-004)
	Generation int64  `json:"generation"`
	// HandoffFrom is the owner before, if it handed the topic over. It stays after the confirmation (DATABUS-HANDOFF-009).
	HandoffFrom string `json:"handoffFromWorkerId,omitempty"`
	ConfirmedAt int64  `json:"confirmedAt,omitempty"` // 0: not confirmed
}

// Confirmed reports whether the owner has taken the topic on.
func (r *Route) Confirmed() bool { return r.ConfirmedAt != 0 }

// HandingOver reports whether the route waits for the owner before to let go of the topic (DATABUS-HANDOFF-004).
func (r *Route) HandingOver() bool { return r.HandoffFrom != "" && !r.Confirmed() }

// Next returns the generation of the route that comes after r (DATABUS-GENERATION-001). Forged ones do not lead beyond [MaxNumber].
func (r *Route) Next() int64 { return min(r.Generation+1, MaxNumber) }

// Validate returns an [*Error] that names the field of r that is out of its domain, or nil (DATABUS-INV-001).
func (r *Route) Validate() error {
	problem := func(field, text string) error { return &Error{RouteFamily, field, text} }
	switch {
	case !IsHash(r.TopicKey):
		return problem("topicKey", "is no hash")
	case !isID(r.WorkerID):
		return problem("workerId", idProblem)
	case !isID(r.TabID):
		return problem("tabId", idProblem)
	case r.Generation < 1:
		return problem("generation", "is less than 1")
	case r.HandoffFrom != "" && !isID(r.HandoffFrom):
		return problem("handoffFromWorkerId", idProblem)
	case r.ConfirmedAt < 0:
		return problem("confirmedAt", "is negative")
	}
	return nil
}

// Encode returns the stored form of r. A record that does not validate is a fault of the caller.
func (r *Route) Encode() string {
	fields := r.fields()
	if text, ok := encodeFlat(fields[:]); ok {
		return text
	}
	return encodeAny(*r)
}

// DecodeRoute reads the route that is stored for a topic. Whatever is wrong with it, and also if it is that of another topic, its reader
// takes it for absent (DATABUS-RECORD-005).
func DecodeRoute(topicKey, value string) (Route, error) {
	var r Route
	fields := r.fields()
	err := decode(RouteFamily, value, fields[:])
	if err == nil {
		err = r.Validate()
	}
	if err == nil && r.TopicKey != topicKey {
		err = &Error{RouteFamily, "topicKey", "is not that of the key"}
	}
	if err != nil {
		return Route{}, err
	}
	return r, nil
}

// fields returns the members of r.
func (r *Route) fields() [7]field {
	return [...]field{
		{name: "topicKey", text: &r.TopicKey},
		{name: "workerId", text: &r.WorkerID},
		{name: "tabId", text: &r.TabID},
		{name: "updatedAt", number: &r.UpdatedAt},
		{name: "generation", number: &r.Generation},
		{name: "handoffFromWorkerId", text: &r.HandoffFrom, optional: true},
		{name: "confirmedAt", number: &r.ConfirmedAt, optional: true},
	}
}
