package databus

import "sync"

// A Session is the session storage of one page: it outlives a reload, and a page that another one opens may begin with a copy.
type Session interface {
	Get(key string) (string, bool)
	Set(key, value string)
}

// SessionKey is the key under which a page keeps the id of its tab.
const SessionKey = "cross-tab-worker-databus:tab-id"

// A Page is one document in one tab. Its buses share the id of the tab. The zero value is a page without session storage.
type Page struct {
	// Session keeps the id of the tab over a reload. Nil: it is new each time.
	Session Session
	// HasOpener says that the page knows who opened it, so that its session may be a copy (DATABUS-IDENTITY-002).
	HasOpener bool

	mu  sync.Mutex
	tab string // empty: no bus has asked yet
}

// TabID returns the id of the tab: the one of the session if there is one and it is no copy, else a new one from random
// (DATABUS-IDENTITY-001). A page without an opener cannot tell a copy (DATABUS-IDENTITY-003).
func (p *Page) TabID(random func() string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tab != "" {
		return p.tab
	}
	if p.Session != nil && !p.HasOpener {
		p.tab, _ = p.Session.Get(SessionKey)
	}
	if p.tab == "" {
		p.tab = random()
		if p.Session != nil {
			p.Session.Set(SessionKey, p.tab)
		}
	}
	return p.tab
}
