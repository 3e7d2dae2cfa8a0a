package sse

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// The values that zero fields of a [ClientConfig] stand for.
const (
	DefaultRetry          = 3 * time.Second
	DefaultMaxRetry       = time.Hour
	DefaultMaxBackoff     = 30 * time.Second
	DefaultConnectTimeout = 30 * time.Second
	DefaultMaxRedirects   = 10
)

// ClientConfig says what a client reads and how it reconnects. Only URL is needed.
type ClientConfig struct {
	// URL is the address of the stream, http or https.
	URL string
	// HTTP makes the requests, and bounds redirects by itself if it has CheckRedirect. Its Timeout must be 0, for it would
	// bound the whole stream. Nil means a client that asks for nothing compressed and takes at most 64 KiB of headers.
	HTTP *http.Client
	// Header is sent with every request, also to where a redirect leads; net/http holds Authorization and Cookie back from
	// other hosts, and nothing else.
	Header http.Header
	// LastEventID is what the first request resumes after; empty: it does not. For [Client.Events] it is a decimal number.
	LastEventID string
	// Epoch is the epoch of that id; empty: unknown. Only [Client.Events] sends it, and only with an id.
	Epoch string
	// MaxQueued is the number of frames that the server is asked to hold, 16 to 2048; 0: it is not asked. It is asked
	// only if the document at Capabilities lists slow_client_warning (EVENTBUS-HTTP-013).
	MaxQueued int
	// Capabilities is the address of that document. Needed with MaxQueued.
	Capabilities string
	// Limits bounds a line and an event.
	Limits Limits

	// Retry is how long to wait before a reconnection until the server says otherwise. 0 means [DefaultRetry].
	Retry time.Duration
	// MaxRetry is the longest wait that the server may ask for. 0 means [DefaultMaxRetry].
	MaxRetry time.Duration
	// MaxBackoff bounds the wait after connections that failed or brought nothing, which doubles each time from Retry, or
	// what the server asked for, on. 0 means [DefaultMaxBackoff].
	MaxBackoff time.Duration
	// MaxFailures is how many such connections in a row end the reading. 0: none do.
	MaxFailures int
	// MaxRedirects is how many redirects one connection may take. 0 means [DefaultMaxRedirects].
	MaxRedirects int
	// ConnectTimeout is how long the head of an answer may take. 0 means [DefaultConnectTimeout]. Negative: for ever.
	ConnectTimeout time.Duration
	// Idle is how long a stream may bring no octet before it is taken for dead; the time that the loop takes over a message
	// does not count. 0: for ever.
	Idle time.Duration
	// Jitter draws from [0,1) the part by which a wait is longer, of a quarter of it. Nil means a random one.
	Jitter func() float64
	// Logger gets reconnections (debug) and frames that are no envelopes (warn). Nil: nothing.
	Logger *slog.Logger
}

// AddressError says which address of a configuration is bad.
type AddressError struct {
	Field, Found string
	Cause        error
}

// Error names the field and what was found.
func (e *AddressError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("sse config: %s: %v", e.Field, e.Cause)
	}
	return fmt.Sprintf("sse config: %s %q is not an address of http or https", e.Field, short(e.Found))
}

// Unwrap returns the cause.
func (e *AddressError) Unwrap() error { return e.Cause }

func address(field, value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return &AddressError{Field: field, Found: value, Cause: err}
	}
	return nil
}

// Validate returns an *AddressError or a *ConfigError that names the first field out of range, or nil.
func (c ClientConfig) Validate() error {
	if err := address("URL", c.URL); err != nil {
		return err
	}
	if c.MaxQueued != 0 {
		if c.MaxQueued < MinMaxQueued || c.MaxQueued > MaxMaxQueued {
			return &ConfigError{Field: "MaxQueued", Found: int64(c.MaxQueued), Min: MinMaxQueued, Max: MaxMaxQueued}
		}
		if err := address("Capabilities", c.Capabilities); err != nil {
			return err
		}
	}
	for _, f := range [...]struct {
		name  string
		value int64
	}{
		{"Retry", int64(c.Retry)},
		{"MaxRetry", int64(c.MaxRetry)},
		{"MaxBackoff", int64(c.MaxBackoff)},
		{"MaxFailures", int64(c.MaxFailures)},
		{"MaxRedirects", int64(c.MaxRedirects)},
		{"Idle", int64(c.Idle)},
	} {
		if f.value < 0 {
			return &ConfigError{Field: f.name, Found: f.value, Max: maxInt}
		}
	}
	if c.HTTP != nil && c.HTTP.Timeout != 0 {
		return &ConfigError{Field: "HTTP.Timeout", Found: int64(c.HTTP.Timeout)}
	}
	return c.Limits.Validate()
}

func (c ClientConfig) defaults() ClientConfig {
	for _, d := range [...]struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Retry, DefaultRetry},
		{&c.MaxRetry, DefaultMaxRetry},
		{&c.MaxBackoff, DefaultMaxBackoff},
		{&c.ConnectTimeout, DefaultConnectTimeout},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if c.MaxRedirects == 0 {
		c.MaxRedirects = DefaultMaxRedirects
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
