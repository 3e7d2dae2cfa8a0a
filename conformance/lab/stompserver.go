package lab

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
)

// stompServer is the Ruby stompserver of Debian, which speaks STOMP 1.0.
func stompServer() Broker {
	return Broker{
		Software:   Software{Name: "stompserver", Title: "stompserver (Ruby, STOMP 1.0)", find: findStompServer},
		Transports: []string{"tcp"}, recipe: recipe{ports: 1, plan: planStompServer},
	}
}

// stompServerLauncher starts the library. The program that Debian ships dies on the first connection with Ruby 3.
//
//go:embed assets/stompserver.rb
var stompServerLauncher string

func findStompServer(context.Context, string) (found, error) {
	const specs = "/usr/share/rubygems-integration/all/specifications"
	_, version, err := newest(specs + "/stompserver-*.gemspec")
	if err != nil {
		return found{}, err
	}
	ruby, err := program("ruby")
	return found{version: version, program: ruby}, err
}

func planStompServer(p *plan) error {
	conf := []string{
		"---",
		":daemon: false",
		fmt.Sprintf(":working_dir: %q", p.dir),
		fmt.Sprintf(":logdir: %q", p.path("log")),
		fmt.Sprintf(":pidfile: %q", p.path("pid")),
		fmt.Sprintf(":storage: %q", p.path("data")),
		fmt.Sprintf(":etcdir: %q", p.path("etc")),
		":queue: memory",
		":auth: false",
		":host: 127.0.0.1",
		fmt.Sprintf(":port: %d", p.ports[0]),
	}
	if err := os.MkdirAll(p.path("etc"), 0o755); err != nil {
		return err
	}
	if err := p.write("stompserver.yaml", strings.Join(conf, "\n")+"\n"); err != nil {
		return err
	}
	if err := p.write("stompserver.rb", stompServerLauncher); err != nil {
		return err
	}
	p.run(command{
		name: "stompserver", path: p.program,
		args: []string{p.path("stompserver.rb"), "-C", p.path("stompserver.yaml")},
	})
	p.serve("tcp", 0, "")
	return nil
}
