// Adapter around the EventBus inside the npm package @qwen-code/qwen-code, and around parseSseStream and the session
// reducer of @qwen-code/sdk when that package is installed beside it.
//
//   node adapter.mjs FOLDER      FOLDER, or ASSAY_QWEN_DIR, is the folder of @qwen-code/qwen-code
//
// It speaks spec/adapter.md: one request a line on standard input, one reply a line on standard output.

import { Fault, Unsupported, serve } from '../serve.mjs';
import { getEventListeners } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// What the bus tells goes to standard error; it is kept for op diagnostics.
const lines = [];
const callbacks = [];
process.stderr.write = (chunk) => {
  lines.push(...String(chunk).split('\n').filter((line) => line !== ''));
  return true;
};

const folder = resolve(process.argv[2] ?? process.env.ASSAY_QWEN_DIR ?? '.');
const mark = 'EventBus subscriber limit reached';
const release = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

async function findBus() {
  const chunks = join(folder, 'chunks');
  for (const name of readdirSync(chunks).filter((n) => n.endsWith('.js'))) {
    const text = readFileSync(join(chunks, name), 'utf8');
    if (!text.includes(mark)) continue;
    const found = await import(pathToFileURL(join(chunks, name)));
    if (found.EventBus) return { ...found, text };
  }
  throw new Error(`no chunk of ${chunks} exports EventBus`);
}

async function findSDK() {
  for (const beside of [join(folder, '..', 'sdk'), join(folder, 'node_modules', '@qwen-code', 'sdk')]) {
    if (!existsSync(join(beside, 'package.json'))) continue;
    const entry = createRequire(join(beside, 'package.json')).resolve('@qwen-code/sdk/daemon');
    return import(pathToFileURL(entry.replace(/\.cjs$/, '.js')));
  }
  return undefined;
}

const { EventBus, text } = await findBus();
const sdk = await findSDK();
const hasCallbacks = text.includes('onSubscriberDiagnostic');

const buses = new Map();
const subs = new Map();
let now = 1700000000000;
Date.now = () => now;
let sized = 0;
let replying = false; // what is serialised for a reply does not count

const need = (map, name) => {
  if (!map.has(name)) throw new Fault(`no such name: ${name}`);
  return map.get(name);
};
const isNew = (map, name) => {
  if (typeof name !== 'string' || map.has(name)) throw new Fault(`name is missing or taken: ${name}`);
};

// All that a bus does later is done in microtasks, so two macrotasks are a sure end of it.
const quiet = async () => {
  for (let i = 0; i < 2; i++) await new Promise((done) => setImmediate(done));
};

const specials = {
  circular(event) {
    event.data = {};
    event.data.self = event.data;
  },
  bigint(event) {
    event.data = { n: 1n };
  },
  'throwing-tojson'(event) {
    event.data = { toJSON: () => { throw new Error('this value does not serialise'); } };
  },
  undefined(event) {
    event.data = undefined;
  },
  counting(event) {
    event.data = {
      toJSON: () => {
        if (!replying) sized++;
        return { counting: true };
      },
    };
  },
  'nan-timestamp'(event) {
    event._meta = { ...event._meta, serverTimestamp: NaN };
  },
  'infinite-timestamp'(event) {
    event._meta = { ...event._meta, serverTimestamp: Infinity };
  },
};

const special = (event, name) => {
  if (name === undefined) return event;
  if (!Object.hasOwn(specials, name)) throw new Fault(`no special value ${name}`);
  specials[name](event);
  return event;
};

const encoded = (value) => {
  replying = true;
  try {
    return JSON.stringify(value);
  } finally {
    replying = false;
  }
};

// A frame whose data cannot be encoded is shown without it.
const shown = (frame) => {
  try {
    encoded(frame);
    return frame;
  } catch {
    return { ...frame, data: undefined };
  }
};

function open(sub) {
  const ask = { settled: false };
  sub.ask = ask;
  sub.iterator.next().then(
    (result) => Object.assign(ask, { settled: true, result }),
    (error) => Object.assign(ask, { settled: true, error }),
  );
}

// Asks at most count times; an ask that is open already is the first of them.
async function ask(sub, count) {
  const items = [];
  while (count > 0 || sub.ask) {
    if (!sub.ask) open(sub);
    await quiet();
    if (!sub.ask.settled) return { items, state: 'parked' };
    const { result, error } = sub.ask;
    sub.ask = undefined;
    if (error !== undefined) throw error;
    sub.done = result.done === true;
    if (sub.done) return { items, state: 'done' };
    items.push(shown(result.value));
    count--;
  }
  return { items, state: sub.done ? 'done' : 'ready' };
}

