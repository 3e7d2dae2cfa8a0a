package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// LoadError says where the data is wrong. Every error of a loader is one.
type LoadError struct {
	File   string // path inside the file system that was read
	Line   int    // from 1; 0 if the whole file is meant
	Reason string
}

func (e *LoadError) Error() string {
	return fmt.Sprintf("load %s:%d: %s", e.File, e.Line, e.Reason)
}

// nodeError is a LoadError whose file is not known yet.
type nodeError struct {
	line   int
	reason string
}

func (e *nodeError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.reason) }

func errorAt(n ast.Node, format string, args ...any) error {
	return &nodeError{line: lineOf(n), reason: fmt.Sprintf(format, args...)}
}

// lineOf is the first line of n. The token of a mapping or a sequence is its colon or its bracket, which stands on the
// line of the first key anyway, except for the block mapping whose first value goes over several lines.
func lineOf(n ast.Node) int {
	switch n := n.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			return lineOf(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return lineOf(n.Key)
	}
	return n.GetToken().Position.Line
}

func decodeNode(n ast.Node, v any) error { return yaml.NodeToValue(n, v, yaml.Strict()) }

// located turns any error of decoding into one that has a file and a line; line is used if the error has none.
func located(file string, line int, err error) error {
	var at *LoadError
	if errors.As(err, &at) {
		return at
	}
	var mine *nodeError
	if errors.As(err, &mine) {
		return &LoadError{File: file, Line: mine.line, Reason: mine.reason}
	}
	var theirs yaml.Error
	if errors.As(err, &theirs) {
		if t := theirs.GetToken(); t != nil {
			line = t.Position.Line
		}
		return &LoadError{File: file, Line: line, Reason: theirs.GetMessage()}
	}
	return &LoadError{File: file, Line: line, Reason: err.Error()}
}

// loadList reads a file that is one YAML list and gives each element with its line to add.
func loadList(fsys fs.FS, file string, add func(n ast.Node, line int) error) error {
	data, err := fs.ReadFile(fsys, file)
	if err != nil {
		return located(file, 0, err)
	}
	doc, err := parser.ParseBytes(data, 0)
	if err != nil {
		return located(file, 0, err)
	}
	if len(doc.Docs) != 1 {
		return &LoadError{File: file, Reason: fmt.Sprintf("file has %d documents, not 1", len(doc.Docs))}
	}
	seq, ok := doc.Docs[0].Body.(*ast.SequenceNode)
	if !ok {
		return &LoadError{File: file, Line: 1, Reason: "file is not a list"}
	}
	for _, n := range seq.Values {
		if err := refuseTags(n); err != nil {
			return located(file, lineOf(n), err)
		}
		if err := add(n, lineOf(n)); err != nil {
			return located(file, lineOf(n), err)
		}
	}
	return nil
}

// refuseTags refuses the tags of YAML, which no vector needs: the decoder underneath panics at one that has no value.
func refuseTags(n ast.Node) error {
	for _, found := range ast.Filter(ast.TagType, n) {
		return errorAt(found, "the data has no tags")
	}
	return nil
}

// StompVectors returns the STOMP vectors of the embedded corpus in the order of file names and then of the files.
func StompVectors() ([]StompVector, error) { return LoadStompVectors(FS, stompVectors) }

// LoadStompVectors reads every .yaml file directly inside dir. A name may occur once in all of them.
func LoadStompVectors(fsys fs.FS, dir string) ([]StompVector, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, located(dir, 0, err)
	}
	var out []StompVector
	seen := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".yaml") {
			continue
		}
		file := path.Join(dir, e.Name())
		err := loadList(fsys, file, func(n ast.Node, line int) error {
			v := StompVector{File: file, Line: line}
			if err := decodeNode(n, &v); err != nil {
				return err
			}
			if err := v.check(); err != nil {
				return &LoadError{File: file, Line: line, Reason: err.Error()}
			}
			if first, ok := seen[v.Name]; ok {
				return &LoadError{File: file, Line: line, Reason: fmt.Sprintf("name %q is already used at %s", v.Name, first)}
			}
			seen[v.Name] = fmt.Sprintf("%s:%d", file, line)
			out = append(out, v)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Bugs returns the public STOMP bug reports of the embedded corpus in the order of the file.
func Bugs() ([]Bug, error) { return LoadBugs(FS, stompBugs) }

// LoadBugs reads one file of bug reports. A name may occur once in it.
func LoadBugs(fsys fs.FS, file string) ([]Bug, error) {
	var out []Bug
	seen := map[string]int{}
	err := loadList(fsys, file, func(n ast.Node, line int) error {
		b := Bug{File: file, Line: line}
		if err := decodeNode(n, &b); err != nil {
			return err
		}
		if err := b.check(); err != nil {
			return &LoadError{File: file, Line: line, Reason: err.Error()}
		}
		if first, ok := seen[b.Name]; ok {
			return &LoadError{File: file, Line: line, Reason: fmt.Sprintf("name %q is already used at line %d", b.Name, first)}
		}
		seen[b.Name] = line
		out = append(out, b)
		return nil
	})
	return out, err
}
