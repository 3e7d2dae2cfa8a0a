package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Broker is a third-party broker that the lab can start.
type Broker struct {
	// Name is the name on the command line, and of the profile.
	Name string
	// Title says what the software is, without a version.
	Title string
	// Protocol is what it speaks, as a suite calls it; empty: "stomp".
	Protocol string
	// Transports are those of the endpoints that it has when it runs, in order: "tcp", "nio", "tls", "ws", "http".
	Transports []string
	// Install is the command that installs it, from the root of the repository.
	Install string

	recipe recipe
	home   string
}

// found is an installation: what plan needs to build command lines.
type found struct {
	version string
	root    string // the folder of the software itself
	program string // the interpreter or executable that runs it
	model   string // the program that plays the language model, where one is needed
}

// recipe is what differs between brokers.
type recipe struct {
	// ports is how many loopback ports the broker needs.
	ports int
	// find looks for the software; a missing part is a missingError.
	find func(ctx context.Context, home string) (found, error)
	// plan fills in files, commands and endpoints.
	plan func(p *plan) error
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

// All returns every broker that the lab knows, installed or not, in a stable order.
func All() []Broker {
	brokers := []Broker{
		rabbitMQ(), activeMQDebian(), activeMQDebianAuth(), activeMQClassic(), artemis(),
		stompServer(), stompBrokerJS(), goStomp(),
		qwenServe("0.24.4"), qwenServe("0.21.2"),
	}
	home := Home()
	for i := range brokers {
		brokers[i].home = home
		if brokers[i].Protocol == "" {
			brokers[i].Protocol = "stomp"
		}
		if brokers[i].Install == "" {
			brokers[i].Install = "conformance/lab/install.sh " + brokers[i].Name
		}
	}
	return brokers
}

// Find returns the broker of that name, or an error that lists the names there are.
func Find(name string) (Broker, error) {
	var names []string
	for _, b := range All() {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Broker{}, fmt.Errorf("no broker named %q in the lab (it knows: %s)", name, strings.Join(names, ", "))
}

// Installed returns the version that is on this machine. The error is a *NotInstalledError if something
// is missing.
func (b Broker) Installed(ctx context.Context) (version string, err error) {
	f, err := b.locate(ctx)
	return f.version, err
}

func (b Broker) locate(ctx context.Context) (found, error) {
	f, err := b.recipe.find(ctx, b.home)
	if m, ok := err.(missingError); ok {
		return found{}, &NotInstalledError{Broker: b.Name, Missing: string(m), Install: b.Install}
	}
	if err != nil {
		return found{}, fmt.Errorf("look for %s: %w", b.Name, err)
	}
	return f, nil
}
