package stomptest

import "testing"

// STOMP-HDR-014.
func TestMediaTypeGrammar(t *testing.T) {
	for _, v := range []string{"text/plain", "text/plain;charset=utf-8", "text/plain; charset=UTF-8", `a/b; x="y z"`, "application/vnd.api+json"} {
		if !mediaType.MatchString(v) {
			t.Errorf("%q is a MIME type and must match", v)
		}
	}
	for _, v := range []string{"", "text", "plain text", "text/", "/plain", "text/plain charset", "text/plain;charset"} {
		if mediaType.MatchString(v) {
			t.Errorf("%q is no MIME type and must not match", v)
		}
	}
}
