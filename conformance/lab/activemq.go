package lab

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/stomptest"
)

// debianJars is where Debian puts Java libraries.
const debianJars = "/usr/share/java"

// activeMQDebian is Debian's ActiveMQ Classic, configured by nothing but a broker URI.
func activeMQDebian() Broker {
	return Broker{
		Software:   Software{Name: "activemq-classic-debian", Title: "ActiveMQ Classic of Debian, broker URI", find: findActiveMQDebian},
		Transports: []string{"tcp"}, recipe: recipe{ports: 1, plan: planActiveMQDebian},
	}
}

// activeMQDebianAuth is Debian's ActiveMQ Classic with users and several connectors, configured by a Spring XML file.
func activeMQDebianAuth() Broker {
	return Broker{
		Software: Software{
			Name: "activemq-classic-debian-auth", Title: "ActiveMQ Classic of Debian, Spring XML, users",
			Install: "conformance/lab/install.sh activemq-classic-debian", find: findActiveMQDebianAuth,
		},
		Transports: []string{"tcp", "nio", "tls"}, recipe: recipe{ports: 3, plan: planActiveMQXML(true)},
	}
}

// activeMQClassic is ActiveMQ Classic 6.x: login required, no persistence, TCP, NIO and TLS. It is the profile of
// STOMP-INTEROP-007.
func activeMQClassic() Broker {
	return Broker{
		Software:   Software{Name: "activemq-classic", Title: "ActiveMQ Classic 6.x", find: findActiveMQClassic},
		Transports: []string{"tcp", "nio", "tls"}, recipe: recipe{ports: 3, plan: planActiveMQXML(false)},
	}
}

var (
	activeMQJars = []string{
		"activemq-broker", "activemq-client", "activemq-console", "activemq-stomp", "hawtbuf", "geronimo-jms_1.1_spec",
		"geronimo-j2ee-management-1.1-spec", "slf4j-api", "slf4j-simple",
	}
	activeMQXMLJars = []string{
		"activemq-jaas", "activemq-spring", "xbean-spring", "spring3-core", "spring3-beans", "spring3-context",
		"spring3-expression", "spring3-aop", "jcl-over-slf4j",
	}
)

// debianClassPath returns the jars of those names as a class path, if all exist.
func debianClassPath(names ...string) (string, error) {
	var paths []string
	for _, n := range names {
		paths = append(paths, filepath.Join(debianJars, n+".jar"))
	}
	return strings.Join(paths, ":"), files(paths...)
}

func findActiveMQDebian(ctx context.Context, _ string) (found, error) {
	return findActiveMQJars(ctx, activeMQJars)
}

func findActiveMQDebianAuth(ctx context.Context, _ string) (found, error) {
	return findActiveMQJars(ctx, append(append([]string{}, activeMQJars...), activeMQXMLJars...))
}

func findActiveMQJars(ctx context.Context, names []string) (found, error) {
	classPath, err := debianClassPath(names...)
	if err != nil {
		return found{}, err
	}
	_, version, err := newest(debianJars + "/activemq-stomp-*.jar")
	if err != nil {
		return found{}, err
	}
	java, err := java(ctx, 11)
	return found{version: version, root: classPath, program: java}, err
}

func findActiveMQClassic(ctx context.Context, home string) (found, error) {
	lib, version, err := newest(filepath.Join(home, "activemq-classic", "*", "lib"))
	if err != nil {
		return found{}, err
	}
	java, err := java(ctx, 17)
	if err != nil {
		return found{}, err
	}
	return found{version: version, root: lib + "/*", program: java}, files(filepath.Join(lib, "activemq-stomp-"+version+".jar"))
}

// javaArgs are the launcher's own arguments: bounded memory and no file outside of the plan's folder.
func (p *plan) javaArgs(classPath string) []string {
	return []string{
		"-Xms64m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:-UsePerfData",
		"-XX:ErrorFile=" + p.path("hs_err.log"),
		"-Djava.io.tmpdir=" + p.path("tmp"),
		"-Djava.awt.headless=true",
		"-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
		"-Dorg.slf4j.simpleLogger.log.org.apache.activemq.audit=warn",
		"-cp", classPath,
	}
}

// activeMQArgs starts the broker that the address names.
func (p *plan) activeMQArgs(address string) []string {
	return append([]string{
		"-Dactivemq.home=" + p.dir, "-Dactivemq.base=" + p.dir, "-Dactivemq.conf=" + p.dir, "-Dactivemq.data=" + p.path("data"),
	}, append(p.javaArgs(p.root), "org.apache.activemq.console.Main", "start", address)...)
}

func planActiveMQDebian(p *plan) error {
	uri := fmt.Sprintf("broker:(stomp://%s)?brokerName=localhost&persistent=false&useJmx=false&advisorySupport=false", p.addr(0))
	p.run(command{name: "activemq", path: p.program, args: p.activeMQArgs(uri)})
	p.serve("tcp", 0, "")
	return nil
}

// planActiveMQXML configures users and three connectors. Anonymous access, where allowed, lets a client in that gives no
// login; a wrong passcode is refused in any case.
func planActiveMQXML(anonymous bool) func(p *plan) error {
	return func(p *plan) error {
		const tcp, nio, tls = 0, 1, 2
		id, err := issue(p.dir)
		if err != nil {
			return err
		}
		s := conformance.SectionOf[stomptest.Section](p.profile)
		err = p.write("activemq.xml", strings.NewReplacer(
			"$anonymous", fmt.Sprint(anonymous),
			"$login", xmlText(s.Login), "$passcode", xmlText(s.Passcode),
			"$data", xmlText(p.path("data")), "$keystore", xmlText(id.jksFile), "$password", id.password,
			"$tcp", p.addr(tcp), "$nio", p.addr(nio), "$tls", p.addr(tls),
		).Replace(activeMQXML))
		if err != nil {
			return err
		}
		p.run(command{name: "activemq", path: p.program, args: p.activeMQArgs("xbean:file:" + p.path("activemq.xml"))})
		p.serve("tcp", tcp, "")
		p.serve("nio", nio, "")
		p.serveTLS(tls, id)
		return nil
	}
}

// activeMQXML names schemas that the broker's own jars hold; nothing is fetched.
const activeMQXML = `<beans xmlns="http://www.springframework.org/schema/beans"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.springframework.org/schema/beans http://www.springframework.org/schema/beans/spring-beans.xsd
    http://activemq.apache.org/schema/core http://activemq.apache.org/schema/core/activemq-core.xsd">
  <broker xmlns="http://activemq.apache.org/schema/core" brokerName="localhost" persistent="false" useJmx="false"
      advisorySupport="false" schedulerSupport="false" dataDirectory="$data">
    <plugins>
      <simpleAuthenticationPlugin anonymousAccessAllowed="$anonymous">
        <users><authenticationUser username="$login" password="$passcode" groups="admins,users"/></users>
      </simpleAuthenticationPlugin>
    </plugins>
    <sslContext>
      <sslContext keyStore="file:$keystore" keyStoreType="JKS" keyStorePassword="$password" keyStoreKeyPassword="$password"/>
    </sslContext>
    <transportConnectors>
      <transportConnector name="tcp" uri="stomp://$tcp"/>
      <transportConnector name="nio" uri="stomp+nio://$nio"/>
      <transportConnector name="tls" uri="stomp+ssl://$tls"/>
    </transportConnectors>
  </broker>
</beans>
`
