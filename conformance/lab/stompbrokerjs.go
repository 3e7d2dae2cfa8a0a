package lab

import (
	_ "embed"
	"fmt"
)

// stompBrokerJS is the npm package stomp-broker-js: WebSocket only, publish and subscribe only.
func stompBrokerJS() Broker {
	return Broker{
		Software:   Software{Name: "stomp-broker-js", Title: "stomp-broker-js (Node.js, WebSocket)", find: npm("stomp-broker-js")},
		Transports: []string{"ws"}, recipe: recipe{ports: 1, plan: planStompBrokerJS},
	}
}

//go:embed assets/stomp-broker.js
var stompBrokerLauncher string

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
