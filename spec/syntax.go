package spec

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxFileSize is the largest law file that Parse reads, in bytes. The largest file of the catalogue needs about a seventh.
const MaxFileSize = 1 << 20

// syntaxTree reads the YAML of a law file into its list of laws. Law files are a small part of YAML: one document, a list
// of block mappings of text, a flow list for versions. Everything else is refused by name before the tree is built,
// so that the parser's recursion is bounded by the indentation of the text and its time by the size.
func syntaxTree(file string, data []byte) (seq *ast.SequenceNode, faults Errors) {
	if len(data) > MaxFileSize {
		return nil, Errors{{File: file, Line: 1, Reason: fmt.Sprintf("file has %d bytes, at most %d are read", len(data), MaxFileSize)}}
	}
	if line, ok := badUTF8(data); ok {
		return nil, Errors{{File: file, Line: line, Reason: "text is not valid UTF-8"}}
	}
	// The YAML library is foreign code fed with text that it may never have seen; a fault of its own must cost one file.
	defer func() {
		if r := recover(); r != nil {
			seq, faults = nil, Errors{{File: file, Line: 1, Reason: fmt.Sprintf("the yaml parser gave up: %v", r)}}
		}
	}()
	tokens := lexer.Tokenize(string(data))
	if faults := refused(file, tokens); len(faults) > 0 {
		return nil, faults
	}
	// Repeated keys pass here so that each one is reported with its law, beside the file's other faults.
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, Errors{syntaxError(file, err)}
	}
	var body ast.Node
	for _, doc := range tree.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, Errors{at(file, doc.Body, "", "second yaml document, a law file is one list")}
		}
		body = doc.Body
	}
	if body == nil {
		return nil, Errors{{File: file, Line: 1, Reason: "no laws in the file"}}
	}
	seq, ok := body.(*ast.SequenceNode)
	if !ok {
		return nil, Errors{at(file, body, "", "a law file is a list of laws, found "+kindOf(body))}
	}
	if len(seq.Values) == 0 {
		return nil, Errors{at(file, body, "", "no laws in the file")}
	}
	return seq, nil
}

func badUTF8(data []byte) (line int, bad bool) {
	line = 1
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			return line, true
		}
		if r == '\n' {
			line++
		}
		data = data[n:]
	}
	return 0, false
}

// maxKeys is more keys than any law has. The parser's time is quadratic in the keys of one mapping.
const maxKeys = 64

// refused finds the tokens that no law file needs.
func refused(file string, tokens token.Tokens) Errors {
	var faults Errors
	refuse := func(t *token.Token, what string) {
		faults = append(faults, &Error{
			File: file, Line: t.Position.Line, Column: t.Position.Column,
			Reason: what + " is not part of the law file format",
		})
	}
	flow, lastColon, lastEntry, keys := 0, 0, 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			refuse(t, "an anchor, alias or merge key")
		case token.TagType, token.DirectiveType:
			refuse(t, "a tag or directive")
		case token.MappingKeyType:
			refuse(t, "an explicit key (?)")
		case token.MappingStartType:
			refuse(t, "a flow mapping {}")
		case token.SequenceStartType:
			if flow++; flow > 1 {
				refuse(t, "a list in a list")
			}
		case token.SequenceEndType:
			flow = max(flow-1, 0) // a stray end must not buy a later start
		case token.MappingValueType:
			if t.Position.Line == lastColon {
				refuse(t, "a second key on one line (quote a text that holds a colon)")
			}
			lastColon = t.Position.Line
			if keys++; keys == maxKeys+1 {
				refuse(t, fmt.Sprintf("a law of more than %d keys", maxKeys))
			}
		case token.SequenceEntryType:
			if t.Position.Line == lastEntry {
				refuse(t, "a list in a list")
			}
			lastEntry, keys = t.Position.Line, 0
		}
	}
	return faults
}

func syntaxError(file string, err error) *Error {
	var positioned interface {
		error
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &positioned) {
		out := &Error{File: file, Line: 1, Reason: "yaml: " + positioned.GetMessage()}
		if t := positioned.GetToken(); t != nil && t.Position != nil {
			out.Line, out.Column = t.Position.Line, t.Position.Column
		}
		return out
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return &Error{File: file, Line: 1, Reason: "yaml: " + first}
}

// at makes a fault with the position of a node.
func at(file string, n ast.Node, law, reason string) *Error {
	e := &Error{File: file, Line: 1, Law: law, Reason: reason}
	t := n.GetToken()
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		t = m.Values[0].Key.GetToken() // the mapping's own token is its first colon
	}
	if t != nil && t.Position != nil {
		e.Line, e.Column = t.Position.Line, t.Position.Column
	}
	return e
}

// kindOf names a node in words of the reader, not of the library.
func kindOf(n ast.Node) string {
	switch n.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "a mapping"
	case ast.SequenceType:
		return "a list"
	case ast.StringType, ast.LiteralType:
		return "text"
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.BoolType:
		return "a boolean"
	case ast.NullType:
		return "nothing"
	default:
		return n.Type().String()
	}
}
