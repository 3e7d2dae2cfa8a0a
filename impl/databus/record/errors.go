package record

import "fmt"

// Limits of what is stored.
const (
	MaxID     = 256  // octets of a worker id or a tab id
	MaxRecord = 4096 // octets of a stored value
)

// An Error is a value that is no record, or a record that must not be stored.
type Error struct {
	Family  Family
	Field   string // empty: the value as a whole
	Problem string
}

// Error returns a one line description.
func (e *Error) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("databus %s record: %s", e.Family, e.Problem)
	}
	return fmt.Sprintf("databus %s record: %s %s", e.Family, e.Field, e.Problem)
}
