package hub

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// Every field is accepted up to its bounds, and named beyond them.
func TestConfigBounds(t *testing.T) {
	for _, c := range []struct {
		good, bad []Config
		want      string
	}{
		// STOMP-CONNECT-012
		{
			[]Config{{Server: "a"}, {Server: "a/1"}, {Server: "!~/!~"}, {Server: "a/1 (a comment) ~é"}},
			[]Config{{Server: " b"}, {Server: "/1"}, {Server: "a/"}, {Server: "a/1/2"}, {Server: "a\x7f"}, {Server: "é"}, {Server: "a x\n"}, {Server: "a x\x7f"}, {Server: "a\x1fb"}, {Server: "a(b)"}},
			"server: ",
		},
		{
			[]Config{{Instance: "!"}, {Instance: "~"}, {Instance: "ab"}},
			[]Config{{Instance: "a "}, {Instance: "a\x7f"}, {Instance: ":"}, {Instance: "\\"}, {Instance: "\n"}, {Instance: "é"}},
			"instance: ",
		},
		{
			[]Config{{Versions: []frame.Version{frame.V10, frame.V11, frame.V12}}, {Versions: []frame.Version{frame.V11}}},
			[]Config{{Versions: []frame.Version{frame.V10, 3}}},
			"versions: number 1 ",
		},
		{[]Config{{HeartBeat: heartbeat.Pair{Send: 1, Want: 1}}}, []Config{{HeartBeat: heartbeat.Pair{Send: -1}}}, "heart-beat: "},
		{[]Config{{Tolerance: 1}, {Tolerance: heartbeat.MaxInterval}}, []Config{{Tolerance: -1}, {Tolerance: heartbeat.MaxInterval + 1}}, "tolerance: "},
		{[]Config{{ConnectTimeout: 1}}, []Config{{ConnectTimeout: -1}}, "connect timeout: -1 ms"},
		{[]Config{{MaxDeliveries: 1}}, []Config{{MaxDeliveries: -1}}, "max deliveries: -1 "},
		{[]Config{{DeadLetter: "/queue/x"}}, []Config{{DeadLetter: "/topic/x"}}, "dead letter: "},
		{[]Config{{Limits: Limits{Unacked: 1}}}, []Config{{Limits: Limits{Unacked: -1}}}, "limits unacked: -1 is negative"},
		{[]Config{{Limits: Limits{Outbound: 9, Credit: 9}}, {Limits: Limits{Credit: 99}}}, []Config{{Limits: Limits{Outbound: 9, Credit: 10}}}, "limits credit: 10 is over outbound, 9"},
		{[]Config{{Limits: Limits{Frame: frame.DefaultLimits()}}}, []Config{{Limits: Limits{Frame: frame.Limits{Line: -1}}}}, "limits frame: "},
	} {
		for _, good := range c.good {
			if _, err := New(good); err != nil {
				t.Errorf("%s%+v is refused: %v", c.want, good, err)
			}
		}
		for _, bad := range c.bad {
			if _, err := New(bad); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s%+v gives %v", c.want, bad, err)
			}
		}
	}
}

// What zero fields stand for.
func TestConfigDefaults(t *testing.T) {
	got := newHub(t, Config{}).Config()
	want := Config{
		Server: "assay/1", Instance: "a", Versions: []frame.Version{frame.V10, frame.V11, frame.V12}, Tolerance: 1000, ConnectTimeout: 10000,
		MaxDeliveries: 5, DeadLetter: "/queue/dead-letter", Limits: DefaultLimits(),
	}
	same(t, "defaults", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
	given := Config{
		Server: "x/2", Instance: "b", Versions: []frame.Version{frame.V12, frame.V11, frame.V12}, Hosts: []string{"h"}, Tolerance: 1, ConnectTimeout: 2,
		MaxDeliveries: 3, DeadLetter: "/d", HeartBeat: heartbeat.Pair{Send: 4, Want: 5}, Limits: Limits{Frame: frame.Limits{Line: 1, Events: 1}, Outbound: 1},
	}
	got = newHub(t, given).Config()
	given.Versions = []frame.Version{frame.V11, frame.V12}
	same(t, "frame limits", got.Limits.Frame, given.Limits.Frame)
	same(t, "credit beside an outbound of one octet", got.Limits.Credit, 1)
	given.Limits = got.Limits
	same(t, "given", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", given))
}
