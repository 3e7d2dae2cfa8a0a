package lab

import (
	"fmt"
	"strings"
	"time"
)

// NotInstalledError says what software of the lab needs and this machine does not have.
type NotInstalledError struct {
	// Name is that of the software.
	Name string
	// Missing is the file or program that was not found.
	Missing string
	// Install is the command that brings it.
	Install string
}

// Error names the software, what is missing and the command that installs it.
func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("%s is not installed: %s not found; install it with: %s", e.Name, e.Missing, e.Install)
}

// NotReadyError says that no probe of an endpoint succeeded in time.
type NotReadyError struct {
	// Endpoint is the endpoint that was waited for.
	Endpoint Endpoint
	// Limit is the time that all endpoints had together.
	Limit time.Duration
	// Tries is how many times it was asked.
	Tries int
	// Last is why the last try failed.
	Last error
}

// Error names the endpoint, the limit, the number of tries and the last failure.
func (e *NotReadyError) Error() string {
	return fmt.Sprintf("%s was not ready within %v (%d tries, last: %v)", e.Endpoint.URL, e.Limit, e.Tries, e.Last)
}

// Unwrap returns the failure of the last try.
func (e *NotReadyError) Unwrap() error { return e.Last }

// StartError says that a broker that is installed could not be brought up. Its process has ended
// and its folder is kept.
type StartError struct {
	// Broker and Version name the software.
	Broker, Version string
	// LogPath is the kept log; Tail its newest part.
	LogPath, Tail string
	// Err is the cause: *child.ExitError if the process ended, *NotReadyError if it did not
	// answer in time, the context's error if the caller gave up.
	Err error
}

// Error names the broker and the cause, and quotes the end of its log.
func (e *StartError) Error() string {
	s := fmt.Sprintf("start %s %s: %v; log %s", e.Broker, e.Version, e.Err, e.LogPath)
	if t := strings.TrimSpace(e.Tail); t != "" {
		s += ", its end:\n" + t
	}
	return s
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }
