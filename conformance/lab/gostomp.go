package lab

import (
	"context"
	"debug/buildinfo"
	"path/filepath"
	"strings"
)

// goStomp is the server package of go-stomp, in a process of its own.
func goStomp() Broker {
	return Broker{
		Name: "go-stomp", Title: "go-stomp/stomp/v3 server", Transports: []string{"tcp"},
		recipe: recipe{ports: 1, find: findGoStomp, plan: planGoStomp},
	}
}

func findGoStomp(_ context.Context, home string) (found, error) {
	path := filepath.Join(home, "bin", "gostompd")
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return found{}, missingError(path)
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/go-stomp/stomp/v3" {
			return found{version: strings.TrimPrefix(d.Version, "v"), program: path}, nil
		}
	}
	return found{}, missingError("go-stomp in " + path)
}

func planGoStomp(p *plan) error {
	p.run(command{name: "gostompd", path: p.program, args: []string{p.addr(0)}})
	p.serve("tcp", 0, "")
	return nil
}
