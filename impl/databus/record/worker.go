package record

// A Role says whether a worker is eligible for new routes.
type Role string

// The roles of a worker.
const (
	Active  Role = "active"
	Standby Role = "standby"
)

// A Status is that of the transport of a worker.
type Status string

// The states of a transport.
const (
	Connecting   Status = "connecting"
	Connected    Status = "connected"
	Disconnected Status = "disconnected"
	Failed       Status = "error"
)

// A Visibility is that of the page of a worker.
type Visibility string

// The visibilities of a page.
const (
	Visible Visibility = "visible"
	Hidden  Visibility = "hidden"
)

// A Worker is one runtime in one tab, as it describes itself (DATABUS-RECORD-001).
type Worker struct {
	WorkerID     string     `json:"workerId"`
	TabID        string     `json:"tabId"`
	Load         int        `json:"load"` // topics owned
	Role         Role       `json:"role"`
	Status       Status     `json:"status"`
	Visibility   Visibility `json:"visibilityState"`
	HeartbeatAt  int64      `json:"heartbeatAt"`
	RegisteredAt int64      `json:"registeredAt"`
}

// Validate returns an [*Error] that names the field of w that is out of its domain, or nil.
func (w *Worker) Validate() error {
	problem := func(field, text string) error { return &Error{WorkerFamily, field, text} }
	switch {
	case !isID(w.WorkerID):
		return problem("workerId", idProblem)
	case !isID(w.TabID):
		return problem("tabId", idProblem)
	case w.Load < 0:
		return problem("load", "is negative")
	case w.Role != Active && w.Role != Standby:
		return problem("role", "is unknown")
	case !w.Status.known():
		return problem("status", "is unknown")
	case w.Visibility != Visible && w.Visibility != Hidden:
		return problem("visibilityState", "is unknown")
	}
	return nil
}

func (s Status) known() bool {
	return s == Connecting || s == Connected || s == Disconnected || s == Failed
}

// Healthy reports whether a worker with this status is preferred as an owner (DATABUS-OWNER-001).
func (s Status) Healthy() bool { return s == Connecting || s == Connected }

// Encode returns the stored form of w. A record that does not validate is a fault of the caller.
func (w *Worker) Encode() string {
	load := int64(w.Load)
	fields := w.fields(&load)
	if text, ok := encodeFlat(fields[:]); ok {
		return text
	}
	return encodeAny(*w)
}

// DecodeWorker reads a stored worker. Whatever is wrong with it, its reader takes it for absent (DATABUS-RECORD-005).
func DecodeWorker(value string) (Worker, error) {
	var w Worker
	var load int64
	fields := w.fields(&load)
	err := decode(WorkerFamily, value, fields[:])
	w.Load = int(load)
	if err == nil {
		err = w.Validate()
	}
	if err != nil {
		return Worker{}, err
	}
	return w, nil
}

// fields returns the members of w; its load goes to a number of its own.
func (w *Worker) fields(load *int64) [8]field {
	return [...]field{
		{name: "workerId", text: &w.WorkerID},
		{name: "tabId", text: &w.TabID},
		{name: "load", number: load},
		{name: "role", text: (*string)(&w.Role)},
		{name: "status", text: (*string)(&w.Status)},
		{name: "visibilityState", text: (*string)(&w.Visibility)},
		{name: "heartbeatAt", number: &w.HeartbeatAt},
		{name: "registeredAt", number: &w.RegisteredAt},
	}
}
