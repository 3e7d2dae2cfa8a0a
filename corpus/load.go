package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

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

// A record is one element of a list in the corpus.
type record interface {
	head() head
	check() error // what is wrong with a record that is well-formed YAML and whose head is right
}

// load reads records of a protocol out of files. A name may occur once in all of them.
func load[T any, P interface {
	*T
	record
}](fsys fs.FS, protocol string, files ...string) ([]T, error) {
	var out []T
	seen := map[string]Place{}
	for _, file := range files {
		err := loadList(fsys, file, func(n ast.Node, line int) error {
			var v T
			if err := decodeNode(n, &v); err != nil {
				return err
			}
			h := P(&v).head()
			*h.place = Place{file, line}
			if err := h.complete(protocol); err != nil {
				return err
			}
			if err := P(&v).check(); err != nil {
				return err
			}
			if first, ok := seen[h.name]; ok {
				return fmt.Errorf("name %q is already used at %s:%d", h.name, first.File, first.Line)
			}
			seen[h.name] = *h.place
			out = append(out, v)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// loadFolder reads records out of every .yaml file directly inside dir, in the order of names.
func loadFolder[T any, P interface {
	*T
	record
}](fsys fs.FS, protocol, dir string) ([]T, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, located(dir, 0, err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && path.Ext(e.Name()) == ".yaml" {
			files = append(files, path.Join(dir, e.Name()))
		}
	}
	return load[T, P](fsys, protocol, files...)
}
