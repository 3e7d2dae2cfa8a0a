package main

import (
	"fmt"
	"sync"

	"github.com/seed-6f28358b/assay/conformance"
)

// progress shows how far a run is, on a terminal only.
type progress struct {
	mu   sync.Mutex
	s    streams
	name string
	used bool
}

func newProgress(s streams, name string) *progress { return &progress{s: s, name: name} }

// show is told of every finished case.
func (p *progress) show(at conformance.Progress) {
	p.line(fmt.Sprintf("%d/%d  pass %d  fail %d  lax %d  %s", at.Done, at.Total,
		at.Counts[conformance.Pass], at.Counts[conformance.Fail], at.Counts[conformance.Lax], at.Last.ID))
}

// calibrating is told of every case that the reference has kept under this binary.
func (p *progress) calibrating(at conformance.Progress) {
	p.line(fmt.Sprintf("calibrating: this binary judges the reference, once: %d/%d", at.Done, at.Total))
}

// line replaces what is shown.
func (p *progress) line(text string) {
	if !p.s.terminal {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used = true
	fmt.Fprintf(p.s.err, "\r\x1b[K%s %s", p.name, text)
}

// done clears the line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used {
		fmt.Fprint(p.s.err, "\r\x1b[K")
	}
}
