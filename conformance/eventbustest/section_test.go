package eventbustest

import "testing"

// A session's id is any text that a target chooses: it stays inside of its segment of the path, and of the request line.
func TestFillEscapesThePath(t *testing.T) {
	r := Request{Path: "/session/{session}/{n}", Body: `{"id":"{session}"}`, Header: map[string]string{"X": "{session}"}}
	got := r.Fill("session", "a b/ü HTTP/1.1\r\nX: y{n}", "n", "5")
	if got.Path != "/session/a%20b%2F%C3%BC%20HTTP%2F1.1%0D%0AX:%20y%7Bn%7D/5" || got.Header["X"] != "a b/ü HTTP/1.1\r\nX: y{n}" {
		t.Errorf("%+v", got)
	}
	if r.Path != "/session/{session}/{n}" || r.Header["X"] != "{session}" {
		t.Errorf("the request itself has changed: %+v", r)
	}
	for _, c := range []struct {
		want, status int
		worked       bool
	}{{0, 200, true}, {0, 299, true}, {0, 199, false}, {0, 300, false}, {201, 201, true}, {201, 200, false}} {
		if (Request{Status: c.want}).Worked(c.status) != c.worked {
			t.Errorf("status %d where %d is wanted: worked is not %v", c.status, c.want, c.worked)
		}
	}
}
