package child

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// DefaultLogLimit is how many bytes of output are kept in the log file when [Config.LogLimit] is
// zero: 4 MiB.
const DefaultLogLimit = 4 << 20

// DefaultGrace is how long [Process.Stop] waits between SIGTERM and SIGKILL when [Config.Grace] is
// zero.
const DefaultGrace = 10 * time.Second

// Config says what to run. Name, Path and LogPath are required.
type Config struct {
	// Name is what errors call the process.
	Name string
	// Path is the absolute path of the executable; no PATH look-up is done.
	Path string
	// Args are the arguments after the program name.
	Args []string
	// Env is the whole environment of the process, KEY=VALUE; nil means an empty environment.
	Env []string
	// Dir is the working directory; empty means that of the caller.
	Dir string
	// Stdin is what the process reads; nil: nothing. Stdout receives what it writes to standard output, which then stays out
	// of the log; nil: the log. They belong to the process: Start closes them on this side, also when it fails.
	Stdin, Stdout *os.File
	// LogPath is the file that receives standard output and standard error. It is created, or
	// appended to if it exists.
	LogPath string
	// LogLimit bounds the bytes that one run writes to LogPath. Zero means DefaultLogLimit. Of a
	// longer output the file holds the beginning and, after a line that says how many bytes were
	// dropped, the end.
	LogLimit int64
	// Grace is the time between SIGTERM and SIGKILL in Stop. Zero means DefaultGrace.
	Grace time.Duration
}

// Validate returns an error that names the first field that is out of range.
func (c Config) Validate() error {
	switch {
	case c.Name == "":
		return fmt.Errorf("child config: Name is empty")
	case !filepath.IsAbs(c.Path):
		return fmt.Errorf("child config: Path %q is not absolute", c.Path)
	case c.LogPath == "":
		return fmt.Errorf("child config: LogPath is empty")
	case c.LogLimit < 0:
		return fmt.Errorf("child config: LogLimit %d is negative", c.LogLimit)
	case c.Grace < 0:
		return fmt.Errorf("child config: Grace %v is negative", c.Grace)
	}
	return nil
}
