package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Parse reads the law file of one protocol. It is strict: an unknown or repeated key, a missing required key, an empty
// text, an unknown level, role, version, kind or since, an id of another form or protocol, a repeated id and a gap in a
// group's numbers are faults. All faults of the file are collected: the error is an Errors, and no law is returned with
// it. An unknown protocol is an *UnknownError. Parse does not panic and does no I/O; file only names the source.
func Parse(file, protocol string, data []byte) ([]Law, error) {
	d, ok := dialectOf(protocol)
	if !ok {
		return nil, &UnknownError{What: "protocol", Value: protocol, Known: KnownProtocols()}
	}
	seq, faults := syntaxTree(file, data)
	if len(faults) > 0 {
		return nil, faults.sorted()
	}
	r := reader{file: file, dialect: d, line: map[string]int{}, highest: map[string]int{}}
	laws := make([]Law, 0, len(seq.Values))
	for _, n := range seq.Values {
		laws = append(laws, r.law(n))
	}
	if len(r.faults) > 0 {
		return nil, r.faults.sorted()
	}
	return laws, nil
}

// reader turns the laws of one file into values and keeps what it finds wrong.
type reader struct {
	file    string
	dialect dialect
	faults  Errors
	line    map[string]int // where each id was first used
	highest map[string]int // last number seen in each group
	blurred bool           // an id was unreadable, so a gap in the numbers proves nothing
	current string         // id of the law being read, empty until known
}

func (r *reader) fault(n ast.Node, format string, args ...any) {
	r.faults = append(r.faults, at(r.file, n, r.current, fmt.Sprintf(format, args...)))
}

func (r *reader) law(n ast.Node) Law {
	law := Law{Protocol: r.dialect.name, File: r.file}
	r.current = ""
	m, ok := n.(*ast.MappingNode)
	if !ok {
		r.blurred = true
		r.fault(n, "a law is a mapping of keys, found %s", kindOf(n))
		return law
	}
	// The id is read first so that every other fault can name its law.
	for _, kv := range m.Values {
		if keyText(kv) == "id" {
			r.readID(&law, kv)
			break
		}
	}
	seen := map[string]bool{}
	for _, kv := range m.Values {
		key := keyText(kv)
		switch {
		case seen[key]:
			r.fault(kv.Key, "key %q is repeated", key)
		case key == "id":
		case !slices.Contains(r.dialect.keys(), key):
			r.fault(kv.Key, "unknown key %q, known: %s", key, strings.Join(r.dialect.keys(), ", "))
		default:
			r.field(&law, key, kv.Value)
		}
		seen[key] = true
	}
	for _, key := range r.dialect.required {
		if !seen[key] {
			r.fault(m.Values[0].Key, "missing key %q", key)
			r.blurred = r.blurred || key == "id"
		}
	}
	return law
}

func keyText(kv *ast.MappingValueNode) string {
	if t := kv.Key.GetToken(); t != nil {
		return t.Value
	}
	return ""
}

func (r *reader) readID(law *Law, kv *ast.MappingValueNode) {
	text, ok := r.text("id", kv.Value)
	if !ok {
		r.blurred = true
		return
	}
	parts, err := parseID(text, r.dialect.prefix)
	if err != nil {
		r.blurred = true
		r.fault(kv.Value, "%v", err)
		return
	}
	r.current = text
	law.ID, law.Group = text, parts.group
	law.Line = at(r.file, kv.Key, "", "").Line
	if first, ok := r.line[text]; ok {
		r.fault(kv.Value, "id is already used on line %d", first)
		return
	}
	r.line[text] = law.Line
	if want := r.highest[parts.group] + 1; parts.number != want && !r.blurred {
		r.fault(kv.Value, "number %03d where %03d is next in group %s: a law is withdrawn, never deleted or moved", parts.number, want, parts.group)
	}
	r.highest[parts.group] = parts.number
}

func (r *reader) field(law *Law, key string, n ast.Node) {
	switch key {
	case "role":
		law.Role = r.oneOf(key, n, r.dialect.roles)
	case "level":
		law.Level = Level(r.oneOf(key, n, levelStrings(Levels())))
	case "kind":
		law.Kind = r.oneOf(key, n, Kinds())
	case "since":
		law.Since = r.oneOf(key, n, sinces())
	case "versions":
		law.Versions = r.versions(n)
	case "decision":
		law.Decision = r.boolean(key, n)
	case "title":
		law.Title, _ = r.text(key, n)
	case "statement":
		law.Statement, _ = r.text(key, n)
	case "source":
		law.Source, _ = r.text(key, n)
	case "check":
		law.Check, _ = r.text(key, n)
	case "notes":
		law.Notes, _ = r.text(key, n)
	case "withdrawn":
		law.Withdrawn, _ = r.text(key, n)
	default:
		panic("spec: key " + key + " is in a dialect but has no field")
	}
}
