package lab

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// artemis is Artemis 2.x: no authentication, no persistence, default ANYCAST, over TCP, TLS and WebSocket. It is the
// profile of STOMP-INTEROP-004, with two more transports.
func artemis() Broker {
	return Broker{
		Software:   Software{Name: "artemis", Title: "Artemis 2.x", find: findArtemis},
		Transports: []string{"tcp", "tls", "ws"}, recipe: recipe{ports: 3, plan: planArtemis},
	}
}

func findArtemis(ctx context.Context, home string) (found, error) {
	lib, version, err := newest(filepath.Join(home, "artemis", "*", "lib"))
	if err != nil {
		return found{}, err
	}
	java, err := java(ctx, 17)
	if err != nil {
		return found{}, err
	}
	return found{version: version, root: lib, program: java}, files(filepath.Join(lib, "artemis-stomp-protocol-"+version+".jar"))
}

func planArtemis(p *plan) error {
	const tcp, tls, ws = 0, 1, 2
	id, err := issue(p.dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.path("etc"), 0o755); err != nil {
		return err
	}
	err = p.write("etc/broker.xml", strings.NewReplacer(
		"$data", xmlText(p.path("data")), "$keystore", xmlText(id.jksFile), "$password", id.password,
		"$tcp", p.addr(tcp), "$tls", p.addr(tls), "$ws", p.addr(ws),
	).Replace(artemisXML))
	if err != nil {
		return err
	}
	p.run(command{
		name: "artemis", path: p.program,
		args: append(p.javaArgs(p.root+"/*"), "org.apache.activemq.artemis.core.server.embedded.Main", p.dir),
	})
	p.serve("tcp", tcp, "")
	p.serveTLS(tls, id)
	p.serve("ws", ws, "/stomp")
	return nil
}

// artemisXML leaves every setting at its default but the ones that the profile names and those that would make a run
// depend on the machine: the disk that is nearly full, the analyser that halts a slow process.
const artemisXML = `<configuration xmlns="urn:activemq">
  <core xmlns="urn:activemq:core">
    <name>assay-lab</name>
    <persistence-enabled>false</persistence-enabled>
    <security-enabled>false</security-enabled>
    <bindings-directory>$data/bindings</bindings-directory>
    <journal-directory>$data/journal</journal-directory>
    <large-messages-directory>$data/large</large-messages-directory>
    <paging-directory>$data/paging</paging-directory>
    <max-disk-usage>-1</max-disk-usage>
    <critical-analyzer>false</critical-analyzer>
    <acceptors>
      <acceptor name="tcp">tcp://$tcp?protocols=STOMP</acceptor>
      <acceptor name="tls">tcp://$tls?protocols=STOMP;sslEnabled=true;keyStorePath=$keystore;keyStoreType=JKS;keyStorePassword=$password</acceptor>
      <acceptor name="ws">tcp://$ws?protocols=STOMP</acceptor>
    </acceptors>
    <address-settings>
      <address-setting match="topic.#">
        <default-address-routing-type>MULTICAST</default-address-routing-type>
        <default-queue-routing-type>MULTICAST</default-queue-routing-type>
      </address-setting>
      <address-setting match="#">
        <default-address-routing-type>ANYCAST</default-address-routing-type>
        <default-queue-routing-type>ANYCAST</default-queue-routing-type>
      </address-setting>
    </address-settings>
  </core>
</configuration>
`
