package cddltest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Grammar is a set of rules by name.
type Grammar struct {
	rules map[string]node
}

// Parse reads a grammar. Every name that it uses must be a rule of it or one of uint, bstr, tstr and bool.
func Parse(source string) (*Grammar, error) {
	p := &parser{}
	for n, line := range strings.Split(source, "\n") {
		if err := p.scan(line); err != nil {
			return nil, fmt.Errorf("cddl line %d: %w", n+1, err)
		}
	}
	g := &Grammar{rules: map[string]node{}}
	for p.at < len(p.tokens) {
		name := p.next()
		if !isName(name) || !p.take("=") {
			return nil, fmt.Errorf("cddl: rule expected at %q", name)
		}
		if _, twice := g.rules[name]; twice {
			return nil, fmt.Errorf("cddl: %s is there twice", name)
		}
		n, err := p.choice()
		if err != nil {
			return nil, fmt.Errorf("cddl: %s: %w", name, err)
		}
		g.rules[name] = n
	}
	for _, name := range p.used {
		if _, known := g.rules[name]; !known && !isPrelude(name) {
			return nil, fmt.Errorf("cddl: there is no %s", name)
		}
	}
	return g, nil
}

// Names returns the names of the rules, in no order.
func (g *Grammar) Names() []string {
	names := make([]string, 0, len(g.rules))
	for name := range g.rules {
		names = append(names, name)
	}
	return names
}

// token finds the next token of a line.
var token = regexp.MustCompile(`^(?:"[^"]*"|\.\.|\.[a-z]+|=>|[0-9]+|[A-Za-z_][A-Za-z0-9_-]*|[=/,:?*{}()\[\]])`)

type parser struct {
	tokens []string
	at     int
	used   []string
}

func (p *parser) scan(line string) error {
	for {
		line = strings.TrimLeft(line, " \t\r")
		if line == "" || line[0] == ';' {
			return nil
		}
		t := token.FindString(line)
		if t == "" {
			return fmt.Errorf("no token at %q", line)
		}
		p.tokens = append(p.tokens, t)
		line = line[len(t):]
	}
}

func (p *parser) peek(ahead int) string {
	if p.at+ahead >= len(p.tokens) {
		return ""
	}
	return p.tokens[p.at+ahead]
}

func (p *parser) next() string {
	t := p.peek(0)
	p.at++
	return t
}

func (p *parser) take(t string) bool {
	if p.peek(0) != t {
		return false
	}
	p.at++
	return true
}

func isName(t string) bool {
	return t != "" && (t[0] == '_' || t[0] >= 'a' && t[0] <= 'z' || t[0] >= 'A' && t[0] <= 'Z')
}

func isPrelude(name string) bool {
	switch name {
	case "uint", "bstr", "tstr", "bool":
		return true
	}
	return false
}

// choice reads types with slashes between them.
func (p *parser) choice() (node, error) {
	first, err := p.controlled()
	if err != nil || p.peek(0) != "/" {
		return first, err
	}
	all := choiceNode{first}
	for p.take("/") {
		n, err := p.controlled()
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// controlled reads a type and the control behind it, if there is one.
func (p *parser) controlled() (node, error) {
	n, err := p.primary()
	if err != nil || !strings.HasPrefix(p.peek(0), ".") {
		return n, err
	}
	name := p.next()
	with, err := p.primary()
	if err != nil {
		return nil, err
	}
	c := controlNode{of: n}
	switch with := with.(type) {
	case rangeNode:
		if name == ".size" {
			c.size = &with
			return c, nil
		}
		if name == ".lt" && with.low == with.high {
			c.below = &with.low
			return c, nil
		}
	case textNode:
		if name == ".regexp" {
			c.pattern, err = regexp.Compile("^(?:" + string(with) + ")$")
			return c, err
		}
	}
	return nil, fmt.Errorf("control %s with a %T", name, with)
}

func (p *parser) primary() (node, error) {
	switch t := p.next(); {
	case t == "{":
		entries, err := p.entries("}")
		return mapNode(entries), err
	case t == "[":
		if !p.take("*") {
			return nil, fmt.Errorf("only arrays of one repeated type are known, not one at %q", p.peek(0))
		}
		of, err := p.choice()
		if err == nil && !p.take("]") {
			err = fmt.Errorf("] expected at %q", p.peek(0))
		}
		return arrayNode{of: of}, err
	case t == "(" && isNumber(p.peek(0)):
		n, err := p.primary()
		if err == nil && !p.take(")") {
			err = fmt.Errorf(") expected at %q", p.peek(0))
		}
		return n, err
	case t == "(":
		entries, err := p.entries(")")
		return groupNode(entries), err
	case strings.HasPrefix(t, `"`):
		return textNode(strings.Trim(t, `"`)), nil
	case isNumber(t):
		return p.numbers(t)
	case isName(t):
		p.used = append(p.used, t)
		return nameNode(t), nil
	default:
		return nil, fmt.Errorf("type expected at %q", t)
	}
}

func isNumber(t string) bool { return t != "" && t[0] >= '0' && t[0] <= '9' }

// numbers reads what is left of a number or of a range of them.
func (p *parser) numbers(first string) (node, error) {
	last := first
	if p.take("..") {
		last = p.next()
	}
	low, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return nil, err
	}
	high, err := strconv.ParseUint(last, 10, 64)
	return rangeNode{low: low, high: high}, err
}

// entries reads the members of a map or a group up to its end.
func (p *parser) entries(end string) ([]entry, error) {
	var all []entry
	for !p.take(end) {
		e := entry{}
		switch {
		case p.take("?"):
			e.optional = true
		case p.take("*"):
			e.repeated = true
		}
		var err error
		if key := p.peek(0); isName(key) && p.peek(1) == ":" {
			p.at += 2
			e.key = key
			e.value, err = p.choice()
		} else if e.value, err = p.choice(); err == nil && p.take("=>") {
			e.keyType = e.value
			e.value, err = p.choice()
		}
		if err != nil {
			return nil, err
		}
		if e.repeated != (e.keyType != nil) {
			return nil, fmt.Errorf("keys by type must be repeated and others must not, before %q", p.peek(0))
		}
		all = append(all, e)
		if !p.take(",") && p.peek(0) != end {
			return nil, fmt.Errorf("comma or %s expected at %q", end, p.peek(0))
		}
	}
	return all, nil
}
