// The operations of spec/adapter.md for the data bus, on the library.

import { Fault, Unsupported } from '../serve.mjs';
import { Line, topicText } from './transport.mjs';
import { World } from './world.mjs';

const textOf = (error) => String(error?.message ?? error);

// What the library names differently from the requests; what is absent is not passed.
const named = {
  tabId: 'tabId', workerId: 'workerId', clusterKey: 'clusterKey', prefix: 'storagePrefix', heartbeat: 'heartbeatIntervalMs',
  ttl: 'workerTtlMs', maxActive: 'maxActiveWorkers',
};

// A Tab is one document with its bus.
class Tab {
  constructor(world, request, Bus) {
    Object.assign(this, { world, request, Bus, name: request.tab, visibility: request.visibility ?? 'visible' });
    Object.assign(this, { dead: false, frozen: false, failWrites: 0, failPosts: 0, ports: [], held: [], flushes: [], made: undefined });
    this.timers = new Set();
    this.handlers = new Map(); // by topic and name, those that are registered, and the last that was not
    this.listeners = { pagehide: new Set(), pageshow: new Set(), visibility: new Set() };
    this.line = new Line(world, this, request.opens ?? 'ok');
    [this.replica, this.seen] = [world.replica(), world.log.length];
  }

  get bus() {
    this.used = true;
    this.made ??= this.make();
    return this.made;
  }

  // What the library finds out while a bus is made it must find out anew if it changes before the bus is used.
  forget() {
    if (!this.used && !this.request.autoStart) this.made = undefined;
  }

  make() {
    const { request, world } = this;
    const options = { clusterKey: '', environment: this.environment(), transport: this.line.transport() };
    for (const [from, to] of Object.entries(named)) if (request[from] !== undefined) options[to] = request[from];
    if (request.autoStart) options.initialConfig = {};
    if (request.trace) options.trace = { enabled: true, sink: (e) => this.trace(e) };
    if (request.trace && request.window !== undefined) options.trace.metricsIntervalMs = request.window;
    globalThis.window = { opener: request.opener ? {} : null };
    try {
      const bus = new this.Bus(options);
      if (!(bus.cluster?.assignedTopics instanceof Map)) throw new Fault('the module hides what a snapshot shows');
      let registering = true; // the handler is told at once how things stand, which is nothing that happened
      bus.onStatus((status) => registering || world.note(this, 'status', { status }));
      registering = false;
      bus.onError((error) => world.note(this, 'error', { error: textOf(error) }));
      return bus;
    } finally {
      delete globalThis.window;
    }
  }

  environment() {
    const { request, world } = this;
    const on = (set) => [(f) => set.add(f), (f) => set.delete(f)];
    const [addPageHideListener, removePageHideListener] = on(this.listeners.pagehide);
    const [addPageShowListener, removePageShowListener] = on(this.listeners.pageshow);
    const [addVisibilityChangeListener, removeVisibilityChangeListener] = on(this.listeners.visibility);
    return {
      storage: request.noStorage ? null : world.storage(this),
      sessionStorage: sessionStorage(world.sessions.get(this.name)),
      now: () => world.now,
      randomId: () => (world.ids += 1).toString(16).padStart(16, '0'),
      createChannel: (name) => (request.noChannel ? null : world.channel(this, name)),
      setInterval: (f, ms) => world.timer(this, ms, true, f),
      clearInterval: (t) => this.timers.delete(t),
      getVisibilityState: () => this.visibility,
      addPageHideListener, removePageHideListener, addPageShowListener, removePageShowListener,
      addVisibilityChangeListener, removeVisibilityChangeListener,
    };
  }

  fire(event) { for (const listener of [...this.listeners[event]]) listener(); }

  trace(e) {
    const note = (name, more) => this.world.note(this, 'trace', { name, ...more });
    if (e.type === 'lifecycle') note(e.action);
    else if (e.type === 'status') note(`status ${e.status}`);
    else if (e.type !== 'message_metrics') note(e.type);
    else {
      const metrics = { received: e.received, dispatched: e.dispatched, samples: e.dispatchSamples };
      // Times are whole ms in a reply.
      Object.assign(metrics, { average: Math.round(e.dispatchAvgMs), p50: e.dispatchP50Ms, p95: e.dispatchP95Ms, max: e.dispatchMaxMs });
      note('metrics', { metrics });
    }
    if (this.request.badTrace) throw new Error('the sink throws');
  }

