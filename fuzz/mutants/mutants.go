// Package mutants proves that the suites can fail: it builds the reference with one small fault at a
// time and demands that something which cites the broken law notices.
//
// The faults are data, in corpus/PROTOCOL/mutants. Start with Load and Catch; TestEveryMutantIsCaught
// does both for all of them and keeps the record of what caught which, from which Caught answers.
package mutants

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

// recordFile is the file, beside the mutants, that keeps what caught them.
const recordFile = "caught.yaml"

// A Mutant is one source edit of the reference that breaks laws.
type Mutant struct {
	Name    string   `yaml:"name"`    // says what the build does wrong
	File    string   `yaml:"file"`    // from the root of the repository
	Find    string   `yaml:"find"`    // a fragment that occurs once in File
	Replace string   `yaml:"replace"` // what stands there instead
	Breaks  []string `yaml:"breaks"`  // ids of the laws that no longer hold
}

// Hash identifies the edit: a record made for another edit of the same name does not count.
func (m Mutant) Hash() string {
	sum := sha256.Sum256([]byte(m.File + "\x00" + m.Find + "\x00" + m.Replace + "\x00" + strings.Join(m.Breaks, " ")))
	return hex.EncodeToString(sum[:6])
}

// missing returns the laws that m breaks and of which there is no catch.
func (m Mutant) missing(caught []Catch) []string {
	return slices.DeleteFunc(slices.Clone(m.Breaks), func(law string) bool {
		return slices.ContainsFunc(caught, func(c Catch) bool { return c.Mutant == m.Name && c.Law == law })
	})
}

// A Catch is the record that something citing a law noticed a mutant.
type Catch struct {
	Mutant string `yaml:"mutant"`
	Hash   string `yaml:"hash"` // Mutant.Hash when it was caught
	Law    string `yaml:"law"`
	By     string `yaml:"by"` // "case ID", "vector NAME" or "way LAW"
}

// Protocols returns those that have mutants.
func Protocols() []string {
	// Only a malformed pattern is an error.
	folders, _ := fs.Glob(corpus.FS, "*/mutants")
	for i, folder := range folders {
		folders[i] = path.Dir(folder)
	}
	return folders
}

// Load returns the mutants of one protocol in file order. It refuses unknown keys, repeated names,
// unknown laws and edits that change nothing.
func Load(protocol string) ([]Mutant, error) {
	return load(corpus.FS, path.Join(protocol, "mutants"))
}

func load(fsys fs.FS, dir string) ([]Mutant, error) {
	laws, err := spec.Load()
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(fsys, path.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var out []Mutant
	seen := map[string]bool{}
	for _, file := range files {
		if slices.Contains([]string{recordFile, referenceFile}, path.Base(file)) {
			continue
		}
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, err
		}
		var list []Mutant
		if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&list); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, m := range list {
			switch {
			case m.Name == "" || seen[m.Name]:
				return nil, fmt.Errorf("%s: mutant name %q is empty or used twice", file, m.Name)
			case m.File == "" || m.Find == "" || m.Find == m.Replace:
				return nil, fmt.Errorf("%s: mutant %s changes nothing", file, m.Name)
			case len(m.Breaks) == 0:
				return nil, fmt.Errorf("%s: mutant %s breaks no law", file, m.Name)
			}
			for _, id := range m.Breaks {
				if _, ok := laws.Law(id); !ok {
					return nil, fmt.Errorf("%s: mutant %s breaks unknown law %s", file, m.Name, id)
				}
			}
			seen[m.Name] = true
			out = append(out, m)
		}
	}
	return out, nil
}

// Caught returns the recorded catches of mutants that still exist as they were when caught.
func Caught(protocol string) ([]Catch, error) {
	list, err := Load(protocol)
	if err != nil {
		return nil, err
	}
	current := map[string]string{}
	for _, m := range list {
		current[m.Name] = m.Hash()
	}
	record, err := readRecord(corpus.FS, path.Join(protocol, "mutants", recordFile))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(record, func(c Catch) bool { return current[c.Mutant] != c.Hash }), nil
}

func readRecord(fsys fs.FS, file string) ([]Catch, error) {
	data, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	var out []Catch
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&out); err != nil && len(bytes.TrimSpace(data)) > 0 {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return out, nil
}
