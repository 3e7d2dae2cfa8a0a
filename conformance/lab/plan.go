package lab

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// plan is one broker about to be started: what was found, where it may write, and what to run. A
// recipe fills in commands and endpoints and writes files.
type plan struct {
	found
	dir       string // throw-away folder, absolute
	ports     []int
	profile   conformance.Profile
	commands  []command // in order of start; the last one is the broker itself
	endpoints []Endpoint
}

// command is one process of a broker.
type command struct {
	name  string
	path  string
	args  []string
	env   []string // added to the plan's own
	grace time.Duration
	// listens is an address that must accept a connection before the next command starts; empty for
	// the broker itself, whose endpoints are probed.
	listens string
}

// path returns a path in the throw-away folder.
func (p *plan) path(elem ...string) string {
	return filepath.Join(append([]string{p.dir}, elem...)...)
}

// write writes a file into the throw-away folder.
func (p *plan) write(name, content string) error {
	if err := os.WriteFile(p.path(name), []byte(content), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// run adds the broker's own command.
func (p *plan) run(c command) { p.commands = append(p.commands, c) }

// serve adds an endpoint on the port with that index.
func (p *plan) serve(transport string, port int, path string) {
	scheme := transport
	if transport == "nio" {
		scheme = "tcp"
	}
	p.endpoints = append(p.endpoints, Endpoint{Transport: transport, URL: scheme + "://" + p.addr(port) + path})
}

// serveTLS adds a TLS endpoint on the port with that index.
func (p *plan) serveTLS(port int, id identity) {
	p.endpoints = append(p.endpoints, Endpoint{Transport: "tls", URL: "tls://" + p.addr(port), CAFile: id.caFile})
}

// addr is the loopback address with the port of that index.
func (p *plan) addr(port int) string { return address(p.ports[port]) }

// env is the whole environment of a broker's process. Nothing of the caller's leaks in but the
// search path, so that a setting of the user's own broker cannot change the one under test.
func (p *plan) env(more []string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + p.dir,
		"TMPDIR=" + p.path("tmp"),
		"LANG=C.UTF-8",
	}, more...)
}

// xmlText escapes text for an XML file.
func xmlText(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a bytes.Buffer does not fail
	return b.String()
}
