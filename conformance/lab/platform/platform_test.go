package platform_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/conformance/lab"
	"github.com/seed-6f28358b/assay/conformance/lab/platform"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// otherwise are the assumptions that Chromium was found not to keep.
var otherwise = []string{
	"storage/other-process", "session/opener-reload", "order/other-process", "order/hidden", "order/third", "page/order", "frozen/frames",
	"clock/hidden-long",
}

// Every assumption is measured, and those that were found to hold do so still.
func TestBrowserPlatform(t *testing.T) {
	if os.Getenv("ASSAY_LAB") != "1" {
		t.Skip("needs a browser for a minute: set ASSAY_LAB=1 on a machine that has Chromium")
	}
	r, err := platform.Run(t.Context(), platform.Config{Tell: func(what string) { t.Log(what) }})
	var missing *lab.NotInstalledError
	if errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Logf("%s %s: %s", f.ID, f.Verdict, f.Evidence)
		switch {
		case f.Fault:
			t.Errorf("%s: %s", f.ID, f.Evidence)
		case f.Verdict == platform.Fails && !slices.Contains(otherwise, f.ID):
			t.Errorf("%s does not hold any more: %s", f.ID, f.Evidence)
		case f.Verdict == platform.Holds && slices.Contains(otherwise, f.ID):
			t.Logf("%s holds now, or was not seen to break", f.ID)
		}
	}
}

// Without a browser there is an error that says what is missing and how it comes.
func TestMissingBrowserIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r, err := platform.Run(t.Context(), platform.Config{})
	var missing *lab.NotInstalledError
	if r != nil || !errors.As(err, &missing) || missing.Install == "" {
		t.Errorf("%v, %v", r, err)
	}
}

// A program that is no browser is an error, and not a report.
func TestBrowserThatDoesNotStartIsSaid(t *testing.T) {
	if r, err := platform.Run(t.Context(), platform.Config{Browser: "/bin/false"}); r != nil || err == nil {
		t.Errorf("%v, %v", r, err)
	}
}
