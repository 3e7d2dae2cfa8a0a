package corpus_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-6f28358b/assay/corpus"
)

// inFile calls a loader of a folder or a file, by its path, with the one file v/a.yaml.
func inFile[T any](load func(fs.FS, string) ([]T, error), path, data string) ([]T, error) {
	return load(fstest.MapFS{"v/a.yaml": {Data: []byte(data)}}, path)
}

// A refusal is one change to good data, and where and with what words it is refused.
type refusal struct {
	what, old, new string
	line           int
	reason         string
}

// refuses holds that a loader takes the good data and refuses each change of it.
func refuses[T any](t *testing.T, good string, load func(string) ([]T, error), rows []refusal) {
	t.Helper()
	if _, err := load(good); err != nil {
		t.Fatalf("the good data is refused: %v", err)
	}
	for _, c := range rows {
		if strings.Count(good, c.old) != 1 {
			t.Fatalf("%s: %q does not stand once in the good data", c.what, c.old)
		}
		_, err := load(strings.Replace(good, c.old, c.new, 1))
		var at *corpus.LoadError
		if !errors.As(err, &at) || at.File != "v/a.yaml" || at.Line != c.line || !strings.Contains(at.Reason, c.reason) {
			t.Errorf("%s: the loader gives %v; want line %d and %q", c.what, err, c.line, c.reason)
		}
	}
}

// refusesRest holds that a loader refuses what stands behind head with the reason given, or takes it if that is empty.
func refusesRest[T any](t *testing.T, head string, load func(string) ([]T, error), reasons map[string]string) {
	t.Helper()
	for rest, reason := range reasons {
		_, err := load(head + rest)
		if (err != nil) != (reason != "") || err != nil && !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: the loader gives %v; want %q", rest, err, reason)
		}
	}
}

// refusesTwoFiles holds that the name of a record, one, is refused in a second file, and that other files are not read.
func refusesTwoFiles[T any](t *testing.T, one string, load func(fs.FS, string) ([]T, error)) {
	t.Helper()
	files := fstest.MapFS{"v/a.yaml": {Data: []byte(one)}, "v/c.txt": {Data: []byte("not read")}}
	if _, err := load(files, "v"); err != nil {
		t.Error(err)
	}
	files["v/b.yaml"] = &fstest.MapFile{Data: []byte("\n" + one)}
	if _, err := load(files, "v"); err == nil || err.Error() != `load v/b.yaml:2: name "one" is already used at v/a.yaml:1` {
		t.Errorf("a name in two files gives %v", err)
	}
}

func TestLoadRefusesANameUsedInTwoFiles(t *testing.T) {
	refusesTwoFiles(t, strings.TrimPrefix(good, "# head\n"), corpus.LoadStompVectors)
	refusesTwoFiles(t, strings.TrimPrefix(goodStreams, "# head\n"), corpus.LoadEventbusVectors)
}

func TestLoadOfWhatIsMissing(t *testing.T) {
	_, folder := corpus.LoadStompVectors(fstest.MapFS{}, "v")
	_, other := corpus.LoadEventbusVectors(fstest.MapFS{}, "v")
	_, file := corpus.LoadBugs(fstest.MapFS{}, "v")
	for _, err := range []error{folder, other, file} {
		if at := (*corpus.LoadError)(nil); !errors.As(err, &at) || at.File != "v" {
			t.Errorf("what is missing gives %v", err)
		}
	}
}

// placed holds that an error of a loader has a place.
func placed(t *testing.T, err error) {
	if at := (*corpus.LoadError)(nil); err != nil && (!errors.As(err, &at) || at.File == "") {
		t.Errorf("error without a place: %v", err)
	}
}
