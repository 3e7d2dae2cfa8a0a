package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Software is what the lab knows of a broker and of a client alike.
type Software struct {
	// Name is the name on the command line, of the profile and of the baseline. No two are the same.
	Name string
	// Title says what it is, without a version.
	Title string
	// Suite is the one that judges it: "stomp", "stomp-client", "eventbus" or "sse-client".
	Suite string
	// Install is the command that installs it, from the root of the repository.
	Install string

	find finder
	home string
}

// A finder looks for software, part of which may be in the lab's folder; a missing part is a missingError.
type finder func(ctx context.Context, home string) (found, error)

// found is an installation: what is needed to build command lines.
type found struct {
	version string
	root    string // the folder of the software itself
	program string // the interpreter or executable that runs it
	model   string // the program that plays the language model, where one is needed
}

// missingError is one thing that find did not see.
type missingError string

// Error returns what is missing.
func (e missingError) Error() string { return string(e) + " not found" }

// Home is the folder where install.sh puts what does not come from the system's package manager:
// $ASSAY_LAB_DIR, or .cache/assay/lab in the home folder.
func Home() string {
	if dir := os.Getenv("ASSAY_LAB_DIR"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, ".cache", "assay", "lab")
}

// complete fills in what most of the lab's lists leave out.
func (s *Software) complete(suite string) {
	s.home = Home()
	if s.Suite == "" {
		s.Suite = suite
	}
	if s.Install == "" {
		s.Install = "conformance/lab/install.sh " + s.Name
	}
}

// lookup returns the one of that name, or an error that lists the names there are.
func lookup[T interface{ named() string }](all []T, what, name string) (T, error) {
	var names []string
	for _, s := range all {
		if s.named() == name {
			return s, nil
		}
		names = append(names, s.named())
	}
	var none T
	return none, fmt.Errorf("no %s named %q in the lab (it knows: %s)", what, name, strings.Join(names, ", "))
}

func (s Software) named() string { return s.Name }

// Installed returns the version that is on this machine. The error is a *NotInstalledError if something is missing.
func (s Software) Installed(ctx context.Context) (version string, err error) {
	f, err := s.locate(ctx)
	return f.version, err
}

func (s Software) locate(ctx context.Context) (found, error) {
	f, err := s.find(ctx, s.home)
	if m, ok := err.(missingError); ok {
		return found{}, &NotInstalledError{Name: s.Name, Missing: string(m), Install: s.Install}
	}
	if err != nil {
		return found{}, fmt.Errorf("look for %s: %w", s.Name, err)
	}
	return f, nil
}
