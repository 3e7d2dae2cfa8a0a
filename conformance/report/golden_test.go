package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// scenarios are the runs whose reports are pinned.
func scenarios() map[string][]*conformance.Result {
	decided := mixed("Alpha")
	baseline := mixed("Alpha")
	baseline.Footer.Baseline = &conformance.BaselineDelta{
		New: []string{"demo/server/frame/repeated@1.2"}, Changed: []string{"demo/server/link/close@1.1"}, Fixed: []string{"demo/server/old"}, Known: 2,
		Excused: []conformance.Excuse{
			{Case: "demo/server/ack/cumulative@1.2", Reason: "reported upstream", Link: "DEMO-ACK-001"},
			{Case: "demo/server/link/close@1.2", Reason: "slow machine"},
		},
	}
	baseline.Footer.Exit = conformance.ExitBroken
	nothing := allOf("Alpha", conformance.NotRun)
	nothing.Header.Calibration.Reference = "notrun"
	nothing.Footer.Stopped = "interrupted"
	beta := allOf("Beta", conformance.Pass)
	beta.Cases = append(beta.Cases, mixed("Beta").Cases[2])
	beta = result(beta.Header, beta.Cases...)
	return map[string][]*conformance.Result{
		"mixed":    {decided},
		"baseline": {baseline},
		"pass":     {allOf("Alpha", conformance.Pass)},
		"fail":     {allOf("Alpha", conformance.Fail)},
		"nothing":  {nothing},
		"hostile":  {hostile()},
		"matrix":   {mixed("Alpha"), beta},
		"empty":    {},
	}
}

func TestGolden(t *testing.T) {
	laws := catalogue(t)
	for name, results := range scenarios() {
		for _, f := range report.Formats() {
			if f.Name == "html" && name != "mixed" && name != "matrix" {
				continue // the page's behaviour is tested in a browser and by what it must not contain
			}
			files, err := f.Files(report.Options{Laws: laws}, results...)
			if err != nil {
				t.Errorf("%s %s: %v", name, f.Name, err)
				continue
			}
			for _, file := range files {
				if f.Name == "html" {
					// Only what depends on the run: style and script have files of their own.
					file.Data = withoutCode(file.Data)
				}
				golden(t, filepath.Join(name, file.Name), file.Data)
			}
		}
	}
}

func TestGoldenColour(t *testing.T) {
	var b bytes.Buffer
	if err := report.Terminal(&b, report.Options{Laws: catalogue(t), Color: true, Width: 72}, mixed("Alpha")); err != nil {
		t.Fatal(err)
	}
	golden(t, "colour.txt", b.Bytes())
}

func TestGoldenMatrixOfOne(t *testing.T) {
	var b bytes.Buffer
	if err := report.MatrixMarkdown(&b, report.Options{Laws: catalogue(t)}, mixed("Alpha")); err != nil {
		t.Fatal(err)
	}
	golden(t, "matrix-of-one.md", b.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%s: %v (run the tests with -update to write it)", name, err)
		return
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, d)
	}
}

// withoutCode cuts the style and the script out of a page, and the policy that holds their hashes.
func withoutCode(page []byte) []byte {
	for _, cut := range [][2]string{{"<style>", "</style>"}, {"<script>", "</script>"}, {`content="default-src`, `">`}} {
		i := bytes.Index(page, []byte(cut[0]))
		if i < 0 {
			continue
		}
		i += len(cut[0])
		n := bytes.Index(page[i:], []byte(cut[1]))
		page = append(append([]byte{}, page[:i]...), page[i+n:]...)
	}
	return page
}
