package conformance

import "strings"

// hint returns what a person should look at when the probe of a target failed for a reason; empty if nothing is known.
func hint(target Target, reason string) string {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(reason, w) {
				return true
			}
		}
		return false
	}
	secure := target.Scheme == "tls" || target.Scheme == "wss" || target.Scheme == "https"
	switch {
	case has("connection refused"):
		return "does the target run, and is " + target.Address + " where it listens?"
	case has("no such host"):
		return "is the name right?"
	case secure && has("x509:"):
		return "a profile names the authority to trust and the name to verify: tls: {ca: FILE, server-name: NAME}"
	case secure && has("cannot be opened") && has("EOF", "first record does not look like a TLS handshake", "connection reset"):
		return "the TLS handshake failed: does " + target.Address + " speak TLS?"
	default:
		return ""
	}
}
