package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/spec"
)

// Progress counts what is run, and begins at its beginning.
func TestProgressCountsWhatIsRun(t *testing.T) {
	var seen []string
	cfg := Config{Parallel: 1, Selection: Selection{Only: []string{"stomp/test/run-*"}}}
	cfg.Progress = func(p Progress) { seen = append(seen, fmt.Sprintf("%d/%d", p.Done, p.Total)) }
	if _, err := judge(t, cfg, does("other", func(*T) {}), does("run-a", func(*T) {}), does("run-b", func(*T) {}), does("more", func(*T) {})); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(seen); got != "[1/2 2/2]" {
		t.Errorf("progress %s, want [1/2 2/2]", got)
	}
}

// A calibration tells how far it is, and the folder of what is remembered does not grow with every build.
func TestCalibrationsAreToldAndFewAreKept(t *testing.T) {
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const old = 40
	for i := range old {
		file := filepath.Join(dir, fmt.Sprintf("stomp-%016x-%08x.json", i, i))
		if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-time.Duration(i+1) * time.Hour)
		if err := os.Chtimes(file, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	told := 0
	c := Calibrator{Suite: scripted(does("holds", func(*T) {})), Dir: dir, Progress: func(Progress) { told++ }}
	if cal := c.Calibrate(t.Context(), laws); cal.Reference != "green" || told != 1 {
		t.Fatalf("%+v, told %d times", cal, told)
	}
	if _, ok := c.recall(laws); !ok {
		t.Error("the newest calibration was forgotten")
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != maxRemembered+1 {
		t.Errorf("%d files are kept, want %d and one that is no calibration: %v", len(files), maxRemembered, err)
	}
	if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("stomp-%016x-%08x.json", 0, 0))); err != nil {
		t.Errorf("the newest of the old ones went: %v", err)
	}
}
