package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/eventbustest"
)

// maxServerText is how much of a document [Connected] quotes.
const maxServerText = 100

// probeHTTP asks for the capabilities document with the headers of the profile, and opens and shuts a session as the profile says:
// the first one can take seconds, which must not be taken for a fault of the first case.
func probeHTTP(ctx context.Context, e Endpoint, profile conformance.Profile) (Connected, error) {
	p := conformance.SectionOf[eventbustest.Section](profile).HTTP
	text, err := ask(ctx, e, p, eventbustest.Request{Method: http.MethodGet, Path: p.Capabilities})
	if err != nil {
		return Connected{}, err
	}
	c := Connected{Server: text[:min(len(text), maxServerText)]}
	if !p.Open.Given() {
		return c, nil
	}
	text, err = ask(ctx, e, p, p.Open)
	if err != nil {
		return Connected{}, err
	}
	var answer map[string]json.RawMessage
	var session string
	if json.Unmarshal([]byte(text), &answer) != nil || json.Unmarshal(answer[p.Open.Session], &session) != nil || session == "" {
		return Connected{}, fmt.Errorf("%s opened no session: %.200q", e.URL, text)
	}
	if p.Shut.Given() {
		_, err = ask(ctx, e, p, p.Shut.Fill("session", session))
	}
	return c, err
}

// ask makes one request with its headers and those of the profile and returns the answer's text. A status other than the one that the
// request names, or than 200 to 299 if it names none, is an error.
func ask(ctx context.Context, e Endpoint, p eventbustest.HTTP, r eventbustest.Request) (string, error) {
	u, err := e.loopback()
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, "http://"+u.Host+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return "", fmt.Errorf("ask %s: %w", e.URL, err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range p.Header {
		req.Header.Set(name, value)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	// No proxy and no connection kept: what a setting of the user's says of proxies is not for loopback.
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return "", fmt.Errorf("ask %s: %w", e.URL, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, probeReplyLimit))
	if err != nil {
		return "", fmt.Errorf("read the answer of %s: %w", e.URL, err)
	}
	if !r.Worked(resp.StatusCode) {
		return "", fmt.Errorf("%s answered %s %s with %s: %.200q", e.URL, r.Method, r.Path, resp.Status, body)
	}
	return strings.TrimSpace(string(body)), nil
}
