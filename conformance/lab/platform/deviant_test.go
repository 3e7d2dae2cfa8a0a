package platform

import (
	"os"
	"slices"
	"testing"
)

// Pieces of platforms that are otherwise.
const (
	// lossyClose loses what was posted in the task that closes.
	lossyClose = `{ const p = BroadcastChannel.prototype, post = p.postMessage, close = p.close;
		p.postMessage = function (m) {
			if (this.shut) post.call(this, m);
			m = structuredClone(m);
			Promise.resolve().then(() => this.shut || post.call(this, m));
		};
		p.close = function () { this.shut = true; close.call(this); }; }`
	// echo lets a channel hear itself.
	echo = `{ const p = BroadcastChannel.prototype, post = p.postMessage;
		p.postMessage = function (m) { post.call(this, m); setTimeout(() => this.onmessage?.({ data: m }), 0); }; }`
	// lazyMicrotasks are tasks.
	lazyMicrotasks = `globalThis.queueMicrotask = f => setTimeout(f, 0);`
	// deferred stores what is written later, unless the page is gone.
	deferred = `{ const p = Storage.prototype, set = p.setItem;
		p.setItem = function (k, v) { setTimeout(() => set.call(this, k, v), 700); }; }`
	// late hides the first key of a pair for some tasks from all but the writer.
	late = `{ const p = Storage.prototype, set = p.setItem, get = p.getItem, mine = {};
		p.setItem = function (k, v) {
			if (!k.endsWith(":a")) return set.call(this, k, v);
			mine[k] = String(v);
			setTimeout(() => set.call(this, k, v), 5);
		};
		p.getItem = function (k) { return mine[k] ?? get.call(this, k); }; }`
)

// deviants are platforms that are otherwise, each with the area that looks at it and what must be found there.
var deviants = []struct {
	name, script string
	area         func(*bench) ([]outcome, error)
	broken       []string
}{
	{
		"clocks apart", `{ const by = Math.random() * 5000 | 0, now = Date.now; Date.now = () => now() + by; }`,
		(*bench).clocks,
		[]string{"clock/agree"},
	},
	{"writes out of order", late, (*bench).visibility, []string{"storage/in-order"}},
	{
		"every tab has its own value", `{ const p = Storage.prototype, set = p.setItem, get = p.getItem, mine = {};
		p.setItem = function (k, v) { mine[k] = String(v); set.call(this, k, v); };
		p.getItem = function (k) { return mine[k] ?? get.call(this, k); }; }`,
		(*bench).writers,
		[]string{"storage/last-wins"},
	},
	{
		"half a value", `{ const p = Storage.prototype, set = p.setItem;
		p.setItem = function (k, v) { v = String(v); set.call(this, k, v.slice(0, 1000)); setTimeout(() => set.call(this, k, v), 5); }; }`,
		(*bench).writers,
		[]string{"storage/whole"},
	},
	{
		"a key twice", `{ const key = Storage.prototype.key; Storage.prototype.key = function (i) { return key.call(this, Math.max(i, 1)); }; }`,
		(*bench).keys,
		[]string{"storage/keys"},
	},
	{
		"refused in silence", `{ const set = Storage.prototype.setItem;
		Storage.prototype.setItem = function (k, v) { try { set.call(this, k, v); } catch (e) { if (v.length > 999) throw e; } }; }`,
		(*bench).limit,
		[]string{"storage/refusal"},
	},
	{"forgets at a reload", `sessionStorage.clear();`, (*bench).sessions, []string{"session/reload"}},
	{
		"loses frames", `{ const post = BroadcastChannel.prototype.postMessage; let n = 0;
		BroadcastChannel.prototype.postMessage = function (m) { if (++n % 500) post.call(this, m); }; }`,
		(*bench).frames,
		[]string{"channel/fifo"},
	},
	{"hears itself, loses at closing, has lazy microtasks", lossyClose + echo + lazyMicrotasks, (*bench).channels, []string{
		"channel/no-echo", "channel/close-sends", "channel/turns",
	}},
	{"loses frames of pagehide", lossyClose + lazyMicrotasks, (*bench).leaves, []string{"page/frames"}},
	{"stores later", deferred, (*bench).crashes, []string{"page/crash"}},
	{"keeps no page", `addEventListener("unload", () => {});`, (*bench).returns, []string{"cache/returns"}},
}

// Each measurement sees a platform that is otherwise: scripts that run before those of the page make one.
func TestBrowserDeviantPlatforms(t *testing.T) {
	if os.Getenv("ASSAY_LAB") != "1" {
		t.Skip("needs a browser for two minutes: set ASSAY_LAB=1 on a machine that has Chromium")
	}
	path, err := find()
	if err != nil {
		t.Skip(err)
	}
	b, err := setUp(t.Context(), path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	for _, d := range deviants {
		t.Run(d.name, func(t *testing.T) {
			b.home.before = d.script
			if err := b.tabs(); err != nil {
				t.Fatal(err)
			}
			out, err := d.area(b)
			if err != nil {
				t.Log(err)
			}
			for _, id := range d.broken {
				i := slices.IndexFunc(out, func(o outcome) bool { return o.id == id })
				if i < 0 || out[i].verdict != Fails {
					t.Errorf("%s is not seen to be broken: %+v", id, out)
				}
			}
			for _, x := range []*tab{b.a, b.b, b.c, b.d} {
				x.stop()
			}
		})
	}
}
