package daemon

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"github.com/seed-6f28358b/assay/impl/eventbus/reducer"
)

// State is the answer to GET /session/{id}/state.
type State struct {
	SessionID   string `json:"sessionId"`
	Dialect     string `json:"dialect"`
	Epoch       string `json:"epoch,omitempty"`
	LastEventID int64  `json:"lastEventId"`
	Ring        Ring   `json:"ring"`
	// MaxSubscribers and MaxQueuedBytes are the limits of the bus.
	MaxSubscribers int          `json:"maxSubscribers"`
	MaxQueuedBytes int64        `json:"maxQueuedBytes"`
	Subscribers    []Subscriber `json:"subscribers"`
	Readers        []Reader     `json:"readers"`
	// Notices are the newest warnings and evictions, oldest first.
	Notices []Notice `json:"notices"`
	// Types are those that a reader may meet: the known ones and those that were published.
	Types []string `json:"types"`
}

// Ring is what can be replayed: Length events with ids from First to Last, of at most Size.
type Ring struct {
	Size   int   `json:"size"`
	Length int   `json:"length"`
	First  int64 `json:"first"`
	Last   int64 `json:"last"`
}

// Subscriber is what one subscriber has waiting for it.
type Subscriber struct {
	ID        int64 `json:"id"`
	Live      int   `json:"live"`
	LiveBytes int64 `json:"liveBytes"`
	Buffered  int   `json:"buffered"`
	MaxQueued int   `json:"maxQueued"`
	Waiting   bool  `json:"waiting"`
	Warned    bool  `json:"warned"`
}

// Reader is one reader inside the daemon.
type Reader struct {
	ID      int    `json:"id"`
	DelayMs int64  `json:"delayMs"`
	Taken   int    `json:"taken"`
	Last    string `json:"last"` // the type of the last event taken
	Ended   bool   `json:"ended"`
}

func (d *Daemon) state(w http.ResponseWriter, _ *http.Request, s *session) { reply(w, s.state()) }

// state returns the state of a session. Its parts are of moments that differ a little.
func (s *session) state() State {
	bus := s.bus.Snapshot()
	cfg := s.daemon.cfg
	state := State{
		SessionID: s.id, Dialect: cfg.Dialect.String(), Epoch: s.bus.Epoch(), LastEventID: bus.LastEventID,
		Ring:           Ring{Size: cfg.RingSize, Length: bus.RingLen, First: bus.RingFirst, Last: bus.RingLast},
		MaxSubscribers: cfg.MaxSubscribers, MaxQueuedBytes: cfg.MaxQueuedBytes,
		Subscribers: []Subscriber{}, Readers: []Reader{}, Notices: []Notice{},
	}
	for _, b := range bus.Subscribers {
		state.Subscribers = append(state.Subscribers, Subscriber{b.ID, b.Live, b.LiveBytes, b.Buffered, b.MaxQueued, b.Waiting, b.Warned})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.readers {
		r.mu.Lock()
		state.Readers = append(state.Readers, Reader{r.id, r.pace.Milliseconds(), r.taken, r.last, r.done})
		r.mu.Unlock()
	}
	slices.SortFunc(state.Readers, func(a, b Reader) int { return cmp.Compare(a.ID, b.ID) })
	state.Notices = append(state.Notices, s.notices...)
	types := slices.AppendSeq(reducer.Later.Types(), maps.Keys(s.types))
	slices.Sort(types)
	state.Types = slices.Compact(types)
	return state
}
