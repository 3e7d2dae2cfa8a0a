package corpus

import (
	"bytes"
	"slices"
	"strconv"
)

// Script returns the calls of the session in one version, one by one: the handshake of open, repetitions written out,
// {version} and {i} filled in, and the time of every call given.
func (s *Session) Script(version string) []SessionStep {
	var out []SessionStep
	if s.Open != nil {
		out = s.Open.steps()
	}
	out = flatten(out, s.Steps, 0)
	var now int64
	for i := range out {
		step := &out[i]
		if step.Now != nil {
			now = *step.Now
		}
		at := now
		step.Now = &at
		step.fill("{version}", version)
	}
	return out
}

func (o *Opening) steps() []SessionStep {
	connect := SessionFrame{Frame{Command: Text("CONNECT"), Headers: Headers{
		{Name: Text("accept-version"), Value: Text("{version}")}, {Name: Text("host"), Value: Text("h")},
	}}}
	connected := SessionFrame{Frame{Command: Text("CONNECTED"), Headers: Headers{{Name: Text("version"), Value: Text("{version}")}}}}
	if o.Client != nil {
		connect.Headers = append(connect.Headers, Header{Name: Text("heart-beat"), Value: *o.Client})
	}
	if o.Server != nil {
		connected.Headers = append(connected.Headers, Header{Name: Text("heart-beat"), Value: *o.Server})
	}
	answer := Octets(append(connected.append(nil), 0))
	return []SessionStep{
		{Now: &o.Now, Send: &connect, Want: &SessionWant{State: "connecting"}},
		{Now: &o.Now, Receive: &answer, Want: &SessionWant{State: "active"}},
	}
}

// flatten appends the steps to out. The texts of a step in a repetition have its round filled in.
func flatten(out, steps []SessionStep, round int) []SessionStep {
	for _, s := range steps {
		if s.Repeat != nil {
			for i := range s.Count {
				out = flatten(out, s.Repeat, i+1)
			}
			continue
		}
		if round > 0 {
			s.fill("{i}", strconv.Itoa(round))
		}
		out = append(out, s)
	}
	return out
}

// fill replaces mark in all texts of the step and tells whether there was one; what the step shares with others it
// copies first.
func (s *SessionStep) fill(mark, by string) bool {
	f := filler{mark: []byte(mark), by: []byte(by)}
	if s.Send != nil {
		s.Send = &SessionFrame{f.frame(s.Send.Frame)}
	}
	s.Receive = f.octets(s.Receive)
	if s.Want != nil {
		w := *s.Want
		w.Octets = f.octets(w.Octets)
		w.Version = string(f.text([]byte(w.Version)))
		w.Events = slices.Clone(w.Events)
		for i := range w.Events {
			e := &w.Events[i]
			e.Get = f.headers(e.Get)
			if e.Frame != nil {
				whole := f.frame(*e.Frame)
				e.Frame = &whole
			}
		}
		s.Want = &w
	}
	return f.met
}

type filler struct {
	mark, by []byte
	met      bool // a text had the mark
}

func (f *filler) text(t []byte) []byte {
	if !bytes.Contains(t, f.mark) {
		return t
	}
	f.met = true
	return bytes.ReplaceAll(t, f.mark, f.by)
}

func (f *filler) octets(o *Octets) *Octets {
	if o == nil {
		return nil
	}
	filled := Octets(f.text(*o))
	return &filled
}

func (f *filler) headers(hs []Header) []Header {
	out := slices.Clone(hs)
	for i := range out {
		out[i].Name, out[i].Value = f.text(out[i].Name), f.text(out[i].Value)
	}
	return out
}

func (f *filler) frame(v Frame) Frame {
	v.Command, v.Headers, v.Body = f.text(v.Command), f.headers(v.Headers), f.text(v.Body)
	return v
}
