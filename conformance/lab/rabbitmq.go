package lab

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// rabbitMQ is Debian's RabbitMQ with its STOMP and Web STOMP plug-ins, over TCP, TLS and WebSocket.
func rabbitMQ() Broker {
	return Broker{
		Software:   Software{Name: "rabbitmq", Title: "RabbitMQ (rabbitmq_stomp, rabbitmq_web_stomp)", find: findRabbitMQ},
		Transports: []string{"tcp", "tls", "ws"}, recipe: recipe{ports: 5, plan: planRabbitMQ},
	}
}

func findRabbitMQ(context.Context, string) (found, error) {
	for _, name := range []string{"epmd", "erl"} {
		if _, err := program(name); err != nil {
			return found{}, err
		}
	}
	root, version, err := newest("/usr/lib/rabbitmq/lib/rabbitmq_server-*")
	if err != nil {
		return found{}, err
	}
	// The wrapper in /usr/sbin changes user and folder; the script that it calls does neither.
	script := filepath.Join(root, "sbin", "rabbitmq-server")
	plugins := filepath.Join(root, "plugins")
	return found{version: version, root: root, program: script}, files(script, plugins)
}

func planRabbitMQ(p *plan) error {
	const tcp, tls, ws, dist, epmdPort = 0, 1, 2, 3, 4
	id, err := issue(p.dir)
	if err != nil {
		return err
	}
	conf := []string{
		"listeners.tcp = none",
		"stomp.listeners.tcp.1 = " + p.addr(tcp),
		"stomp.listeners.ssl.1 = " + p.addr(tls),
		"ssl_options.cacertfile = " + id.caFile,
		"ssl_options.certfile = " + id.certFile,
		"ssl_options.keyfile = " + id.keyFile,
		"ssl_options.verify = verify_none",
		"web_stomp.tcp.ip = 127.0.0.1",
		fmt.Sprintf("web_stomp.tcp.port = %d", p.ports[ws]),
		"web_stomp.ws_path = /ws",
		"vm_memory_high_watermark.absolute = 1GB",
		"disk_free_limit.absolute = 50MB",
		"log.console = true",
		"log.console.level = info",
		"log.console.use_colors = off",
		"log.file = false",
	}
	if err := p.write("rabbitmq.conf", strings.Join(conf, "\n")+"\n"); err != nil {
		return err
	}
	if err := p.write("enabled_plugins", "[rabbitmq_stomp,rabbitmq_web_stomp].\n"); err != nil {
		return err
	}
	epmd, err := program("epmd")
	if err != nil {
		return err
	}
	env := []string{"ERL_EPMD_ADDRESS=127.0.0.1", fmt.Sprintf("ERL_EPMD_PORT=%d", p.ports[epmdPort])}
	p.run(command{
		name: "epmd", path: epmd, env: env, listens: p.addr(epmdPort),
		args: []string{"-address", "127.0.0.1", "-port", fmt.Sprint(p.ports[epmdPort])},
	})
	p.run(command{
		name: "rabbitmq", path: p.program, grace: 60 * time.Second,
		env: append(
			env,
			// Makes the script become the Erlang machine, which can then be signalled and reaped directly.
			"RUNNING_UNDER_SYSTEMD=true",
			"RABBITMQ_NODENAME=stomp@localhost",
			fmt.Sprintf("RABBITMQ_DIST_PORT=%d", p.ports[dist]),
			"RABBITMQ_CONFIG_FILE="+p.path("rabbitmq.conf"),
			"RABBITMQ_ENABLED_PLUGINS_FILE="+p.path("enabled_plugins"),
			"RABBITMQ_CONF_ENV_FILE=/dev/null",
			"RABBITMQ_ADVANCED_CONFIG_FILE="+p.path("none"),
			"RABBITMQ_MNESIA_BASE="+p.path("data"),
			"RABBITMQ_LOG_BASE="+p.path("log"),
			"RABBITMQ_PID_FILE="+p.path("pid"),
			"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-start_epmd false -kernel inet_dist_use_interface {127,0,0,1} +S 2:2 +sbwt none",
		),
	})
	p.serve("tcp", tcp, "")
	p.serveTLS(tls, id)
	p.serve("ws", ws, "/ws")
	return nil
}
