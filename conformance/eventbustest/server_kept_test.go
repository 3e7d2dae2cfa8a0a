package eventbustest

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
)

// EVENTBUS-RING-005: a ring of any size obeys the laws, whether the profile tells the size or not, and with sessions or without.
func TestServerWithASmallRing(t *testing.T) {
	t.Parallel()
	for _, target := range []struct {
		ring    int
		dialect eventbus.Dialect
		change  func(*HTTP)
	}{
		{1, eventbus.Later, func(*HTTP) {}},
		{1, eventbus.Seed, func(p *HTTP) { p.Ring = 1 }},
		{2, eventbus.Later, func(p *HTTP) { p.Burst = Request{} }},
		{5, eventbus.Later, func(p *HTTP) { p.Ring = 5 }},
		{19, eventbus.Seed, func(*HTTP) {}},
		{20, eventbus.Later, func(*HTTP) {}},
		{255, eventbus.Later, func(p *HTTP) { p.Ring = 255 }},
		{256, eventbus.Later, func(*HTTP) {}},
	} {
		d, err := daemon.New(daemon.Config{Dialect: target.dialect, RingSize: target.ring, MaxSessions: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(bursts(d))
		profile := ServerProfile()
		profile.Versions = []string{target.dialect.String()}
		section := conformance.SectionOf[Section](profile)
		p := &section.HTTP
		for _, path := range []*string{&p.Events, &p.Open.Path, &p.Publish.Path, &p.Burst.Path, &p.Shut.Path, &p.Capabilities} {
			*path = strings.TrimPrefix(*path, "/{version}")
		}
		p.Ring = 0
		target.change(p)
		profile.Sections = []conformance.Section{section}
		res, err := conformance.Run(t.Context(), Server(), conformance.Config{Target: suitetest.Target(t, server.URL), Profile: profile, Selection: conformance.Selection{
			Only: []string{"eventbus/server/{epoch,frame,query,replay,resume,resync,ring,stamp}/*"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		keeps := 0
		for _, c := range res.Cases {
			switch c.Verdict {
			case conformance.Fail, conformance.Lax, conformance.Inconclusive, conformance.Blocked:
				t.Errorf("ring of %d, %v: %s", target.ring, target.dialect, strings.SplitN(suitetest.Told(c), "\n", 2)[0]+" "+c.ID)
			case conformance.Pass:
				if strings.HasPrefix(c.ID, "eventbus/server/resume/every-cursor") {
					keeps = max(keeps, keptFew)
				}
				if strings.HasPrefix(c.ID, "eventbus/server/replay/passes-the-live-cap") {
					keeps = keptMany
				}
			}
		}
		if want := map[bool]int{true: keptFew}[target.ring >= keptFew]; target.ring < keptMany && keeps != want || target.ring >= keptMany && keeps != keptMany {
			t.Errorf("ring of %d: judged as one that keeps %d", target.ring, keeps)
		}
		d.Close()
		server.Close()
	}
}
