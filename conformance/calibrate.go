package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"github.com/seed-6f28358b/assay/spec"
)

func platform() string {
	return runtime.GOOS + "/" + runtime.GOARCH + " " + runtime.Version()
}

var binaryHash = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
})

// BinaryHash returns the SHA-256 of the running executable in hex, empty if it cannot be read.
func BinaryHash() string { return binaryHash() }

// Calibrator runs the reference under this very binary, once per binary and law set, and remembers
// the outcome in a file of the user's cache folder.
type Calibrator struct {
	Suite *Suite
	Dir   string // folder of the memory; empty: calibrate afresh every time
	// Progress, if not nil, is told how far a run of the reference is. Nothing is told when the outcome is remembered.
	Progress func(Progress)
}

// maxRemembered is how many calibrations the folder keeps: each build of this program has one for each suite.
const maxRemembered = 24

// CacheDir returns the folder in which calibrations are remembered, empty if there is none.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "assay", "calibration")
}

// Calibrate returns the calibration for a header; see Config.Calibrate.
func (c Calibrator) Calibrate(ctx context.Context, laws *spec.Catalogue) Calibration {
	if cal, ok := c.recall(laws); ok {
		return cal
	}
	target, _ := ParseTarget("ref")
	res, err := Run(ctx, c.Suite, Config{Target: target, Progress: c.Progress})
	if err != nil {
		return Calibration{Laws: laws.Hash(), Binary: BinaryHash(), Platform: platform(), Reference: "red"}
	}
	return c.Remember(res, laws)
}

// Remember stores the outcome of a whole run on the reference and returns it as a calibration.
func (c Calibrator) Remember(res *Result, laws *spec.Catalogue) Calibration {
	cal := Calibration{
		Laws: laws.Hash(), Binary: BinaryHash(), Platform: platform(), Reference: "red",
		Cases: res.Footer.Total, At: res.Footer.Finished.Format(time.RFC3339),
	}
	counts := res.Footer.Counts
	if counts[Pass]+counts[Info]+counts[Unsupported] == res.Footer.Total {
		cal.Reference = "green"
	}
	if file := c.file(laws); file != "" && cal.Reference == "green" {
		if data, err := json.Marshal(cal); err == nil && os.MkdirAll(c.Dir, 0o755) == nil {
			// A calibration that cannot be remembered is made again next time.
			_ = renameio.WriteFile(file, data, 0o644)
			c.forget()
		}
	}
	return cal
}

// forget removes the oldest calibrations beyond maxRemembered. One that cannot be removed stays.
func (c Calibrator) forget() {
	files, err := filepath.Glob(filepath.Join(c.Dir, "*-*-*.json"))
	if err != nil || len(files) <= maxRemembered {
		return
	}
	made := make(map[string]time.Time, len(files))
	for _, file := range files {
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			made[file] = info.ModTime()
		}
	}
	files = slices.SortedFunc(maps.Keys(made), func(a, b string) int { return made[b].Compare(made[a]) })
	for _, file := range files[min(len(files), maxRemembered):] {
		_ = os.Remove(file)
	}
}

func (c Calibrator) file(laws *spec.Catalogue) string {
	hash := BinaryHash()
	if c.Dir == "" || len(hash) < 16 {
		return ""
	}
	return filepath.Join(c.Dir, c.Suite.Name+"-"+hash[:16]+"-"+laws.Hash()[:8]+".json")
}

func (c Calibrator) recall(laws *spec.Catalogue) (Calibration, bool) {
	var cal Calibration
	file := c.file(laws)
	if file == "" {
		return cal, false
	}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &cal) != nil {
		return Calibration{}, false
	}
	return cal, cal.Binary == BinaryHash() && cal.Laws == laws.Hash() && cal.Reference == "green"
}
