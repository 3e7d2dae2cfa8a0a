package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed-6f28358b/assay/conformance/lab"
)

// marks is the folder in which running "assay lab up" processes leave their pid.
func marks() string { return filepath.Join(lab.Home(), "up") }

func markUp() (string, error) {
	if err := os.MkdirAll(marks(), 0o755); err != nil {
		return "", err
	}
	pid := os.Getpid()
	file := filepath.Join(marks(), strconv.Itoa(pid))
	return file, os.WriteFile(file, nil, 0o644)
}

type labDown struct{}

// Run executes the command.
func (labDown) Run(s streams) error {
	entries, err := os.ReadDir(marks())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	n := 0
	for _, e := range entries {
		file := filepath.Join(marks(), e.Name())
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// A mark may outlive its process, and the number may be somebody else's by now.
		cmdline, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil || !strings.Contains(string(cmdline), "lab\x00up") {
			_ = os.Remove(file)
			continue
		}
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			return fmt.Errorf("end process %d: %w", pid, err)
		}
		n++
	}
	fmt.Fprintf(s.out, "%d ended\n", n)
	return nil
}
