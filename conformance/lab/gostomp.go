package lab

// goStomp is the server package of go-stomp, in a process of its own.
func goStomp() Broker {
	return Broker{
		Software:   Software{Name: "go-stomp", Title: "go-stomp/stomp/v3 server", find: compiled("gostompd", "github.com/go-stomp/stomp/v3")},
		Transports: []string{"tcp"}, recipe: recipe{ports: 1, plan: planGoStomp},
	}
}

func planGoStomp(p *plan) error {
	p.run(command{name: "gostompd", path: p.program, args: []string{p.addr(0)}})
	p.serve("tcp", 0, "")
	return nil
}
