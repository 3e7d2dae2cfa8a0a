package substratemodel

import (
	"regexp"
	"strings"
)

// The tokens are whole: no octet may follow, not even a line feed.
var (
	addressToken = regexp.MustCompile(`\A[a-z0-9._/-]{1,128}\z`)
	idToken      = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,64}\z`)
	codeToken    = regexp.MustCompile(`\A[a-z0-9_]{1,64}\z`)
)

// wireAddress returns the code for what is wrong with an address. SUBSTRATE-ADDR-001, SUBSTRATE-ADDR-002, SUBSTRATE-ADDR-003
func wireAddress(s string) string {
	switch {
	case strings.Contains(s, "@"):
		return "routing_not_supported"
	case !addressToken.MatchString(s):
		return "bad_address"
	}
	return ""
}

func wireID(s string) bool   { return idToken.MatchString(s) }
func wireCode(s string) bool { return codeToken.MatchString(s) }

// A CodeClass is what a code of an err or a reject means to whoever gets it. SUBSTRATE-FINALITY-001
type CodeClass string

// The classes.
const (
	TerminalOp     CodeClass = "terminal-op"
	TerminalObject CodeClass = "terminal-object"
	Retryable      CodeClass = "retryable"
)

// ClassOf returns the class of a code: SUBSTRATE-FINALITY-002. A code that the table does not have is over for the op and no matter to the object.
func ClassOf(code string) CodeClass {
	switch code {
	case "no_such_object", "closed", "object_failed":
		return TerminalObject
	case "queue_full", "rate_limited", "busy", "store_unavailable":
		return Retryable
	}
	return TerminalOp
}
