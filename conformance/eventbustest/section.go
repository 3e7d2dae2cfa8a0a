package eventbustest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Section is what a profile says of an event bus.
type Section struct {
	HTTP HTTP `yaml:"http"`
}

// Validate reports what is wrong with p, naming the field.
func (p Section) Validate() error { return p.HTTP.validate() }

// An HTTP says where a target serves its event streams and how it is made to produce events. The zero value is an
// endpoint of which nothing is known but its address: it is read and resumed, and never told to publish.
//
// In the texts of a request, and in paths, {session} stands for the session that was opened, {version} for the version of the protocol
// that a case runs under, {text} for a word that has to turn up in an event, and {count} for a number of events.
type HTTP struct {
	// Events is the path of an event stream, with its query; empty: that of the target's address.
	Events string `yaml:"events"`
	// Open makes a session of its own for each case; absent: all cases share one stream.
	Open Request `yaml:"open"`
	// Publish makes the target emit events, at least one of which holds {text}.
	Publish Request `yaml:"publish"`
	// Burst makes the target emit {count} events or a few more, as fast as it can, whose data holds {text}.
	Burst Request `yaml:"burst"`
	// Shut ends a session.
	Shut Request `yaml:"shut"`
	// Capabilities is the path of the document that lists features; empty: there is none.
	Capabilities string `yaml:"capabilities"`
	// Header is sent with every request.
	Header map[string]string `yaml:"header"`
	// Ring is how many events the target keeps for a resumed stream; 0: unknown.
	Ring int `yaml:"ring"`
	// Subscribers is how many streams of one session the target serves at a time; 0: unknown.
	Subscribers int `yaml:"subscribers"`
}

// A Request is an HTTP request that a profile spells out. Without a method it is absent.
type Request struct {
	Method string            `yaml:"method"`
	Path   string            `yaml:"path"`
	Body   string            `yaml:"body"`
	Header map[string]string `yaml:"header"`
	// Status is the status that says that it worked; 0: any from 200 to 299.
	Status int `yaml:"status"`
	// Session is the member of a JSON answer that holds the session's id.
	Session string `yaml:"session"`
	// Events is how many events one such request makes, at the least; 0: 1.
	Events int `yaml:"events"`
}

// Given reports whether the profile spells the request out.
func (r Request) Given() bool { return r.Method != "" }

// Worked reports whether a status is the one that says that the request worked.
func (r Request) Worked(status int) bool {
	if r.Status != 0 {
		return status == r.Status
	}
	return status >= 200 && status <= 299
}

// Fill returns the request with the words between braces replaced. Pairs are word, value. In the path a value is escaped, so that
// a session's id can be any text; in body and headers it stands as it is.
func (r Request) Fill(pairs ...string) Request {
	var plain, escaped []string
	for i := 0; i+1 < len(pairs); i += 2 {
		word, value := "{"+pairs[i]+"}", pairs[i+1]
		plain = append(plain, word, value)
		escaped = append(escaped, word, url.PathEscape(value))
	}
	replace := strings.NewReplacer(plain...).Replace
	r.Path, r.Body = strings.NewReplacer(escaped...).Replace(r.Path), replace(r.Body)
	header := make(map[string]string, len(r.Header))
	for name, value := range r.Header {
		header[name] = replace(value)
	}
	r.Header = header
	return r
}

// validate reports what is wrong with p, naming the field.
func (p HTTP) validate() error {
	for _, f := range []struct {
		name string
		r    Request
	}{{"open", p.Open}, {"publish", p.Publish}, {"burst", p.Burst}, {"shut", p.Shut}} {
		if err := f.r.validate(); err != nil {
			return fmt.Errorf("http: %s: %w", f.name, err)
		}
	}
	switch {
	case p.Open.Given() && p.Open.Session == "":
		return fmt.Errorf("http: open: session is empty: it names the member that holds the session's id")
	case p.Publish.Given() && !p.Publish.holds("{text}"):
		return fmt.Errorf("http: publish: neither path nor body holds {text}")
	case p.Burst.Given() && !p.Burst.holds("{count}"):
		return fmt.Errorf("http: burst: neither path nor body holds {count}")
	case p.Ring < 0:
		return fmt.Errorf("http: ring %d is negative", p.Ring)
	case p.Subscribers < 0:
		return fmt.Errorf("http: subscribers %d is negative", p.Subscribers)
	}
	for name, path := range map[string]string{"events": p.Events, "capabilities": p.Capabilities} {
		if path != "" && !strings.HasPrefix(path, "/") {
			return fmt.Errorf("http: %s: %q does not begin with /", name, path)
		}
	}
	return nil
}

func (r Request) validate() error {
	switch {
	case !r.Given() && (r.Path != "" || r.Body != ""):
		return fmt.Errorf("method is empty")
	case !r.Given():
		return nil
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, r.Method):
		return fmt.Errorf("method %q is none of GET, POST, PUT, PATCH, DELETE", r.Method)
	case !strings.HasPrefix(r.Path, "/"):
		return fmt.Errorf("path %q does not begin with /", r.Path)
	case r.Status != 0 && (r.Status < 200 || r.Status > 299):
		return fmt.Errorf("status %d is outside 200 to 299", r.Status)
	case r.Events < 0:
		return fmt.Errorf("events %d is negative", r.Events)
	}
	return nil
}

func (r Request) holds(word string) bool {
	return strings.Contains(r.Path, word) || strings.Contains(r.Body, word)
}
