package child

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr asks for a process group of its own and for death with the parent.
func groupAttr() (*syscall.SysProcAttr, error) {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}, nil
}

// awaitExit returns when the child has ended, and leaves it unreaped.
func awaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// signalGroup signals the group of an unreaped child.
func signalGroup(pid int, sig syscall.Signal) { _ = unix.Kill(-pid, sig) }

// groupRSS adds up the resident pages of every process whose group is pgid.
func groupRSS(pgid int) (int64, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, fmt.Errorf("read /proc: %w", err)
	}
	var pages int64
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("read resident memory: %w", err)
		}
		// The command name is in parentheses and may hold anything; the fields follow the last one.
		f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if len(f) < 22 || string(f[2]) != strconv.Itoa(pgid) {
			continue
		}
		n, err := strconv.ParseInt(string(f[21]), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read resident memory from %s: %w", path, err)
		}
		pages += n
	}
	return pages * int64(os.Getpagesize()), nil
}
