package databustest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A port is the end of a channel that one tab has open.
type port struct {
	p       *page
	name    string
	receive func(json.RawMessage)
}

// A frame is one message under way to one port.
type frame struct {
	id       string
	from, to *port
	message  json.RawMessage
}

var errPost = errors.New("the channel cannot be posted to")

func (p *page) openChannel(name string, receive func(json.RawMessage)) (Channel, error) {
	if p.dead {
		return nil, errGone
	}
	c := &port{p, name, receive}
	p.ports = append(p.ports, c)
	p.note(&deed{Kind: didOpen, Name: name})
	return c, nil
}

// Post sends a message to all other tabs with an open channel of this name.
func (c *port) Post(message json.RawMessage) error {
	if !slices.Contains(c.p.ports, c) || spend(&c.p.failPosts) {
		return errPost
	}
	messages := []json.RawMessage{message}
	if h := c.p.b.hooks.post; h != nil {
		messages = h(c.p, message)
	}
	for _, m := range messages {
		c.send(same(m))
	}
	return nil
}

func (c *port) send(message json.RawMessage) {
	b := c.p.b
	d := &deed{Kind: didPost, Message: message}
	for _, other := range b.pages {
		for _, to := range other.ports {
			if to.p == c.p || to.name != c.name {
				continue
			}
			b.frames++
			f := &frame{fmt.Sprintf("f%d", b.frames), c, to, message}
			b.flying = append(b.flying, f)
			d.Frames = append(d.Frames, flying{Frame: f.id, To: to.p.name})
		}
	}
	c.p.note(d)
}

// Close closes the channel.
func (c *port) Close() {
	if slices.Contains(c.p.ports, c) {
		c.p.note(&deed{Kind: didClose, Name: c.name})
		c.end()
	}
}

// end loses what is under way to the port and, in an origin whose channels close that way, from it.
func (c *port) end() {
	c.p.ports = slices.DeleteFunc(c.p.ports, func(other *port) bool { return other == c })
	lost := &deed{Kind: didLost}
	c.p.b.flying = slices.DeleteFunc(c.p.b.flying, func(f *frame) bool {
		gone := f.to == c || f.from == c && c.p.b.q.LossyClose
		if gone {
			lost.Frames = append(lost.Frames, flying{Frame: f.id, To: f.to.p.name})
		}
		return gone
	})
	if len(lost.Frames) > 0 {
		c.p.note(lost)
	}
}

// arrive hands a message to the tab.
func (c *port) arrive(message json.RawMessage) {
	messages := []json.RawMessage{message}
	if h := c.p.b.hooks.receive; h != nil {
		messages = h(c.p, message)
	}
	for _, m := range messages {
		c.receive(same(m))
	}
}

// take takes a frame that is under way.
func (b *bridge) take(id string) (int, error) {
	i := slices.IndexFunc(b.flying, func(f *frame) bool { return f.id == id })
	if i < 0 {
		return 0, fmt.Errorf("no frame %q is under way", id)
	}
	return i, nil
}

// deliver lets a frame arrive. For a frozen tab it stays under way.
func (b *bridge) deliver(q frameRequest) error {
	i, err := b.take(q.Frame)
	if err != nil {
		return err
	}
	if f := b.flying[i]; !f.to.p.frozen {
		b.flying = slices.Delete(b.flying, i, i+1)
		f.to.arrive(f.message)
	}
	return nil
}

func (b *bridge) drop(q frameRequest) error {
	i, err := b.take(q.Frame)
	if err == nil {
		b.flying = slices.Delete(b.flying, i, i+1)
	}
	return err
}

// drain lets frames arrive, the oldest first, until none is left that can or so many have. 0: so many that they count as endless.
func (b *bridge) drain(limit int) error {
	endless := limit == 0
	if endless {
		limit = mostAtOnce
	}
	for range limit {
		i := slices.IndexFunc(b.flying, func(f *frame) bool { return !f.to.p.frozen })
		if i < 0 {
			return nil
		}
		f := b.flying[i]
		b.flying = slices.Delete(b.flying, i, i+1)
		f.to.arrive(f.message)
		if err := b.settle(); err != nil {
			return err
		}
	}
	if endless {
		return errRestless("frames that beget frames")
	}
	return nil
}

func (b *bridge) wire() wireReply {
	r := wireReply{Frames: []flying{}}
	for _, f := range b.flying {
		r.Frames = append(r.Frames, flying{f.id, f.from.p.name, f.to.p.name, f.message})
	}
	return r
}
