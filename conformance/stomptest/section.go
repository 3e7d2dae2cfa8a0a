package stomptest

import (
	"fmt"
	"strings"
)

// A Section is what a profile says of a STOMP server. The zero value suits one that needs no credentials and spells destinations
// /queue/NAME and /topic/NAME.
type Section struct {
	Login    string `yaml:"login"`
	Passcode string `yaml:"passcode"`
	Host     string `yaml:"host"`  // value of the host header; default: the address's host
	Queue    string `yaml:"queue"` // how a queue is spelled; {name} stands for its name
	Topic    string `yaml:"topic"` // how a topic is spelled
}

// Validate reports what is wrong with p, naming the field.
func (p Section) Validate() error {
	for _, f := range []struct{ name, pattern string }{{"queue", p.Queue}, {"topic", p.Topic}} {
		if f.pattern != "" && !strings.Contains(f.pattern, "{name}") {
			return fmt.Errorf("%s: %q does not contain {name}", f.name, f.pattern)
		}
	}
	return nil
}

// QueueName spells the destination of a queue.
func (p Section) QueueName(name string) string { return spell(p.Queue, "/queue/{name}", name) }

// TopicName spells the destination of a topic.
func (p Section) TopicName(name string) string { return spell(p.Topic, "/topic/{name}", name) }

func spell(pattern, fallback, name string) string {
	if pattern == "" {
		pattern = fallback
	}
	return strings.ReplaceAll(pattern, "{name}", name)
}
