package corpus

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// EventbusVectors returns the stream vectors of the embedded corpus in the order of file names and then of the files.
func EventbusVectors() ([]EventbusVector, error) { return LoadEventbusVectors(FS, eventbusVectors) }

// LoadEventbusVectors reads every .yaml file directly inside dir. A name may occur once in all of them.
func LoadEventbusVectors(fsys fs.FS, dir string) ([]EventbusVector, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, located(dir, 0, err)
	}
	var out []EventbusVector
	seen := map[string]string{}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".yaml") {
			continue
		}
		file := path.Join(dir, e.Name())
		err := loadList(fsys, file, func(n ast.Node, line int) error {
			v := EventbusVector{File: file, Line: line}
			if err := decodeNode(n, &v); err != nil {
				return err
			}
			if v.Versions == nil {
				v.Versions = Dialects()
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

// Dialects are the versions of the event bus, in their order.
func Dialects() []string { return []string{dialectSeed, dialectLater} }
