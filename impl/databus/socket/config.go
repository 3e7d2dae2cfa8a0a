package socket

import (
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Defaults of [Config] and [ServerConfig].
const (
	DefaultTimeout    = 10 * time.Second
	DefaultKeepAlive  = 20 * time.Second
	DefaultQueue      = 4096
	DefaultQueueBytes = 8 << 20
	DefaultMaxConns   = 1024
	DefaultMaxTopics  = 10_000

	minQueueBytes = 2 * MaxMessage
)

// A Config says to which server a transport connects. It must not be changed after [New].
type Config struct {
	// URL of the server, ws or wss. It is required.
	URL string
	// Client makes the request. Nil: http.DefaultClient.
	Client *http.Client
	// Header goes with the request.
	Header http.Header
	// Timeout is how long an opening, one write, the answer of the server when it is asked, and a farewell may take. 0: [DefaultTimeout].
	Timeout time.Duration
	// KeepAlive is how often the server is asked whether it is there. 0: [DefaultKeepAlive].
	KeepAlive time.Duration
	// Queue and QueueBytes are how many messages and octets wait to be sent. 0: the defaults. QueueBytes is at least 2 MiB.
	Queue, QueueBytes int
	// Ended is told why a connection ended that nobody asked to end. It must return at once. Nil: nobody is.
	Ended func(error)
}

// Validate returns a [*ConfigError] that names the field of c that is out of range, or nil.
func (c *Config) Validate() error {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		return &ConfigError{"URL", fmt.Sprintf("is not ws://HOST:PORT/ or wss://HOST:PORT/ (%q)", c.URL)}
	}
	if c.Timeout < 0 {
		return &ConfigError{"Timeout", fmt.Sprintf("is %v", c.Timeout)}
	}
	if c.KeepAlive < 0 {
		return &ConfigError{"KeepAlive", fmt.Sprintf("is %v", c.KeepAlive)}
	}
	return validQueue(c.Queue, c.QueueBytes)
}

func validQueue(most, octets int) error {
	if most < 0 {
		return &ConfigError{"Queue", fmt.Sprintf("is %d", most)}
	}
	if octets != 0 && octets < minQueueBytes {
		return &ConfigError{"QueueBytes", fmt.Sprintf("is not 0 and less than %d (%d)", minQueueBytes, octets)}
	}
	return nil
}

// normal returns c with its defaults filled in.
func (c Config) normal() Config {
	or(&c.Timeout, DefaultTimeout)
	or(&c.KeepAlive, DefaultKeepAlive)
	or(&c.Queue, DefaultQueue)
	or(&c.QueueBytes, DefaultQueueBytes)
	if c.Ended == nil {
		c.Ended = func(error) {}
	}
	return c
}

// or sets what is 0.
func or[T int | time.Duration](at *T, value T) {
	if *at == 0 {
		*at = value
	}
}

// A ServerConfig says what a server allows. Its zero value is ready. It must not be changed after [NewServer].
type ServerConfig struct {
	// MaxConns is how many connections there are at once; further ones get status 503. 0: [DefaultMaxConns].
	MaxConns int
	// MaxTopics is how many topics one connection subscribes. 0: [DefaultMaxTopics].
	MaxTopics int
	// Queue and QueueBytes are how many messages and octets wait for one connection. 0: the defaults. QueueBytes is at least 2 MiB.
	Queue, QueueBytes int
	// Timeout is how long one write, the answer of a client when it is asked, and a farewell may take. 0: [DefaultTimeout].
	Timeout time.Duration
	// KeepAlive is how often a client is asked whether it is there. 0: [DefaultKeepAlive].
	KeepAlive time.Duration
	// Origins are patterns of the hosts whose pages may connect, besides the server's own.
	Origins []string
}

// Validate returns a [*ConfigError] that names the field of c that is out of range, or nil.
func (c *ServerConfig) Validate() error {
	switch {
	case c.MaxConns < 0:
		return &ConfigError{"MaxConns", fmt.Sprintf("is %d", c.MaxConns)}
	case c.MaxTopics < 0:
		return &ConfigError{"MaxTopics", fmt.Sprintf("is %d", c.MaxTopics)}
	case c.Timeout < 0:
		return &ConfigError{"Timeout", fmt.Sprintf("is %v", c.Timeout)}
	case c.KeepAlive < 0:
		return &ConfigError{"KeepAlive", fmt.Sprintf("is %v", c.KeepAlive)}
	}
	return validQueue(c.Queue, c.QueueBytes)
}

// normal returns c with its defaults filled in.
func (c ServerConfig) normal() ServerConfig {
	or(&c.MaxConns, DefaultMaxConns)
	or(&c.MaxTopics, DefaultMaxTopics)
	or(&c.Queue, DefaultQueue)
	or(&c.QueueBytes, DefaultQueueBytes)
	or(&c.Timeout, DefaultTimeout)
	or(&c.KeepAlive, DefaultKeepAlive)
	return c
}
