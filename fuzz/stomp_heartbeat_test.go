package fuzz

import (
	"errors"
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// FuzzStompHeartBeat holds the reading and the negotiation of heart-beat headers to those of the model.
func FuzzStompHeartBeat(f *testing.F) {
	f.Add("10,20", "30,40")
	for _, v := range stompVectors(f, corpus.ParseHeartbeat) {
		f.Add(string(*v.Value), "0,2147483647")
		f.Add("5,0", string(*v.Value))
	}
	f.Fuzz(func(t *testing.T, client, server string) {
		if err := negotiated(client, server); err != nil {
			t.Fatalf("%v\nclient %q, server %q", err, client, server)
		}
	})
}

func negotiated(client, server string) error {
	var pairs [2]heartbeat.Pair
	var numbers [4]int
	for i, value := range []string{client, server} {
		can, want, ok := stompmodel.ParseHeartBeat(value)
		pair, err := heartbeat.Parse(value)
		if (err == nil) != ok || err != nil && !errors.As(err, new(*heartbeat.SyntaxError)) {
			return fmt.Errorf("reference reads %q with %w, the model takes it: %v", value, err, ok)
		}
		if err != nil {
			return nil
		}
		if pair != (heartbeat.Pair{Send: int64(can), Want: int64(want)}) || pair.Validate() != nil {
			return fmt.Errorf("reference reads %q as %+v, the model as %d and %d", value, pair, can, want)
		}
		if again, err := heartbeat.Parse(pair.String()); err != nil || again != pair || !isBeatPair(pair.String()) {
			return fmt.Errorf("%+v is written as %q and read as %+v, %w", pair, pair, again, err)
		}
		pairs[i], numbers[2*i], numbers[2*i+1] = pair, can, want
	}
	toServer, toClient, err := heartbeat.Negotiate(pairs[0], pairs[1])
	c, s := stompmodel.Intervals(numbers[0], numbers[1], numbers[2], numbers[3])
	if err != nil || toServer != int64(c) || toClient != int64(s) {
		return fmt.Errorf("reference agrees on %d and %d, %w, the model on %d and %d", toServer, toClient, err, c, s)
	}
	return nil
}

// The vectors about heart-beat headers have their right outcome on the model too.
func TestHeartBeatVectorsOnMachine(t *testing.T) {
	for _, v := range stompVectors(t, corpus.ParseHeartbeat) {
		can, want, ok := stompmodel.ParseHeartBeat(string(*v.Value))
		if ok == v.Want.Reject || ok && (corpus.Pair{Send: int64(can), Want: int64(want)}) != *v.Want.Pair {
			t.Errorf("%s: %d, %d, %v", v.Name, can, want, ok)
		}
	}
	for _, v := range stompVectors(t, corpus.NegotiateHeartbeat) {
		// A caller of the model has numbers that were read.
		if v.Want.Reject {
			continue
		}
		c, s := stompmodel.Intervals(int(v.Client.Send), int(v.Client.Want), int(v.Server.Send), int(v.Server.Want))
		if (corpus.Pair{Send: int64(c), Want: int64(s)}) != *v.Want.Intervals {
			t.Errorf("%s: %d, %d, want %v", v.Name, c, s, *v.Want.Intervals)
		}
	}
}
