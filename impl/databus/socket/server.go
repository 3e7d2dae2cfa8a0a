package socket

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/farewell"
)

// A Server sends what is published of a topic to all connections that subscribe it. Use [NewServer] to make one. It may be used from
// several goroutines.
type Server struct {
	cfg     ServerConfig
	ctx     context.Context // ends when connections are cut off
	cancel  context.CancelFunc
	running sync.WaitGroup // requests

	mu     sync.Mutex
	closed bool
	room   int // for connections
	conns  map[*conn]struct{}
	topics map[string]map[*conn]struct{}
	count  ServerStats
}

// ServerStats count what a server has done.
type ServerStats struct {
	Conns     int   // that there are
	Topics    int   // that somebody subscribes
	Published int64 // publications taken
	Sent      int64 // copies of them that were put in a queue
	Slow      int64 // connections that were dropped because they were slow
	Malformed int64 // connections that were dropped because of what came on them
	Refused   int64 // requests that found no room
}

// NewServer returns a server. It fails with a [*ConfigError].
func NewServer(c ServerConfig) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.normal()
	s := &Server{cfg: c, room: c.MaxConns, conns: map[*conn]struct{}{}, topics: map[string]map[*conn]struct{}{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// ServeHTTP takes one connection and returns when it has ended. The server that calls it must not limit the time of a request's write or
// read.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		http.Error(w, "there is no room for another connection", http.StatusServiceUnavailable)
		return
	}
	defer s.running.Done()
	defer s.settle()
	t := &farewell.Taking{ResponseWriter: w}
	ws, err := websocket.Accept(t, r, &websocket.AcceptOptions{Subprotocols: []string{Subprotocol}, OriginPatterns: s.cfg.Origins})
	if err != nil {
		return
	}
	c := &conn{s: s, ws: ws, below: t.Conn, queue: newQueue(s.cfg.Queue, s.cfg.QueueBytes), topics: map[string]struct{}{}}
	s.take(c)
	c.serve()
}

// begin makes room for a connection.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.room == 0 {
		s.count.Refused++
		return false
	}
	s.room--
	s.running.Add(1)
	return true
}

// settle gives the room back.
func (s *Server) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room++
}

func (s *Server) take(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
	if s.closed {
		c.end(websocket.StatusGoingAway, "the server is closed")
	}
}

// leave forgets a connection and what it subscribes.
func (s *Server) leave(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for topic := range c.topics {
		s.drop(c, topic)
	}
	delete(s.conns, c)
}

// malformed counts a connection that ends because of what came on it.
func (s *Server) malformed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.Malformed++
}

// obey does what a client asks. It returns the code with which the connection ends, if it does.
func (s *Server) obey(c *conn, m message) (code websocket.StatusCode, reason string) {
	topic := *m.Topic
	var octets []byte
	if m.Op == opPublish {
		var err error
		if octets, err = encode(opMessage, topic, m.Data); err != nil {
			return websocket.StatusMessageTooBig, "too long for a message"
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Op {
	case opSubscribe:
		if _, already := c.topics[topic]; !already && len(c.topics) >= s.cfg.MaxTopics {
			return CloseTopics, "too many topics"
		}
		c.topics[topic] = struct{}{}
		if s.topics[topic] == nil {
			s.topics[topic] = map[*conn]struct{}{}
		}
		s.topics[topic][c] = struct{}{}
	case opUnsubscribe:
		s.drop(c, topic)
	case opPublish:
		s.send(topic, octets)
	}
	return 0, ""
}

// drop ends one subscription. The lock is held.
func (s *Server) drop(c *conn, topic string) {
	delete(c.topics, topic)
	delete(s.topics[topic], c)
	if len(s.topics[topic]) == 0 {
		delete(s.topics, topic)
	}
}

// send puts a message in the queues of all that subscribe the topic, and returns how many those are. The lock is held.
func (s *Server) send(topic string, octets []byte) int {
	s.count.Published++
	for c := range s.topics[topic] {
		if c.queue.put(octets) {
			s.count.Sent++
		} else {
			s.count.Slow++
			c.end(CloseSlow, "too slow")
		}
	}
	return len(s.topics[topic])
}

// Emit publishes as a client does, and returns how many connections subscribe the topic. It fails with a [*MessageError].
func (s *Server) Emit(topic string, data json.RawMessage) (int, error) {
	octets, err := encode(opMessage, topic, data)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.send(topic, octets), nil
}

// Subscribed returns how many connections subscribe the topic.
func (s *Server) Subscribed(topic string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.topics[topic])
}

// Stats returns what has been counted.
func (s *Server) Stats() ServerStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.count
	st.Conns, st.Topics = len(s.conns), len(s.topics)
	return st
}

// Close ends all connections with 1001 and waits for them. When ctx ends first they are cut off, and its error is returned.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		c.end(websocket.StatusGoingAway, "the server is closed")
	}
	s.mu.Unlock()
	defer s.cancel()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.cancel()
	<-done
	return ctx.Err()
}