const ops = {
  new({ bus, dialect, ringSize, maxSubscribers, maxQueuedBytes, replayBudgetBytes }) {
    isNew(buses, bus);
    if (dialect !== undefined && dialect !== 'later') throw new Unsupported(`dialect ${dialect}`);
    buses.set(bus, new EventBus(ringSize, maxSubscribers, undefined, { maxQueuedBytes, replayBudgetBytes }));
  },
  clock(request) {
    now = request.now;
  },
  subscribe({ bus, sub, lastEventId, maxQueued, epoch, aborted, diagnose }) {
    isNew(subs, sub);
    const controller = new AbortController();
    if (aborted) controller.abort();
    const options = { signal: controller.signal };
    if (lastEventId !== undefined) options.lastEventId = lastEventId;
    if (maxQueued !== undefined) options.maxQueued = maxQueued;
    if (epoch !== undefined) options.epoch = epoch;
    if (diagnose !== undefined) {
      if (!hasCallbacks) throw new Unsupported('this release has no onSubscriberDiagnostic');
      options.onSubscriberDiagnostic = ({ type, data }) => {
        callbacks.push({ sub, type, data });
        if (diagnose === 'throw') throw new Error('diagnostic callback');
        return diagnose === 'true';
      };
    }
    const iterator = need(buses, bus).subscribe(options)[Symbol.asyncIterator]();
    subs.set(sub, { iterator, controller, done: false, ask: undefined });
  },
  publish({ bus, event, special: name }) {
    const published = need(buses, bus).publish(special(event, name));
    return { event: published === undefined ? null : shown(published) };
  },
  burst({ bus, events, count, event }) {
    const target = need(buses, bus);
    let published = 0;
    for (const input of events ?? Array.from({ length: count }, () => structuredClone(event))) {
      if (target.publish(input) !== undefined) published++;
    }
    return { published, lastEventId: target.lastEventId };
  },
  seed: ({ bus, events }) => ({ events: need(buses, bus).seedReplayEvents(events) }),
  next: ({ sub, count }) => ask(need(subs, sub), count),
  poll: ({ sub }) => ask(need(subs, sub), 0),
  drain: ({ sub }) => ask(need(subs, sub), Infinity),
  async return({ sub }) {
    // Not awaited to its end: an ask that is open ends with it, and is collected by the next op.
    const ended = need(subs, sub).iterator.return?.();
    await Promise.race([ended, quiet()]);
  },
  abort({ sub }) {
    need(subs, sub).controller.abort();
  },
  close({ bus }) {
    need(buses, bus).close();
  },
  state({ bus }) {
    const { lastEventId, subscriberCount, epoch } = need(buses, bus);
    return { lastEventId, subscriberCount, epoch };
  },
  listeners: ({ sub }) => ({ count: getEventListeners(need(subs, sub).controller.signal, 'abort').length }),
  diagnostics: () => ({ lines: lines.splice(0), callbacks: callbacks.splice(0) }),
  sized() {
    const count = sized;
    sized = 0;
    return { count };
  },
  async parse({ chunks }) {
    if (!sdk) throw new Unsupported('@qwen-code/sdk is not beside the package');
    const body = new ReadableStream({
      start(stream) {
        for (const chunk of chunks) {
          const { repeat, times } = typeof chunk === 'string' ? { repeat: chunk, times: 1 } : chunk;
          const octets = Buffer.from(repeat, 'base64');
          stream.enqueue(new Uint8Array(Buffer.concat(Array.from({ length: times }, () => octets))));
        }
        stream.close();
      },
    });
    const events = [];
    try {
      for await (const event of sdk.parseSseStream(body)) events.push(event);
    } catch (error) {
      return { events, error: { name: String(error?.name), message: String(error?.message) } };
    }
    return { events };
  },
  reduce({ dialect, events }) {
    if (dialect !== undefined && dialect !== 'later') throw new Unsupported(`dialect ${dialect}`);
    if (!sdk) throw new Unsupported('@qwen-code/sdk is not beside the package');
    const views = [sdk.createDaemonSessionViewState()];
    for (const event of events) views.push(sdk.reduceDaemonSessionEvent(views.at(-1), event));
    return { views };
  },
};

await serve({
  protocol: 'eventbus',
  hello: {
    software: `${release.name} ${release.version}`,
    roles: ['bus', ...(sdk ? ['sse-client', 'reducer'] : [])],
    versions: ['later'],
    options: hasCallbacks ? {} : { callbacks: 'this release has no onSubscriberDiagnostic' },
  },
  ops,
  members: {
    new: ['bus', 'dialect', 'ringSize', 'maxSubscribers', 'maxQueuedBytes', 'replayBudgetBytes'], clock: ['now'],
    subscribe: ['bus', 'sub', 'lastEventId', 'maxQueued', 'epoch', 'aborted', 'diagnose'], publish: ['bus', 'event', 'special'],
    burst: ['bus', 'events', 'count', 'event'], seed: ['bus', 'events'], next: ['sub', 'count'], poll: ['sub'], drain: ['sub'],
    return: ['sub'], abort: ['sub'], close: ['bus'], state: ['bus'], listeners: ['sub'], diagnostics: [], sized: [],
    parse: ['chunks'], reduce: ['dialect', 'events'],
  },
  quiet,
  encode: encoded,
});
