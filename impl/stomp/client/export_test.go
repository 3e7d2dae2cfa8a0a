package client

import (
	"context"
	"net"
)

// eager is a stream that claims to write without waiting, and writes nothing that way.
type eager struct{ *stream }

func (eager) quick() bool { return true }

// NewEager is New over a connection on which a call that waits for a receipt reads for itself.
func NewEager(ctx context.Context, c net.Conn, cfg Config) (*Client, error) {
	s, octets, err := prepare(c, &cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := cfg.limit(ctx)
	defer cancel()
	return connect(ctx, cfg, eager{newStream(c)}, s, octets)
}

// Turn tells who reads: "reader", "nobody" or "caller".
func (c *Client) Turn() string {
	c.mu.Lock()
	defer c.unlock()
	return [...]string{"reader", "nobody", "caller"}[c.turns]
}
