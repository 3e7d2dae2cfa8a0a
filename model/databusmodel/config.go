package databusmodel

import (
	"fmt"

	"github.com/seed-6f28358b/assay/model"
)

// Bounds of a cluster: what its state has room for.
const (
	maxTabs   = 3
	maxTopics = 2
	maxQueue  = 8
	// maxGen is where generations end: routes that are written without end lead in a circle then.
	maxGen = 30
)

// Times in seconds. DATABUS-HEARTBEAT-001, DATABUS-TTL-001
const (
	heartbeat = 3
	ttl       = 10
	// maxAge is beyond everything that a law tells apart, and maxIdle beyond every bound.
	maxAge  = heartbeat + ttl + 1
	maxIdle = 40
)

// Budgets say how often the users and the environment may act.
type Budgets struct {
	User       uint8 // subscriptions and unsubscriptions
	Hide, Show uint8 // pagehide and pageshow
	Crash      uint8
	Open       uint8 // of a worker that was not there at first
	Freeze     uint8
	Loss       uint8 // of frames
	Fail       uint8 // times that storage begins to refuse the writes of a tab
	Visibility uint8
	Publish    uint8 // publications of the server, of the first topic
}

// A Config is a scope of a Cluster. Its zero value has two tabs and one topic, in which nothing happens.
type Config struct {
	Rules Rules
	// Tabs is the number of workers, at most 3; 0: two. Topics is that of topics, at most 2; 0: one.
	Tabs, Topics uint8
	// TabIDs are the numbers of the tabs that the workers live in; the zero value gives each its own. DATABUS-IDENTITY-001
	TabIDs [maxTabs]uint8
	// Absent are the workers that are opened later, as a set of bits.
	Absent uint8
	// Users, Hiders, Crashers, Freezers and Failers are the workers to which these things happen, as sets of bits; 0: to each.
	Users, Hiders, Crashers, Freezers, Failers uint8
	// Stay are the workers whose users never unsubscribe, as a set of bits.
	Stay uint8
	// Wanted are the topics that users subscribe to, as a set of bits; 0: each.
	Wanted uint8
	// Late makes every flush of a tab a step of its own: other tabs read between a task and its flush. DATABUS-BATCH-001
	Late bool
	// Lag is how many writes of others a tab may not have seen yet, at most 4; each comes to be seen in a step of its own, in their order,
	// whatever frames come before. 0: a write is seen by all at once. While a tab is behind no time passes. DATABUS-ROUTE-001
	Lag uint8
	// Split makes a leave two steps: other tabs read between the flush of the routes that are handed on and the release of their transport.
	// DATABUS-HANDOFF-001
	Split bool
	// Clock lets time pass, and Fine makes every second a mark, not only each heartbeat.
	Clock, Fine bool
	// Phases are the seconds from 1 to 3 to the first heartbeat of each worker; 0: 3.
	Phases [maxTabs]uint8
	// Watch counts the seconds for which a topic is not as it should be, and holds them to their bounds.
	Watch bool
	// LossyClose loses what a page posts while it hides. DATABUS-RACE-007
	LossyClose bool
	// Setup is what happens first, each action followed by all deliveries and flushes.
	Setup   []Action
	Budgets Budgets
	// Racy says that the rules have races in the scope that nothing mends, so that what comes to be in the end is not claimed.
	Racy bool
	// Race, if not empty, is the law of the race that the machine denies: see Races. Otherwise it states all laws that hold.
	Race string
}

// Validate reports the first field that is out of range.
func (c Config) Validate() error {
	switch {
	case c.Tabs > maxTabs:
		return fmt.Errorf("databusmodel: config: Tabs is %d, want at most %d", c.Tabs, maxTabs)
	case c.Topics > maxTopics:
		return fmt.Errorf("databusmodel: config: Topics is %d, want at most %d", c.Topics, maxTopics)
	case c.Lag > maxLag:
		return fmt.Errorf("databusmodel: config: Lag is %d, want at most %d", c.Lag, maxLag)
	case c.Budgets.Publish > 1:
		return fmt.Errorf("databusmodel: config: Budgets.Publish is %d, want at most 1", c.Budgets.Publish)
	case c.Budgets.Show+c.Budgets.Open > 3:
		return fmt.Errorf("databusmodel: config: Budgets.Show and Open are %d together, want at most 3", c.Budgets.Show+c.Budgets.Open)
	}
	for i, phase := range c.Phases {
		if phase > heartbeat {
			return fmt.Errorf("databusmodel: config: Phases[%d] is %d, want at most %d", i, phase, heartbeat)
		}
	}
	for i, id := range c.TabIDs {
		if id >= maxTabs {
			return fmt.Errorf("databusmodel: config: TabIDs[%d] is %d, want below %d", i, id, maxTabs)
		}
	}
	if _, known := raceOf(c.Race); c.Race != "" && !known {
		return fmt.Errorf("databusmodel: config: Race is %q, want one of Races", c.Race)
	}
	return nil
}

// A Cluster is the machine of the tabs of one cluster: a model.Lively over [State], [Action] and [Outcome].
type Cluster struct {
	cfg     Config
	bug     bug
	start   State
	actions []Action
}

// New returns the machine for cfg, or the error of cfg.Validate. An action of the setup that is impossible is an error as well.
func New(cfg Config) (*Cluster, error) { return newCluster(cfg, 0) }

func newCluster(cfg Config, b bug) (*Cluster, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Tabs == 0 {
		cfg.Tabs = 2
	}
	cfg.Topics = max(cfg.Topics, 1)
	if cfg.TabIDs == [maxTabs]uint8{} {
		cfg.TabIDs = [maxTabs]uint8{0, 1, 2}
	}
	m := &Cluster{cfg: cfg, bug: b}
	m.actions = m.repertoire()
	return m, m.begin()
}

// begin opens the workers that are there at first and takes the setup.
func (m *Cluster) begin() error {
	m.start.left = Budgets{200, 200, 200, 200, 200, 200, 200, 200, 200, 200}
	for t := range m.cfg.Tabs {
		if m.cfg.Absent&bit(t) == 0 {
			k := m.task(&m.start, &Outcome{}, t)
			k.open()
			k.flush()
			m.start = m.calm(m.start)
		}
	}
	for t := range m.cfg.Tabs {
		m.start.tabs[t].next = m.phase(t)
	}
	for i, a := range m.cfg.Setup {
		next, _, ok := m.do(m.start, a)
		if !ok {
			return fmt.Errorf("databusmodel: config: Setup[%d] is %v, which is impossible", i, a)
		}
		m.start = m.calm(next)
	}
	m.start.left = m.cfg.Budgets
	return nil
}

func (m *Cluster) phase(t uint8) uint8 {
	switch {
	case !m.cfg.Clock || m.start.tabs[t].phase != running:
		return 0
	case m.cfg.Phases[t] > 0:
		return m.cfg.Phases[t]
	}
	return heartbeat
}

// Shows returns the law of the race that the scope is there to show, if any.
func (m *Cluster) Shows() string { return m.cfg.Race }

// Config returns the configuration.
func (m *Cluster) Config() Config { return m.cfg }

var _ model.Lively[State, Action, Outcome] = (*Cluster)(nil)
