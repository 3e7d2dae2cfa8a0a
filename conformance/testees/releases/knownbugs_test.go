package releases

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

// atOnce is how many bugs are judged at the same time; of each one process runs.
const atOnce = 2

func TestKnownBugsAreRediscovered(t *testing.T) {
	if os.Getenv("ASSAY_KNOWN_BUGS") != "1" {
		t.Skip("runs old releases of client libraries: install them with install.sh and set ASSAY_KNOWN_BUGS=1")
	}
	folder, err := releasesFolder()
	if err != nil {
		t.Fatal(err)
	}
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	bugs := knownBugs(t)
	rows := make([]row, len(bugs))
	slots := make(chan struct{}, atOnce)
	t.Run("bugs", func(t *testing.T) {
		for i, b := range bugs {
			t.Run(b.Name, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				r, err := rediscover(t.Context(), folder, laws, b)
				if err != nil {
					t.Fatal(err)
				}
				rows[i] = r
			})
		}
	})
	for _, r := range rows {
		if t.Failed() || r.bug.Name == "" {
			return // a page of some of them would not say what is missing
		}
	}
	if err := os.WriteFile(filepath.Join("..", "..", "lab", "reports", "known-bugs.md"), []byte(page(rows)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// releasesFolder is where install.sh puts the releases.
func releasesFolder() (string, error) {
	if dir := os.Getenv("ASSAY_LAB_DIR"); dir != "" {
		return filepath.Join(dir, "releases"), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".cache", "assay", "lab", "releases"), err
}

// rediscover runs the cases of a bug on the affected and on the fixed release and compares what they say.
func rediscover(ctx context.Context, folder string, laws *spec.Catalogue, b corpus.KnownBug) (row, error) {
	law, ok := laws.Law(b.Law)
	if !ok {
		return row{}, fmt.Errorf("%s: law %s is not in the catalogue", b.Name, b.Law)
	}
	affected, err := judge(ctx, folder, b, b.Affected)
	if err != nil {
		return row{}, fmt.Errorf("%s: %w", b.Name, err)
	}
	fixed, err := judge(ctx, folder, b, b.Fixed)
	if err != nil {
		return row{}, fmt.Errorf("%s: %w", b.Name, err)
	}
	return compare(b, law, affected, fixed)
}

// judge runs the cases of a bug on one release and returns their results by id.
func judge(ctx context.Context, folder string, b corpus.KnownBug, release string) (results, error) {
	argv, err := command(folder, b, release)
	if err != nil {
		return nil, err
	}
	res, err := conformance.Run(ctx, stomptest.Client(), conformance.Config{
		Target: conformance.ExecTarget(argv), Selection: conformance.Selection{Only: b.Cases}, Parallel: 1,
	})
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", b.Library, release, err)
	}
	if !strings.Contains(res.Header.Software, " "+release+" ") {
		return nil, fmt.Errorf("%s %s: the testee says that it runs %q", b.Library, release, res.Header.Software)
	}
	byID := results{}
	for _, c := range res.Cases {
		byID[c.ID] = c
	}
	return byID, nil
}

// command starts the testee of a bug with a release.
func command(folder string, b corpus.KnownBug, release string) ([]string, error) {
	dir := filepath.Join(folder, b.Library+"-"+release)
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("%s %s is not installed: %w", b.Library, release, err)
	}
	program, err := filepath.Abs(b.Testee)
	if err != nil {
		return nil, err
	}
	switch filepath.Ext(b.Testee) {
	case ".py":
		return []string{filepath.Join(folder, "python", "bin", "python"), "-B", program, dir}, nil
	case ".js":
		return []string{"node", program, dir}, nil
	}
	if b.Registry == "maven" {
		path := filepath.Join(dir, "classes") + ":" + filepath.Join(dir, "lib", "*")
		return []string{"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", path, "Control"}, nil
	}
	return []string{filepath.Join(dir, "testee")}, nil
}
