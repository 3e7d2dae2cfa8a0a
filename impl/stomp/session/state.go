package session

// State is where a session stands (STOMP-CLIENT-001). A session moves from Fresh to Connecting by CONNECT, to Active by
// CONNECTED, to Disconnecting by a DISCONNECT with a receipt, and from any state to Closed, for good.
type State uint8

// The states.
const (
	Fresh State = iota
	Connecting
	Active
	Disconnecting
	Closed
)

// String returns the state in lower case, such as "active".
func (s State) String() string {
	switch s {
	case Fresh:
		return "fresh"
	case Connecting:
		return "connecting"
	case Active:
		return "active"
	case Disconnecting:
		return "disconnecting"
	case Closed:
		return "closed"
	}
	return "unknown"
}

// Counts says how many records a session holds. All are 0 when it is closed.
type Counts struct {
	Subscriptions int // those that await the receipt of their UNSUBSCRIBE included
	Unsubscribing int // only those
	Transactions  int
	Receipts      int
	Deliveries    int // those staged in a transaction included
}
