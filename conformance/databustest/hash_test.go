package databustest

import "testing"

// TestHash holds the hash to its golden values (DATABUS-KEY-002).
func TestHash(t *testing.T) {
	for text, want := range map[string]string{
		"":            "1aee8d837f7ec63360abff0a91876379",
		"x":           "350cf08ecd12bd0d7f41ee7a93db2dd5",
		"price.feed":  "95d6d57b49595457c105bb5cb8414e50",
		"__default__": "8961b6db17848e13c497141eaf0f1dda",
		"\U0001f600":  "99515952e64775ffaba14862a7836f34",
	} {
		if got := hash(text); got != want {
			t.Errorf("hash of %q is %s, want %s", text, got, want)
		}
	}
}
