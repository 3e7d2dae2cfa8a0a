package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Clear removes from a folder of results the report files that an earlier run left there, so that none stands beside
// another run's result. A folder without a result file is nobody's folder of results and is left alone, as is every file
// whose name no form has.
func Clear(dir string) error {
	switch _, err := os.Stat(filepath.Join(dir, "result.jsonl")); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("report: %w", err)
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, f.File)
	}
	badges, err := os.ReadDir(filepath.Join(dir, "badges"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("report: %w", err)
	}
	for _, e := range badges {
		if filepath.Ext(e.Name()) == ".json" {
			names = append(names, filepath.Join("badges", e.Name()))
		}
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("report: %w", err)
		}
	}
	_ = os.Remove(filepath.Join(dir, "badges")) // it stays when it holds what no run writes
	return nil
}
