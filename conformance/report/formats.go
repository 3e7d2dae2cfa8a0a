package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/seed-6f28358b/assay/conformance"
)

// A File is one file of a report. Name is relative to the report's folder, with slashes.
type File struct {
	Name string
	Data []byte
}

// A Format is one form of a report.
type Format struct {
	Name  string // as given to --format
	File  string // name of the main file
	Title string // one line for help texts
	// Write writes the main file; it is what a terminal or a pipe gets.
	Write func(w io.Writer, o Options, results ...*conformance.Result) error
	more  func(m *Matrix) []File // files beside the main one
}

// Formats returns every form, in the order in which help lists them:
//
//	terminal  result.txt     a summary for people
//	md        result.md      one target: a step summary; several: the matrix of laws and targets
//	junit     junit.xml      test viewers of CI systems
//	sarif     result.sarif   code-scanning views
//	html      result.html    the whole report in one page
//	badge     badge.json     and badges/GROUP.json for each group of laws, as in badges/stomp-frame.json
//	json      summary.json   the outcome for machines
func Formats() []Format {
	return []Format{
		{Name: "terminal", File: "result.txt", Title: "a summary for people", Write: Terminal},
		{Name: "md", File: "result.md", Title: "Markdown: a step summary, or a matrix of several targets", Write: anyMarkdown},
		{Name: "junit", File: "junit.xml", Title: "JUnit XML for test viewers", Write: JUnit},
		{Name: "sarif", File: "result.sarif", Title: "SARIF 2.1.0 for code-scanning views", Write: SARIF},
		{Name: "html", File: "result.html", Title: "one page with everything, no network needed", Write: HTML},
		{Name: "badge", File: "badge.json", Title: "badge endpoints, overall and for each group of laws", Write: Badge, more: func(m *Matrix) []File { return m.badges()[1:] }},
		{Name: "json", File: "summary.json", Title: "the outcome for machines", Write: JSON},
	}
}

// anyMarkdown chooses between the two Markdown forms by the number of targets.
func anyMarkdown(w io.Writer, o Options, results ...*conformance.Result) error {
	if len(o.join(results...).Targets) > 1 {
		return MatrixMarkdown(w, o, results...)
	}
	return Markdown(w, o, results...)
}

// FormatByName returns the form of that name. An error names the known ones.
func FormatByName(name string) (Format, error) {
	var known []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q, known: %s", name, strings.Join(known, ", "))
}

// Files returns every file of the form, the main one first.
func (f Format) Files(o Options, results ...*conformance.Result) ([]File, error) {
	o.Color = false // a file is no terminal
	var b bytes.Buffer
	if err := f.Write(&b, o, results...); err != nil {
		return nil, fmt.Errorf("report %s: %w", f.Name, err)
	}
	files := []File{{Name: f.File, Data: b.Bytes()}}
	if f.more != nil {
		files = append(files, f.more(o.join(results...))...)
	}
	return files, nil
}

// WriteFiles makes the named forms and writes their files into a folder, which is created. Each file is
// written whole or not at all; nothing is written when a name is unknown or a form cannot be made. It
// returns the paths written.
func WriteFiles(dir string, names []string, o Options, results ...*conformance.Result) ([]string, error) {
	o.Dir = dir
	var files []File
	for _, name := range names {
		f, err := FormatByName(name)
		if err != nil {
			return nil, err
		}
		made, err := f.Files(o, results...)
		if err != nil {
			return nil, err
		}
		files = append(files, made...)
	}
	var paths []string
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return paths, fmt.Errorf("report: %w", err)
		}
		if err := renameio.WriteFile(path, f.Data, 0o644); err != nil {
			return paths, fmt.Errorf("report: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