  subscribe({ topic, handler, throws, takes = 0 }) {
    const f = ({ topic: of, data }) => {
      this.world.note(this, 'dispatch', { topic: topicText(of), data, handler });
      this.world.now += takes;
      if (throws) throw new Error(`the handler ${handler} throws`);
    };
    this.bus.subscribe(topic, f);
    const key = JSON.stringify([topic, handler]);
    this.handlers.set(key, { live: [...this.handlers.get(key)?.live ?? [], f] });
  }

  // A handler that is not registered any more is taken back once more.
  unsubscribe({ topic, handler }) {
    const known = this.handlers.get(JSON.stringify([topic, handler])) ?? { live: [] };
    known.last = known.live.pop() ?? known.last ?? (() => {});
    this.bus.unsubscribe(topic, known.last);
  }

  publish({ topic, data }) { this.bus.publish(topic, data); }

  call(name, promise) {
    promise.then(
      () => this.world.note(this, 'settled', { call: name }),
      (error) => this.world.note(this, 'settled', { call: name, error: textOf(error) }),
    );
  }

  view() {
    const { made: bus, request } = this;
    const cluster = bus?.cluster;
    const pending = cluster?.storage?.pending;
    return {
      tabId: cluster?.tabId ?? request.tabId ?? '', workerId: cluster?.workerId ?? request.workerId ?? '',
      ...(this.ports.length > 0 ? { channel: this.ports[0].name } : {}),
      status: bus?.status ?? 'disconnected', active: cluster?.started ?? false,
      local: Boolean(cluster?.started && !(cluster.storage && cluster.channel)),
      subscribed: [...cluster?.subscribedTopics ?? []], assigned: [...cluster?.assignedTopics.values() ?? []].map(topicText),
      transport: [...this.line.told], server: this.line.served(), known: [...cluster?.knownTopics.keys() ?? []].map(String),
      pending: [...pending?.keys() ?? []], ...(cluster ? { role: cluster.currentRecord.role } : {}),
      ...(this.frozen ? { frozen: true } : {}),
    };
  }
}

function sessionStorage(values) {
  return {
    get length() { return values.size; },
    key: (i) => [...values.keys()][i] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => { values.set(key, value); },
    removeItem: (key) => { values.delete(key); },
    clear: () => values.clear(),
  };
}

const handled = ['tab', 'topic', 'handler'];
const published = ['tab', 'topic', 'data'];

// The members that each operation takes.
export const members = {
  origin: ['version', 'flush', 'storage', 'lossyClose', 'now'],
  tab: [
    'tab', 'tabId', 'workerId', 'visibility', 'opens', 'noStorage', 'noChannel', 'session', 'opener', 'clusterKey', 'prefix', 'heartbeat',
    'ttl', 'maxActive', 'autoStart', 'trace', 'window', 'badTrace',
  ],
  start: ['tab', 'call'], stop: ['tab', 'call'], ready: ['tab', 'call'],
  subscribe: [...handled, 'throws', 'takes'], unsubscribe: handled,
  publish: published, emit: published, server: published, batch: ['tab', 'ops'],
  pagehide: ['tab'], pageshow: ['tab'], visibility: ['tab', 'state'], crash: ['tab'], freeze: ['tab'], thaw: ['tab'],
  flush: ['tab'], sync: ['tab', 'count'], status: ['tab', 'status'], opens: ['tab', 'opens'], opened: ['tab', 'fail'],
  fail: ['tab', 'writes', 'posts'], inject: ['tab', 'message'], put: ['key', 'value'], deliver: ['frame'], drop: ['frame'],
  advance: ['ms', 'drain'], drain: ['max'], wire: [], snapshot: [],
};

const items = { subscribe: ['op', ...handled.slice(1)], unsubscribe: ['op', ...handled.slice(1)], publish: ['op', ...published.slice(1)] };

function oneOf(what, value, ...values) {
  if (value !== undefined && !values.includes(value)) throw new Unsupported(`${what} ${value}`);
}

