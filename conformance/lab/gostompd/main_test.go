package main

import "testing"

func TestOnlyGuestIsLetIn(t *testing.T) {
	for _, pair := range [][2]string{{"guest", "guest"}, {"guest", ""}, {"", "guest"}, {"", ""}, {"Guest", "guest"}} {
		if got, want := (guest{}).Authenticate(pair[0], pair[1]), pair == [2]string{"guest", "guest"}; got != want {
			t.Errorf("login %q passcode %q: %v, want %v", pair[0], pair[1], got, want)
		}
	}
}
