// The browser around the tabs of one origin: its clock, timers, storage and channels, and what is under way. Nothing happens in it but
// what a request asks for.

import { Fault } from '../serve.mjs';

const realMicrotask = globalThis.queueMicrotask;
const realImmediate = globalThis.setImmediate;

// How often something may follow at one moment before that counts as endless.
const mostAtOnce = 100_000;

class Restless extends Error {
  name = 'Restless';
}

const restless = (what) => new Restless(`${what} do not end: more than ${mostAtOnce} at one moment`);

// Keys with values, in the order in which the keys were first written.
class Cells {
  constructor(values = []) {
    this.values = new Map(values);
    this.order = undefined;
  }

  apply(key, value) {
    if (value === null ? this.values.delete(key) : !this.values.has(key)) this.order = undefined;
    if (value !== null) this.values.set(key, value);
  }

  keys() {
    this.order ??= [...this.values.keys()];
    return this.order;
  }
}

const byTime = (a, b) => a.at - b.at || a.made - b.made;

// World is one origin.
export class World {
  constructor({ flush, storage, lossyClose, now }) {
    this.manual = flush === 'manual';
    this.replicated = storage === 'replicated';
    this.lossyClose = lossyClose === true;
    this.now = now;
    this.all = new Cells();
    this.log = []; // changes of the storage
    this.tabs = []; // that live, in the order in which they came
    this.sessions = new Map();
    this.flying = []; // frames, the oldest first
    this.did = [];
    this.made = 0; // timers and messages, by which what is due at one moment is ordered
    this.frames = 0;
    this.ids = 0;
    this.running = undefined; // the tab whose task goes on
  }

  note(tab, kind, members) {
    if (!tab.dead) this.did.push({ kind, tab: tab.name, at: this.now, ...members });
  }

  took() {
    const { did } = this;
    this.did = [];
    return did;
  }

  tab(name) {
    const found = this.tabs.find((tab) => tab.name === name);
    if (!found) throw new Fault(`no tab ${name}`);
    return found;
  }

  // Runs one task of a tab, and all that follows from it before anything else happens: a macrotask comes after every microtask.
  async task(tab, f) {
    this.running = tab;
    try {
      return f();
    } finally {
      await new Promise((done) => realImmediate(done));
      this.running = undefined;
    }
  }

  // What a task throws that nobody called is what the page is told of as uncaught.
  uncaught(error) {
    if (this.running) this.note(this.running, 'error', { error: `uncaught ${error?.name}: ${error?.message ?? error}` });
  }

  event(tab, f) {
    return this.task(tab, () => {
      try {
        f();
      } catch (error) {
        this.uncaught(error);
      }
    });
  }

  // replaceGlobals puts the world in place of what the library takes from its global scope.
  replaceGlobals() {
    const timer = (every) => (f, ms = 0, ...args) => this.timer(this.running, ms, every, () => f(...args));
    const clear = (t) => t?.tab?.timers.delete(t);
    Object.assign(globalThis, {
      setTimeout: timer(false), setInterval: timer(true), clearTimeout: clear, clearInterval: clear,
      queueMicrotask: (f) => {
        if (this.manual && this.running) this.running.flushes.push(f);
        else realMicrotask(f);
      },
    });
    Date.now = () => this.now;
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', (error) => this.uncaught(error));
  }

  timer(tab, ms, every, f) {
    this.made += 1;
    const t = { tab, at: this.now + Math.max(ms, 0), made: this.made, every: every && Math.max(ms, 1), f };
    if (!tab.dead) tab.timers.add(t);
    return t;
  }

  fire(t) {
    if (!t.tab.timers.has(t)) return undefined;
    if (t.every) t.at = this.now + t.every;
    else t.tab.timers.delete(t);
    return this.event(t.tab, t.f);
  }

  // The timer that is due first. Those of frozen tabs are not.
  next(until) {
    let first;
    for (const tab of this.tabs) {
      if (tab.frozen) continue;
      for (const t of tab.timers) if (t.at <= until && (!first || byTime(t, first) < 0)) first = t;
    }
    return first;
  }

  async advance(ms, drain) {
    if (!(ms >= 0)) throw new Fault(`time does not pass by ${ms} ms`);
    const end = this.now + ms;
    for (let times = 0; ; times++) {
      if (drain) await this.drain();
      const t = this.next(end);
      if (!t) break;
      if (t.at > this.now) [this.now, times] = [t.at, 0];
      if (times > mostAtOnce) throw restless('timers');
      await this.fire(t);
    }
    this.now = Math.max(this.now, end); // a handler may have taken its time
  }

  async thaw(tab) {
    tab.frozen = false;
    const due = [...tab.held, ...[...tab.timers].filter((t) => t.at <= this.now)].sort(byTime);
    tab.held = [];
    for (const d of due) await (d.message ? this.event(tab, d.message) : this.fire(d));
  }

  // hand hands something in that comes from outside, to a frozen tab when it thaws.
  async hand(tab, message) {
    if (!tab.frozen) return this.event(tab, message);
    this.made += 1;
    tab.held.push({ at: this.now, made: this.made, message });
  }

