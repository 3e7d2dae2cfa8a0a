package fuzz

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// decodeAll returns what the reference makes of stream up to the first failure, and where each event ends. It reads octet by octet to find that
// out, and then in one chunk for each event.
func decodeAll(v frame.Version, stream []byte, h handshake) (events []frame.Event, ends []int, err error) {
	w := twin{version: v, handshake: h, limits: frame.Limits{Line: 2 * len(stream), Headers: len(stream), Body: 2 * largestSeed, Events: 1}}
	w.limits.Line++
	single, err := w.decoder(false)
	if err != nil {
		return nil, nil, err
	}
	d, err := w.decoder(false)
	if err != nil {
		return nil, nil, err
	}
	begun := 0
	for i, octet := range octetwise(stream) {
		got, err := single.Feed(octet)
		if err != nil {
			return events, ends, nil
		}
		if len(got) == 0 {
			continue
		}
		whole, err := d.Feed(stream[begun : i+1])
		if err != nil || len(whole) != 1 {
			return nil, nil, fmt.Errorf("octets %d to %d are an event when they come one by one, together %d and %w", begun, i, len(whole), err)
		}
		begun = i + 1
		events, ends = append(events, whole...), append(ends, begun)
	}
	return events, ends, nil
}
