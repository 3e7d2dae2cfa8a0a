package main

import (
	"time"

	"github.com/go-stomp/stomp/v3"
	"github.com/go-stomp/stomp/v3/frame"
)

// margin is how late a beat of the server may be.
const margin = 300 * time.Millisecond

// A subject is the connection that is judged.
type subject struct {
	conn     *stomp.Conn
	shown    chan *stomp.Message
	messages []*stomp.Message
}

func (s *subject) carryOut(address string, o order) (report, error) {
	switch o.Do {
	case "hello":
		return report{"library": "go-stomp", "version": release(), "language": "Go", "can": can}, nil
	case "connect":
		return s.connect(address, o)
	case "send":
		var opts []func(*frame.Frame) error
		for name, value := range o.Headers {
			opts = append(opts, stomp.SendOpt.Header(name, value))
		}
		return nil, s.conn.Send(o.Destination, "text/plain", o.Body, opts...)
	case "subscribe":
		return nil, s.subscribe(o)
	case "receive":
		return s.next(time.Duration(o.Wait) * time.Millisecond), nil
	case "ack":
		return nil, s.conn.Ack(s.messages[o.Message-1])
	case "nack":
		return nil, s.conn.Nack(s.messages[o.Message-1])
	case "disconnect":
		return nil, s.conn.Disconnect()
	default:
		return report{"unsupported": "the testee of old releases does not know " + o.Do}, nil
	}
}

func (s *subject) connect(address string, o order) (report, error) {
	opts := []func(*stomp.Conn) error{stomp.ConnOpt.Host("assay"), stomp.ConnOpt.Login(o.Login, o.Passcode)}
	if o.Version != "default" {
		opts = append(opts, stomp.ConnOpt.AcceptVersion(stomp.Version(o.Version)))
	}
	if len(o.Beats) == 2 {
		send, want := time.Duration(o.Beats[0])*time.Millisecond, time.Duration(o.Beats[1])*time.Millisecond
		// The margin of the library, five seconds unless the user chooses, would hide what it takes for the interval.
		opts = append(opts, stomp.ConnOpt.HeartBeat(send, want), stomp.ConnOpt.HeartBeatError(margin))
	}
	var err error
	if s.conn, err = stomp.Dial("tcp", address, opts...); err != nil {
		return nil, err
	}
	return report{"version": string(s.conn.Version())}, nil
}

func (s *subject) subscribe(o order) error {
	mode := map[string]stomp.AckMode{"client": stomp.AckClient, "client-individual": stomp.AckClientIndividual}[o.Ack]
	sub, err := s.conn.Subscribe(o.Destination, mode, stomp.SubscribeOpt.Id(o.ID))
	if err != nil {
		return err
	}
	go func() {
		for m := range sub.C {
			s.shown <- m
		}
	}()
	return nil
}

func (s *subject) next(wait time.Duration) report {
	select {
	case <-time.After(wait):
		return report{"event": "none"}
	case m := <-s.shown:
		if m.Err != nil {
			return report{"event": "closed", "reason": m.Err.Error()}
		}
		s.messages = append(s.messages, m)
		headers := map[string]string{}
		for i := m.Header.Len() - 1; i >= 0; i-- { // of a repeated header the first
			name, value := m.Header.GetAt(i)
			headers[name] = value
		}
		return report{"event": "message", "message": len(s.messages), "headers": headers, "body": m.Body}
	}
}
