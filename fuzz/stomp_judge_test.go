package fuzz

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// judgeStream returns what is wrong with the octets that a sender put on the wire, a server if server is true. It reads them by the rules of
// version, and of what CONNECTED says after it, up to the first octet that no receiver may take; a stream that stops inside a frame
// is no fault. A law is named once, for its first breach.
//
// The codec machine decides what the grammar says; above it stand the laws that bind a sender and that a receiver lets pass.
func judgeStream(version stompmodel.Version, server bool, stream []byte) ([]corpus.Finding, error) {
	m, err := stompmodel.NewCodec(stompmodel.DefaultCodecConfig(version))
	if err != nil {
		return nil, err
	}
	j := judge{server: server}
	s, begun := m.Init(), 0
	for i, octet := range stream {
		v := s.Version()
		next, event, fault := m.Step(m.BeginFeed(s), octet)
		if s = next; fault != nil {
			j.refused(v, stream[begun:i+1], fault.Rule)
			break
		}
		if event != nil {
			if !event.Heartbeat {
				j.frame(v, event.Frame)
			}
			begun = i + 1
		}
	}
	return j.findings, nil
}

type judge struct {
	server   bool
	findings []corpus.Finding
}

func (j *judge) say(law, verdict string) {
	for _, f := range j.findings {
		if f.Law == law {
			return
		}
	}
	j.findings = append(j.findings, corpus.Finding{Law: law, Verdict: verdict})
}

// refused judges octets of which the last one broke a rule.
func (j *judge) refused(v stompmodel.Version, octets []byte, rule stompmodel.Rule) {
	command, _, _ := strings.Cut(strings.TrimSuffix(string(octets), "\n"), "\n")
	if v == stompmodel.V12 {
		command = strings.TrimSuffix(command, "\r")
	}
	switch rule {
	case stompmodel.RuleLineLimit, stompmodel.RuleHeaderLimit, stompmodel.RuleBodyLimit, stompmodel.RuleEventLimit:
		// The limits are a receiver's own.
		return
	case stompmodel.RuleUnknownCommand:
		// A beat that ends in CR LF before 1.2: STOMP-HEARTBEAT-006, which begins with 1.1.
		if string(octets) == "\r\n" && v == stompmodel.V11 {
			j.say("STOMP-HEARTBEAT-006", "fail")
			return
		}
	case stompmodel.RuleEscape:
		// STOMP-ESC-006: CR is never written as an escape in 1.1.
		if v == stompmodel.V11 && bytes.Contains(octets, []byte(`\r`)) {
			j.say("STOMP-ESC-006", "fail")
		}
	case stompmodel.RuleTerminator:
		// STOMP-BODY-001: a count of octets is the announcement of a body.
		if !v.MayHaveBody(command) {
			j.say("STOMP-BODY-001", "fail")
		}
	}
	j.say(rule.Law(), "fail")
}

// frame judges what a receiver takes.
func (j *judge) frame(v stompmodel.Version, f stompmodel.Frame) {
	switch {
	case j.server && !v.ServerCommand(f.Command):
		j.say("STOMP-FRAME-004", "fail")
	case !j.server && !v.ClientCommand(f.Command) && v == stompmodel.V10:
		j.say("STOMP-FRAME-002", "fail")
	case !j.server && !v.ClientCommand(f.Command):
		j.say("STOMP-FRAME-003", "fail")
	}
	if v == stompmodel.V10 {
		for _, h := range f.Headers {
			if h.Value == "" || !isASCII(h.Name) || !isASCII(h.Value) {
				j.say("STOMP-HDR-003", "fail")
			}
		}
		if f.Command == "RECEIPT" && len(f.Body) > 0 {
			j.say("STOMP-BODY-015", "fail")
		}
	}
	if value, ok := f.Get("heart-beat"); ok && v != stompmodel.V10 && handshakes(f.Command) && !isBeatPair(value) {
		j.say("STOMP-HEARTBEAT-001", "fail")
	}
	j.content(v, f)
}

// content judges the two headers that describe a body.
func (j *judge) content(v stompmodel.Version, f stompmodel.Frame) {
	kind, typed := f.Get("content-type")
	_, counted := f.Get("content-length")
	if v == stompmodel.V12 && typed && !isMIME(kind) {
		j.say("STOMP-HDR-014", "fail")
	}
	bodied := f.Command == "SEND" || f.Command == "MESSAGE" || f.Command == "ERROR"
	if len(f.Body) == 0 || !bodied {
		return
	}
	if !counted || !typed && v != stompmodel.V10 {
		j.say("STOMP-BODY-007", "lax")
	}
	if v != stompmodel.V10 && strings.HasPrefix(kind, "text/") && !strings.Contains(kind, "charset=") && !utf8.Valid(f.Body) {
		j.say("STOMP-HDR-016", "lax")
	}
}

func handshakes(command string) bool {
	return command == "CONNECT" || command == "STOMP" || command == "CONNECTED"
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > 0x7f {
			return false
		}
	}
	return true
}

// isBeatPair reports whether s is two decimal numbers and a comma: STOMP-HEARTBEAT-001.
func isBeatPair(s string) bool {
	can, want, ok := strings.Cut(s, ",")
	return ok && isNumber(can) && isNumber(want)
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isMIME reports whether s is a type, a slash and a subtype, perhaps with parameters: STOMP-HDR-014.
func isMIME(s string) bool {
	s, _, _ = strings.Cut(s, ";")
	kind, sub, ok := strings.Cut(strings.TrimRight(s, " \t"), "/")
	return ok && isToken(kind) && isToken(sub)
}

func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?=`, r)
	})
}
