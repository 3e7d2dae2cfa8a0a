package lab

// Broker is a third-party broker or daemon that the lab can start.
type Broker struct {
	Software
	// Transports are those of the endpoints that it has when it runs, in order: "tcp", "nio", "tls", "ws", "http".
	Transports []string

	recipe recipe
}

// recipe is how a broker is started.
type recipe struct {
	// ports is how many loopback ports the broker needs.
	ports int
	// plan fills in files, commands and endpoints.
	plan func(p *plan) error
}

// All returns every broker that the lab knows, installed or not, in a stable order.
func All() []Broker {
	brokers := []Broker{
		rabbitMQ(), activeMQDebian(), activeMQDebianAuth(), activeMQClassic(), artemis(),
		stompServer(), stompBrokerJS(), goStomp(),
		qwenServe("0.24.4"), qwenServe("0.21.2"),
	}
	for i := range brokers {
		brokers[i].complete("stomp")
	}
	return brokers
}

// Find returns the broker of that name, or an error that lists the names there are.
func Find(name string) (Broker, error) { return lookup(All(), "broker", name) }
