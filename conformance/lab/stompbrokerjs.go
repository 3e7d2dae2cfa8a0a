package lab

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// stompBrokerJS is the npm package stomp-broker-js: WebSocket only, publish and subscribe only.
func stompBrokerJS() Broker {
	return Broker{
		Name: "stomp-broker-js", Title: "stomp-broker-js (Node.js, WebSocket)", Transports: []string{"ws"},
		recipe: recipe{ports: 1, find: findStompBrokerJS, plan: planStompBrokerJS},
	}
}

//go:embed assets/stomp-broker.js
var stompBrokerLauncher string

func findStompBrokerJS(_ context.Context, home string) (found, error) {
	root := filepath.Join(home, "npm", "node_modules", "stomp-broker-js")
	raw, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return found{}, missingError(root)
	}
	var pkg struct{ Version string }
	if err := json.Unmarshal(raw, &pkg); err != nil {
		return found{}, fmt.Errorf("read version of %s: %w", root, err)
	}
	node, err := program("node")
	return found{version: pkg.Version, root: root, program: node}, err
}

func planStompBrokerJS(p *plan) error {
	if err := p.write("stomp-broker.js", stompBrokerLauncher); err != nil {
		return err
	}
	p.run(command{
		name: "stomp-broker-js", path: p.program,
		args: []string{p.path("stomp-broker.js"), p.root, fmt.Sprint(p.ports[0])},
	})
	p.serve("ws", 0, "/stomp")
	return nil
}
