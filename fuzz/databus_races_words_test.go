package fuzz

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// String returns the state in the words of the machine: the routes and subscribers in storage, and of each worker what it wants (s), owns
// (a), has at the server (t), the load that storage knows, and what is under way to it.
func (r *raceRig) String() string {
	var parts []string
	for _, topic := range raceTopics {
		if text := r.topic(topic); text != "" {
			parts = append(parts, text)
		}
	}
	for _, t := range r.tabs {
		if text := t.String(); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

func (r *raceRig) topic(topic string) string {
	key := record.Hash(topic)
	tabs := ""
	for _, id := range []string{"A", "B", "C"} {
		at := raceKeys.Subscriber(key, id)
		if _, err := record.DecodeSubscriber(raceKeys.Parse(at), r.disk[at]); err == nil {
			tabs += id
		}
	}
	route, err := record.DecodeRoute(key, r.disk[raceKeys.Route(key)])
	if err != nil && tabs == "" {
		return ""
	}
	text := "no route"
	if err == nil {
		text = fmt.Sprintf("->%s gen %d", route.WorkerID, route.Generation)
		if route.HandoffFrom != "" {
			text += " from " + route.HandoffFrom
		}
		if route.Confirmed() {
			text += " confirmed"
		}
	}
	return fmt.Sprintf("%s: %s subscribers {%s}", topic, text, tabs)
}

// maxRaceAge is the age in seconds beyond which the machine tells none apart.
const maxRaceAge = 14

// String returns the state of one worker, empty if it is not there.
func (t *raceTab) String() string {
	w, err := record.DecodeWorker(t.rig.disk[raceKeys.Worker(t.name)])
	if err == nil && w.WorkerID != t.name {
		err = errors.New("of another worker")
	}
	if t.phase == "closed" && err != nil {
		return ""
	}
	s := t.c.Snapshot()
	if t.phase == "closed" {
		s.Subscribed, s.Assigned, s.Pending = nil, nil, nil
	}
	held := raceTopicSet(slices.Collect(maps.Keys(t.held)))
	text := fmt.Sprintf("%s %s s%s a%s t%s", t.name, t.phase, raceTopicSet(s.Subscribed), raceTopicSet(s.Assigned), held)
	if err == nil {
		text += fmt.Sprintf(" load %d age %d", w.Load, min((t.rig.now-w.HeartbeatAt)/1000, maxRaceAge))
	}
	if len(s.Pending) > 0 {
		text += " unflushed"
	}
	for _, from := range t.rig.tabs {
		for _, f := range t.rig.wire[[2]string{from.name, t.name}] {
			text += " <-" + from.name + " " + raceFrame(f)
		}
	}
	return text
}

// raceTopicSet returns a set of topics in the order of the topics.
func raceTopicSet(topics []string) string {
	text := ""
	for _, topic := range raceTopics {
		for _, one := range topics {
			if one == topic {
				text += topic
			}
		}
	}
	return "{" + text + "}"
}
