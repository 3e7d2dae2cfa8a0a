//go:build !linux

package child

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
)

func groupAttr() (*syscall.SysProcAttr, error) {
	return nil, fmt.Errorf("process supervision on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func awaitExit(int) {}

func signalGroup(int, syscall.Signal) {}

func groupRSS(int) (int64, error) { return 0, errors.ErrUnsupported }
