package frame

// Version is a STOMP protocol version. Versions are ordered: V10 < V11 < V12, so "at least 1.1" is v >= V11.
type Version uint8

// The three published versions.
const (
	V10 Version = iota
	V11
	V12
)

// String returns the version as it stands in a version header: "1.0", "1.1" or "1.2".
func (v Version) String() string {
	switch v {
	case V10:
		return "1.0"
	case V11:
		return "1.1"
	case V12:
		return "1.2"
	}
	return "unknown"
}

// ParseVersion returns the version whose text is exactly s. There is no trimming and no other spelling.
func ParseVersion(s string) (Version, bool) {
	switch s {
	case "1.0":
		return V10, true
	case "1.1":
		return V11, true
	case "1.2":
		return V12, true
	}
	return V12, false
}

// known reports whether v is one of the three versions.
func (v Version) known() bool { return v <= V12 }