  async flush(tab) {
    while (tab.flushes.length > 0) await this.event(tab, tab.flushes.shift());
  }

  // channel opens one for a tab.
  channel(tab, name) {
    const world = this;
    const listeners = new Set();
    const port = { tab, name, receive: (data) => { for (const listener of [...listeners]) listener({ data }); } };
    tab.ports.push(port);
    this.note(tab, 'open', { name });
    return {
      addEventListener: (type, listener) => type === 'message' && listeners.add(listener),
      removeEventListener: (type, listener) => listeners.delete(listener),
      postMessage: (message) => world.post(port, message),
      close: () => {
        if (!tab.ports.includes(port)) return;
        world.note(tab, 'close', { name });
        world.shut(port);
      },
    };
  }

  post(from, message) {
    if (!from.tab.ports.includes(from)) throw new DOMException('the channel is closed', 'InvalidStateError');
    if (spend(from.tab, 'failPosts')) throw new DOMException('the message cannot be posted', 'DataCloneError');
    const text = JSON.stringify(message);
    const frames = [];
    for (const to of this.tabs.flatMap((tab) => tab.ports)) {
      if (to.tab === from.tab || to.name !== from.name) continue;
      this.frames += 1;
      const frame = `f${this.frames}`;
      this.flying.push({ frame, from, to, text });
      frames.push({ frame, to: to.tab.name });
    }
    this.note(from.tab, 'post', { message: JSON.parse(text), ...(frames.length > 0 ? { frames } : {}) });
  }

  // shut loses what is under way to a port and, in an origin whose channels close that way, from it.
  shut(port) {
    port.tab.ports = port.tab.ports.filter((other) => other !== port);
    const lost = this.flying.filter(({ to, from }) => to === port || (this.lossyClose && from === port));
    if (lost.length === 0) return;
    this.flying = this.flying.filter((f) => !lost.includes(f));
    this.note(port.tab, 'lost', { frames: lost.map(({ frame, to }) => ({ frame, to: to.tab.name })) });
  }

  take(name) {
    const i = this.flying.findIndex(({ frame }) => frame === name);
    if (i < 0) throw new Fault(`no frame ${name} is under way`);
    return i;
  }

  async arrive(i) {
    const [{ to, text }] = this.flying.splice(i, 1);
    await this.event(to.tab, () => to.receive(JSON.parse(text)));
  }

  // For a frozen tab a frame stays under way.
  async deliver(name) {
    const i = this.take(name);
    if (!this.flying[i].to.tab.frozen) await this.arrive(i);
  }

  async drain(max = 0) {
    for (let n = 0; n < (max || mostAtOnce); n++) {
      const i = this.flying.findIndex(({ to }) => !to.tab.frozen);
      if (i < 0) return;
      await this.arrive(i);
    }
    if (max === 0) throw restless('frames that beget frames');
  }

  write(tab, key, value) {
    this.all.apply(key, value);
    if (!this.replicated) return;
    this.log.push({ by: tab, key, value });
    tab?.replica.apply(key, value);
  }

  // sync lets a tab see the next so many changes of others. One that it has overwritten meanwhile is not seen any more.
  sync(tab, count = 0) {
    for (let left = count; tab.seen < this.log.length && (count === 0 || left > 0); tab.seen++) {
      const { by, key, value } = this.log[tab.seen];
      if (by === tab) continue;
      left -= 1;
      const overwritten = this.log.slice(tab.seen + 1).some((later) => later.by === tab && later.key === key);
      if (!overwritten) tab.replica.apply(key, value);
    }
  }

  // storage is that of the origin as one tab has it.
  storage(tab) {
    const cells = this.replicated ? () => tab.replica : () => this.all;
    const change = (key, value) => {
      if (tab.dead) return;
      if (spend(tab, 'failWrites')) {
        this.note(tab, 'refused', { key });
        throw new DOMException('the storage refuses the write', 'QuotaExceededError');
      }
      this.write(tab, key, value);
      this.note(tab, value === null ? 'remove' : 'write', value === null ? { key } : { key, value });
    };
    return {
      get length() { return cells().keys().length; },
      key: (i) => cells().keys()[i] ?? null,
      getItem: (key) => cells().values.get(key) ?? null,
      setItem: (key, value) => change(String(key), String(value)),
      removeItem: (key) => change(String(key), null),
      clear: () => [...cells().keys()].forEach((key) => change(key, null)),
    };
  }

  // replica is the storage as a new tab sees it.
  replica() { return this.replicated ? new Cells(this.all.values) : undefined; }

  end(tab) {
    for (const port of [...tab.ports]) this.shut(port);
    tab.dead = true;
    tab.timers.clear();
    [tab.flushes, tab.held] = [[], []];
    this.tabs = this.tabs.filter((other) => other !== tab);
  }
}

// Takes one of the failures that were ordered, and says whether there was one. -1: there always is.
function spend(tab, which) {
  if (tab[which] > 0) {
    tab[which] -= 1;
    return true;
  }
  return tab[which] < 0;
}