// operations returns the table of operations for a library, as serve wants it.
export function operations(library) {
  let world;
  const origin = () => {
    if (!world) throw new Fault('there is no origin yet');
    return world;
  };
  const did = (f) => async (request) => {
    try {
      await f(request, origin());
      return { did: world.took() };
    } finally {
      world?.took();
    }
  };
  // A call of the application, whose exceptions it sees itself.
  const called = (f) => did((request, w) => {
    const tab = w.tab(request.tab);
    return w.task(tab, () => f(tab, request));
  });
  // Something that happens to a tab.
  const happens = (f) => did((request, w) => {
    const tab = w.tab(request.tab);
    return w.event(tab, () => f(tab, request));
  });
  const call = (make) => called((tab, request) => tab.call(request.call, make(tab.bus)));

  return {
    // A further origin ends the one that there was with all its tabs.
    origin(request) {
      oneOf('version', request.version, 'v010');
      oneOf('flush', request.flush, 'auto', 'manual');
      oneOf('storage', request.storage, 'shared', 'replicated');
      for (const tab of world?.tabs ?? []) world.end(tab);
      world = new World(request);
      world.replaceGlobals();
      return { did: [] };
    },
    tab: did(async (request, w) => {
      oneOf('opens', request.opens, 'ok', 'fail', 'manual');
      if (w.tabs.some(({ name }) => name === request.tab)) throw new Fault(`there is a tab ${request.tab} already`);
      const own = request.session === request.tab && w.sessions.has(request.tab);
      if (!own) w.sessions.set(request.tab, new Map(w.sessions.get(request.session)));
      const tab = new Tab(w, request, await library.load());
      w.tabs.push(tab);
      await w.task(tab, () => { tab.made = tab.make(); });
    }),
    start: call((bus) => bus.start({})),
    stop: call((bus) => bus.stop()),
    ready: call((bus) => bus.ready()),
    subscribe: called((tab, request) => tab.subscribe(request)),
    unsubscribe: called((tab, request) => tab.unsubscribe(request)),
    publish: called((tab, request) => tab.publish(request)),
    batch: called((tab, { ops }) => {
      for (const item of ops) {
        oneOf('batch of', item.op, ...Object.keys(items));
        const unknown = Object.keys(item).find((name) => !items[item.op]?.includes(name));
        if (unknown !== undefined) throw new Unsupported(`member ${unknown} of ${item.op} in a batch`);
        tab[item.op](item);
      }
    }),
    emit: did(({ tab, topic, data }, w) => w.hand(w.tab(tab), () => w.tab(tab).line.emit(topic, data))),
    server: did(async ({ topic, data }, w) => {
      for (const tab of w.tabs) {
        if (tab.line.served().includes(topic)) await w.hand(tab, () => tab.line.emit(topic, structuredClone(data)));
      }
    }),
    pagehide: happens((tab) => tab.fire('pagehide')),
    pageshow: happens((tab) => tab.fire('pageshow')),
    visibility: happens((tab, { state }) => {
      tab.visibility = state;
      tab.fire('visibility');
    }),
    crash: did(({ tab }, w) => w.end(w.tab(tab))),
    freeze: did(({ tab }, w) => { w.tab(tab).frozen = true; }),
    thaw: did(({ tab }, w) => w.thaw(w.tab(tab))),
    flush: did(({ tab }, w) => w.flush(w.tab(tab))),
    sync: did(({ tab, count }, w) => w.sync(w.tab(tab), count)),
    status: happens((tab, { status }) => tab.line.say(status)),
    opens: did(({ tab, opens }, w) => {
      oneOf('opens', opens, 'ok', 'fail', 'manual');
      w.tab(tab).line.opens = opens;
    }),
    opened: happens((tab, { fail }) => tab.line.opened(fail === true)),
    fail: did(({ tab: name, writes, posts }, w) => {
      const tab = w.tab(name);
      if (writes !== undefined) tab.failWrites = writes;
      if (posts !== undefined) tab.failPosts = posts;
      if (writes) tab.forget();
    }),
    inject: happens((tab, { message }) => { for (const port of [...tab.ports]) port.receive(message); }),
    put: did(({ key, value }, w) => w.write(undefined, key, value ?? null)),
    deliver: did(({ frame }, w) => w.deliver(frame)),
    drop: did(({ frame }, w) => { w.flying.splice(w.take(frame), 1); }),
    advance: did(({ ms, drain }, w) => w.advance(ms, drain)),
    drain: did(({ max }, w) => w.drain(max)),
    wire: () => ({
      frames: origin().flying.map(({ frame, from, to, text }) => (
        { frame, from: from.tab.name, to: to.tab.name, message: JSON.parse(text) })),
    }),
    snapshot: () => ({
      now: origin().now, storage: Object.fromEntries(world.all.values),
      tabs: Object.fromEntries(world.tabs.map((tab) => [tab.name, tab.view()])),
    }),
  };
}
