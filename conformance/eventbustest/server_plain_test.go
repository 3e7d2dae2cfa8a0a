package eventbustest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// A plainClient talks to the reference as any program would.
type plainClient struct {
	t       *testing.T
	address string
}

func (c *plainClient) open() string {
	c.t.Helper()
	resp, err := http.Post("http://"+c.address+"/later/session", "application/json", strings.NewReader("{}"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	var answer struct{ SessionID string }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.SessionID == "" {
		c.t.Fatalf("a session is opened: %+v, %v", answer, err)
	}
	return answer.SessionID
}
