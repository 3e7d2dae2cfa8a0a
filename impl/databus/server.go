package databus

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
)

// A Server is a server in memory: what is published on one connection goes to all that subscribe the topic. Its zero value is ready. It
// may be used from several goroutines.
type Server struct {
	mu    sync.Mutex
	lines []*Line // open
	err   error   // of the next openings
}

// A Line is a connection to a [Server], and the [Transport] of one bus.
type Line struct {
	server *Server
	topics map[string]bool // under the lock of the server
	to     Receiver        // nil: closed
	box    *mailbox
}

// errClosed is a publication on a line that is not open.
var errClosed = errors.New("the connection is closed")

// Line returns a line that is not open.
func (s *Server) Line() *Line { return &Line{server: s} }

// Emit sends a publication to every line that subscribes the topic, and returns how many those are.
func (s *Server) Emit(topic string, data json.RawMessage) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.lines {
		if l.topics[topic] {
			n++
			to := l.to
			l.box.put(func() { to.Message(topic, data) })
		}
	}
	return n
}

// Subscribed returns how many lines subscribe the topic.
func (s *Server) Subscribed(topic string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.lines {
		if l.topics[topic] {
			n++
		}
	}
	return n
}

// Refuse has all openings fail with err until it is called with nil.
func (s *Server) Refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// Break breaks all open lines: their buses see status error, and subscriptions are lost.
func (s *Server) Break() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		to := l.to
		l.box.put(func() { to.Status(Failed) })
		l.to, l.topics = nil, nil
	}
	s.lines = nil
}

// Start opens the line.
func (l *Line) Start(ctx context.Context, r Receiver) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s := l.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	l.to, l.topics, l.box = r, map[string]bool{}, &mailbox{}
	if !slices.Contains(s.lines, l) {
		s.lines = append(s.lines, l)
	}
	return nil
}

// Subscribe subscribes a topic until the line is closed or broken.
func (l *Line) Subscribe(topic string) {
	l.server.mu.Lock()
	defer l.server.mu.Unlock()
	if l.to != nil {
		l.topics[topic] = true
	}
}

// Unsubscribe ends that.
func (l *Line) Unsubscribe(topic string) {
	l.server.mu.Lock()
	defer l.server.mu.Unlock()
	delete(l.topics, topic)
}

// Publish sends a publication to all lines that subscribe the topic, this one too.
func (l *Line) Publish(topic string, data json.RawMessage) error {
	l.server.mu.Lock()
	open := l.to != nil
	l.server.mu.Unlock()
	if !open {
		return errClosed
	}
	l.server.Emit(topic, data)
	return nil
}

// Stop closes the line. What has not reached its bus is lost.
func (l *Line) Stop(context.Context) error {
	s := l.server
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = slices.DeleteFunc(s.lines, func(other *Line) bool { return other == l })
	if l.box != nil {
		l.box.close()
	}
	l.to, l.topics = nil, nil
	return nil
}
